/* Fold models: kept, written, read, and which row is scored by which of them.
 *
 *   folds N COLUMNS             in a model file, after the lines of its family
 *   ...                         the family's lines, N times
 *   keys M
 *    HEX FOLD                   M lines, ascending
 */
#include "model/folds.h"

#include "data/data.h"

#include <stdlib.h>
#include <string.h>

typedef struct entry {
    uint64_t key;
    uint8_t fold;
} entry;

static int by_key(const void *a, const void *b)
{
    const entry *x = a, *y = b;
    return (x->key > y->key) - (x->key < y->key);
}

void ney_model_folds_free(const ney_env *env, ney_model_folds *folds)
{
    if (!folds) {
        return;
    }
    for (int k = 0; k < folds->n; k++) {
        ney_model_free(folds->model[k]);
    }
    ney_release_all(env, folds->columns, folds->key, folds->fold, folds);
}

/* Allocate memory for that many keys, without models; NULL without memory. */
static ney_model_folds *folds_new(const ney_env *env, const char *columns, int64_t n_keys)
{
    ney_model_folds *f = ney_alloc_zeroed(env, 1, sizeof *f);
    if (!f) {
        return NULL;
    }
    f->columns = ney_strdup(env, columns, strlen(columns));
    f->key = ney_alloc(env, n_keys, sizeof *f->key);
    f->fold = ney_alloc(env, n_keys, sizeof *f->fold);
    f->n_keys = n_keys;
    if (!f->columns || !f->key || !f->fold) {
        ney_model_folds_free(env, f);
        return NULL;
    }
    return f;
}

ney_status ney_model_set_folds(ney_model *m, const char *columns, ney_model **fold, int n,
                               const uint64_t *key, const uint8_t *fold_of, int64_t n_keys,
                               ney_error *err)
{
    entry *e = ney_alloc(&m->env, n_keys, sizeof *e);
    ney_model_folds *f = e ? folds_new(&m->env, columns, n_keys) : NULL;
    if (!f) {
        for (int k = 0; k < n; k++) {
            ney_model_free(fold[k]);
        }
        ney_release(&m->env, e);
        return ney_no_memory(err, n_keys, "keys");
    }
    for (int64_t i = 0; i < n_keys; i++) {
        e[i] = (entry){key[i], fold_of[i]};
    }
    qsort(e, (size_t)n_keys, sizeof *e, by_key);
    f->n_keys = 0;
    for (int64_t i = 0; i < n_keys; i++) {
        if (i == 0 || e[i].key != e[i - 1].key) {
            f->key[f->n_keys] = e[i].key;
            f->fold[f->n_keys++] = e[i].fold;
        }
    }
    memcpy(f->model, fold, (size_t)n * sizeof *fold);
    f->n = n;
    ney_model_folds_free(&m->env, m->folds);
    m->folds = f;
    ney_release(&m->env, e);
    return NEY_OK;
}

int64_t ney_model_fold_count(const ney_model *model)
{
    if (!model) {
        return 0;
    }
    return model->folds ? model->folds->n : 0;
}

/* ---------------------------------------------------------------- in files */

void ney_model_folds_format(const ney_model *m, ney_text *t)
{
    const ney_model_folds *const f = m->folds;
    ney_text_put(t, "folds ");
    ney_text_int(t, f->n);
    ney_text_field_word(t, f->columns);
    ney_text_put(t, "\n");
    for (int k = 0; k < f->n; k++) {
        m->family->format(f->model[k]->part, t);
    }
    ney_text_line_int(t, "keys", f->n_keys);
    for (int64_t i = 0; i < f->n_keys; i++) {
        ney_text_field_hex(t, f->key[i]);
        ney_text_field_int(t, f->fold[i]);
        ney_text_put(t, "\n");
    }
}

static bool parse_model(ney_fields *f, ney_model *m, ney_model **out)
{
    ney_preprocessing *preprocessing = NULL;
    *out = NULL;
    if (f->status == NEY_OK &&
        (f->status = ney_preprocessing_copy(&preprocessing, f->env, m->preprocessing, f->err)) ==
            NEY_OK &&
        (f->status = ney_model_new(out, f->env, preprocessing, m->family, f->err)) == NEY_OK) {
        (*out)->part = m->family->parse(f, ney_preprocessing_cols(preprocessing));
    }
    return f->status == NEY_OK;
}

static void parse_key(ney_fields *f, ney_model_folds *folds, int64_t i)
{
    const uint64_t key = ney_fields_hex(f);
    if (i > 0 && key <= folds->key[i - 1]) {
        ney_fields_fail(f, "found a key that is not above the one before it");
    }
    folds->key[i] = key;
    folds->fold[i] = (uint8_t)ney_fields_int(f, 0, folds->n - 1);
    ney_fields_end(f);
}

