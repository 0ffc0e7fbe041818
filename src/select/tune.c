/* Tuning: search with one or two methods, train with the best points. */
#include "select/tune.h"
#include "base/clock.h"
#include "data/scale.h"
#include "learn/goal.h"
#include "learn/kept_answers.h"
#include "learn/learn.h"
#include "learn/method.h"
#include "learn/task.h"
#include "model/family.h"
#include "model/model.h"
#include "select/calibrate.h"
#include "select/comparison.h"
#include "select/job_share.h"
#include "select/sample.h"
#include "select/tune_options.h"
#include "select/tuner.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

/* ---------------------------------------------------------------- from the choice to a model */

static ney_status describe_search(ney_model *m, const ney_tuner *t, const ney_tune_info *info,
                                  ney_error *err)
{
    const struct {
        const char *key;
        double value;
    } number[] = {{"tuned_points", (double)info->points},
                  {"tuned_folds", t->folds.n},
                  {"tuned_loss", info->loss},
                  {"averaged", (double)info->averaged}};
    ney_status st = ney_model_set_text(m, NEY_METADATA_SUMMARY, "tuned_by",
                                       ney_criterion_text(t->rule.criterion), err);
    for (size_t k = 0; k < sizeof number / sizeof *number && st == NEY_OK; k++) {
        st = ney_model_set_number(m, NEY_METADATA_SUMMARY, number[k].key, number[k].value, err);
    }
    if (st == NEY_OK && info->calibrated) {
        st = ney_model_set_text(m, NEY_METADATA_SUMMARY, "threshold_from", "held-out rows", err);
    }
    return st;
}

/* @param all  n searches; a choice has at most `most` points. */
static ney_status train_choice(ney_model **out, ney_tuner *all, int n, const ney_chosen *choice,
                               int most, ney_partition *rows, ney_tune_info *info, ney_error *err)
{
    ney_tuner *const t = ney_tuner_of_choice(all, choice);
    const ney_point *const best = choice->point[0];
    ney_train_opts o[NEY_MOST_AVERAGED];
    ney_chosen_opts(choice, o);
    info->criterion = t->rule.criterion;
    info->best = o[0];
    info->kernel_is_chosen = (int)all->stated == NEY_KERNEL_AUTO;
    info->averaged = choice->n;
    info->loss = best->loss;
    info->error = ney_standard_error(best->of_fold, best->loss, t->folds.n);
    info->at_edge = ney_tuner_is_at_edge(t, best);
    ney_tuner_log(t, best, "best:");
    if (info->at_edge && !t->is_quick) {
        ney_log(&t->env, NEY_LOG_WARNING,
                "the best point is at the edge of the grid: --grid can "
                "widen it");
    }
    t->stopped = false; /* the time limit applies to the search only */
    t->o.max_time = 0;
    ney_status st = ney_train_mean(out, rows, o, choice->n, &info->train, err);
    /* a bounded FDR has its threshold from rows held out in turn anyway */
    if (st == NEY_OK && info->train.stop != NEY_STOP_CANCELLED &&
        ney_train_goal(o) != NEY_GOAL_FDR) {
        st = ney_calibrate(*out, all, n, choice, most, info, err);
    }
    return st == NEY_OK ? describe_search(*out, t, info, err) : st;
}

/* Of several methods and kernels that are tried, some may not know an axis of the user's. */
static void drop_unread_axes(ney_grid *g, const ney_train_opts *o)
{
    int n = 0;
    for (int k = 0; k < g->n; k++) {
        if (ney_request_reads(o, g->axis[k].param->name)) {
            g->axis[n++] = g->axis[k];
        }
    }
    g->n = n;
}

/* Whether the goal takes the options that the grid varies: at its two far corners. What the grid
 * chooses has no other value. */
