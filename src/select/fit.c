/* From raw rows and options to a model and its result. */
#include "base/clock.h"
#include "base/options.h"
#include "data/apply_preprocessing.h"
#include "data/column_map.h"
#include "data/scale.h"
#include "learn/learn.h"
#include "learn/method.h"
#include "learn/shared.h"
#include "learn/summary.h"
#include "model/family.h"
#include "model/model.h"
#include "select/tune.h"

#include <math.h>
#include <stdio.h>

/* One call. */
typedef struct fit {
    /* what is fitted: each NULL where it has no part */
    ney_data *data, *valid; /* raw rows */
    const char *cache;      /* a file of rows */
    const ney_model *from;  /* a model to continue from, with */
    const ney_data *added;  /* rows that it has preprocessed */
    const char *missing;    /* what the caller left out; NULL: nothing */

    ney_env env;
    ney_options *own; /* the defaults, where the caller has no options */
    const ney_options *options;
    const ney_read_opts *read;
    const ney_preprocess_opts *preprocess;
    const ney_train_opts *train;
    bool chooses;          /* C and other options: tuning, and C = auto */
    ney_train_opts chosen; /* the same without C, where training chooses it */
    const ney_tune_opts *tune;
    ney_partition rows; /* of `data` */
    ney_result *holder; /* of the steps; NULL: no result is wanted */
    double begin;

    ney_model *model;
    ney_result *result; /* NULL: not wanted */
} fit;

/* fit_deinit() is due in either case. */
static ney_status fit_init(fit *f, const ney_env *env, const ney_options *options,
                           bool wants_result, ney_error *err)
{
    ney_status st = NEY_OK;
    f->env = ney_env_of(env);
    f->options = options;
    f->begin = ney_now();
    if (!options) {
        st = ney_options_new(&f->own, &f->env, err);
        f->options = f->own;
    }
    if (st == NEY_OK && wants_result && (st = ney_result_new(&f->holder, &f->env, err)) == NEY_OK) {
        f->env.steps = ney_result_add_array(f->holder, "steps");
        st = ney_result_status(f->holder, err);
    }
    if (st == NEY_OK) {
        f->read = ney_options_values(f->options, ney_read_params);
        f->preprocess = ney_options_values(f->options, ney_preprocess_params);
        f->train = ney_options_values(f->options, ney_train_params);
        f->tune = ney_options_values(f->options, ney_tune_params);
    }
    return st;
}

static void fit_deinit(fit *f)
{
    ney_partition_deinit(&f->rows);
    ney_options_free(f->own);
    ney_result_free(f->holder);
    ney_model_free(f->model);
    ney_result_free(f->result);
}

/* ------------------------------------------------------------------ rows */

static ney_status check_classes(const ney_data *data, ney_error *err)
{
    const int64_t rows = data->blocks ? data->blocks->rows : data->x.rows;
    int64_t n_pos, n_neg;
    if (rows == 0 || data->preprocessing->cols == 0) {
        return ney_fail(err, NEY_EINVAL, "the data have %lld rows and %lld columns, expected some",
                        (long long)rows, (long long)data->preprocessing->cols);
    }
    if (!data->label) {
        return ney_data_unlabelled(data, err);
    }
    ney_shared_classes(data->blocks, data->label, data->x.rows, &n_pos, &n_neg);
    if (n_pos == 0 || n_neg == 0) {
        return ney_fail(err, NEY_EINVAL, "all %lld rows are of one class, '%s'; expected two",
                        (long long)rows,
                        ney_preprocessing_label(data->preprocessing, n_pos ? 1 : -1));
    }
    return NEY_OK;
}

/* Rows of an array were not read: of these options one is left. */
static ney_status check_reading(const fit *f, const ney_data *data, ney_error *err)
{
    int64_t n;
    const ney_param *const rows = ney_read_params(&n);
    for (int64_t k = 0; data->from_array && k < n; k++) {
        if (rows[k].offset != offsetof(ney_read_opts, missing) &&
            !ney_param_is_default(&rows[k], f->read)) {
            return ney_fail(err, NEY_EINVAL, "%s applies to files; the rows are from an array",
                            rows[k].name);
        }
    }
    return NEY_OK;
}

