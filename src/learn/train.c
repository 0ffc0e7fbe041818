/* From data and options to a model: the goal's answer, its threshold, its certificate, its summary.
 */
#include "data/data.h"
#include "learn/goal.h"
#include "learn/holdout.h"
#include "learn/learn.h"
#include "learn/make.h"
#include "learn/options.h"

#include <math.h>

/* The data in two parts. Where nothing is held out, `learn` is the caller's. */
typedef struct parts {
    const ney_data *learn;
    ney_data *taken, *held_out; /* owned */
    bool *held;
    int64_t *rows;
} parts;

static void parts_deinit(parts *p, const ney_env *env)
{
    ney_data_free(p->taken);
    ney_data_free(p->held_out);
    ney_release(env, p->held);
    ney_release(env, p->rows);
}

/* The rows held out, or the others. */
static int64_t rows_of(const bool *held, int64_t n, bool which, int64_t *rows)
{
    int64_t m = 0;
    for (int64_t i = 0; i < n; i++) {
        if (held[i] == which) {
            rows[m++] = i;
        }
    }
    return m;
}

static ney_status parts_init(parts *p, const ney_env *env, const ney_data *data,
                             const ney_train_opts *o, ney_error *err)
{
    const int64_t n = ney_data_matrix(data)->rows;
    int64_t n_held;
    ney_status st;

    *p = (parts){.learn = data};
    if (isnan(o->confidence)) {
        return NEY_OK;
    }
    p->held = ney_alloc(env, n, sizeof *p->held);
    p->rows = ney_alloc(env, n, sizeof *p->rows);
    if (!p->held || !p->rows) {
        return ney_no_memory(err, n, "rows to hold out");
    }
    if ((st = ney_holdout(data, o, p->held, &n_held, err)) != NEY_OK || n_held == 0) {
        return st;
    }
    if ((st = ney_data_take(&p->held_out, data, p->rows, rows_of(p->held, n, true, p->rows),
                            err)) == NEY_OK &&
        (st = ney_data_take(&p->taken, data, p->rows, rows_of(p->held, n, false, p->rows), err)) ==
            NEY_OK) {
        p->learn = p->taken;
    }
    return st;
}

ney_status ney_train_rows(const ney_data *data, const ney_train_opts *opts, int64_t *rows,
                          int64_t *n_rows, ney_error *err)
{
    const int64_t n = ney_data_matrix(data)->rows;
    ney_train_opts o;
    int64_t n_held;
    ney_status st = ney_train_opts_of(&o, opts, err);

    *n_rows = 0;
    if (st != NEY_OK) {
        return st;
    }
    bool *held = ney_alloc(&data->env, n, sizeof *held);
    if (!held) {
        return ney_no_memory(err, n, "rows to hold out");
    }
    if ((st = ney_holdout(data, &o, held, &n_held, err)) == NEY_OK) {
        *n_rows = rows_of(held, n, false, rows);
    }
    ney_release(&data->env, held);
    return st;
}

static int64_t count_nonzero(const double *v, int64_t n)
{
    int64_t m = 0;
    for (int64_t i = 0; i < n; i++) {
        m += v[i] != 0;
    }
    return m;
}

ney_status ney_learn(ney_model **out, ney_task *t, ney_train_info *info, ney_error *err)
{
    ney_answer a = {.v = ney_alloc_zeroed(&t->env, t->x->rows, sizeof *a.v)};
    ney_status st;

    *out = NULL;
    if (!a.v) {
        return ney_no_memory(err, t->x->rows, "dual variables");
    }
    if ((st = ney_goal_of(&t->o)->learn(t, &a, info, err)) == NEY_OK) {
        info->support_vectors = count_nonzero(a.v, t->x->rows);
        st = ney_make_model(out, t, &a, err);
    }
    ney_release(&t->env, a.w);
    ney_release(&t->env, a.v);
    return st;
}

/* Everything but holding out. */
static ney_status learn(ney_model **out, ney_task *t, const ney_goal *goal, ney_train_info *info,
                        ney_error *err)
{
    ney_status st = ney_learn(out, t, info, err);
    if (st == NEY_OK && (st = ney_make_summary(*out, t, goal, info, err)) == NEY_OK &&
        goal->decide) {
        st = goal->decide(t, *out, info, err);
    }
    return st;
}

/* The threshold was moved: tell what it does to the rows learned from. */
static ney_status certify(ney_model *m, const ney_task *t, const ney_data *held_out,
                          ney_train_info *info, ney_error *err)
{
    ney_env env = t->env;
    double *score = ney_alloc(&env, t->x->rows, sizeof *score);
    if (!score) {
        return ney_no_memory(err, t->x->rows, "scores");
    }
    env.poll = NULL; /* a run that was stopped is certified all the same */
    ney_status st = ney_holdout_certify(m, &env, held_out, &t->o, info, err);
    if (st == NEY_OK && (st = ney_model_score(m, &env, t->x, score, err)) == NEY_OK) {
        const double threshold = info->certificate.threshold;
        info->counts = ney_count(score, t->label, t->x->rows, threshold, threshold);
        info->held_out = ney_data_matrix(held_out)->rows;
    }
    ney_release(&env, score);
    return st;
}

ney_status ney_train(ney_model **out, const ney_env *env, const ney_data *data,
                     const ney_train_opts *opts, ney_train_info *info, ney_error *err)
{
    const ney_env e = ney_env_of(env);
    ney_train_info ended = {0};
    ney_train_opts o;
    ney_model *m = NULL;
    parts p = {0};
    ney_task t = {0};
    ney_status st;

    *out = NULL;
    if ((st = ney_train_opts_of(&o, opts, err)) != NEY_OK ||
        (st = parts_init(&p, &e, data, &o, err)) != NEY_OK ||
        (st = ney_task_init(&t, &e, p.learn, &o, err)) != NEY_OK ||
        (st = learn(&m, &t, ney_goal_of(&o), &ended, err)) != NEY_OK ||
        (p.held_out && (st = certify(m, &t, p.held_out, &ended, err)) != NEY_OK)) {
        goto done;
    }
    if (info) {
        *info = ended;
    }
    *out = m;
    m = NULL;

done: /* reached on success and on failure; releasing nothing is harmless */
    ney_model_free(m);
    ney_task_deinit(&t);
    parts_deinit(&p, &e);
    return st;
}
