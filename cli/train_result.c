#include "train_result.h"

#include <math.h>
#include <stdlib.h>

#include "groups.h"
#include "guarantee.h"
#include "labelled.h"
#include "output.h"
#include "rates.h"
#include "result.h"
#include "train_summary.h"
#include "usefulness.h"

/* ------------------------------------------------------------------ steps */

static void on_step(void *user, const ney_step *step)
{
    step_list *list = user;
    ney_result *row = ney_result_add_object(list->steps, NULL);

    ney_result_add_int(row, "step", step->index);
    ney_result_add_real(row, "lambda", step->lambda);
    ney_result_add_real(row, "ramp_fpr", step->ramp_fpr);
    ney_result_add_real(row, "ramp_fnr", step->ramp_fnr);
    ney_result_add_real(row, "fpr", step->fpr);
    ney_result_add_real(row, "fnr", step->fnr);
    ney_result_add_real(row, "objective", step->objective);
    if (!isnan(step->gap)) {
        ney_result_add_real(row, "gap", step->gap);
    }
    ney_result_add_int(row, "iterations", step->iterations);
    ney_result_add_int(row, "changed", step->changed);
    ney_result_add_real(row, "seconds", step->seconds);
}

static bool on_poll(void *user, const ney_progress *progress)
{
    const step_list *list = user;

    return list->s->env.poll(list->s->env.user, progress);
}

static void on_log(void *user, ney_log_level level, const char *message)
{
    const step_list *list = user;

    list->s->env.log(list->s->env.user, level, message);
}

ney_env step_list_env(step_list *list, session *s)
{
    ney_env env = s->env;

    *list = (step_list){.s = s, .holder = result_new()};
    list->steps = ney_result_add_array(list->holder, "steps");
    env.user = list;
    env.poll = on_poll;
    env.log = on_log;
    env.step = on_step;
    return env;
}

/* ------------------------------------------------------------------ figures */

static bool has_bound(const ney_train_opts *o)
{
    return !isnan(o->max_fpr) || !isnan(o->max_fnr);
}

static bool bounds_both(const ney_train_opts *o)
{
    return !isnan(o->max_fpr) && !isnan(o->max_fnr);
}

/* Whether rows may be rejected: they have a price, or both errors are bounded. */
static bool may_reject(const ney_train_opts *o)
{
    return !isnan(o->reject_cost) || !isnan(o->reject_cost_fn) || !isnan(o->reject_cost_fp) ||
           bounds_both(o);
}

static ney_costs reject_costs(const ney_train_opts *o)
{
    return (ney_costs){.fn = o->cost_fn,
                       .fp = o->cost_fp,
                       .reject_fn = isnan(o->reject_cost_fn) ? o->reject_cost : o->reject_cost_fn,
                       .reject_fp = isnan(o->reject_cost_fp) ? o->reject_cost : o->reject_cost_fp};
}

/* A figure that not every method has. */
static void add_real_of_method(ney_result *root, const char *key, double value)
{
    if (!isnan(value)) {
        ney_result_add_real(root, key, value);
    }
}

static void add_count_of_method(ney_result *root, const char *key, int64_t value)
{
    if (value >= 0) {
        ney_result_add_int(root, key, value);
    }
}

static void add_bound(ney_result *root, const train_result *r)
{
    const ney_train_opts *o = r->opts;
    const ney_train_info *info = r->info;

    if (!isnan(o->max_fpr)) {
        ney_result_add_real(root, "max_fpr", o->max_fpr);
    }
    if (!isnan(o->max_fnr)) {
        ney_result_add_real(root, "max_fnr", o->max_fnr);
    }
    if (bounds_both(o)) { /* no multiplier was sought */
        return;
    }
    add_real_of_method(root, "lambda", info->lambda);
    if (info->end != NEY_END_NONE) {
        ney_result_add_text(root, "constraint", ney_end_text(info->end));
    }
    add_real_of_method(root, "ramp_fpr", info->ramp_fpr);
    add_real_of_method(root, "ramp_fnr", info->ramp_fnr);
    if (info->starts > 0) {
        ney_result_add_int(root, "starts", info->starts);
    }
}