/* Missing cells are filled, or an error that names the first. */
static ney_status allow_missing(const fit *f, ney_data *data, ney_error *err)
{
    ney_preprocessing *const r = data->preprocessing;
    ney_error ignored;
    /* a family that takes missing values keeps them, unless the caller says what to do with them */
    const bool keeps = !ney_options_is_set(f->options, "missing") &&
                       ney_train_check_missing(f->train, NEY_MISSING_KEEP, &ignored) == NEY_OK;
    const ney_missing missing = keeps ? NEY_MISSING_KEEP : f->read->missing;
    if (missing == NEY_MISSING_KEEP) {
        const ney_status st = ney_train_check_missing(f->train, missing, err);
        if (st != NEY_OK) {
            return st;
        }
    }
    if (missing != NEY_MISSING_ERROR && !ney_preprocessing_set_missing(r, missing)) {
        return ney_no_memory(err, r->cols, "columns to fill");
    }
    const ney_status st = ney_data_check_complete(data, err);
    return data->blocks ? ney_comm_agree(data->blocks->comm, st, err) : st;
}

/* Rows that are shared out among processes: what can be done with them. */
static ney_status check_shared(const fit *f, ney_error *err)
{
    const ney_request r = ney_request_of(f->train);
    const char *const refused = !f->data->blocks                   ? NULL
                                : !r.learner || !r.learner->shared ? "this goal, method or family"
                                : f->train->kernel != NEY_KERNEL_LINEAR        ? "a kernel"
                                : r.calibrates || r.conformal_folds > 0        ? "conformal"
                                : !isnan(r.calibrate) || r.calibrate_folds > 0 ? "calibrate"
                                : ney_request_chooses(f->train)                ? "C = auto"
                                : f->data->preprocessing->group_column         ? "group"
                                                                               : NULL;
    return !refused ? NEY_OK
                    : ney_fail(err, NEY_EINVAL,
                               "%s needs the rows in one process; several processes train linear "
                               "models, networks and random features for costs and bounded rates",
                               refused);
}

/* Draw what is held out: once, for preprocessing, tuning and training. */
static ney_status draw_partition(fit *f, ney_error *err)
{
    ney_train_opts o;
    /* tuning draws folds with the seed, and chooses the kernel */
    const ney_status st = ney_request_resolve(&o, f->train, "seed " NEY_AUTO_KERNEL, err);
    if (st != NEY_OK) {
        return st;
    }
    const ney_request r = ney_request_of(&o);
    return ney_partition_init(&f->rows, &f->env, f->data, &r, err);
}

/* As stated, or where nothing is: where C is chosen the scaling is too. */
static ney_scaling scaling_of_fit(const fit *f)
{
    return f->chooses && f->preprocess->scale == 0
               ? ney_tune_scaling(f->data, f->train)
               : ney_scaling_of(f->preprocess->scale, f->data->preprocessing->format);
}

/* Whether the score is linear in the features of a table, and their scaling is the default. */
static bool may_advise(const fit *f)
{
    const ney_request r = ney_request_of(f->train);
    const ney_format format = f->data->preprocessing->format;
    return f->preprocess->scale == 0 && scaling_of_fit(f) != NEY_SCALING_AUTO && !r.max_fdr &&
           r.family == &ney_family_linear && (format == NEY_FORMAT_CSV || format == NEY_FORMAT_TSV);
}

/* Say where --scale auto would map columns. */
static ney_status advise_scaling(const fit *f, const int64_t *rows, int64_t n_rows, ney_error *err)
{
    int64_t n = 0;
    const ney_status st =
        may_advise(f) ? ney_column_map_count(&n, f->data, rows, n_rows, err) : NEY_OK;
    if (n > 0) {
        ney_log(
            &f->env, NEY_LOG_INFO,
            "%lld of %lld features correlate more with the labels after asinh or ranks: --scale "
            "auto maps them",
            (long long)n, (long long)f->data->preprocessing->cols);
    }
    return st;
}

/* Fill and scale, fitted on the rows that are learned from: what is held out must not shape the
 * score function. */
