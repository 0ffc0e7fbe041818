/* Mixtures of Gaussians from data: expectation-maximisation for each class, the number of
 * components by the Bayesian information criterion. */
#include "base/options.h"
#include "base/rng.h"
#include "data/data.h"
#include "learn/request.h"
#include "theory/em.h"
#include "theory/mixture.h"

#include <math.h>
#include <string.h>

#define AT(field) offsetof(ney_mixture_opts, field)

/* clang-format off */
static const ney_param params[] = {
    /* name            flag kind          field               initial low   high    arg  choices */
    {"components",     0, NEY_KIND_INT,  AT(components),     0,    0,    64,     "N",  NULL,
     "number of Gaussians per class; 0: chosen by the Bayesian information criterion (BIC)"},
    {"max-components", 0, NEY_KIND_INT,  AT(max_components), 3,    1,    64,     "N",  NULL,
     "largest number of Gaussians per class that the BIC chooses from"},
    {"ridge",          0, NEY_KIND_REAL, AT(ridge),          1e-3, 1e-9, 1,      "X",  NULL,
     "added to every variance, as a share of the variance of the column: keeps covariances regular"},
    {"max-rows",       0, NEY_KIND_INT,  AT(max_rows),       20000, 2,   1e9,    "N",  NULL,
     "most rows per class; of a larger class N rows are drawn at random"},
    {"seed",           0, NEY_KIND_INT,  AT(seed),           1,    0,    0x1p53, "N",  NULL,
     "seed of the random-number generator"},
};
/* clang-format on */

enum { N_PARAMS = sizeof params / sizeof *params, STARTS = 4 };

const ney_param *ney_mixture_params(int64_t *n_params)
{
    *n_params = N_PARAMS;
    return params;
}

/* ------------------------------------------------------------------ rows of a class */

static void release_rows(const ney_env *env, ney_em_rows *rows)
{
    ney_release(env, rows->x);
    ney_release(env, rows->count);
    ney_release(env, rows->floor);
}

static void copy_row(const ney_matrix *x, int64_t row, double *to)
{
    for (int64_t j = 0; j < x->cols; j++) {
        to[j] = x->dense ? (double)x->dense[row * x->cols + j] : 0;
    }
    for (int64_t e = x->dense ? 0 : x->start[row]; e < (x->dense ? 0 : x->start[row + 1]); e++) {
        to[x->index[e]] = (double)x->value[e];
    }
}

/* The rows of one class as doubles, at most n; `chosen` holds their indices. */
static ney_status take_rows(const ney_env *env, const ney_data *data, const int64_t *chosen,
                            int64_t n, ney_em_rows *rows, ney_error *err)
{
    const int64_t d = data->x.cols;

    *rows = (ney_em_rows){.n = n, .d = d};
    rows->x = ney_alloc(env, n, (size_t)d * sizeof *rows->x);
    rows->count = ney_alloc(env, n, sizeof *rows->count);
    rows->floor = ney_alloc_zeroed(env, d, sizeof *rows->floor);
    if (!rows->x || !rows->count || !rows->floor) {
        return ney_no_memory(err, n, "rows of a class");
    }
    for (int64_t i = 0; i < n; i++) {
        copy_row(&data->x, chosen[i], rows->x + i * d);
        rows->count[i] = data->weight ? (double)data->weight[chosen[i]] : 1;
        rows->total += rows->count[i];
    }
    return NEY_OK;
}

/* Variance of each column over both classes, times the ridge. A column that never varies has weight
 * 0 for any variance. */
static void set_floors(ney_em_rows rows[2], double ridge)
{
    const int64_t d = rows[0].d;

    for (int64_t j = 0; j < d; j++) {
        double total = 0, mean = 0, spread = 0;
        for (int s = 0; s < 2; s++) {
            for (int64_t i = 0; i < rows[s].n; i++) {
                const double count = rows[s].count[i], gap = rows[s].x[i * d + j] - mean;
                total += count;
                mean += total > 0 ? gap * count / total : 0;
                spread += count * gap * (rows[s].x[i * d + j] - mean);
            }
        }
        const double variance = spread / total;
        rows[0].floor[j] = rows[1].floor[j] = ridge * (variance > 0 ? variance : 1);
    }
}

/* ------------------------------------------------------------------ choosing */

/* The best of a few starts for each number of components, until one more no longer pays. */
static ney_status choose_components(const ney_env *env, const ney_em_rows *rows,
                                    const ney_mixture_opts *o, ney_em_fit *best, ney_error *err)
{
    const int64_t from = o->components ? o->components : 1;
    const int64_t to = o->components ? o->components : o->max_components;
    ney_status st = NEY_OK;

    *best = (ney_em_fit){.bic = (double)INFINITY};
    for (int64_t k = from; k <= to && k <= rows->n && st == NEY_OK; k++) {
        bool better = false;
        for (int64_t try = 0; try < (k == 1 ? 1 : STARTS) && st == NEY_OK; try++) {
            ney_em_fit fit;
            st = ney_em_init(&fit, env, rows, k, (uint64_t)(o->seed + 1000 * k + try), err);
            if (st == NEY_OK && fit.valid && fit.bic < best->bic) {
                ney_em_deinit(best);
                *best = fit;
                better = true;
            } else {
                ney_em_deinit(&fit);
            }
        }
        if (!better) {
            break;
        }
    }
    return st;
}

