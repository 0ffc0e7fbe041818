/* neyman evaluate: the errors of a model, or of any scores, on labelled rows. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "curve_plot.h"
#include "groups.h"
#include "labelled.h"
#include "model_json.h"
#include "output.h"
#include "plot/plot.h"
#include "rates.h"
#include "result.h"
#include "summary.h"

typedef struct evaluate_args {
    double threshold; /* NAN when not given */
    const char *thresholds;
    double cost_fn, cost_fp, reject_cost, reject_cost_fn, reject_cost_fp; /* NAN when not given */
    double partial;
    int curve; /* curve_kind */
    const char *output, *plot;
    bool conformal;
    double confidence;
} evaluate_args;

/* clang-format off */
static const ney_param own_rows[] = {
#define AT(field) offsetof(evaluate_args, field)
    /* name         flag kind             offset          default      low       high     arg     choices help */
    {"threshold",   0,  NEY_KIND_REAL,   AT(threshold),  (double)NAN, -DBL_MAX, DBL_MAX, "T",    NULL, "classify scores of at least T as positive; default: the threshold of the model, 0 for a score file"},
    {"thresholds",  0,  NEY_KIND_TEXT,   AT(thresholds), 0,           0,        0,       "LOW,HIGH", NULL, "reject option: positive from HIGH, negative below LOW, rejected between"},
    {"cost-fn",     0,  NEY_KIND_REAL,   AT(cost_fn),    (double)NAN, 0,        1e12,    "COST", NULL, "cost of a false negative; with any cost the result has the mean cost per row; default 1, or the cost in a model with a reject option"},
    {"cost-fp",     0,  NEY_KIND_REAL,   AT(cost_fp),    (double)NAN, 0,        1e12,    "COST", NULL, "cost of a false positive; default as for --cost-fn"},
    {"reject-cost", 0,  NEY_KIND_REAL,   AT(reject_cost), (double)NAN, 0,       1e12,    "COST", NULL, "cost of a rejected row; default 0, or the cost in a model with a reject option"},
    {"reject-cost-fn", 0, NEY_KIND_REAL, AT(reject_cost_fn), (double)NAN, 0,    1e12,    "COST", NULL, "cost of a rejected positive row, if it differs from --reject-cost"},
    {"reject-cost-fp", 0, NEY_KIND_REAL, AT(reject_cost_fp), (double)NAN, 0,    1e12,    "COST", NULL, "cost of a rejected negative row, if it differs from --reject-cost"},
    {"partial",     0,  NEY_KIND_REAL,   AT(partial),    (double)NAN, DBL_MIN,  1,       "RATE", NULL, "also report the area under the ROC curve for false-positive rates from 0 to RATE"},
    {"curve",       0,  NEY_KIND_CHOICE, AT(curve),      CURVE_NONE,  0,        0,       "KIND", CURVE_NAMES, "write a curve as TSV (17 digits) instead of the summary"},
    {"output",      'o', NEY_KIND_TEXT,  AT(output),     0,           0,        0,       "FILE", NULL, "file for the curve; default: standard output"},
    {"plot",        0,   NEY_KIND_TEXT,  AT(plot),       0,           0,        0,       "FILE", NULL, "chart (.svg, .png or .pdf) of the curve; without --curve: error-reject if rows are rejected, otherwise the ROC curve"},
    {"conformal",   0,   NEY_KIND_FLAG,  AT(conformal),  0,           0,        0,       NULL,   NULL, "also report how often the sets of 'predict --conformal' contain the true class, and their sizes"},
    {"confidence",  0,   NEY_KIND_REAL,  AT(confidence), 0.95,        0,        1,       "P",    NULL, "confidence of these sets"},
#undef AT
};
/* clang-format on */

static const option_set own_options = {.title = "Decisions, costs and curves",
                                       .rows = own_rows,
                                       .n_rows = COUNT(own_rows),
                                       .bytes = sizeof(evaluate_args)};

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

/* A number that a model that rejects was trained with; NAN where there is none. */
static double summary_number(const ney_model *model, const char *name)
{
    const char *key, *text;
    double value;

    for (int64_t k = 0;
         model && ney_model_metadata(model, NEY_METADATA_SUMMARY, k, &key, &value, &text); k++) {
        if (!text && strcmp(key, name) == 0) {
            return value;
        }
    }
    return NAN;
}

