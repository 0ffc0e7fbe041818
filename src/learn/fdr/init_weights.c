/* Where the search begins: the weights of another run, from a file. */
#include "data/data.h"
#include "data/preprocessing.h"
#include "learn/fdr/fdr.h"
#include "model/family.h"
#include "model/model.h"

#include <math.h>
#include <string.h>

/* Why weights of columns do not carry over to or from this preprocessing; NULL: they do. */
static const char *find_obstacle(const ney_preprocessing *r)
{
    return r->scaling == NEY_SCALING_UNIT ? "rows scaled to length 1"
           : r->ranks                     ? "columns scaled by ranks or asinh"
                                          : NULL;
}

/* The column of a name, which is most often the same one as in the file. */
static int64_t find_column(const ney_preprocessing *r, const char *name, int64_t likely)
{
    char own[512];
    for (int64_t k = -1; k < r->cols; k++) {
        const int64_t c = k < 0 ? likely : k;
        if (c < r->cols) {
            ney_preprocessing_feature(r, c, own, sizeof own);
            if (strcmp(own, name) == 0) {
                return c;
            }
        }
    }
    return -1;
}

/* A feature is (x - offset) * factor: its weight times factor is that of x. */
static ney_status convert_weights(double *w, const ney_model *m, const ney_preprocessing *r,
                                  const char *path, ney_error *err)
{
    const ney_linear *const linear = m->part;
    for (int64_t j = 0; j < linear->cols; j++) {
        char name[512];
        double offset, own, theirs;
        if (linear->weight[j] == 0) {
            continue;
        }
        ney_preprocessing_feature(m->preprocessing, j, name, sizeof name);
        const int64_t c = find_column(r, name, j);
        if (c < 0) {
            return ney_fail_at(
                err, NEY_EPARSE, (ney_place){.file = path},
                "has a weight for the feature '%.60s', which the data lack: expected "
                "weights of their features",
                name);
        }
        ney_preprocessing_scale(m->preprocessing, j, &offset, &theirs);
        ney_preprocessing_scale(r, c, &offset, &own);
        w[c] = own != 0 ? linear->weight[j] * theirs / own : 0;
        if (!isfinite(w[c])) {
            return ney_fail_at(err, NEY_EPARSE, (ney_place){.file = path},
                               "the weight of the feature '%.60s' is too large for double "
                               "precision at the scale of the data",
                               name);
        }
    }
    return NEY_OK;
}

/* Only the order of the scores counts: the largest weight becomes about 1, by a power of two, so
 * that no score overflows. */
static void normalise(double *w, int64_t n)
{
    int exponent = 0;
    double largest = 0;
    for (int64_t c = 0; c < n; c++) {
        largest = fmax(largest, fabs(w[c]));
    }
    (void)frexp(largest, &exponent);
    for (int64_t c = 0; c < n; c++) {
        w[c] = ldexp(w[c], -exponent);
    }
}

ney_status ney_fdr_init_weights(double **out, const ney_env *env, const ney_data *data,
                                const ney_train_opts *o, ney_error *err)
{
    const ney_preprocessing *const r = ney_data_preprocessing(data);
    ney_model *m = NULL;
    *out = NULL;
    if (!o->init_weights) {
        return NEY_OK;
    }
    ney_status st = ney_model_read(&m, env, o->init_weights, err);
    if (st != NEY_OK) {
        return st;
    }
    const char *const obstacle = m->family != &ney_family_linear   ? "a model that is not linear"
                                 : find_obstacle(m->preprocessing) ? find_obstacle(m->preprocessing)
                                                                   : find_obstacle(r);
    if (obstacle) {
        st = ney_fail_at(err, NEY_EINVAL, (ney_place){.file = o->init_weights},
                         "--init-weights applies to linear weights of columns; found %s", obstacle);
    } else if (!(*out = ney_alloc_zeroed(env, data->x.cols, sizeof **out))) {
        st = ney_no_memory(err, data->x.cols, "weights");
    } else {
        st = convert_weights(*out, m, r, o->init_weights, err);
        normalise(*out, data->x.cols);
    }
    ney_model_free(m);
    return st;
}
