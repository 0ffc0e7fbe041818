/* Functions shared by the learners of a bounded false-discovery rate, and the goal. */
#include "learn/fdr/fdr.h"

#include "base/number.h"
#include "decide/order.h"
#include "decide/qvalue.h"
#include "learn/goal.h"
#include "learn/make.h"
#include "learn/trees/boosting.h"
#include "model/family.h"

#include <math.h>
#include <string.h>

ney_status ney_fdr_of(ney_fdr *f, const ney_train_opts *o, ney_error *err)
{
    *f = (ney_fdr){.estimate = o->qvalue};
    const ney_status st = ney_qvalue_check(&o->qvalue, err);
    if (st != NEY_OK) {
        return st;
    }
    for (const char *at = o->max_fdr; *at;) {
        const size_t length = strcspn(at, ",");
        double q;
        if (f->n == NEY_MOST_FDR) {
            return ney_fail(err, NEY_EINVAL, "max-fdr = %.60s: more than %d rates", o->max_fdr,
                            NEY_MOST_FDR);
        }
        if (!ney_number_parse(at, length, &q) || !(q > 0 && q < 1)) {
            return ney_fail(err, NEY_EINVAL,
                            "max-fdr = %.60s, expected a number between 0 and 1, or several "
                            "separated by commas",
                            o->max_fdr);
        }
        f->q[f->n++] = q;
        at += length + (at[length] == ',');
    }
    return f->n > 0 ? NEY_OK
                    : ney_fail(err, NEY_EINVAL, "max-fdr is empty, expected a number such as 0.01");
}

ney_status ney_fdr_keys(uint64_t **key, const ney_env *env, const ney_data *data,
                        const ney_train_opts *o, ney_error *err)
{
    const int64_t n = ney_data_matrix(data)->rows;
    bool known;
    *key = NULL;
    if (o->qvalue.no_compete) {
        return NEY_OK;
    }
    if (!(*key = ney_alloc(env, n, sizeof **key))) {
        return ney_no_memory(err, n, "keys");
    }
    const ney_status st = ney_data_spectra(data, o->spectrum, *key, &known, err);
    if (!known) {
        ney_release(env, *key);
        *key = NULL;
    }
    return st;
}

ney_fdr ney_fdr_for_fits(const ney_fdr *f, const uint64_t *key, const ney_grouping *spectra)
{
    ney_fdr own = *f;
    own.key = key;
    own.spectra = key ? spectra : NULL;
    own.estimate.compete = own.estimate.compete || key;
    own.estimate.plus_one = false;
    own.estimate.no_plus_one = true;
    return own;
}

const char *ney_fdr_groups(const ney_train_opts *o)
{
    return o->spectrum ? o->spectrum : "filename?,ScanNr?";
}

const char *ney_fdr_spectra(const ney_train_opts *o)
{
    return o->spectrum ? o->spectrum : "filename?,ScanNr?,ExpMass?";
}

static bool is_boosting(const ney_request *r)
{
    return r->learner == &ney_learner_fdr_boosting;
}

static bool is_online(const ney_request *r)
{
    return r->learner == &ney_learner_fdr_online;
}

ney_stage ney_fdr_stage(const ney_train_opts *o)
{
    const ney_request r = ney_request_of(o);
    return is_online(&r) || r.family == &ney_family_network || is_boosting(&r) ? NEY_STAGE_ONLINE
                                                                               : NEY_STAGE_SVM;
}

ney_fdr_learner *ney_fdr_smooth(const ney_train_opts *o)
{
    const ney_request r = ney_request_of(o);
    return is_online(&r) ? ney_fdr_online : is_boosting(&r) ? ney_fdr_trees : ney_fdr_network;
}

int ney_fdr_restarts(const ney_train_opts *o)
{
    return ney_fdr_smooth(o) == ney_fdr_trees ? 2 : NEY_FDR_RESTARTS;
}

const char *ney_stage_text(const ney_train_opts *o, ney_stage stage)
{
    static const char *const text[] = {"feature", "svm", "online"};
    const bool is_trees = stage == NEY_STAGE_ONLINE && ney_fdr_smooth(o) == ney_fdr_trees;
    return is_trees ? "trees" : text[stage];
}

double ney_fdr_decoys_per_target(const ney_fdr *f, double q)
{
    return f->estimate.kind == NEY_FDR_DECOYS_PER_ALL ? q / (1 - q) : q;
}

double ney_fdr_lambda(double per_target, double times)
{
    return 1 / fmax(times * sqrt(per_target) - per_target, 0.1);
}

double ney_fdr_ratio(const ney_fdr *f, int64_t n_pos, int64_t n_neg)
{
    return f->estimate.compete ? (double)n_neg / (double)n_pos : 1;
}

ney_status ney_fdr_accept(const ney_fdr *f, const ney_env *env, ney_fdr_scores rows, double max,
                          double *q, bool *accepted, int64_t *found, ney_error *err)
{
    const ney_labelled_scores scores = {
        .score = rows.score, .label = rows.label, .group = f->key, .n = rows.n};
    const ney_status st =
        ney_qvalues_grouped(env, &scores, f->spectra, &f->estimate, q, NULL, NULL, NULL, err);
    *found = 0;
    for (int64_t i = 0; i < rows.n && st == NEY_OK; i++) {
        const bool is_accepted = rows.label[i] > 0 && q[i] <= max;
        *found += is_accepted;
        if (accepted) {
            accepted[i] = is_accepted;
        }
    }
    return st;
}