/* Where the decision would change if no row were rejected: the scores of a model that rejects are
 * log-odds, those of any other change sign. In the middle of the band where that is outside. */
static double center_of(const evidence *in, const ney_costs *costs, const band *b)
{
    const bool odds = !isnan(summary_number(in->of_model.model, "reject_cost_fn"));
    const double center = odds ? log(costs->fp / costs->fn) : 0;

    return b->low <= center && center <= b->high ? center : b->low / 2 + b->high / 2;
}

/* The thresholds named on the command line take the place of the model's. */
static int choose_band(session *s, const evaluate_args *args, const evidence *in,
                       const ney_costs *costs, band *b)
{
    *b = (band){.low = in->low, .high = in->high};
    if (args->thresholds && !isnan(args->threshold)) {
        return session_misused(s, "--threshold and --thresholds exclude each other");
    }
    if (args->thresholds && !parse_band(args->thresholds, b)) {
        return session_misused(s,
                               "--thresholds = %.60s, expected two numbers LOW,HIGH with LOW at "
                               "most HIGH",
                               args->thresholds);
    }
    if (!isnan(args->threshold)) {
        *b = (band){.low = args->threshold, .high = args->threshold};
    }
    b->center = center_of(in, costs, b);
    return EXIT_OK;
}

static double first_number(double a, double b, double c)
{
    return !isnan(a) ? a : !isnan(b) ? b : c;
}

/* What is asked for, else what a model that rejects was trained for, else errors that cost 1. */
static ney_costs choose_costs(const evaluate_args *args, const evidence *in)
{
    const ney_model *m = in->of_model.model;
    const double fn = summary_number(m, "reject_cost_fn"), fp = summary_number(m, "reject_cost_fp");
    const bool rejects = !isnan(fn);

    return (ney_costs){
        .fn = first_number(args->cost_fn, rejects ? summary_number(m, "cost_fn") : NAN, 1),
        .fp = first_number(args->cost_fp, rejects ? summary_number(m, "cost_fp") : NAN, 1),
        .reject_fn = first_number(first_number(args->reject_cost_fn, args->reject_cost, fn), 0, 0),
        .reject_fp = first_number(first_number(args->reject_cost_fp, args->reject_cost, fp), 0, 0)};
}

static bool wants_cost(const session *s, const evidence *in)
{
    static const char *const names[] = {"cost-fn", "cost-fp", "reject-cost", "reject-cost-fn",
                                        "reject-cost-fp"};
    bool given = !isnan(summary_number(in->of_model.model, "reject_cost_fn"));

    for (int64_t k = 0; k < COUNT(names); k++) {
        given = given || option_given(s->call, names[k]);
    }
    return given;
}

static void add_counts(ney_result *root, const evidence *in, const ney_counts *c, const band *b)
{
    result_name(root, "positive", in->positive);
    result_name(root, "negative", in->negative);
    ney_result_add_int(root, "n", in->n);
    ney_result_add_int(root, "n_pos", in->n_pos);
    ney_result_add_int(root, "n_neg", in->n_neg);
    ney_result_add_int(root, "tp", c->tp);
    ney_result_add_int(root, "fp", c->fp);
    ney_result_add_int(root, "tn", c->tn);
    ney_result_add_int(root, "fn", c->fn);
    ney_result_add_int(root, "rejected", c->rejected_pos + c->rejected_neg);
    ney_result_add_int(root, "rejected_pos", c->rejected_pos);
    ney_result_add_int(root, "rejected_neg", c->rejected_neg);
    ney_result_add_real(root, "threshold", b->high);
    if (b->low < b->high) {
        ney_result_add_real(root, "threshold_low", b->low);
    }
}

/* The six outcomes of a row, as bits. */
enum {
    TRUE_POS = 1,
    FALSE_POS = 2,
    TRUE_NEG = 4,
    FALSE_NEG = 8,
    REJECTED_POS = 16,
    REJECTED_NEG = 32,
    OF_POS = TRUE_POS | FALSE_NEG | REJECTED_POS,
    OF_NEG = FALSE_POS | TRUE_NEG | REJECTED_NEG,
    CALLED_POS = TRUE_POS | FALSE_POS,
    ERRORS = FALSE_POS | FALSE_NEG,
    REJECTED = REJECTED_POS | REJECTED_NEG
};