static ney_status check_grid(ney_tuner *t, ney_error *err)
{
    ney_status st = NEY_OK;
    if (t->is_partial) {
        drop_unread_axes(&t->grid, &t->o);
    }
    for (int k = 0; k < t->grid.n; k++) {
        const ney_param *const row = t->grid.axis[k].param;
        if (!ney_param_is_default(row, &t->o)) {
            return ney_fail(err, NEY_EINVAL,
                            "--%s is chosen by the grid; give its values by --grid %s=VALUES",
                            row->name, row->name);
        }
    }
    for (int end = 0; end < 2 && st == NEY_OK; end++) {
        ney_point corner = {0};
        ney_train_opts o;
        for (int k = 0; k < t->grid.n; k++) {
            corner.at[k] = end ? t->grid.axis[k].high : t->grid.axis[k].low;
        }
        const ney_train_opts wanted = ney_tuner_opts(t, &corner);
        st = ney_request_resolve(&o, &wanted, "seed", err);
    }
    return st;
}

/* What the options and the grid must be, whatever the data. */
static ney_status check_request(ney_tuner *t, const ney_matrix *x, const ney_tune_opts *o,
                                ney_error *err)
{
    ney_status st = ney_rule_init(&t->rule, &t->o, o, err);
    if (st == NEY_OK) {
        st = ney_grid_init(&t->grid, o->grid, &t->o, ney_gamma_scale(x), err);
    }
    return st == NEY_OK ? check_grid(t, err) : st;
}

static int64_t count_class(const ney_data *data, bool positive)
{
    const int8_t *const label = ney_data_label(data);
    int64_t n = 0;
    for (int64_t i = 0; label && i < ney_data_matrix(data)->rows; i++) {
        n += (label[i] > 0) == positive;
    }
    return n;
}

static ney_status tuner_init(ney_tuner *t, const ney_data *learn, const ney_data *valid,
                             const ney_tune_opts *o, ney_error *err)
{
    const ney_matrix *const x = ney_data_matrix(learn);
    const ney_goal *const goal = ney_request_of(&t->o).goal;
    const ney_fold_groups names = {goal->groups ? goal->groups(&t->o) : NULL, t->o.peptide};
    const ney_fold_groups *const groups = names.columns ? &names : NULL;
    ney_train_opts keyed = t->o;
    ney_status st;
    keyed.kernel = t->stated; /* all searches of a run share the table */
    t->learn = learn;
    st = check_request(t, x, o, err);
    t->rule.n_rows =
        t->n_certify > 0 ? t->n_certify : count_class(valid ? valid : learn, t->rule.bounds_fnr);
    if (st == NEY_OK &&
        (st = ney_folds_init(&t->folds, &t->env, learn, valid, groups, (int)o->folds,
                             (uint64_t)t->o.seed, err)) == NEY_OK &&
        (st = ney_comparison_draw_parts(t, o, err)) == NEY_OK &&
        (st = ney_fold_results_key(&t->key, learn, valid, groups, &keyed, &t->rule, t->folds.n,
                                   err)) == NEY_OK) {
        st = ney_job_share_begin(t, o->table, t->key, o->fresh, err);
    }
    return st;
}

static void tuner_deinit(ney_tuner *t)
{
    ney_tuner_release_points(t);
    ney_fold_results_close(&t->results);
    ney_folds_deinit(&t->folds);
    pthread_mutex_destroy(&t->lock);
}

/* ---------------------------------------------------------------- searches */

enum { MOST_SEARCHES = 4 };

/* A search with one method and one kernel. A partial one drops what it does not read. */
static ney_tuner tuner_of(const ney_env *env, const ney_train_opts *train, ney_method method,
                          ney_kernel_kind kernel, bool is_partial)
{
    ney_tuner t = {.env = *env,
                   .o = *train,
                   .is_partial = is_partial,
                   .stated = train->kernel,
                   .best = (double)NAN};
    t.o.method = method;
    t.o.kernel = kernel;
    if (is_partial) {
        ney_train_trim(&t.o);
        t.o.seed = train->seed; /* of the folds */
    }
    t.results.journal.fd = -1;
    return t;
}

/* Where one rate is bounded and no method is named two are tried: which one is better differs from
 * set to set. With kernel = auto each is tried with both kernels, the linear one first: of equal
 * losses it is the choice. The first method with the last kernel reads all that the user states. */
