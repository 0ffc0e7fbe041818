#include "rates.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "commands.h"

/* clang-format off */
static const ney_param rate_rows[] = {
#define AT(field) offsetof(rate_opts, field)
    /* name        flag kind          offset          default low     high arg  choices help */
    {"max-fpr",    0, NEY_KIND_REAL, AT(max_fpr),    (double)NAN, DBL_MIN, 1, "RATE", NULL, "bound on the false-positive rate, below 1: the share of negatives that are classified as positive"},
    {"max-fnr",    0, NEY_KIND_REAL, AT(max_fnr),    (double)NAN, DBL_MIN, 1, "RATE", NULL, "bound on the false-negative rate, below 1: the share of positives that are classified as negative"},
    {"confidence", 0, NEY_KIND_REAL, AT(confidence), 0.95,        0.5,     1, "P",    NULL, "confidence, below 1, with which the bound holds on new data"},
#undef AT
};
/* clang-format on */

const option_set rate_options = {
    .title = "Goal", .rows = rate_rows, .n_rows = COUNT(rate_rows), .bytes = sizeof(rate_opts)};

int rates_check(session *s)
{
    const rate_opts *rate = options_of(s->call, &rate_options);

    if (isnan(rate->max_fpr) && isnan(rate->max_fnr)) {
        return session_misused(s, "%s needs --max-fpr RATE or --max-fnr RATE",
                               s->call->command->name);
    }
    return rates_check_bounds(s);
}

int rates_check_bounds(session *s)
{
    const rate_opts *rate = options_of(s->call, &rate_options);

    if (rate->max_fpr >= 1 || rate->max_fnr >= 1) {
        return session_misused(s, "--max-%s = 1 bounds nothing, expected a rate below 1",
                               rate->max_fpr >= 1 ? "fpr" : "fnr");
    }
    if (rate->confidence >= 1) {
        return session_misused(
            s, "--confidence = 1 cannot be certified by any number of rows; expected a number "
               "from 0.5 to below 1, such as 0.95");
    }
    return EXIT_OK;
}