static int outcome(const evidence *in, int64_t i, double low, double high)
{
    const bool pos = in->label[i] > 0;

    if (in->score[i] >= high) {
        return pos ? TRUE_POS : FALSE_POS;
    }
    if (in->score[i] < low) {
        return pos ? FALSE_NEG : TRUE_NEG;
    }
    return pos ? REJECTED_POS : REJECTED_NEG;
}

/* Rates of the rows, or where rows come in groups their means over groups; `value` is room for one
 * number per row then. What fails first is kept. */
typedef struct rater {
    session *s;
    ney_result *root;
    const evidence *in;
    const band *b;
    ney_counts count; /* at the band */
    double *value;
    ney_status st;
} rater;

/* The rate of rows whose value is 1 among those whose value is a number. */
static void add_values(rater *r, const char *key, double scale)
{
    if (r->st == NEY_OK) {
        r->st = groups_mean(r->s, r->root, key, r->value, r->in->group, r->in->n, scale);
    }
}

static int64_t count_of(const ney_counts *c, int outcomes)
{
    return (outcomes & TRUE_POS ? c->tp : 0) + (outcomes & FALSE_POS ? c->fp : 0) +
           (outcomes & TRUE_NEG ? c->tn : 0) + (outcomes & FALSE_NEG ? c->fn : 0) +
           (outcomes & REJECTED_POS ? c->rejected_pos : 0) +
           (outcomes & REJECTED_NEG ? c->rejected_neg : 0);
}

/* The rate of the outcomes `hit` among the outcomes `of`. */
static void add_rate(rater *r, const char *key, int hit, int of)
{
    if (!r->in->group) {
        result_rate(r->root, key, count_of(&r->count, hit), count_of(&r->count, of));
        return;
    }
    for (int64_t i = 0; i < r->in->n; i++) {
        const int is = outcome(r->in, i, r->b->low, r->b->high);
        r->value[i] = is & of ? (is & hit) != 0 : (double)NAN;
    }
    add_values(r, key, 1);
}

/* A rejected row is no error, but it stays in the denominator: the rates are those of the rows that
 * came in. */
static void add_rates(rater *r)
{
    add_rate(r, "fpr", FALSE_POS, OF_NEG);
    add_rate(r, "fnr", FALSE_NEG, OF_POS);
    add_rate(r, "tpr", TRUE_POS, OF_POS);
    add_rate(r, "error_rate", ERRORS, OF_POS | OF_NEG);
    add_rate(r, "precision", TRUE_POS, CALLED_POS);
    add_rate(r, "fdr", FALSE_POS, CALLED_POS);
    add_rate(r, "reject_rate", REJECTED, OF_POS | OF_NEG);
}

/* Errors if no row were rejected: of all rows, and of those that are. */
static void add_undecided(rater *r)
{
    const evidence *in = r->in;
    const band *b = r->b;
    const ney_counts *c = &r->count;

    if (!in->group) {
        const ney_counts all = ney_count(in->score, in->label, in->n, b->center, b->center);
        result_rate(r->root, "error_rate_without_reject", all.fp + all.fn, in->n);
        result_rate(r->root, "error_reject_ratio", all.fp + all.fn - c->fp - c->fn,
                    c->rejected_pos + c->rejected_neg);
        return;
    }
    for (int64_t i = 0; i < in->n; i++) {
        r->value[i] = (outcome(in, i, b->center, b->center) & ERRORS) != 0;
    }
    add_values(r, "error_rate_without_reject", 1);
    for (int64_t i = 0; i < in->n; i++) {
        if (!(outcome(in, i, b->low, b->high) & REJECTED)) {
            r->value[i] = (double)NAN;
        }
    }
    add_values(r, "error_reject_ratio", 1);
}

/* What rejecting does: to either class, to those that are still decided, and whether it hits the
 * rows that would have been errors. */
static void add_rejection(rater *r)
{
    add_rate(r, "reject_rate_pos", REJECTED_POS, OF_POS);
    add_rate(r, "reject_rate_neg", REJECTED_NEG, OF_NEG);
    add_rate(r, "sensitivity", TRUE_POS, TRUE_POS | FALSE_NEG);
    add_rate(r, "positive_predictivity", TRUE_POS, CALLED_POS);
    add_undecided(r);
}

