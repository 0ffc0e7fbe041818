/* qSVMOpt: targets found so far against all decoys, by plain SVMs, then annealing. */
#include "learn/fdr/fdr.h"
#include "learn/make.h"

#include <math.h>
#include <string.h>

enum { ROUNDS = 4 }; /* of plain SVMs at most */

/* What a round is solved to, for a linear score: its targets change with the next one; and about
 * how far its scores are from those of the round before. */
static const double ROUND_TOL = 0.3, ROUND_NEAR = 2;
static const double DECOY_COST = 3; /* of a decoy, in targets, one choice for all sets */

typedef struct svm {
    ney_task *t;
    const ney_fdr *f;
    double q;
    double *score, *qvalue; /* of the rows */
    double *v, *low, *high, *slope;
    double *w, intercept; /* of the last plain SVM; w: NULL with a kernel */
    bool is_warm;         /* whether there was one */
    bool *accepted;
    int64_t n, found;
} svm;

static ney_status choose_targets(svm *s, ney_error *err)
{
    return ney_fdr_choose(s->f, &s->t->env, ney_fdr_task_scores(s->t, s->score), s->q, s->qvalue,
                          s->accepted, &s->found, err);
}

/* One plain SVM: hinge loss, targets that were not found left out. */
static ney_status solve_plain(svm *s, double tol, ney_error *err)
{
    const ney_task *t = s->t;
    const ney_qp qp = {.n = s->n,
                       .low = s->low,
                       .middle = s->high,
                       .high = s->high,
                       .slope_low = s->slope,
                       .slope_high = s->slope};
    ney_qp_info info;
    for (int64_t i = 0; i < s->n; i++) {
        const double box = t->o.C * ney_task_weight(t, i);
        s->low[i] = t->label[i] > 0 ? 0 : -DECOY_COST * box;
        s->high[i] = t->label[i] > 0 && s->accepted[i] ? box : 0;
        s->slope[i] = t->label[i];
        s->v[i] = fmin(fmax(s->v[i], s->low[i]), s->high[i]);
    }
    if (s->w && s->is_warm) { /* the solver has the weights of the last round still */
        s->t->near = ROUND_NEAR;
        s->t->intercept = s->intercept;
    }
    s->is_warm = true;
    const ney_status st = ney_task_solve(s->t, &qp, tol, s->v, s->score, &info, err);
    for (int64_t i = 0; i < s->n && st == NEY_OK; i++) {
        s->score[i] += info.intercept;
    }
    if (st == NEY_OK && s->w) {
        memcpy(s->w, t->solver.w, (size_t)t->x->cols * sizeof *s->w);
    }
    s->intercept = info.intercept;
    return st;
}

/* What the score function found so far clips: targets not accepted, decoys that score above the
 * lowest accepted target. */
static ney_status clip_rows(svm *s, bool *clipped, ney_error *err)
{
    double lowest = (double)INFINITY;
    const ney_status st = choose_targets(s, err);
    for (int64_t i = 0; i < s->n; i++) {
        lowest = s->accepted[i] ? fmin(lowest, s->score[i]) : lowest;
    }
    for (int64_t i = 0; i < s->n; i++) {
        clipped[i] = s->t->label[i] > 0 ? !s->accepted[i] : s->score[i] >= lowest;
    }
    return st;
}

static ney_status anneal_svm(svm *s, ney_answer *a, ney_train_info *info, ney_error *err)
{
    bool *clipped = ney_alloc(&s->t->env, s->n, sizeof *clipped);
    const double ratio = ney_fdr_ratio(s->f, s->t->n_pos, s->t->n_neg);
    /* A bound that every score function keeps would leave nothing to learn. */
    const double per_target = fmin(ney_fdr_decoys_per_target(s->f, s->q), 0.5 * ratio);
    ney_status st = clipped ? clip_rows(s, clipped, err) : ney_no_memory(err, s->n, "rows");
    if (st == NEY_OK) {
        const ney_bound bound = {.sign = 1,
                                 .rate = per_target,
                                 .per_bounded = ratio,
                                 .clipped = clipped,
                                 .lambda = ney_fdr_lambda(per_target, 1),
                                 .w = s->w,
                                 .intercept = s->intercept};
        st = ney_descent(s->t, &bound, a, info, err);
    }
    ney_release(&s->t->env, clipped);
    return st;
}

static ney_status train_svm(svm *s, ney_answer *a, ney_train_info *info, ney_error *err)
{
    ney_status st = NEY_OK;
    int64_t before = -1;
    for (int k = 0; k < ROUNDS && st == NEY_OK; k++) {
        if ((st = choose_targets(s, err)) != NEY_OK || s->found == before) {
            break;
        }
        before = s->found;
        st = solve_plain(s, s->w ? ROUND_TOL : fmin(0.1, 10 * s->t->o.tol), err);
    }
    return st == NEY_OK ? anneal_svm(s, a, info, err) : st;
}

ney_status ney_fdr_svm(ney_model **out, ney_task *t, const ney_fdr *f, double q, double *score,
                       ney_train_info *info, ney_error *err)
{
    const int64_t n = t->x->rows;
    double *block = ney_alloc_zeroed(&t->env, 6 * n, sizeof *block);
    svm s = {.t = t, .f = f, .q = q, .score = score, .n = n};
    ney_answer a = {0};
    ney_status st;

    *out = NULL;
    s.accepted = ney_alloc(&t->env, n, sizeof *s.accepted);
    s.w = t->solver.w ? ney_alloc_zeroed(&t->env, t->x->cols, sizeof *s.w) : NULL;
    if (!block || !s.accepted || (t->solver.w && !s.w)) {
        st = ney_no_memory(err, n, "dual variables");
        goto done;
    }
    s.v = block;
    s.low = block + n;
    s.high = block + 2 * n;
    s.slope = block + 3 * n;
    s.qvalue = block + 4 * n;
    a.v = block + 5 * n;
    if ((st = train_svm(&s, &a, info, err)) == NEY_OK &&
        (st = ney_make_model(out, &t->env, t->data, &t->kernel, &a, err)) == NEY_OK) {
        for (int64_t i = 0; i < n; i++) {
            info->support_vectors += a.v[i] != 0;
        }
    }

done:
    ney_release(&t->env, a.w);
    ney_release(&t->env, s.accepted);
    ney_release(&t->env, s.w);
    ney_release(&t->env, block);
    return st;
}