/* What the out-of-fold scores find; the interval of the rate is that of the share of decoys. */
static void add_discoveries(ney_result *root, const train_result *r)
{
    static const char *const key[] = {"discoveries_feature", "discoveries_svm",
                                      "discoveries_online"};
    const ney_train_info *info = r->info;
    const ney_counts *c = &info->counts;
    const bool folds = info->folds > 0;

    ney_result_add_text(root, "max_fdr", r->opts->max_fdr);
    ney_result_add_int(root, "folds", info->folds);
    add_real_of_method(root, "lambda", info->lambda);
    ney_result_add_int(root, "discoveries", c->tp);
    ney_result_add_int(root, "accepted_decoys", c->fp);
    for (int k = 0; k < 3; k++) {
        if (info->discoveries[k] >= 0) {
            ney_result_add_int(root, key[k], info->discoveries[k]);
        }
    }
    ney_result_add_text(root, "fdr_estimate", ney_qvalue_formula(&info->competition.estimate));
    ney_result_add_text(root, "fdr_control", "estimate");
    ney_result_add_text(root, "fdr_reason",
                        folds ? "the score function was chosen by its discoveries among these rows"
                              : "the feature was chosen on the rows that estimate its FDR");
    ney_result_add_text(root, "competition", ney_fdr_basis_text(info->competition.basis));
    ney_result_add_text(root, "discoveries_on",
                        folds ? "training rows, out of fold" : "training rows");
}

static void add_certificate_facts(ney_result *to, const ney_certificate *c)
{
    char hash[32];

    ney_result_add_real(to, "delta", c->delta);
    ney_result_add_real(to, "bound", c->bound);
    ney_result_add_int(to, "held_out", c->n);
    if (c->n_groups > 0) {
        ney_result_add_int(to, "n_groups", c->n_groups);
        ney_result_add_real(to, "group_rate", c->group_rate);
    }
    ney_result_add_int(to, "rank", c->rank);
    ney_result_add_int(to, "misclassified", c->misclassified);
    snprintf(hash, sizeof hash, "%016llx", (unsigned long long)c->hash);
    ney_result_add_text(to, "calibration_hash", hash);
}

guarantee train_guarantee(const train_result *r)
{
    const ney_recipe *recipe = ney_model_recipe(r->model);
    const ney_train_opts *o = r->opts;
    const ney_certificate *fnr = bounds_both(o) ? &r->info->certificate_fnr : &r->info->certificate;

    return (guarantee){.fpr = isnan(o->max_fpr) ? NULL : &r->info->certificate,
                       .fnr = isnan(o->max_fnr) ? NULL : fnr,
                       .confidence = o->confidence,
                       .negative = ney_recipe_label(recipe, -1),
                       .positive = ney_recipe_label(recipe, 1),
                       .evidence = "held-out"};
}

static void certified_text(char text[GUARANTEE_TEXT], const train_result *r)
{
    const guarantee g = train_guarantee(r);

    guarantee_text(text, &g);
}

/* What a bound that is not certified is worth. */
static void warn_uncertified(ney_result *root, const train_result *r)
{
    const ney_train_opts *o = r->opts;
    const bool fpr = !isnan(o->max_fpr);

    if ((fpr ? o->max_fpr : o->max_fnr) >= 1) {
        result_warn(root, "a bound of 1 allows every error: there is nothing to certify");
    } else {
        result_warn(root,
                    "the bound holds on the %s only: the %s of new data is expected to exceed it "
                    "(--confidence P certifies it)",
                    r->recount ? "rows that set the threshold and chose the model"
                               : "training rows",
                    fpr ? "FPR" : "FNR");
    }
}