/* The three outcomes of either class. */
static void add_outcomes(ney_result *root, const evidence *in, const ney_counts *c)
{
    ney_result *rows = ney_result_add_array(root, "outcomes");

    for (int sign = 1; sign >= -1; sign -= 2) {
        ney_result *row = ney_result_add_object(rows, NULL);
        result_name(row, "class", sign > 0 ? in->positive : in->negative);
        ney_result_add_int(row, "rows", sign > 0 ? in->n_pos : in->n_neg);
        ney_result_add_int(row, "called_positive", sign > 0 ? c->tp : c->fp);
        ney_result_add_int(row, "rejected", sign > 0 ? c->rejected_pos : c->rejected_neg);
        ney_result_add_int(row, "called_negative", sign > 0 ? c->fn : c->tn);
    }
}

static double cost_of(int outcome, const ney_costs *c)
{
    switch (outcome) {
    case FALSE_POS:
        return c->fp;
    case FALSE_NEG:
        return c->fn;
    case REJECTED_POS:
        return c->reject_fn;
    case REJECTED_NEG:
        return c->reject_fp;
    default:
        return 0;
    }
}

static void add_cost(rater *r, const ney_costs *costs)
{
    const evidence *in = r->in;
    const double most = fmax(fmax(costs->fp, costs->fn), fmax(costs->reject_fp, costs->reject_fn));
    double low, high;

    if (!in->group || !(most > 0)) {
        ney_result_add_real(r->root, "cost",
                            ney_cost(&r->count, costs)); /* null when there is no row */
        ney_cost_interval(&r->count, costs, 0.95, &low, &high);
        ney_result_add_interval(r->root, "cost_interval", low, high);
        return;
    }
    for (int64_t i = 0; i < in->n; i++) {
        r->value[i] = cost_of(outcome(in, i, r->b->low, r->b->high), costs) / most;
    }
    add_values(r, "cost", most);
}

/* How the prediction sets do: the classes of each row that cannot be ruled out, 1 for the negative
 * and 2 for the positive one; false where the model has no p-values, which is reported before. */
static bool find_sets(const evidence *in, double confidence, uint8_t *set)
{
    const double e = ney_delta_of_confidence(confidence);

    for (int64_t i = 0; i < in->n; i++) {
        double p_pos, p_neg;
        ney_error unused;
        if (ney_model_p_values(in->of_model.model, &in->score[i], 1, &p_pos, &p_neg, &unused) !=
            NEY_OK) {
            return false;
        }
        set[i] = (uint8_t)((p_neg > e ? 1 : 0) + (p_pos > e ? 2 : 0));
    }
    return true;
}

static const uint8_t size_of_set[] = {0, 1, 1, 2};

/* The rate of rows of a class (0: either) whose set holds it or, where size >= 0, is so large. */
static void add_set_rate(rater *r, const char *key, const uint8_t *set, int sign, int size)
{
    const evidence *in = r->in;
    int64_t hits = 0, n = 0;

    for (int64_t i = 0; i < in->n; i++) {
        const bool counts = sign == 0 || in->label[i] == sign;
        const int own = in->label[i] > 0 ? 2 : 1;
        const bool hit = size >= 0 ? size_of_set[set[i]] == size : (set[i] & own) != 0;
        n += counts;
        hits += counts && hit;
        if (in->group) {
            r->value[i] = counts ? hit : (double)NAN;
        }
    }
    if (in->group) {
        add_values(r, key, 1);
    } else {
        result_rate(r->root, key, hits, n);
    }
}

static void add_sets(rater *r, double confidence)
{
    uint8_t *set = malloc((size_t)r->in->n + 1);

    if (!set) {
        r->s->err = (ney_error){.code = NEY_ENOMEM, .message = "no memory for the sets"};
        r->st = NEY_ENOMEM;
        return;
    }
    if (find_sets(r->in, confidence, set)) {
        add_set_rate(r, "coverage_pos", set, 1, -1);
        add_set_rate(r, "coverage_neg", set, -1, -1);
        add_set_rate(r, "sets_of_one", set, 0, 1);
        add_set_rate(r, "sets_of_both", set, 0, 2);
        add_set_rate(r, "sets_of_none", set, 0, 0);
    }
    free(set);
}

