/* The mean of several score functions. Options that do about equally well on rows held out make
 * different errors, most of all where the problem is not convex: their mean makes fewer. */
#include "learn/kept_answers.h"
#include "learn/learn.h"
#include "learn/make.h"
#include "learn/shared.h"
#include "model/model.h"

/* sum += a; weights are taken over from the first answer that has them. */
static void add_answer(ney_answer *sum, ney_answer *a, const ney_matrix *x)
{
    for (int64_t i = 0; i < x->rows; i++) {
        sum->v[i] += a->v[i];
    }
    for (int64_t j = 0; a->w && sum->w && j < x->cols; j++) {
        sum->w[j] += a->w[j];
    }
    if (!sum->w) {
        sum->w = a->w;
        a->w = NULL;
    }
    sum->intercept += a->intercept;
}

static void divide_answer(ney_answer *sum, int n, const ney_matrix *x)
{
    for (int64_t i = 0; i < x->rows; i++) {
        sum->v[i] /= n;
    }
    for (int64_t j = 0; sum->w && j < x->cols; j++) {
        sum->w[j] /= n;
    }
    sum->intercept /= n;
}

/* The answer that is kept of this fit, or a new one. */
static ney_status find_answer(ney_task *t, ney_answer *a, ney_train_info *info, ney_error *err)
{
    if (ney_kept_answers_find(t->kept, t, a, info)) {
        t->iterations = info->iterations;
        return NEY_OK;
    }
    const ney_status st = t->request.learner->learn(t, a, info, err);
    if (st == NEY_OK && t->keeps && info->stop != NEY_STOP_CANCELLED) {
        ney_kept_answers_add(t->kept, t, a, info);
    }
    return st;
}

/* Learn one term and add it, unless it was cancelled and there is another. */
static ney_status add_term(ney_answer *sum, int *terms, ney_task *t, ney_train_info *info,
                           ney_error *err)
{
    ney_train_info own = {0};
    ney_answer a = {.v = ney_alloc_zeroed(&t->env, t->x->rows, sizeof *a.v)};
    ney_status st = ney_shared_agree(
        t->blocks, a.v ? NEY_OK : ney_no_memory(err, t->x->rows, "dual variables"), err);
    if (st == NEY_OK) {
        st = ney_shared_agree(t->blocks, find_answer(t, &a, &own, err), err);
    }
    if (st == NEY_OK) {
        if (*terms == 0) {
            *info = own;
        } else if (info->stop == NEY_STOP_CONVERGED) {
            info->stop = own.stop;
        }
        if (*terms == 0) { /* the scores of one answer are those of the model */
            sum->score = a.score;
            sum->score_error = a.score_error;
            a.score = NULL;
        }
        if (*terms == 0 || own.stop != NEY_STOP_CANCELLED) {
            add_answer(sum, &a, t->x);
            ++*terms;
        }
    }
    ney_release(&t->env, a.score);
    ney_release(&t->env, a.w);
    ney_release(&t->env, a.v);
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

ney_status ney_learn_mean(ney_model **out, ney_task *t, const ney_train_opts *o, int n,
                          ney_train_info *info, ney_error *err)
{
    ney_status st = NEY_OK;
    int terms = 0;

    *out = NULL;
    ney_task_restart(t, &o[0]);
    if (t->request.learner->make) {
        return t->request.learner->make(out, t, info, err);
    }
    ney_answer sum = {.v = ney_alloc_zeroed(&t->env, t->x->rows, sizeof *sum.v)};
    st = ney_shared_agree(t->blocks,
                          sum.v ? NEY_OK : ney_no_memory(err, t->x->rows, "dual variables"), err);
    for (int k = 0; k < n && st == NEY_OK && (k == 0 || info->stop != NEY_STOP_CANCELLED); k++) {
        ney_task_restart(t, &o[k]);
        st = add_term(&sum, &terms, t, info, err);
    }
    t->o = o[0];
    t->request = ney_request_of(&o[0]);
    if (st == NEY_OK) {
        divide_answer(&sum, terms, t->x);
        info->support_vectors = count_nonzero(sum.v, t->x->rows);
        ney_comm_add_counts(ney_blocks_comm(t->blocks), &info->support_vectors, 1);
        st = ney_make_model(out, &t->env, t->data, &t->kernel, &sum, err);
    }
    if (st == NEY_OK && terms == 1 && sum.score) {
        ney_model_take_scores(*out, sum.score, t->x->rows, sum.score_error);
        sum.score = NULL;
    }
    ney_release(&t->env, sum.score);
    ney_release(&t->env, sum.w);
    ney_release(&t->env, sum.v);
    return st;
}

ney_status ney_learn(ney_model **out, ney_task *t, ney_train_info *info, ney_error *err)
{
    const ney_train_opts o = t->o;
    return ney_learn_mean(out, t, &o, 1, info, err);
}