static int searches_of(const ney_env *env, const ney_train_opts *o, ney_tuner t[MOST_SEARCHES])
{
    const bool both = ney_train_goal(o) == NEY_GOAL_RATE && o->method == NEY_METHOD_AUTO;
    const bool chooses = ney_request_chooses_kernel(o);
    const ney_method method[] = {both ? NEY_METHOD_ANNEALED : o->method, NEY_METHOD_CONVEX};
    const ney_kernel_kind kernel[] = {chooses ? NEY_KERNEL_LINEAR : o->kernel, NEY_KERNEL_RBF};
    const int n_kernels = chooses ? 2 : 1;
    int n = 0;
    for (int k = 0; k < n_kernels; k++) {
        for (int m = 0; m < (both ? 2 : 1); m++) {
            t[n++] = tuner_of(env, o, method[m], kernel[k], m > 0 || k + 1 < n_kernels);
        }
    }
    return n;
}

/* What the options and the grid must be, for every search. */
static ney_status check_searches(const ney_env *env, const ney_train_opts *train,
                                 const ney_matrix *x, const ney_tune_opts *o, ney_error *err)
{
    ney_tuner t[MOST_SEARCHES];
    const int n = searches_of(env, train, t);
    ney_status st = NEY_OK;
    for (int k = 0; k < n && st == NEY_OK; k++) {
        st = check_request(&t[k], x, o, err);
    }
    return st;
}

/* Say what the best point of each kernel is. */
static void log_kernels(const ney_tuner *t, int n)
{
    for (int first = 0; first < n; first += n / 2) {
        const ney_point *best = NULL;
        for (int k = first; k < first + n / 2; k++) {
            const ney_point *const p = ney_tuner_best(&t[k]);
            best = p && (!best || p->loss < best->loss) ? p : best;
        }
        if (best) {
            ney_log(&t->env, NEY_LOG_INFO, "kernel %s: %s %.4g", ney_kernel_text(t[first].o.kernel),
                    ney_criterion_text(t->rule.criterion), best->loss);
        }
    }
}

/* All searches, one after the other; the table is open for one at a time. A choice has at most
 * `most` points. */
static ney_status search_all(ney_tuner *t, int n, int most, const ney_data *learn,
                             const ney_data *valid, const ney_tune_opts *o, ney_tune_info *info,
                             ney_error *err)
{
    ney_tune_opts own = *o;
    ney_status st = NEY_OK;
    for (int k = 0; k < n && st == NEY_OK && info->stop == NEY_STOP_CONVERGED; k++) {
        st = tuner_init(&t[k], learn, valid, &own, err);
        if (st == NEY_OK && k == 0 && t->results.n_old > 0) {
            ney_log(&t->env, NEY_LOG_INFO, "%lld results are taken from %s",
                    (long long)t->results.n_old, o->table);
        }
        if (st == NEY_OK && (st = ney_tuner_search(&t[k], &own, info, err)) == NEY_OK) {
            info->stop = t[k].stop;
        }
        ney_fold_results_close(&t[k].results);
        own.fresh = false; /* keep the results of the first */
    }
    if (st == NEY_OK) {
        st = ney_comparison_run(t, n, o, most, info, err);
    }
    if (st == NEY_OK && info->stop == NEY_STOP_CANCELLED) {
        (void)ney_fail(err, NEY_ECANCELLED, "cancelled with %lld results",
                       (long long)(info->fits + info->reused));
        return NEY_ECANCELLED;
    }
    return st;
}

/* The points of all searches that the model is the mean of. */
static ney_status choose(ney_chosen *c, const ney_tuner *t, int n, int most, ney_error *err)
{
    if ((int)t->stated == NEY_KERNEL_AUTO) {
        log_kernels(t, n);
    }
    *c = ney_tuners_choose(t, n, most);
    return c->n > 0 ? NEY_OK
                    : ney_fail(err, NEY_EGOAL,
                               "no point of the grid was finished in %g seconds: expected more "
                               "time (max-time), or a smaller grid",
                               t[0].o.max_time);
}

/* The options of training as tuning reads them, and whether it takes them. */
static ney_status check_options(ney_train_opts *train, const ney_data *data, bool has_valid,
                                const ney_train_opts *opts, const ney_tune_opts *o, ney_error *err)
{
    ney_status st;
    if ((st = ney_request_resolve(
             train, opts, has_valid ? NEY_AUTO_KERNEL : "seed " NEY_AUTO_KERNEL, err)) != NEY_OK ||
        (st = ney_tune_options_check(o, train, has_valid, err)) != NEY_OK) {
        return st;
    }
    const ney_request r = ney_request_of(train);
    return ney_check_groups(data, &r, err);
}