static void add_certificate(ney_result *root, const train_result *r)
{
    char text[GUARANTEE_TEXT];

    ney_result_add_bool(root, "certified", r->info->certified);
    if (!r->info->certified) {
        warn_uncertified(root, r);
        return;
    }
    certified_text(text, r);
    ney_result_add_text(root, "guarantee", text);
    ney_result_add_real(root, "confidence", r->opts->confidence);
    if (r->info->certificate.n_groups > 0) {
        groups_define(root, -1);
    }
    if (!bounds_both(r->opts)) {
        add_certificate_facts(root, &r->info->certificate);
        return;
    }
    ney_result_add_int(root, "held_out", r->info->held_out);
    ney_result *list = ney_result_add_array(root, "certificates");
    for (int k = 0; k < 2; k++) {
        ney_result *one = ney_result_add_object(list, NULL);
        ney_result_add_text(one, "rate", k == 0 ? "fpr" : "fnr");
        add_certificate_facts(one, k == 0 ? &r->info->certificate : &r->info->certificate_fnr);
    }
}

/* What decisions cost, where rows may be rejected. */
static void add_costs(ney_result *root, const ney_train_opts *o)
{
    const ney_costs c = reject_costs(o);

    ney_result_add_real(root, "cost_fn", c.fn);
    ney_result_add_real(root, "cost_fp", c.fp);
    ney_result_add_real(root, "reject_cost_fn", c.reject_fn);
    ney_result_add_real(root, "reject_cost_fp", c.reject_fp);
    ney_result_add_bool(root, "rejection_pays", ney_rejection_pays(&c));
}

/* Rates on the very rows that were learned from: marked as such, and without intervals, which
 * would claim that these rows are new. */
static void add_rates(ney_result *root, const ney_counts *c, const ney_train_opts *o)
{
    const double neg = (double)(c->fp + c->tn + c->rejected_neg);
    const double pos = (double)(c->fn + c->tp + c->rejected_pos);

    ney_result_add_real(root, "fpr", (double)c->fp / neg);
    ney_result_add_real(root, "fnr", (double)c->fn / pos);
    if (may_reject(o)) {
        const ney_costs costs = reject_costs(o);
        ney_result_add_real(root, "reject_rate",
                            (double)(c->rejected_pos + c->rejected_neg) / (pos + neg));
        if (!isnan(costs.reject_fn)) {
            ney_result_add_real(root, "cost", ney_cost(c, &costs));
        }
    }
    ney_result_add_text(root, "rates_on", "training rows");
}

/* What the model says of its training rows, where training has not counted it. Who interrupts does
 * not wait for that: scoring asks before it begins, and counts of nothing come back. */
static ney_status count_rows(session *s, const train_result *r, ney_counts *c)
{
    const ney_matrix *x = ney_data_matrix(r->data);
    double *score = malloc((size_t)x->rows * sizeof *score), low, high;

    *c = (ney_counts){0};
    if (!score) {
        s->err = (ney_error){.code = NEY_ENOMEM, .message = "no memory for the scores"};
        return NEY_ENOMEM;
    }
    const ney_status st = ney_model_score(r->model, &s->env, x, score, &s->err);
    if (st == NEY_OK) {
        ney_model_thresholds(r->model, &low, &high);
        *c = ney_count(score, ney_data_label(r->data), x->rows, low, high);
    }
    free(score);
    return st == NEY_ECANCELLED ? NEY_OK : st;
}

static void add_threshold(ney_result *root, const ney_model *model)
{
    double low, high;

    ney_model_thresholds(model, &low, &high);
    ney_result_add_real(root, "threshold", high);
    if (low < high) {
        ney_result_add_real(root, "threshold_low", low);
    }
}

static class_counts classes_of(const train_result *r)
{
    return r->data ? count_classes(r->data) : (class_counts){r->info->n_pos, r->info->n_neg};
}

static void add_head(ney_result *root, const train_result *r)
{
    const ney_recipe *recipe = ney_model_recipe(r->model);
    const class_counts n = classes_of(r);
    const char *key, *text;
    double value;

    for (int64_t k = 0; k < 2 && ney_model_fact(r->model, NEY_LIST_SUMMARY, k, &key, &value, &text);
         k++) { /* goal and method */
        ney_result_add_text(root, key, text);
    }
    ney_result_add_text(root, "family", ney_model_family(r->model));
    ney_result_add_text(root, "positive", ney_recipe_label(recipe, 1));
    ney_result_add_text(root, "negative", ney_recipe_label(recipe, -1));
    ney_result_add_int(root, "n", n.pos + n.neg);
    ney_result_add_int(root, "n_pos", n.pos);
    ney_result_add_int(root, "n_neg", n.neg);
    ney_result_add_int(root, "cols", ney_recipe_cols(recipe));
}