/* The area is that of all rows; its interval needs independent ones. */
static void add_areas(ney_result *root, const evaluate_args *args, const ney_roc *roc, bool grouped)
{
    const ney_auc_result area = ney_roc_auc(roc, 0.95);

    ney_result_add_real(root, "auc", area.auc);
    if (isnan(area.error) || grouped) {
        ney_result_add_text(root, "auc_interval", NULL);
    } else {
        ney_result_add_interval(root, "auc_interval", area.low, area.high);
        ney_result_add_text(root, "auc_interval_kind", "approximate");
    }
    ney_result_add_real(root, "auc_error", grouped ? (double)NAN : area.error);
    if (!isnan(args->partial)) {
        ney_result_add_real(root, "partial_auc", ney_roc_partial_auc(roc, args->partial));
        ney_result_add_real(root, "partial_max_fpr", args->partial);
    }
}

/* What is said of rows that the model, or its threshold, was made by. Out-of-fold scores are those
 * of new rows, but the threshold was chosen among them: the rates carry no intervals. */
static void mark_training_rows(ney_result *root, const evidence *in)
{
    if (in->of_model.in_sample) {
        ney_result_add_text(root, "rates_on", "training rows");
        ney_result_warn(root,
                        "the model was trained on these rows: their rates are optimistic, and the "
                        "intervals do not cover those of new data");
        return;
    }
    ney_result_add_int(root, "scored_out_of_fold", in->of_model.out_of_fold);
    ney_result_add_text(root, "rates_on",
                        in->of_model.out_of_fold == in->n
                            ? "training rows, out of fold"
                            : "training rows, out of fold, and others");
    for (const ney_result *item = ney_result_first(root); item; item = ney_result_next(item)) {
        const char *key = ney_result_key(item);
        const size_t length = strlen(key);
        if ((length > 9 && strcmp(key + length - 9, "_interval") == 0) ||
            strcmp(key, "auc_error") == 0) {
            ney_result_set_null(root, key);
        }
    }
}

/* Warn of a model that is of no use on these rows. */
static void add_usefulness(ney_result *root, const session *s, const evidence *in,
                           const ney_counts *c, const band *b)
{
    const ney_model *model = in->of_model.model;
    const bool bounded = model && (!isnan(model_number(model, NEY_METADATA_SUMMARY, "max_fpr")) ||
                                   !isnan(model_number(model, NEY_METADATA_SUMMARY, "max_fnr")));

    if (b->low < b->high) {
        ney_warn_rejection(root, c, "these rows");
    } else if (bounded) {
        ney_warn_chance(root, c, "these rows");
    }
    if (wants_cost(s, in)) {
        const ney_costs costs = choose_costs(options_of(s->call, &own_options), in);
        ney_warn_costs(root, c, &costs, "rows");
    }
}

static int64_t count_groups(const evidence *in, double *value, session *s, ney_status *st)
{
    ney_group_mean mean = {0};

    for (int64_t i = 0; i < in->n; i++) {
        value[i] = 0;
    }
    *st = ney_mean_of_groups(&mean, &s->env, value, in->group, in->n, 0.95, &s->err);
    return mean.n_groups;
}

/* All figures of the rows. */
static ney_status add_figures(session *s, ney_result *root, const evidence *in, const ney_roc *roc,
                              const band *b)
{
    const evaluate_args *args = options_of(s->call, &own_options);
    const ney_counts count = ney_count(in->score, in->label, in->n, b->low, b->high);
    rater r = {.s = s, .root = root, .in = in, .b = b, .count = count};

    if (in->group && !(r.value = malloc(((size_t)in->n + 1) * sizeof *r.value))) {
        s->err = (ney_error){.code = NEY_ENOMEM, .message = "no memory for the rates"};
        return NEY_ENOMEM;
    }
    add_counts(root, in, &count, b);
    if (in->group) {
        ney_result_define_groups(root, count_groups(in, r.value, s, &r.st));
    }
    add_rates(&r);
    if (b->low < b->high) {
        add_rejection(&r);
    }
    add_areas(root, args, roc, in->group != NULL);
    if (wants_cost(s, in)) {
        const ney_costs costs = choose_costs(args, in);
        add_cost(&r, &costs);
    }
    if (b->low < b->high) {
        add_outcomes(root, in, &count);
    }
    if (args->conformal) {
        add_sets(&r, args->confidence);
    }
    if (!in->group) { /* the rules count independent rows */
        add_usefulness(root, s, in, &count, b);
    }
    free(r.value);
    return r.st;
}