static ney_status fill_and_scale(const fit *f, ney_error *err)
{
    ney_data *const data = f->data;
    int64_t *rows = ney_alloc(&f->env, data->x.rows, sizeof *rows);
    if (!rows) {
        return ney_no_memory(err, data->x.rows, "rows");
    }
    const int64_t n = ney_partition_rows(&f->rows, NEY_PART_LEARN, rows);
    const bool all = data->blocks ? !f->rows.part_of : n == data->x.rows;
    ney_status st = ney_data_prepare(data, scaling_of_fit(f), all ? NULL : rows, all ? 0 : n, err);
    if (st == NEY_OK && !data->blocks) {
        st = advise_scaling(f, rows, n, err);
    }
    ney_release(&f->env, rows);
    return st;
}

static ney_status preprocess(fit *f, ney_error *err)
{
    ney_data *const data = f->data;
    ney_status st;
    if (data->preprocessing->prepared) {
        return ney_fail(
            err, NEY_EINVAL,
            "the data have been filled and scaled already: make a new data set for another fit");
    }
    return (st = check_classes(data, err)) == NEY_OK &&
                   (st = check_reading(f, data, err)) == NEY_OK &&
                   (st = allow_missing(f, data, err)) == NEY_OK &&
                   (st = draw_partition(f, err)) == NEY_OK
               ? fill_and_scale(f, err)
               : st;
}

/* ------------------------------------------------------------------ results */

/* The tree of a run, where it is wanted. */
static ney_status make_result(fit *f, ney_run *r, ney_error *err)
{
    ney_status st;
    if (!f->holder) {
        return NEY_OK;
    }
    r->env = &f->env;
    r->model = f->model;
    r->request = ney_request_of(r->opts);
    r->steps = f->env.steps;
    return (st = ney_result_status(f->holder, err)) == NEY_OK ? ney_run_result(&f->result, r, err)
                                                              : st;
}

/* What belongs to every result and comes last. */
static ney_status add_seconds(const fit *f, ney_error *err)
{
    if (!f->result) {
        return NEY_OK;
    }
    ney_result_add_real(f->result, "seconds", ney_now() - f->begin);
    return ney_result_status(f->result, err);
}

/* What all fits have in common: the model and the result by `steps`, or on failure neither. */
static ney_status fit_by(fit *f, ney_status (*steps)(fit *f, ney_error *err), const ney_env *env,
                         const ney_options *options, ney_model **model, ney_result **result,
                         ney_error *err)
{
    *model = NULL;
    if (result) {
        *result = NULL;
    }
    if (f->missing) {
        return ney_fail(err, NEY_EINVAL, "no %s", f->missing);
    }
    ney_status st = fit_init(f, env, options, result != NULL, err);
    if (st == NEY_OK && (st = steps(f, err)) == NEY_OK && (st = add_seconds(f, err)) == NEY_OK) {
        *model = f->model;
        f->model = NULL;
        if (result) {
            *result = f->result;
            f->result = NULL;
        }
    }
    fit_deinit(f);
    return st;
}

/* ------------------------------------------------------------------ training */

static ney_status tune_prepared(fit *f, bool is_quick, ney_error *err);

/* C or kernel = auto: the search of tuning on its small grid, by the same rows and criterion. */
static ney_status train_auto(fit *f, ney_error *err)
{
    f->chosen = *f->train;
    f->chosen.C = 1; /* the default: the grid has its values */
    f->train = &f->chosen;
    f->chooses = true;
    const ney_status st = preprocess(f, err);
    return st == NEY_OK ? tune_prepared(f, true, err) : st;
}

/* Of data in memory or, where there are none, of the rows of a cache. */
static ney_status train(fit *f, ney_error *err)
{
    ney_train_info info = {0};
    ney_run run = {.data = f->data, .opts = f->train, .info = &info};
    ney_status st = ney_options_check_groups(f->options, "data preprocessing training",
                                             "a fit without tuning", err);
    if (st == NEY_OK && f->data && (st = check_shared(f, err)) == NEY_OK &&
        ney_request_chooses(f->train)) {
        return train_auto(f, err);
    }
    if (st == NEY_OK && f->data && (st = ney_train_check(f->train, err)) == NEY_OK) {
        st = preprocess(f, err);
    }
    if (st == NEY_OK) {
        st = f->data ? ney_train_partition(&f->model, &f->rows, f->train, &info, err)
                     : ney_train_cache(&f->model, &f->env, f->cache, f->read,
                                       f->preprocess->scale - 1, f->train, &info, err);
    }
    return st == NEY_OK ? make_result(f, &run, err) : st;
}