static void add_optimum(ney_result *root, const ney_train_info *info)
{
    const double size = fabs(info->convex_objective);

    add_real_of_method(root, "objective", info->objective);
    if (!isnan(info->gap)) { /* one row at a time there is none */
        ney_result_add_real(root, "dual_objective", info->dual_objective);
        ney_result_add_real(root, "gap", info->gap);
        ney_result_add_real(root, "relative_gap", size > 0 ? info->gap / size : NAN);
    }
    ney_result_add_bool(root, "converged", info->stop == NEY_STOP_CONVERGED);
    ney_result_add_text(root, "stop", ney_stop_text(info->stop));
    add_count_of_method(root, "iterations", info->iterations);
    add_count_of_method(root, "support_vectors", info->support_vectors);
}

/* Warn of a model that is of no use. `counts` are those of the rows that were learned from. */
static void add_usefulness(ney_result *root, const train_result *r, const ney_counts *counts)
{
    const ney_train_opts *o = r->opts;
    const ney_train_info *info = r->info;
    const char *const rows = r->valid ? "validation rows" : "training rows";
    const ney_counts *c = r->valid ? r->valid : counts;

    if (o->max_fdr) {
        return;
    }
    if (bounds_both(o)) {
        warn_rejection(root, &info->held_counts, "held-out rows");
    } else if (has_bound(o)) {
        const bool fpr = !isnan(o->max_fpr);
        const int64_t n = fpr ? c->tp + c->fn + c->rejected_pos : c->tn + c->fp + c->rejected_neg;
        const int64_t n_groups = groups_count(r->data, fpr ? 1 : -1);
        warn_detection(root,
                       &(detection){.fpr = fpr,
                                    .bound = fpr ? o->max_fpr : o->max_fnr,
                                    .detected = fpr ? c->tp : c->tn,
                                    .n = n,
                                    .corrected = info->certified && !r->valid ? info->detected : -1,
                                    .n_units = n_groups > 0 && n_groups < n ? n_groups : n,
                                    .rows = rows});
    } else {
        const ney_costs costs = may_reject(o) ? reject_costs(o)
                                              : (ney_costs){.fn = o->cost_fn,
                                                            .fp = o->cost_fp,
                                                            .reject_fn = (double)NAN,
                                                            .reject_fp = (double)NAN};
        warn_rejection(root, c, rows);
        warn_costs(root, c, &costs, rows);
    }
}

ney_status train_facts(session *s, const train_result *r, ney_result **facts)
{
    const bool bound = has_bound(r->opts);
    ney_counts counts = r->info->counts;
    ney_result *root = result_new();

    *facts = NULL;
    add_head(root, r);
    if (bound) {
        add_bound(root, r);
    } else if (may_reject(r->opts)) {
        add_costs(root, r->opts);
    }
    const bool online = r->info->n_pos > 0; /* it counts for itself, its rows may be elsewhere */
    if (r->opts->max_fdr) {
        add_discoveries(root, r);
    } else if ((!bound && !online) || r->recount) {
        const ney_status st = count_rows(s, r, &counts);
        if (st != NEY_OK) {
            ney_result_free(root);
            return st;
        }
    }
    add_optimum(root, r->info);
    add_threshold(root, r->model);
    if (counts.tp + counts.fn + counts.rejected_pos > 0 && !r->opts->max_fdr) {
        add_rates(root, &counts, r->opts);
    }
    if (bound) {
        add_certificate(root, r);
    }
    add_usefulness(root, r, &counts);
    if (r->data && ney_data_weight(r->data)) {
        ney_result_add_text(root, "rates_count", "rows");
    }
    int64_t n_pos, n_neg;
    const bool calibrated = ney_model_calibrated(r->model, &n_pos, &n_neg);
    if (r->info->certified || calibrated) {
        groups_warn(root, r->data);
    }
    if (calibrated) {
        ney_result_add_int(root, "calibrated_pos", n_pos);
        ney_result_add_int(root, "calibrated_neg", n_neg);
        if (ney_model_calibrated_groups(r->model, &n_pos, &n_neg)) {
            ney_result_add_int(root, "calibrated_groups_pos", n_pos);
            ney_result_add_int(root, "calibrated_groups_neg", n_neg);
        }
    }
    if (r->info->held_out > 0) {
        ney_result_add_int(root, "learned_from",
                           classes_of(r).pos + classes_of(r).neg - r->info->held_out);
    }
    ney_result_add_int(root, "seed", r->opts->seed);
    ney_result_add_real(root, "seconds", session_seconds(s));
    ney_result_add_text(root, "model", r->output);
    train_summary(s, root, r, &counts);
    if (bound && s->common->json) { /* as text, -v prints them during the run */
        ney_result_add_copy(root, "steps", r->steps);
    }
    *facts = root;
    return NEY_OK;
}