/* How rows are called that the model, or its threshold, was made from. */
static const char *rows_called(const evidence *in)
{
    return in->of_model.in_sample         ? ", rows used in training (optimistic)"
           : in->of_model.out_of_fold > 0 ? ", scored out of fold"
           : in->of_model.partly_seen || in->n_seen > 0
               ? ", some rows were used in training (optimistic)"
           : in->group ? ", on average over groups"
                       : "";
}

/* A rate of the result, with the interval where it covers the rate of new rows. */
static void summarise_rate(ney_result *root, const evidence *in, const char *key,
                           ney_class_share of)
{
    char path[64];
    double bounds[2];
    bool covered = !in->of_model.in_sample && !in->of_model.partly_seen && in->n_seen <= 0;

    of.share = (double)NAN;
    (void)ney_result_get_real(root, key, &of.share);
    for (int k = 0; k < 2 && covered; k++) {
        snprintf(path, sizeof path, "%s_interval.%d", key, k);
        covered = ney_result_get_real(root, path, &bounds[k]);
    }
    of.bounds = covered ? bounds : NULL;
    of.rows = rows_called(in);
    ney_result_headline_share(root, &of);
}

static void add_summary(ney_result *root, const evidence *in, const session *s, const band *b)
{
    char path[SHELL_WORD];

    summarise_rate(
        root, in, "fpr",
        (ney_class_share){.verb = "Flags", .outcome = " as positive", .name = in->negative});
    summarise_rate(root, in, "tpr",
                   (ney_class_share){
                       .verb = "Detects", .outcome = "", .positive = true, .name = in->positive});
    if (b->low < b->high && in->n > 0) {
        double share = 0;
        (void)ney_result_get_real(root, "reject_rate", &share);
        ney_result_headline(root, "Rejects %.3g %% of rows%s.", 100 * share, rows_called(in));
    }
    if (in->of_model.model && !in->of_model.in_sample) {
        shell_word(path, s->call->operands[0]);
        summary_next(s, root, "neyman predict %s NEW  (NEW: rows to classify)", path);
    } else if (!in->of_model.model && in->n_neg > 0 && in->n_pos > 0) {
        shell_word(path, in->path);
        summary_next(s, root, "neyman certify %s --max-fpr 0.01  (a threshold with a guarantee)",
                     path);
    }
}

/* `c` is the curve asked for, or NULL; it goes into the object unless a file has it. */
static ney_status tell(session *s, const evidence *in, const ney_roc *roc, const curve *c,
                       const band *b)
{
    const evaluate_args *args = options_of(s->call, &own_options);
    ney_result *root = result_new();
    char kind[32];
    const ney_status st = add_figures(s, root, in, roc, b);

    if (st != NEY_OK) {
        ney_result_free(root);
        return st;
    }
    if (!in->group && in->of_model.model && groups_certified(in->of_model.model)) {
        ney_result_warn(root,
                        "the model is certified with the group as the unit and these rows have "
                        "no groups: the intervals assume independent rows (--group COLUMN)");
    }
    if (in->of_model.out_of_fold > 0 || in->of_model.in_sample) {
        mark_training_rows(root, in);
    }
    if (in->of_model.partly_seen) {
        ney_warn_reuse(root, &in->of_model.reuse, "rows", "training");
    }
    if (in->n_seen > 0) {
        ney_result_warn(
            root,
            "%lld of %lld rows are marked in column seen as used in training: their rates "
            "are optimistic",
            (long long)in->n_seen, (long long)in->n);
    }
    if (in->of_model.reuse.reused) {
        ney_result_add_int(root, "rows_seen", count_reused(&in->of_model.reuse));
    }
    ney_result_add_real(root, "seconds", session_seconds(s));
    if (c && word_at(CURVE_NAMES, (int)c->kind, kind, sizeof kind)) {
        ney_result_add_text(root, "curve_kind", kind);
        ney_result_add_int(root, "curve_points", c->n);
    }
    if (c && output_is_stdout(args->output)) {
        curve_add(c, root);
    } else if (c) {
        ney_result_add_text(root, "output", args->output);
    }
    add_summary(root, in, s, b);
    result_print(s, root);
    return NEY_OK;
}