ney_scaling ney_tune_scaling(const ney_data *data, const ney_train_opts *o)
{
    const ney_request r = ney_request_of(o);
    const bool is_mapped = r.kind == NEY_GOAL_RATE && !r.learner->make &&
                           (r.family == &ney_family_linear || o->kernel == NEY_KERNEL_RBF ||
                            ney_request_chooses_kernel(o));
    return is_mapped && data->label && data->x.dense && !data->from_array
               ? NEY_SCALING_AUTO
               : ney_scaling_of(0, data->preprocessing->format);
}

ney_status ney_tune_check(const ney_data *data, bool has_valid, const ney_train_opts *opts,
                          const ney_tune_opts *tune, ney_error *err)
{
    const ney_env e = ney_env_of(NULL);
    ney_train_opts train;
    const ney_tune_opts o = ney_tune_opts_or_default(tune);
    const ney_status st = check_options(&train, data, has_valid, opts, &o, err);
    return st == NEY_OK ? check_searches(&e, &train, ney_data_matrix(data), &o, err) : st;
}

/* What is tuned, with options that are checked. */
typedef struct tuning {
    ney_partition *rows;
    const ney_data *valid; /* or NULL */
    const ney_train_opts *train;
    const ney_tune_opts *tune;
    bool is_quick;    /* ney_tune_quickly() */
    ney_data *sample; /* of the rows to learn from, for the search; NULL: all of them */
} tuning;

/* Take the rows that the search reads. A threshold that is not certified is set on rows of its
 * folds held out in turn: those are all. */
static ney_status rows_to_search(tuning *w, const ney_data **out, ney_error *err)
{
    ney_status st = ney_partition_take(w->rows, NEY_PART_LEARN, out, err);
    if (st == NEY_OK && w->is_quick && ney_partition_count(w->rows, NEY_PART_CERTIFY) > 0) {
        st = ney_sample_rows(&w->sample, &w->rows->env, *out, NEY_SEARCH_ROWS,
                             (uint64_t)w->train->seed, err);
    }
    *out = w->sample ? w->sample : *out;
    return st;
}

/* Whether training goes on without a choice, because no folds can be made. */
static bool has_no_folds(const tuning *w, const ney_data *rows)
{
    ney_error why;
    if (!w->is_quick || ney_request_chooses_kernel(w->train) ||
        ney_folds_check(&w->rows->env, rows, NULL, (int)w->tune->folds, (uint64_t)w->train->seed,
                        &why) != NEY_EINVAL) {
        return false;
    }
    ney_log(&w->rows->env, NEY_LOG_INFO, "C = %g, not chosen: %s", w->train->C, why.message);
    return true;
}

static ney_status train_without_choice(ney_model **out, const tuning *w, ney_tune_info *info,
                                       ney_error *err)
{
    *info = (ney_tune_info){.stop = info->stop, .best = *w->train};
    return ney_train_mean(out, w->rows, w->train, 1, &info->train, err);
}

static bool stop_at_once(void *user, const ney_progress *progress)
{
    (void)user;
    (void)progress;
    return false;
}

/* Of training that is cancelled during its search: the best model so far is the first one. */
static ney_status train_cancelled(ney_model **out, const tuning *w, ney_tune_info *info,
                                  ney_error *err)
{
    w->rows->env.poll = stop_at_once;
    ney_model_free(*out); /* a mean whose threshold was not set yet */
    return train_without_choice(out, w, info, err);
}