static ney_status make_mixture(ney_mixture **out, const ney_env *env, const ney_em_fit fit[2],
                               double p_pos, ney_error *err)
{
    ney_gaussian *all = ney_alloc(env, fit[0].k + fit[1].k, sizeof *all);

    if (!all) {
        return ney_no_memory(err, fit[0].k + fit[1].k, "components");
    }
    for (int s = 0; s < 2; s++) {
        const int64_t d = fit[s].d;
        for (int64_t j = 0; j < fit[s].k; j++) {
            all[j + (s ? fit[0].k : 0)] =
                (ney_gaussian){fit[s].weight[j], fit[s].mean + j * d, fit[s].cov + j * d * d};
        }
    }
    const ney_mixture_parts parts = {.dims = fit[0].d,
                                     .p_pos = p_pos,
                                     .positive = all + fit[0].k,
                                     .n_positive = fit[1].k,
                                     .negative = all,
                                     .n_negative = fit[0].k};
    const ney_status st = ney_mixture_new(out, env, &parts, err);
    ney_release(env, all);
    return st;
}

/* The rows of a class, shuffled, so that any number of the first is a fair draw. */
static int64_t list_class(const ney_data *data, int sign, uint64_t seed, int64_t *chosen)
{
    ney_rng rng = {seed};
    int64_t n = 0;

    for (int64_t i = 0; i < data->x.rows; i++) {
        if (data->label[i] == sign) {
            chosen[n++] = i;
        }
    }
    ney_rng_shuffle(&rng, chosen, n);
    return n;
}

static ney_status fit_classes(ney_mixture **out, const ney_env *env, const ney_data *data,
                              const ney_mixture_opts *o, int64_t *chosen, ney_error *err)
{
    static const char *const names[2] = {"negative", "positive"};
    ney_em_rows rows[2] = {{0}, {0}};
    ney_em_fit fit[2] = {{.k = 0}, {.k = 0}};
    double weight[2] = {0, 0};
    ney_status st = NEY_OK;

    for (int s = 0; s < 2 && st == NEY_OK; s++) {
        const int64_t n = list_class(data, 2 * s - 1, (uint64_t)o->seed, chosen);
        const int64_t used = n < o->max_rows ? n : o->max_rows;
        for (int64_t i = 0; i < n; i++) {
            weight[s] += data->weight ? (double)data->weight[chosen[i]] : 1;
        }
        st = n == 0 || !(weight[s] > 0)
                 ? ney_fail(err, NEY_EINVAL, "the %s class has no row", names[s])
                 : take_rows(env, data, chosen, used, &rows[s], err);
    }
    if (st == NEY_OK) {
        set_floors(rows, o->ridge);
    }
    for (int s = 0; s < 2 && st == NEY_OK; s++) {
        st = choose_components(env, &rows[s], o, &fit[s], err);
        if (st == NEY_OK && !fit[s].valid) {
            st = ney_fail(err, NEY_EINVAL,
                          "%lld rows of the %s class are too few for %lld components in %lld "
                          "dimensions",
                          (long long)rows[s].n, names[s], (long long)o->components,
                          (long long)rows[s].d);
        }
    }
    if (st == NEY_OK) {
        st = make_mixture(out, env, fit, weight[1] / (weight[0] + weight[1]), err);
    }
    for (int s = 0; s < 2; s++) {
        ney_em_deinit(&fit[s]);
        release_rows(env, &rows[s]);
    }
    return st;
}

ney_status ney_mixture_fit_with(ney_mixture **out, const ney_env *env, const ney_data *data,
                                const ney_mixture_opts *opts, ney_error *err)
{
    const ney_env e = ney_env_of(env);
    const int64_t most_dims = 1024;
    ney_mixture_opts o;

    *out = NULL;
    ney_params_init(params, N_PARAMS, &o);
    o = opts ? *opts : o;
    ney_status st = ney_params_check(params, N_PARAMS, &o, err);
    if (st != NEY_OK) {
        return st;
    }
    if (!data->label) {
        return ney_fail(err, NEY_EINVAL, "the data have no labels");
    }
    if (data->x.cols < 1 || data->x.cols > most_dims) {
        return ney_fail(err, NEY_EINVAL,
                        "%lld columns, expected 1 to %lld: covariances need its square",
                        (long long)data->x.cols, (long long)most_dims);
    }
    int64_t *chosen = ney_alloc(&e, data->x.rows, sizeof *chosen);
    if (!chosen) {
        return ney_no_memory(err, data->x.rows, "row numbers");
    }
    st = fit_classes(out, &e, data, &o, chosen, err);
    ney_release(&e, chosen);
    return st;
}

ney_status ney_mixture_fit(ney_mixture **out, const ney_env *env, const ney_data *data,
                           const ney_options *options, ney_error *err)
{
    NEY_CLEAR(out);
    NEY_REQUIRE(out, err);
    const ney_train_opts *const train = ney_options_values(options, ney_train_params);
    const ney_mixture_opts *const given = ney_options_values(options, ney_mixture_params);
    ney_mixture_opts o;

    *out = NULL;
    if (!data) {
        return ney_fail(err, NEY_EINVAL, "no data, expected rows with labels");
    }
    ney_status st =
        ney_options_check_groups(options, "data training mixture", "a mixture fit", err);
    if (st == NEY_OK && train) {
        st = ney_request_check_only(train, "", "seed", "a mixture fit", err);
    }
    if (st != NEY_OK || (st = ney_data_check_complete(data, err)) != NEY_OK) {
        return st;
    }
    ney_params_init(params, N_PARAMS, &o);
    if (options) {
        o = *given;
        o.seed = train->seed;
    }
    return ney_mixture_fit_with(out, env, data, &o, err);
}