static ney_status draw(session *s, const evidence *in, const ney_roc *roc, const band *b)
{
    const evaluate_args *args = options_of(s->call, &own_options);
    const ney_counts at = ney_count(in->score, in->label, in->n, b->low, b->high);
    const curve_kind kind = args->curve != CURVE_NONE ? (curve_kind)args->curve : curve_to_plot(b);
    curve c;
    ney_status st = curve_init(&c, kind, s, in, roc, b);

    if (st == NEY_OK) {
        st = curve_plot(&c, args->plot, &at, &s->err);
    }
    curve_deinit(&c);
    return st;
}

/* TSV on standard output leaves no place for a summary; a file or an object does. */
static ney_status give_curve(session *s, const evidence *in, const ney_roc *roc, const band *b)
{
    const evaluate_args *args = options_of(s->call, &own_options);
    const bool to_stdout = output_is_stdout(args->output);
    curve c;
    ney_status st = curve_init(&c, (curve_kind)args->curve, s, in, roc, b);

    if (st == NEY_OK && (!to_stdout || !s->common->json)) {
        st = curve_write(&c, args->output, &s->err);
    }
    if (st == NEY_OK && (!to_stdout || s->common->json)) {
        st = tell(s, in, roc, &c, b);
    }
    curve_deinit(&c);
    return st;
}

static int evaluate(session *s, const evidence *in)
{
    const evaluate_args *args = options_of(s->call, &own_options);
    ney_roc *roc;
    band b;
    const ney_costs costs = choose_costs(args, in);
    const int code = choose_band(s, args, in, &costs, &b);
    int64_t n_pos, n_neg;

    if (code != EXIT_OK) {
        return code;
    }
    if (args->conformal &&
        !(in->of_model.model && ney_model_calibrated(in->of_model.model, &n_pos, &n_neg))) {
        return session_misused(s, "--conformal needs a model that was trained with --conformal");
    }
    if (!(b.low < b.high) && (!isnan(args->reject_cost) || !isnan(args->reject_cost_fn) ||
                              !isnan(args->reject_cost_fp))) {
        return session_misused(s, "--%s applies to models that reject rows, or to --thresholds",
                               !isnan(args->reject_cost)      ? "reject-cost"
                               : !isnan(args->reject_cost_fn) ? "reject-cost-fn"
                                                              : "reject-cost-fp");
    }
    const bool roc_alone = args->plot && args->curve == CURVE_NONE && !(b.low < b.high);
    if (((args->curve != CURVE_NONE && args->curve < CURVE_RISK_COVERAGE) || roc_alone) &&
        (in->n_pos == 0 || in->n_neg == 0)) {
        return refuse_one_class(s, in);
    }
    ney_status st = ney_roc_new(&roc, &s->env, in->score, in->label, in->n, &s->err);
    if (st == NEY_OK && args->plot) {
        st = draw(s, in, roc, &b);
    }
    if (st == NEY_OK && args->curve != CURVE_NONE) {
        st = give_curve(s, in, roc, &b);
    } else if (st == NEY_OK) {
        st = tell(s, in, roc, NULL, &b);
    }
    ney_roc_free(roc);
    return st == NEY_OK ? EXIT_OK : session_fail(s, st);
}

static int run(session *s)
{
    const evaluate_args *args = options_of(s->call, &own_options);
    evidence in = {0};

    ney_status st = output_check(args->output, &s->err);
    if (st == NEY_OK && args->plot) {
        st = plot_check(args->plot, &s->err);
    }
    int code = st == NEY_OK ? evidence_read(&in, s, false) : session_fail(s, st);
    if (code == EXIT_OK) {
        code = evaluate(s, &in);
    }
    evidence_deinit(&in);
    return code;
}

static bool has_conformal(const invocation *call)
{
    return ((const evaluate_args *)options_of(call, &own_options))->conformal;
}

static bool has_curve(const invocation *call)
{
    return ((const evaluate_args *)options_of(call, &own_options))->curve != CURVE_NONE;
}

/* A curve as TSV on standard output leaves no place for a summary. */
static bool has_summary(const invocation *call)
{
    const evaluate_args *args = options_of(call, &own_options);
    const common_opts *common = options_of(call, &common_options);

    return !has_curve(call) || common->json || !output_is_stdout(args->output);
}

/* Errors over rejects count decisions on either side of where the costs are even. */
static bool has_costs(const invocation *call)
{
    const evaluate_args *args = options_of(call, &own_options);

    return has_summary(call) || args->plot || args->curve == CURVE_ERROR_REJECT;
}