ney_status ney_fit(ney_model **model, ney_result **result, const ney_env *env, ney_data *data,
                   const ney_options *options, ney_error *err)
{
    NEY_CLEAR(model);
    NEY_CLEAR(result);
    NEY_REQUIRE(model, err);
    fit f = {.data = data, .missing = data ? NULL : "data to fit to"};
    return fit_by(&f, train, env, options, model, result, err);
}

ney_status ney_fit_cache(ney_model **model, ney_result **result, const ney_env *env,
                         const char *path, const ney_options *options, ney_error *err)
{
    NEY_CLEAR(model);
    NEY_CLEAR(result);
    NEY_REQUIRE(model, err);
    fit f = {.cache = path, .missing = path ? NULL : "cache to fit to"};
    return fit_by(&f, train, env, options, model, result, err);
}

/* ------------------------------------------------------------------ tuning */

/* Estimates: the same rows chose the point, and set the threshold where it is not that of training.
 * An interval would claim that they are new. */
static void add_valid_rates(ney_result *root, const ney_tune_info *info)
{
    const ney_counts *const c = &info->held_out;
    const double pos = (double)(c->fn + c->tp + c->rejected_pos);
    const double neg = (double)(c->fp + c->tn + c->rejected_neg);

    if (info->train.certified || ney_train_goal(&info->best) == NEY_GOAL_FDR) {
        return;
    }
    ney_result_add_real(root, "valid_fpr", (double)c->fp / neg);
    ney_result_add_real(root, "valid_fnr", (double)c->fn / pos);
    if (c->rejected_pos + c->rejected_neg > 0) {
        ney_result_add_real(root, "valid_reject_rate",
                            (double)(c->rejected_pos + c->rejected_neg) / (pos + neg));
    }
    ney_result_add_text(root, "valid_rates_on",
                        info->calibrated
                            ? "rows that chose the point and set the threshold: estimates"
                            : "rows that chose the point: estimates");
}

static void add_choice(ney_result *root, const ney_tune_info *info, const char *table)
{
    const ney_train_opts *const o = &info->best;
    const ney_goal_kind goal = ney_train_goal(o);
    const bool has_costs = goal == NEY_GOAL_COST || goal == NEY_GOAL_REJECT ||
                           (goal == NEY_GOAL_RATE && ney_request_reads(o, "cost-fn"));

    ney_result_add_real(root, "C", o->C);
    if (info->points == 0) { /* too few rows for a choice */
        return;
    }
    if (info->kernel_is_chosen) {
        ney_result_add_text(root, "kernel", ney_kernel_text(o->kernel));
    }
    if (ney_request_reads(o, "gamma")) {
        ney_result_add_real(root, "gamma", o->gamma);
    }
    if (ney_request_reads(o, "at-k")) {
        ney_result_add_int(root, "at_k", o->at_k);
    }
    if (has_costs) {
        ney_result_add_real(root, "cost_fn", o->cost_fn);
        ney_result_add_real(root, "cost_fp", o->cost_fp);
    }
    ney_result_add_text(root, "criterion", ney_criterion_text(info->criterion));
    ney_result_add_real(root, "loss", info->loss);
    ney_result_add_real(root, "loss_error", info->error);
    ney_result_add_int(root, "points", info->points);
    ney_result_add_int(root, "fits", info->fits);
    ney_result_add_int(root, "reused", info->reused);
    ney_result_add_int(root, "extensions", info->extensions);
    ney_result_add_int(root, "averaged", info->averaged);
    ney_result_add_bool(root, "at_edge", info->at_edge);
    ney_result_add_text(root, "search_stop", ney_stop_text(info->stop));
    add_valid_rates(root, info);
    if (table) {
        ney_result_add_text(root, "table", table);
    }
}

/* Warn of validation rows that are training rows: they favour overfitting. */
static ney_status warn_shared(ney_result *root, const ney_data *data, const ney_data *valid,
                              ney_error *err)
{
    ney_reuse reuse = {0};
    const ney_status st = ney_data_find_reuse(data, valid, &reuse, err);
    if (st == NEY_OK) {
        ney_warn_reuse(root, &reuse, "validation rows", "training");
    }
    return st;
}

