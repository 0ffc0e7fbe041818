/* The model as an object: what it holds, its thresholds and its metadata. */
#include "model/folds.h"
#include "model/training_rows.h"

#include <math.h>
#include <string.h>

ney_status ney_model_new(ney_model **out, const ney_env *env, ney_preprocessing *preprocessing,
                         const ney_family *family, ney_error *err)
{
    ney_model *m = ney_alloc_zeroed(env, 1, sizeof *m);
    *out = m;
    if (!m) {
        ney_preprocessing_free(preprocessing);
        return ney_no_memory(err, 1, "model");
    }
    m->env = *env;
    m->preprocessing = preprocessing;
    m->family = family;
    return NEY_OK;
}

ney_status ney_model_with_part(ney_model **out, const ney_env *env,
                               const ney_preprocessing *preprocessing, const ney_family *family,
                               void *part, ney_error *err)
{
    ney_preprocessing *copy = NULL;
    ney_status st = ney_preprocessing_copy(&copy, env, preprocessing, err);
    *out = NULL;
    if (st != NEY_OK || (st = ney_model_new(out, env, copy, family, err)) != NEY_OK) {
        family->free(env, part);
        return st;
    }
    (*out)->part = part;
    return NEY_OK;
}

void ney_model_free(ney_model *m)
{
    if (!m) {
        return;
    }
    const ney_env env = m->env;
    for (int l = 0; l < NEY_N_LISTS; l++) {
        for (int64_t k = 0; k < m->list[l].n; k++) {
            ney_release(&env, m->list[l].item[k].key);
            ney_release(&env, m->list[l].item[k].text);
        }
        ney_release(&env, m->list[l].item);
    }
    ney_model_forget_calibration(m);
    ney_model_forget_probabilities(m);
    if (m->part) {
        m->family->free(&env, m->part);
    }
    ney_model_folds_free(&env, m->folds);
    ney_model_free_sketch(m);
    ney_release(&env, m->trained.score);
    ney_preprocessing_free(m->preprocessing);
    ney_release(&env, m);
}

void ney_model_take_scores(ney_model *m, double *score, int64_t n, double error)
{
    ney_release(&m->env, m->trained.score);
    m->trained.score = score;
    m->trained.n = n;
    m->trained.error = error;
}

const char *ney_model_family(const ney_model *model)
{
    if (!model) {
        return NULL;
    }
    return model->family->name;
}

const ney_preprocessing *ney_model_preprocessing(const ney_model *model)
{
    if (!model) {
        return NULL;
    }
    return model->preprocessing;
}

void ney_model_thresholds(const ney_model *model, double *low, double *high)
{
    if (!model || !low || !high) {
        return;
    }
    *low = model->low;
    *high = model->high;
}

ney_status ney_model_set_thresholds(ney_model *model, double low, double high, ney_error *err)
{
    NEY_REQUIRE(model, err);
    if (!(low <= high)) { /* written so that NaN is refused too */
        return ney_fail(err, NEY_EINVAL,
                        "thresholds %g and %g, expected the first not above the second", low, high);
    }
    model->low = low;
    model->high = high;
    return NEY_OK;
}

bool ney_metadata_key_is_valid(const char *key)
{
    if (!(*key >= 'a' && *key <= 'z')) {
        return false;
    }
    return key[strspn(key, "abcdefghijklmnopqrstuvwxyz0123456789_")] == '\0';
}

int64_t ney_metadata_find(const ney_metadata *list, const char *key)
{
    for (int64_t k = 0; k < list->n; k++) {
        if (strcmp(list->item[k].key, key) == 0) {
            return k;
        }
    }
    return -1;
}

/* A new item of that key at the end of the list; NULL when there is no memory. */
static ney_metadata_item *append(const ney_env *env, ney_metadata *list, const char *key)
{
    if (!ney_grow(env, &list->item, &list->cap, list->n + 1, sizeof *list->item)) {
        return NULL;
    }
    char *own_key = ney_strdup(env, key, strlen(key));
    if (!own_key) {
        return NULL;
    }
    list->item[list->n] = (ney_metadata_item){.key = own_key};
    return &list->item[list->n++];
}

static bool is_list(ney_metadata_kind list)
{
    return list == NEY_METADATA_SUMMARY || list == NEY_METADATA_CERTIFICATE;
}

/* Set an item to a number, or to a text of the model's allocator, which is taken over only on
 * success. */
static ney_status set_metadata_item(ney_model *model, ney_metadata_kind list, const char *key,
                                    double value, char *text, ney_error *err)
{
    if (!ney_metadata_key_is_valid(key)) {
        return ney_fail(err, NEY_EINVAL,
                        "metadata key '%.60s', expected lower-case words joined by '_'", key);
    }
    ney_metadata *const metadata = &model->list[list];
    const int64_t at = ney_metadata_find(metadata, key);
    if (at < 0 && metadata->n >= NEY_MOST_METADATA) {
        return ney_fail(err, NEY_EINVAL, "more than %d items of metadata in one list",
                        NEY_MOST_METADATA);
    }
    ney_metadata_item *const item =
        at >= 0 ? &metadata->item[at] : append(&model->env, metadata, key);
    if (!item) {
        return ney_no_memory(err, metadata->n + 1, "items of metadata");
    }
    ney_release(&model->env, item->text);
    item->value = value;
    item->text = text;
    return NEY_OK;
}

ney_status ney_model_set_number(ney_model *model, ney_metadata_kind list, const char *key,
                                double value, ney_error *err)
{
    NEY_REQUIRE(model && is_list(list) && key, err);
    /* One NaN among all: its sign and payload would not survive a file. */
    return set_metadata_item(model, list, key, isnan(value) ? (double)NAN : value, NULL, err);
}

ney_status ney_model_set_text(ney_model *model, ney_metadata_kind list, const char *key,
                              const char *text, ney_error *err)
{
    NEY_REQUIRE(model && is_list(list) && key && text, err);
    char *copy = ney_strdup(&model->env, text, strlen(text));
    if (!copy) {
        return ney_no_memory(err, (int64_t)strlen(text), "bytes of metadata");
    }
    const ney_status st = set_metadata_item(model, list, key, 0, copy, err);
    if (st != NEY_OK) {
        ney_release(&model->env, copy);
    }
    return st;
}

bool ney_model_metadata(const ney_model *model, ney_metadata_kind list, int64_t k, const char **key,
                        double *value, const char **text)
{
    if (!model || !key || !value || !text || !is_list(list)) {
        return false;
    }
    const ney_metadata *const metadata = &model->list[list];
    if (k < 0 || k >= metadata->n) {
        return false;
    }
    *key = metadata->item[k].key;
    *value = metadata->item[k].value;
    *text = metadata->item[k].text;
    return true;
}
