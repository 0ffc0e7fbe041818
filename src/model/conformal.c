/* The scores that a model's p-values are counted among: of rows that it has not seen, by class. */
#include "decide/conformal.h"
#include "base/grouping.h"
#include "decide/order.h"
#include "model/model.h"

#include <string.h>

static void forget(ney_calibration *c, const ney_env *env)
{
    ney_release(env, c->score);
    ney_release(env, c->weight);
    ney_release(env, c->below);
    *c = (ney_calibration){0};
}

void ney_model_forget_calibration(ney_model *m)
{
    for (int c = 0; c < 2; c++) {
        forget(&m->calibration[c], &m->env);
    }
}

bool ney_calibration_sum(ney_calibration *c, const ney_env *env)
{
    if (!c->weight) {
        return true;
    }
    c->below = ney_alloc(env, c->n + 1, sizeof *c->below);
    for (int64_t i = 0; c->below && i <= c->n; i++) {
        c->below[i] = i > 0 ? c->below[i - 1] + c->weight[i - 1] : 0;
    }
    return c->below != NULL;
}

/* The weight of each row: one over the rows of its class in its group. Counts the groups. */
static ney_status weigh(const ney_env *env, const int8_t *label, const uint64_t *group, int64_t n,
                        double *weight, int64_t groups[2], ney_error *err)
{
    ney_grouping g;
    const ney_status st = ney_grouping_init(&g, env, group, n, err);
    groups[0] = groups[1] = 0;
    for (int64_t k = 0; st == NEY_OK && k < g.n; k++) {
        int64_t size[2] = {0, 0};
        for (int64_t i = g.begin[k]; i < g.begin[k + 1]; i++) {
            size[label[g.row[i]] > 0]++;
        }
        for (int64_t i = g.begin[k]; i < g.begin[k + 1]; i++) {
            weight[g.row[i]] = 1 / (double)size[label[g.row[i]] > 0];
        }
        groups[0] += size[0] > 0;
        groups[1] += size[1] > 0;
    }
    ney_grouping_deinit(&g);
    return st;
}

/* The rows of each class in order of their scores. */
static ney_status part_classes(ney_calibration fresh[2], const ney_env *env, const double *score,
                               const int8_t *label, const double *weight, int64_t n, ney_error *err)
{
    ney_ranked *item = NULL;
    ney_status st = ney_order_new(&item, env, score, n, err);
    if (st != NEY_OK) {
        return st;
    }
    for (int c = 0; c < 2; c++) {
        fresh[c].score = ney_alloc(env, n, sizeof *score);
        fresh[c].weight = weight ? ney_alloc(env, n, sizeof *weight) : NULL;
        if (!fresh[c].score || (weight && !fresh[c].weight)) {
            st = ney_no_memory(err, n, "scores");
        }
    }
    for (int64_t k = 0; st == NEY_OK && k < n; k++) {
        ney_calibration *const to = &fresh[label[item[k].row] > 0];
        if (weight) {
            to->weight[to->n] = weight[item[k].row];
        }
        to->score[to->n++] = item[k].score;
    }
    ney_release(env, item);
    if (st == NEY_OK && (fresh[0].n == 0 || fresh[1].n == 0)) {
        return ney_fail(err, NEY_EINVAL, "no %s row to calibrate on, expected both classes",
                        fresh[0].n == 0 ? "negative" : "positive");
    }
    return st;
}

ney_status ney_model_calibrate_groups(ney_model *model, const double *score, const int8_t *label,
                                      const uint64_t *group, int64_t n, ney_error *err)
{
    NEY_REQUIRE(n >= 0 && model && (score || n == 0) && (label || n == 0), err);
    const ney_env *const env = &model->env;
    ney_calibration fresh[2] = {{0}, {0}};
    int64_t groups[2] = {0, 0};
    double *weight = group ? ney_alloc(env, n, sizeof *weight) : NULL;
    ney_status st = group && !weight ? ney_no_memory(err, n, "weights of rows")
                    : group          ? weigh(env, label, group, n, weight, groups, err)
                                     : NEY_OK;

    if (st == NEY_OK) {
        st = part_classes(fresh, env, score, label, weight, n, err);
    }
    for (int c = 0; c < 2 && st == NEY_OK; c++) {
        fresh[c].groups = groups[c];
        if (!ney_calibration_sum(&fresh[c], env)) {
            st = ney_no_memory(err, n, "weights of rows");
        }
    }
    if (st == NEY_OK) {
        ney_model_forget_calibration(model);
        memcpy(model->calibration, fresh, sizeof fresh);
    } else {
        forget(&fresh[0], env);
        forget(&fresh[1], env);
    }
    ney_release(env, weight);
    return st;
}

ney_status ney_model_calibrate(ney_model *model, const double *score, const int8_t *label,
                               int64_t n, ney_error *err)
{
    NEY_REQUIRE(n >= 0 && model && (score || n == 0) && (label || n == 0), err);
    return ney_model_calibrate_groups(model, score, label, NULL, n, err);
}

/* Two numbers to where they are wanted; whether there are any. */
static bool put_pair(int64_t *to_pos, int64_t n_pos, int64_t *to_neg, int64_t n_neg)
{
    if (to_pos) {
        *to_pos = n_pos;
    }
    if (to_neg) {
        *to_neg = n_neg;
    }
    return n_neg > 0;
}

bool ney_model_calibrated(const ney_model *model, int64_t *n_pos, int64_t *n_neg)
{
    return put_pair(n_pos, model ? model->calibration[1].n : 0, n_neg,
                    model ? model->calibration[0].n : 0);
}

bool ney_model_calibrated_groups(const ney_model *model, int64_t *n_pos, int64_t *n_neg)
{
    return put_pair(n_pos, model ? model->calibration[1].groups : 0, n_neg,
                    model ? model->calibration[0].groups : 0);
}

static double p_value(const ney_calibration *c, int sign, double score)
{
    return c->below ? ney_conformal_p_groups(c->score, c->below, c->n, c->groups, sign, score)
                    : ney_conformal_p(c->score, c->n, sign, score);
}

ney_status ney_model_p_values(const ney_model *model, const double *score, int64_t n, double *p_pos,
                              double *p_neg, ney_error *err)
{
    NEY_REQUIRE(model, err);
    const ney_calibration *const c = model->calibration;
    if (c[0].n == 0) {
        return ney_fail(err, NEY_EINVAL,
                        "the model has no calibration rows for p-values: train it with conformal");
    }
    for (int64_t i = 0; i < n; i++) {
        p_pos[i] = p_value(&c[1], 1, score[i]);
        p_neg[i] = p_value(&c[0], -1, score[i]);
    }
    return NEY_OK;
}