static int64_t parse_n_keys(ney_fields *f)
{
    enum { LINE = 20 }; /* the bytes of a key's line */
    const int64_t n = ney_fields_int_line(f, "keys", 0, INT64_MAX);
    if (f->status == NEY_OK && n > (f->end - f->at) / LINE) {
        ney_fields_fail(f, "expected %lld keys, the file is shorter", (long long)n);
    }
    return n;
}

void ney_model_folds_parse(ney_fields *f, ney_model *m)
{
    ney_model *fold[NEY_MOST_FOLDS] = {NULL};
    ney_fields_key(f, "folds");
    const int n = (int)ney_fields_int(f, 1, NEY_MOST_FOLDS);
    char *columns = ney_fields_word(f);
    int read = 0;
    ney_fields_end(f);
    while (f->status == NEY_OK && read < n && parse_model(f, m, &fold[read])) {
        read++;
    }
    const int64_t n_keys = f->status == NEY_OK ? parse_n_keys(f) : 0;
    ney_model_folds *const folds = f->status == NEY_OK ? folds_new(f->env, columns, n_keys) : NULL;
    if (f->status == NEY_OK && !folds) {
        f->status = ney_no_memory(f->err, n_keys, "keys");
    }
    if (folds) {
        memcpy(folds->model, fold, (size_t)n * sizeof *fold);
        folds->n = n;
        m->folds = folds;
        for (int64_t i = 0; i < n_keys && f->status == NEY_OK; i++) {
            parse_key(f, folds, i);
        }
    } else {
        for (int k = 0; k < NEY_MOST_FOLDS; k++) {
            ney_model_free(fold[k]);
        }
    }
    ney_release(f->env, columns);
}

/* ---------------------------------------------------------------- scoring */

/* The fold of a key, -1 for a row that was not learned from. */
static int fold_of(const ney_model_folds *f, uint64_t key)
{
    int64_t low = 0, high = f->n_keys;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (f->key[middle] < key) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < f->n_keys && f->key[low] == key ? f->fold[low] : -1;
}

/* Score the rows of one fold by its model. */
static ney_status score_fold(const ney_model *m, const ney_env *env, const ney_data *data,
                             const int64_t *rows, int64_t n, double *score, ney_error *err)
{
    ney_data *part = NULL;
    double *own = ney_alloc(env, n, sizeof *own);
    ney_status st =
        own ? ney_data_take(&part, data, rows, n, err) : ney_no_memory(err, n, "scores");
    if (st == NEY_OK && (st = ney_model_score(m, env, &part->x, own, err)) == NEY_OK) {
        for (int64_t i = 0; i < n; i++) {
            score[rows[i]] = own[i];
        }
    }
    ney_data_free(part);
    ney_release(env, own);
    return st;
}

ney_status ney_model_score_data(const ney_model *model, const ney_env *env, const ney_data *data,
                                double *score, int64_t *n_known, ney_error *err)
{
    NEY_REQUIRE(model && data && score, err);
    const ney_env e = ney_env_of(env);
    const ney_model_folds *const f = model->folds;
    const int64_t n = data->x.rows;
    int64_t used, known = 0;
    ney_status st = NEY_OK;

    if (n_known) {
        *n_known = 0;
    }
    if (model->preprocessing->prepared && !data->preprocessing->prepared) {
        return ney_fail(err, NEY_EINVAL,
                        "the data are raw: read or make them with the model's preprocessing");
    }
    if (!f) {
        return ney_model_score(model, &e, &data->x, score, err);
    }
    uint64_t *key = ney_alloc(&e, n, sizeof *key);
    int64_t *rows = ney_alloc(&e, n, sizeof *rows);
    if (!key || !rows) {
        st = ney_no_memory(err, n, "keys");
        goto done;
    }
    if ((st = ney_data_keys(data, f->columns, key, &used, err)) != NEY_OK) {
        goto done;
    }
    for (int k = -1; k < f->n && st == NEY_OK; k++) {
        int64_t m = 0;
        for (int64_t i = 0; i < n; i++) {
            rows[m] = i;
            m += fold_of(f, key[i]) == k;
        }
        known += k >= 0 ? m : 0;
        if (m > 0) {
            st = score_fold(k < 0 ? model : f->model[k], &e, data, rows, m, score, err);
        }
    }
    if (n_known) {
        *n_known = known;
    }

done:
    ney_release(&e, rows);
    ney_release(&e, key);
    return st;
}