/* Bring raw validation rows to the features of the training rows. */
static ney_status prepare_valid(const ney_data *data, ney_data *valid, ney_error *err)
{
    const ney_status st = check_classes(valid, err);
    return st == NEY_OK ? ney_preprocessing_apply(valid, data->preprocessing, NEY_ORIGIN_CACHE, err)
                        : st;
}

/* With rows that are filled and scaled. */
static ney_status tune_prepared(fit *f, bool is_quick, ney_error *err)
{
    ney_tune_info info = {0};
    ney_status st =
        is_quick ? ney_tune_quickly(&f->model, &f->rows, f->train, f->tune, &info, err)
                 : ney_tune_partition(&f->model, &f->rows, f->valid, f->train, f->tune, &info, err);
    if (st != NEY_OK) {
        return st;
    }
    ney_run run = {.data = f->data,
                   .opts = &info.best,
                   .info = &info.train,
                   .recount = info.calibrated,
                   .valid = info.train.certified || info.points == 0 ? NULL : &info.held_out};
    if ((st = make_result(f, &run, err)) == NEY_OK && f->result) {
        add_choice(f->result, &info, f->tune->table);
        st = f->valid ? warn_shared(f->result, f->data, f->valid, err) : NEY_OK;
    }
    return st;
}

static ney_status tune(fit *f, ney_error *err)
{
    ney_status st = ney_options_check_groups(f->options, "data preprocessing training tuning",
                                             "a fit with tuning", err);
    f->chooses = true;
    if (st == NEY_OK && f->data->blocks) {
        st = ney_fail(err, NEY_EINVAL, "tuning needs the rows in one process");
    }
    if (st == NEY_OK && (st = preprocess(f, err)) == NEY_OK && f->valid) {
        st = prepare_valid(f->data, f->valid, err);
    }
    return st == NEY_OK ? tune_prepared(f, false, err) : st;
}

ney_status ney_fit_tuned(ney_model **model, ney_result **result, const ney_env *env, ney_data *data,
                         ney_data *valid, const ney_options *options, ney_error *err)
{
    NEY_CLEAR(model);
    NEY_CLEAR(result);
    NEY_REQUIRE(model, err);
    fit f = {.data = data, .valid = valid, .missing = data ? NULL : "data to fit to"};
    return fit_by(&f, tune, env, options, model, result, err);
}

/* ------------------------------------------------------------------ updating */

static ney_status update(fit *f, ney_error *err)
{
    ney_train_opts o = *f->train;
    ney_train_info info = {0};
    ney_run run = {.data = f->added, .opts = &o, .info = &info};
    ney_status st;
    if (!ney_options_is_set(f->options, "confidence")) {
        o.confidence = ney_update_confidence(f->from);
    }
    if ((st = ney_options_check_groups(f->options, "data training",
                                       "an update: it keeps the model's preprocessing", err)) !=
            NEY_OK ||
        (st = ney_update(&f->model, &f->env, f->from, f->added, &o, &info, err)) != NEY_OK ||
        (st = ney_update_resolve(&o, f->from, err)) != NEY_OK ||
        (st = make_result(f, &run, err)) != NEY_OK) {
        return st;
    }
    if (info.certified) {
        const int64_t n = info.n_pos + info.n_neg;
        ney_log(&f->env, NEY_LOG_INFO,
                "%lld of the %lld rows are held out and certify the model; it learns from the "
                "other %lld",
                (long long)info.held_out, (long long)n, (long long)(n - info.held_out));
    }
    return NEY_OK;
}

ney_status ney_fit_update(ney_model **model, ney_result **result, const ney_env *env,
                          const ney_model *from, const ney_data *data, const ney_options *options,
                          ney_error *err)
{
    NEY_CLEAR(model);
    NEY_CLEAR(result);
    NEY_REQUIRE(model, err);
    fit f = {.from = from,
             .added = data,
             .missing = from && data ? NULL : "model to update, or no data"};
    return fit_by(&f, update, env, options, model, result, err);
}
