#include "band.h"

#include <math.h>
#include <stdlib.h>

#include "model_json.h"

double summary_number(const ney_model *model, const char *name)
{
    return model ? model_number(model, NEY_METADATA_SUMMARY, name) : (double)NAN;
}

double first_given(double a, double b, double c)
{
    return !isnan(a) ? a : !isnan(b) ? b : c;
}

/* "LOW,HIGH" into two numbers in order. */
static bool parse_band(const char *text, band *b)
{
    char *end;

    b->low = strtod(text, &end);
    if (end == text || *end != ',') {
        return false;
    }
    text = end + 1;
    b->high = strtod(text, &end);
    return end != text && *end == '\0' && b->low <= b->high;
}

/* The threshold if no row were rejected: where the costs are even for scores that are log-odds, as
 * those of a model with a reject option, else 0; the middle of the band if that is outside of it.
 */
static double threshold_without_reject(const evidence *in, const ney_costs *costs, const band *b)
{
    const bool odds = !isnan(summary_number(in->of_model.model, "reject_cost_fn"));
    const double center = odds ? log(costs->fp / costs->fn) : 0;

    return b->low <= center && center <= b->high ? center : b->low / 2 + b->high / 2;
}

int band_choose(session *s, band *b, const evidence *in, double threshold, const char *thresholds,
                const ney_costs *costs)
{
    *b = (band){.low = in->low, .high = in->high};
    if (thresholds && !isnan(threshold)) {
        return session_misused(s, "--threshold and --thresholds exclude each other");
    }
    if (thresholds && !parse_band(thresholds, b)) {
        return session_misused(s,
                               "--thresholds = %.60s, expected two numbers LOW,HIGH with LOW at "
                               "most HIGH",
                               thresholds);
    }
    if (!isnan(threshold)) {
        *b = (band){.low = threshold, .high = threshold};
    }
    b->center = threshold_without_reject(in, costs, b);
    return EXIT_OK;
}

void counts_add(ney_counts *to, const ney_counts *c)
{
    to->tp += c->tp;
    to->fp += c->fp;
    to->tn += c->tn;
    to->fn += c->fn;
    to->rejected_pos += c->rejected_pos;
    to->rejected_neg += c->rejected_neg;
}
