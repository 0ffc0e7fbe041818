/* The model as an object: what it holds, its thresholds and its facts. */
#include "model/folds.h"
#include "model/training_rows.h"

#include <math.h>
#include <string.h>

ney_status ney_model_new(ney_model **out, const ney_env *env, ney_recipe *recipe,
                         const ney_family *family, ney_error *err)
{
    ney_model *m = ney_alloc_zeroed(env, 1, sizeof *m);
    *out = m;
    if (!m) {
        ney_recipe_free(recipe);
        return ney_no_memory(err, 1, "model");
    }
    m->env = *env;
    m->recipe = recipe;
    m->family = family;
    return NEY_OK;
}

ney_status ney_model_with_part(ney_model **out, const ney_env *env, const ney_recipe *recipe,
                               const ney_family *family, void *part, ney_error *err)
{
    ney_recipe *copy = NULL;
    ney_status st = ney_recipe_copy(&copy, env, recipe, err);
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
            ney_release(&env, m->list[l].fact[k].key);
            ney_release(&env, m->list[l].fact[k].text);
        }
        ney_release(&env, m->list[l].fact);
    }
    ney_model_forget_calibration(m);
    if (m->part) {
        m->family->free(&env, m->part);
    }
    ney_model_folds_free(&env, m->folds);
    ney_model_free_sketch(m);
    ney_recipe_free(m->recipe);
    ney_release(&env, m);
}

const char *ney_model_family(const ney_model *model)
{
    return model->family->name;
}

const ney_recipe *ney_model_recipe(const ney_model *model)
{
    return model->recipe;
}

void ney_model_thresholds(const ney_model *model, double *low, double *high)
{
    *low = model->low;
    *high = model->high;
}

ney_status ney_model_set_thresholds(ney_model *model, double low, double high, ney_error *err)
{
    if (!(low <= high)) { /* written so that NaN is refused too */
        return ney_fail(err, NEY_EINVAL,
                        "thresholds %g and %g, expected the first not above the second", low, high);
    }
    model->low = low;
    model->high = high;
    return NEY_OK;
}

bool ney_fact_key_ok(const char *key)
{
    if (!(*key >= 'a' && *key <= 'z')) {
        return false;
    }
    return key[strspn(key, "abcdefghijklmnopqrstuvwxyz0123456789_")] == '\0';
}

int64_t ney_fact_find(const ney_facts *list, const char *key)
{
    for (int64_t k = 0; k < list->n; k++) {
        if (strcmp(list->fact[k].key, key) == 0) {
            return k;
        }
    }
    return -1;
}

/* A new fact of that key at the end of the list; NULL when there is no memory. */
static ney_fact *append(const ney_env *env, ney_facts *list, const char *key)
{
    if (!ney_grow(env, &list->fact, &list->cap, list->n + 1, sizeof *list->fact)) {
        return NULL;
    }
    char *own_key = ney_strdup(env, key, strlen(key));
    if (!own_key) {
        return NULL;
    }
    list->fact[list->n] = (ney_fact){.key = own_key};
    return &list->fact[list->n++];
}

/* Set a fact to a number, or to a text of the model's allocator, which is taken over only on
 * success. */
static ney_status set(ney_model *model, ney_list list, const char *key, double value, char *text,
                      ney_error *err)
{
    if (!ney_fact_key_ok(key)) {
        return ney_fail(err, NEY_EINVAL, "fact '%.60s', expected lower-case words joined by '_'",
                        key);
    }
    ney_facts *const facts = &model->list[list];
    const int64_t at = ney_fact_find(facts, key);
    if (at < 0 && facts->n >= NEY_MOST_FACTS) {
        return ney_fail(err, NEY_EINVAL, "more than %d facts in one list", NEY_MOST_FACTS);
    }
    ney_fact *const fact = at >= 0 ? &facts->fact[at] : append(&model->env, facts, key);
    if (!fact) {
        return ney_no_memory(err, facts->n + 1, "facts");
    }
    ney_release(&model->env, fact->text);
    fact->value = value;
    fact->text = text;
    return NEY_OK;
}

ney_status ney_model_set_number(ney_model *model, ney_list list, const char *key, double value,
                                ney_error *err)
{
    /* One NaN among all: its sign and payload would not survive a file. */
    return set(model, list, key, isnan(value) ? (double)NAN : value, NULL, err);
}

ney_status ney_model_set_text(ney_model *model, ney_list list, const char *key, const char *text,
                              ney_error *err)
{
    char *copy = ney_strdup(&model->env, text, strlen(text));
    if (!copy) {
        return ney_no_memory(err, (int64_t)strlen(text), "bytes of a fact");
    }
    const ney_status st = set(model, list, key, 0, copy, err);
    if (st != NEY_OK) {
        ney_release(&model->env, copy);
    }
    return st;
}

bool ney_model_fact(const ney_model *model, ney_list list, int64_t k, const char **key,
                    double *value, const char **text)
{
    const ney_facts *const facts = &model->list[list];
    if (k < 0 || k >= facts->n) {
        return false;
    }
    *key = facts->fact[k].key;
    *value = facts->fact[k].value;
    *text = facts->fact[k].text;
    return true;
}
