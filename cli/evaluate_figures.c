#include "evaluate.h"

#include <math.h>
#include <stdlib.h>

#include "groups.h"
#include "model_json.h"
#include "result.h"

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
    add_thresholds(root, b->low, b->high);
}

/* The six outcomes of a row, one bit each. */
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

static int outcome_of(const evidence *in, int64_t i, double low, double high)
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

/* Rates of the rows or, where rows have groups, means over groups; `value` is then a buffer of one
 * number per row. The first failure is kept. */
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
        const int outcome = outcome_of(r->in, i, r->b->low, r->b->high);
        r->value[i] = outcome & of ? (outcome & hit) != 0 : (double)NAN;
    }
    add_values(r, key, 1);
}

/* A rejected row is not an error but counts in the denominators. */
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

/* Error rates if no row were rejected: of all rows, and of the rejected ones. */
static void add_errors_without_reject(rater *r)
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
        r->value[i] = (outcome_of(in, i, b->center, b->center) & ERRORS) != 0;
    }
    add_values(r, "error_rate_without_reject", 1);
    for (int64_t i = 0; i < in->n; i++) {
        if (!(outcome_of(in, i, b->low, b->high) & REJECTED)) {
            r->value[i] = (double)NAN;
        }
    }
    add_values(r, "error_reject_ratio", 1);
}

/* Rejected rows of each class, rates among the classified rows, and the share of rejected rows that
 * would have been errors. */
static void add_rejection(rater *r)
{
    add_rate(r, "reject_rate_pos", REJECTED_POS, OF_POS);
    add_rate(r, "reject_rate_neg", REJECTED_NEG, OF_NEG);
    add_rate(r, "sensitivity", TRUE_POS, TRUE_POS | FALSE_NEG);
    add_rate(r, "positive_predictivity", TRUE_POS, CALLED_POS);
    add_errors_without_reject(r);
}

/* The three outcomes for each class. */
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

static void add_cost(rater *r, const ney_costs *costs, double prevalence)
{
    const evidence *in = r->in;
    const double most = fmax(fmax(costs->fp, costs->fn), fmax(costs->reject_fp, costs->reject_fn));
    double low, high;

    if (!isnan(prevalence)) {
        add_cost_at(r->root, &r->count, costs, prevalence);
        return;
    }
    if (!in->group || !(most > 0)) {
        ney_result_add_real(r->root, "cost",
                            ney_cost(&r->count, costs)); /* null when there is no row */
        ney_cost_interval(&r->count, costs, 0.95, &low, &high);
        ney_result_add_interval(r->root, "cost_interval", low, high);
        return;
    }
    for (int64_t i = 0; i < in->n; i++) {
        r->value[i] = cost_of(outcome_of(in, i, r->b->low, r->b->high), costs) / most;
    }
    add_values(r, "cost", most);
}

/* The prediction set of each row as bits: 1 for the negative class, 2 for the positive one. False
 * where the model has no p-values, which is refused before. */
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

enum { ANY_SIZE = -1, BOTH_CLASSES = 0 };

/* The share of rows of a class whose set contains it or, for a size, has that size. */
static void add_set_rate(rater *r, const char *key, const uint8_t *set, int sign, int size)
{
    const evidence *in = r->in;
    int64_t hits = 0, n = 0;

    for (int64_t i = 0; i < in->n; i++) {
        const bool counts = sign == BOTH_CLASSES || in->label[i] == sign;
        const int own = in->label[i] > 0 ? 2 : 1;
        const bool hit = size != ANY_SIZE ? size_of_set[set[i]] == size : (set[i] & own) != 0;
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
        r->st = out_of_memory(&r->s->err, "the prediction sets");
        return;
    }
    if (find_sets(r->in, confidence, set)) {
        add_set_rate(r, "coverage_pos", set, 1, ANY_SIZE);
        add_set_rate(r, "coverage_neg", set, -1, ANY_SIZE);
        add_set_rate(r, "sets_of_one", set, BOTH_CLASSES, 1);
        add_set_rate(r, "sets_of_both", set, BOTH_CLASSES, 2);
        add_set_rate(r, "sets_of_none", set, BOTH_CLASSES, 0);
    }
    free(set);
}

/* The interval of the area needs independent rows. */
static void add_areas(ney_result *root, double partial, const ney_roc *roc, bool grouped)
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
    if (!isnan(partial)) {
        ney_result_add_real(root, "partial_auc", ney_roc_partial_auc(roc, partial));
        ney_result_add_real(root, "partial_max_fpr", partial);
    }
}

/* Warn where the decisions are no better than chance, or than a constant decision. */
static void warn_useless(ney_result *root, const evidence *in, const ney_counts *c, const band *b,
                         const figure_opts *opts)
{
    const ney_model *model = in->of_model.model;
    const bool bounded = model && (!isnan(model_number(model, NEY_METADATA_SUMMARY, "max_fpr")) ||
                                   !isnan(model_number(model, NEY_METADATA_SUMMARY, "max_fnr")));

    if (b->low < b->high) {
        ney_warn_rejection(root, c, "these rows");
    } else if (bounded) {
        ney_warn_chance(root, c, "these rows");
    }
    if (opts->costs) {
        ney_warn_costs(root, c, opts->costs, opts->prevalence, "rows");
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

ney_status add_figures(session *s, ney_result *root, const evidence *in, const ney_roc *roc,
                       const band *b, const figure_opts *opts)
{
    const ney_counts count = ney_count(in->score, in->label, in->n, b->low, b->high);
    rater r = {.s = s, .root = root, .in = in, .b = b, .count = count};

    if (in->group && !(r.value = malloc(((size_t)in->n + 1) * sizeof *r.value))) {
        return out_of_memory(&s->err, "the rates");
    }
    add_counts(root, in, &count, b);
    if (in->group) {
        ney_result_define_groups(root, count_groups(in, r.value, s, &r.st));
    }
    add_rates(&r);
    if (b->low < b->high) {
        add_rejection(&r);
    }
    if (!in->group) {
        add_measures(root, &count, opts->prevalence);
    }
    add_areas(root, opts->partial, roc, in->group != NULL);
    if (opts->costs) {
        add_cost(&r, opts->costs, opts->prevalence);
    }
    if (b->low < b->high) {
        add_outcomes(root, in, &count);
    }
    if (opts->conformal) {
        add_sets(&r, opts->confidence);
    }
    if (r.st == NEY_OK) {
        r.st = add_probability_quality(s, root, in);
    }
    if (!in->group) { /* the warnings assume independent rows */
        warn_useless(root, in, &count, b, opts);
    }
    free(r.value);
    return r.st;
}
