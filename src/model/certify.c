/* A certificate in a model: its thresholds, and metadata that travel with the file. */
#include "model/model.h"

#include <stdio.h>

/* The metadata of one certificate, each key under its prefix. */
static ney_status add_certificate(ney_model *m, const char *prefix, const ney_certificate *c,
                                  ney_error *err)
{
    const struct {
        const char *key;
        double value;
    } items[] = {
        {"max_rate", c->max_rate},
        {"delta", c->delta},
        {"n", (double)c->n},
        {"rank", (double)c->rank},
        {"bound", c->bound},
        {"threshold", c->threshold},
        {"misclassified", (double)c->misclassified},
    };
    char key[64], hash[32];
    ney_status st = NEY_OK;

    for (size_t i = 0; i < sizeof items / sizeof *items && st == NEY_OK; i++) {
        snprintf(key, sizeof key, "%s_%s", prefix, items[i].key);
        st = ney_model_set_number(m, NEY_METADATA_CERTIFICATE, key, items[i].value, err);
    }
    if (st == NEY_OK && c->n_groups > 0) {
        snprintf(key, sizeof key, "%s_n_groups", prefix);
        st = ney_model_set_number(m, NEY_METADATA_CERTIFICATE, key, (double)c->n_groups, err);
    }
    if (st == NEY_OK && c->n_groups > 0) {
        snprintf(key, sizeof key, "%s_group_rate", prefix);
        st = ney_model_set_number(m, NEY_METADATA_CERTIFICATE, key, c->group_rate, err);
    }
    snprintf(key, sizeof key, "%s_hash", prefix);
    snprintf(hash, sizeof hash, "%016llx", (unsigned long long)c->hash);
    return st == NEY_OK ? ney_model_set_text(m, NEY_METADATA_CERTIFICATE, key, hash, err) : st;
}

static void release(const ney_env *env, ney_metadata *list)
{
    for (int64_t k = 0; k < list->n; k++) {
        ney_release(env, list->item[k].key);
        ney_release(env, list->item[k].text);
    }
    ney_release(env, list->item);
}

/* An earlier certificate speaks of other thresholds: the new one takes its place whole, or not at
 * all. */
ney_status ney_model_certify(ney_model *model, const ney_certified *c, ney_error *err)
{
    NEY_REQUIRE(model && c, err);
    ney_metadata *const list = &model->list[NEY_METADATA_CERTIFICATE];
    const double low = model->low, high = model->high;
    ney_metadata old = *list;

    *list = (ney_metadata){0};
    ney_status st = ney_model_set_thresholds(model, c->low, c->high, err);
    if (st == NEY_OK && (c->has_fpr ? &c->fpr : &c->fnr)->n_groups > 0) {
        st = ney_model_set_text(model, NEY_METADATA_CERTIFICATE, "unit", "group", err);
    }
    if (st == NEY_OK && c->has_fpr) {
        st = add_certificate(model, "fpr", &c->fpr, err);
    }
    if (st == NEY_OK && c->has_fnr) {
        st = add_certificate(model, "fnr", &c->fnr, err);
    }
    if (st != NEY_OK) {
        release(&model->env, list);
        *list = old;
        model->low = low;
        model->high = high;
        return st;
    }
    release(&model->env, &old);
    return NEY_OK;
}
