/* Raw rows to scores and decisions, through the model's preprocessing. */
#include "model/predict.h"

#include "data/array.h"
#include "data/scale.h"

#include <math.h>

/* Cells of a batch: what a prediction takes of memory, whatever the number of rows. */
enum { BATCH_CELLS = 1 << 20 };

static int8_t decide(double score, double low, double high)
{
    return (int8_t)(score >= high ? 1 : score < low ? -1 : 0);
}

ney_status ney_model_decide(const ney_model *model, const double *score, int64_t n,
                            int64_t first_row, int8_t *decision, ney_error *err)
{
    for (int64_t i = 0; i < n; i++) {
        if (!isfinite(score[i])) {
            return ney_fail(err, NEY_ENUMERIC,
                            "the score of row %lld, counted from 0, is %g, expected a finite "
                            "number: its features are too large for the model",
                            (long long)(first_row + i), score[i]);
        }
        if (decision) {
            decision[i] = decide(score[i], model->low, model->high);
        }
    }
    return NEY_OK;
}

/* Rows of an array as the model's features. The data set borrows the model's preprocessing. */
static ney_status take_features(ney_data **out, const ney_model *model, const ney_array *x,
                                const ney_array_map *map, int64_t first, int64_t n, ney_error *err)
{
    ney_status st = ney_array_take(out, x, map, first, n, err);
    if (st == NEY_OK) {
        (*out)->preprocessing = model->preprocessing;
        st = model->preprocessing->prepared ? ney_scale_apply(*out, err) : NEY_OK;
    }
    return st;
}

static void free_features(ney_data *features)
{
    if (features) {
        features->preprocessing = NULL;
        ney_data_free(features);
    }
}

/* A batch reports the progress of all rows. */
typedef struct batch_progress {
    const ney_env *env;
    double first, rows;
} batch_progress;

static void *resize(void *user, void *block, size_t bytes)
{
    const ney_env *const env = ((const batch_progress *)user)->env;
    return env->resize(env->user, block, bytes);
}

static bool poll(void *user, const ney_progress *p)
{
    const batch_progress *const b = user;
    return ney_poll(b->env, p->stage, b->first + p->done, b->rows);
}

static ney_status predict_batch(const ney_model *model, const ney_array *x,
                                const ney_array_map *map, int64_t first, int64_t n, double *score,
                                int8_t *decision, ney_error *err)
{
    batch_progress b = {.env = &map->env, .first = (double)first, .rows = (double)x->rows};
    const ney_env env = {.user = &b,
                         .resize = resize,
                         .poll = poll,
                         .threads = map->env.threads,
                         .team = map->env.team};
    ney_data *features = NULL;
    int64_t known;
    ney_status st = take_features(&features, model, x, map, first, n, err);
    if (st == NEY_OK &&
        (st = ney_model_score_data(model, &env, features, score, &known, err)) == NEY_OK) {
        st = ney_model_decide(model, score, n, first, decision, err);
    }
    free_features(features);
    return st;
}

static ney_status predict_all(const ney_model *model, const ney_array *x, const ney_array_map *map,
                              double *score, int8_t *decision, int64_t batch, ney_error *err)
{
    double *const own = score ? NULL : ney_alloc(&map->env, batch, sizeof *own);
    ney_status st = score || own ? NEY_OK : ney_no_memory(err, batch, "scores");
    for (int64_t first = 0; first < x->rows && st == NEY_OK; first += batch) {
        const int64_t n = first + batch < x->rows ? batch : x->rows - first;
        st = predict_batch(model, x, map, first, n, score ? score + first : own,
                           decision ? decision + first : NULL, err);
    }
    ney_release(&map->env, own);
    return st;
}

ney_status ney_predict(const ney_model *model, const ney_env *env, const ney_array *x,
                       double *score, int8_t *decision, ney_error *err)
{
    const ney_env e = ney_env_of(env);
    ney_array_map map = {.env = e};
    ney_status st =
        model ? ney_array_check(x, err) : ney_fail(err, NEY_EINVAL, "no model to predict with");

    if (st == NEY_OK &&
        (st = ney_array_map_init(&map, &e, x, model->preprocessing, err)) == NEY_OK &&
        x->rows > 0) {
        const int64_t cols = ney_preprocessing_cols(model->preprocessing);
        const int64_t most = BATCH_CELLS / (cols > 0 ? cols : 1);
        const int64_t batch = most < 1 ? 1 : most;
        st = predict_all(model, x, &map, score, decision, x->rows < batch ? x->rows : batch, err);
    }
    ney_array_map_deinit(&map);
    return st;
}