/* Search on the rows to learn from, then train on all parts. */
static ney_status search_and_train(ney_model **out, const tuning *w, const ney_data *learn,
                                   ney_tune_info *info, ney_error *err)
{
    ney_tuner t[MOST_SEARCHES];
    ney_chosen choice;
    ney_status st;

    ney_partition *const p = w->rows;
    ney_kept_answers kept;
    const int n = searches_of(&p->env, w->train, t),
              most = (int)ney_tune_most_averaged(w->tune, w->train);
    const double begin = ney_now();
    const int64_t n_certify =
        ney_data_group_column(p->data) ? 0 : ney_partition_count(p, NEY_PART_CERTIFY);
    ney_kept_answers_init(&kept, &p->env);
    p->kept = &kept;
    for (int k = 0; k < n; k++) {
        t[k].begin = begin;
        t[k].n_certify = n_certify;
        t[k].is_quick = w->is_quick;
        t[k].kept = &kept;
        ney_relay_init(&t[k].relay, &p->env);
        pthread_mutex_init(&t[k].lock, NULL);
    }
    if ((st = check_searches(&p->env, w->train, ney_data_matrix(learn), w->tune, err)) == NEY_OK &&
        (st = search_all(t, n, most, learn, w->valid, w->tune, info, err)) == NEY_OK &&
        (st = choose(&choice, t, n, most, err)) == NEY_OK) {
        st = train_choice(out, t, n, &choice, most, w->rows, info, err);
    }
    for (int k = 0; k < n; k++) {
        tuner_deinit(&t[k]);
    }
    p->kept = NULL;
    ney_kept_answers_deinit(&kept);
    return st;
}

static ney_status tune_checked(ney_model **out, tuning *w, ney_tune_info *info, ney_error *err)
{
    ney_tune_info found = {.stop = NEY_STOP_CONVERGED};
    const ney_data *learn;
    ney_model *m = NULL;
    ney_status st = rows_to_search(w, &learn, err);
    if (st == NEY_OK) {
        st = has_no_folds(w, learn) ? train_without_choice(&m, w, &found, err)
                                    : search_and_train(&m, w, learn, &found, err);
    }
    if (st == NEY_ECANCELLED && w->is_quick && !ney_request_chooses_kernel(w->train)) {
        st = train_cancelled(&m, w, &found, err);
    }
    if (st == NEY_OK && (!w->valid || w->train->no_fingerprint ||
                         (st = ney_model_add_training_rows(m, w->valid, err)) == NEY_OK)) {
        *out = m;
        m = NULL;
    }
    if (info) {
        *info = found;
    }
    ney_model_free(m);
    ney_data_free(w->sample);
    return st;
}

/* With options that are not checked yet. */
static ney_status tune_partition(ney_model **out, const tuning *stated, ney_tune_info *info,
                                 ney_error *err)
{
    ney_train_opts train;
    tuning w = *stated;
    *out = NULL;
    const ney_status st =
        check_options(&train, w.rows->data, w.valid != NULL, stated->train, w.tune, err);
    w.train = &train;
    return st == NEY_OK ? tune_checked(out, &w, info, err) : st;
}

ney_status ney_tune_partition(ney_model **out, ney_partition *p, const ney_data *valid,
                              const ney_train_opts *opts, const ney_tune_opts *tune,
                              ney_tune_info *info, ney_error *err)
{
    const ney_tune_opts o = ney_tune_opts_or_default(tune);
    const tuning w = {.rows = p, .valid = valid, .train = opts, .tune = &o};
    return tune_partition(out, &w, info, err);
}

ney_status ney_tune_quickly(ney_model **out, ney_partition *p, const ney_train_opts *opts,
                            const ney_tune_opts *tune, ney_tune_info *info, ney_error *err)
{
    ney_tune_opts o = ney_tune_opts_or_default(tune);
    const tuning w = {.rows = p, .train = opts, .tune = &o, .is_quick = true};
    o.grid = NEY_GRID_QUICK;
    o.folds = 3;
    o.average = 5;
    return tune_partition(out, &w, info, err);
}

ney_status ney_tune(ney_model **out, const ney_env *env, const ney_data *data,
                    const ney_data *valid, const ney_train_opts *opts, const ney_tune_opts *tune,
                    ney_tune_info *info, ney_error *err)
{
    const ney_env e = ney_env_of(env);
    const ney_tune_opts o = ney_tune_opts_or_default(tune);
    ney_train_opts train;
    *out = NULL;
    ney_status st = check_options(&train, data, valid != NULL, opts, &o, err);
    if (st != NEY_OK) {
        return st;
    }
    const ney_request r = ney_request_of(&train);
    ney_partition p;
    tuning w = {.rows = &p, .valid = valid, .train = &train, .tune = &o};
    if ((st = ney_partition_init(&p, &e, data, &r, err)) == NEY_OK) {
        st = tune_checked(out, &w, info, err);
    }
    ney_partition_deinit(&p);
    return st;
}