ney_status train_tell(session *s, const train_result *r)
{
    ney_result *root;
    const ney_status st = train_facts(s, r, &root);

    if (st == NEY_OK) {
        result_print(s, root);
    }
    return st;
}

static void say_discoveries(session *s, const train_result *r)
{
    const ney_counts *c = &r->info->counts;
    const char *key, *text, *method = "";
    double value;

    (void)ney_model_fact(r->model, NEY_LIST_SUMMARY, 1, &key, &value, &method);
    text = method ? method : "";
    if (c->tp == 0) {
        session_say(
            s, NEY_LOG_WARNING,
            "no target is accepted at an estimated FDR of %s, not by the best single feature "
            "either: %lld decoys are too few to estimate it, or targets do not score higher "
            "than decoys",
            r->opts->max_fdr, (long long)(c->fp + c->tn));
        return;
    }
    session_say(s, NEY_LOG_INFO,
                "%lld of %lld targets are accepted at an estimated FDR of %.32s (%s%s), with %lld "
                "decoys; 'neyman qvalues' lists them",
                (long long)c->tp, (long long)(c->tp + c->fn), r->opts->max_fdr, text,
                r->info->folds > 0 ? ", out of fold" : ", on the rows that chose it",
                (long long)c->fp);
}

/* What the rate is on the rows that were learned from. */
static void say_training_rate(session *s, const train_result *r, bool fpr)
{
    const ney_counts *c = &r->info->counts;
    const int64_t wrong = fpr ? c->fp : c->fn;
    const int64_t of = fpr ? c->fp + c->tn + c->rejected_neg : c->fn + c->tp + c->rejected_pos;
    const double rate = fpr ? r->opts->max_fpr : r->opts->max_fnr;

    session_say(s, NEY_LOG_INFO, "%lld of %lld %s of the training rows are %s, %.4g: %s",
                (long long)wrong, (long long)of, fpr ? "negatives" : "positives",
                fpr ? "flagged as positive" : "classified as negative", (double)wrong / (double)of,
                (double)wrong <= rate * (double)of
                    ? "the bound is met there"
                    : "more than the bound, which was certified on held-out rows");
}

void train_say_bound(session *s, const train_result *r)
{
    char text[GUARANTEE_TEXT];

    if (r->data && ney_data_weight(r->data)) {
        session_say(s, NEY_LOG_INFO,
                    "rates and certificates count rows, each as one: weights apply to the loss "
                    "only");
    }
    if (!s->common->json && !output_is_stdout(r->output)) { /* the result begins with it */
        return;
    }
    if (r->opts->max_fdr) {
        say_discoveries(s, r);
    }
    if (r->info->certified) {
        certified_text(text, r);
        session_say(s, NEY_LOG_INFO, "certified: %s", text);
    }
    if (!isnan(r->opts->max_fpr)) {
        say_training_rate(s, r, true);
    }
    if (!isnan(r->opts->max_fnr)) {
        say_training_rate(s, r, false);
    }
}