ney_status ney_fdr_choose(const ney_fdr *f, const ney_env *env, ney_fdr_scores rows, double max,
                          double *q, bool *accepted, int64_t *found, ney_error *err)
{
    int64_t n_pos = 0;
    ney_status st = NEY_OK;
    for (int64_t i = 0; i < rows.n; i++) {
        n_pos += rows.label[i] > 0;
    }
    const int64_t enough = n_pos < 40 ? n_pos / 2 : 20;
    *found = 0;
    for (double at = max; st == NEY_OK && *found < enough && at < 0.7; at *= 2) {
        st = ney_fdr_accept(f, env, rows, at, q, accepted, found, err);
    }
    for (int64_t i = 0; i < rows.n && *found == 0; i++) {
        accepted[i] = rows.label[i] > 0;
    }
    return st;
}

/* The median and the largest score of the decoys. */
static void decoy_quantiles(const ney_ranked *item, const int8_t *label, int64_t n, double *median,
                            double *best)
{
    int64_t decoys = 0, seen = 0;
    for (int64_t i = 0; i < n; i++) {
        decoys += label[i] < 0;
    }
    *median = *best = 0;
    for (int64_t i = 0; i < n; i++) {
        if (label[item[i].row] < 0) {
            *median = seen++ == decoys / 2 ? item[i].score : *median;
            *best = item[i].score;
        }
    }
}

ney_status ney_fdr_norm(const ney_fdr *f, const ney_env *env, ney_fdr_scores rows, double q,
                        double *scale, double *shift, ney_error *err)
{
    const int64_t n = rows.n;
    ney_ranked *item = NULL;
    double *qvalue = ney_alloc(env, n, sizeof *qvalue), median, best;
    double lowest = (double)INFINITY;
    int64_t found;
    ney_status st = NEY_OK;

    *scale = 1;
    *shift = 0;
    if (!qvalue) {
        return ney_no_memory(err, n, "q-values");
    }
    if ((st = ney_fdr_accept(f, env, rows, q, qvalue, NULL, &found, err)) == NEY_OK &&
        (st = ney_order_new(&item, env, rows.score, n, err)) == NEY_OK) {
        decoy_quantiles(item, rows.label, n, &median, &best);
        for (int64_t i = 0; i < n; i++) {
            lowest = rows.label[i] > 0 && qvalue[i] <= q ? fmin(lowest, rows.score[i]) : lowest;
        }
        const double zero = found > 0 ? lowest : best, width = zero - median;
        *scale = width > 0 ? 1 / width : 1;
        *shift = -zero * *scale;
    }
    ney_release(env, item);
    ney_release(env, qvalue);
    return st;
}

/* ---------------------------------------------------------------- the goal */

static bool is_asked(const ney_train_opts *o)
{
    return o->max_fdr != NULL;
}

static ney_status check(const ney_request *r, const ney_train_opts *o, ney_error *err)
{
    ney_fdr f;
    (void)r;
    if (o->network[1] > 0) {
        return ney_fail(err, NEY_EINVAL,
                        "network = %lld,%lld with max-fdr, whose networks have one hidden layer: "
                        "expected one number",
                        (long long)o->network[0], (long long)o->network[1]);
    }
    return ney_fdr_of(&f, o, err);
}

/* Fits of a search: the first rate on all rows, without folds. */
static ney_status make(ney_model **out, ney_task *t, ney_train_info *info, ney_error *err)
{
    ney_model *feature = NULL, *svm = NULL;
    double *score = ney_alloc(&t->env, t->x->rows, sizeof *score);
    uint64_t *key = NULL;
    ney_grouping spectra = {0};
    ney_fdr f = {0};
    ney_status st = score ? ney_fdr_of(&f, &t->o, err) : ney_no_memory(err, t->x->rows, "scores");
    if (st == NEY_OK && (st = ney_fdr_keys(&key, &t->env, t->data, &t->o, err)) == NEY_OK && key) {
        st = ney_grouping_init(&spectra, &t->env, key, t->x->rows, err);
    }
    f = ney_fdr_for_fits(&f, key, &spectra);
    if (st == NEY_OK && (st = ney_fdr_feature(&feature, t, &f, f.q[0], score, err)) == NEY_OK &&
        (st = ney_fdr_svm(&svm, t, &f, f.q[0], score, info, err)) == NEY_OK) {
        if (ney_fdr_stage(&t->o) == NEY_STAGE_ONLINE) {
            st = ney_fdr_smooth(&t->o)(out, t, &f, f.q[0], score, 0, info, err);
        } else {
            *out = svm;
            svm = NULL;
        }
    }
    ney_model_free(feature);
    ney_model_free(svm);
    ney_grouping_deinit(&spectra);
    ney_release(&t->env, key);
    ney_release(&t->env, score);
    return st;
}

const ney_goal ney_goal_fdr = {.name = "fdr",
                               .criterion = NEY_CRITERION_DISCOVERIES,
                               .options = "--max-fdr",
                               .usual = NEY_METHOD_ANNEALED,
                               .is_asked = is_asked,
                               .check = check,
                               .groups = ney_fdr_groups};

/* Folds are drawn at random. */
static bool is_random(const ney_request *r)
{
    (void)r;
    return true;
}

const ney_learner ney_learner_fdr = {.reads = "kernel gamma degree coef0 tol max-iter eta network",
                                     .is_random = is_random,
                                     .make = make,
                                     .train = ney_fdr_train};

/* Linear SVMs come first, with their defaults. */
const ney_learner ney_learner_fdr_boosting = {.reads =
                                                  "trees depth learning-rate subsample min-child",
                                              .is_random = is_random,
                                              .check = ney_trees_check_family,
                                              .make = make,
                                              .train = ney_fdr_train};

const ney_learner ney_learner_fdr_online = {.reads = "tol max-iter eta epochs network",
                                            .is_random = is_random,
                                            .make = make,
                                            .train = ney_fdr_train};