static bool has_operating_point(const invocation *call)
{
    const evaluate_args *args = options_of(call, &own_options);

    return has_summary(call) || args->plot || args->curve >= CURVE_RISK_COVERAGE;
}

static bool has_common_cost(const invocation *call)
{
    const evaluate_args *args = options_of(call, &own_options);

    return isnan(args->reject_cost_fn) || isnan(args->reject_cost_fp);
}

static bool has_data(const invocation *call)
{
    return call->n_operands > 0;
}

static const option_rule rules[] = {
    {"output", has_curve, "--curve"},
    {"partial conformal", has_summary, "the summary: with --curve, add -o FILE or --json"},
    {"confidence", has_conformal, "--conformal"},
    {"cost-fn cost-fp", has_costs, "the summary: with --curve, add -o FILE or --json"},
    {"reject-cost-fn reject-cost-fp", has_summary,
     "the summary: with --curve, add -o FILE or --json"},
    {"reject-cost", has_common_cost,
     "rejected rows unless --reject-cost-fn and --reject-cost-fp are both given"},
    {"threshold thresholds", has_operating_point,
     "the summary, --plot and the curves risk-coverage and error-reject"},
    {"format no-header zero-based", has_data, "MODEL DATA, not to --from-scores"},
    {NULL, NULL, NULL}};

const command command_evaluate = {
    .name = "evaluate",
    .operands = "[MODEL DATA]",
    .group = "Using a model",
    .summary = "measure the error rates of a model, or of any scores, on labelled rows",
    .description =
        "Scores the rows of DATA with MODEL, or reads scores by --from-scores, and compares the "
        "decisions with the labels: counts, false-positive rate (FPR), false-negative rate (FNR), "
        "true-positive rate (TPR), error rate, false-discovery rate (FDR), share of rejected "
        "rows, area under the ROC curve. Each rate has an exact 95 % interval (Clopper-Pearson). "
        "The result says where rows were used in training.",
    .details =
        "The interval of the area under the ROC curve is approximate. Rows on which a model of "
        "'neyman train --max-fdr' was trained are scored by the fold model that was trained "
        "without them; the threshold was chosen on them, so their rates have no intervals.\n\n"
        "Rejected rows are not errors but count in the denominators. The cost is the mean cost "
        "per row. Where rows are rejected, the result also has the share of rejected rows in each "
        "class, sensitivity and positive predictive value among the classified rows, the share of "
        "rejected rows that would have been errors (error_reject_ratio), and a table of the three "
        "outcomes.\n\n"
        "--curve writes one line per threshold: roc and hull (threshold fpr tpr fp tp), pr "
        "(threshold recall precision), det (threshold fpr fnr and their normal quantiles), cost "
        "(the lowest normalised expected cost as a function of the positives' share of "
        "probability times cost, with its threshold), risk-coverage (error rate among the rows "
        "farthest from the threshold), error-reject (error rate and share of rejected rows as the "
        "rejection band grows: distance 1 is the band of the model; ratio is the share of errors "
        "among the next rows to be rejected, mean_ratio among all rejected so far). With -o the "
        "summary is printed too; with --json the columns are arrays in 'curve'.",
    .everyday =
        "from-scores threshold thresholds cost-fn cost-fp curve output plot label positive group "
        "json help",
    .examples = {{"Rates with intervals:", "neyman evaluate spam.model test.csv"},
                 {"The false-positive rate, for a script:",
                  "neyman evaluate spam.model test.csv --json | jq .fpr"},
                 {"Scores of another program, with costs:",
                  "neyman evaluate --from-scores scores.tsv --threshold 0.5 --cost-fp 10"},
                 {"With a rejection band:",
                  "neyman evaluate --from-scores scores.tsv --thresholds 0.2,0.8"},
                 {"Error rate against reject rate:",
                  "neyman evaluate careful.model test.csv --curve error-reject -o curve.tsv"},
                 {"The ROC curve, to plot:",
                  "neyman evaluate spam.model test.csv --curve roc -o roc.tsv"}},
    .exits = {EXIT_FAILED, EXIT_USAGE, EXIT_INPUT, EXIT_INTERRUPTED},
    .sets = {&source_options, &own_options, &read_options},
    .omit = "weight id ignore words missing max-categories",
    .rules = rules,
    .run = run,
};
