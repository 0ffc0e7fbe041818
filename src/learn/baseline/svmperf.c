/* SVMperf (Joachims 2006), which Neyman-Pearson training is compared with: a linear score function
 * by the loss of whole labellings. A labelling with k positives of which a are right loses
 *
 *     D(a) = 1 - a / min(k, n+)            (precision at k, or recall at k where k > n+) [PERF.1]
 *
 * With psi = (sum of x over the true positives - sum of x over those that it calls so) / n+,
 *
 *     min 1/2 |w|^2 + C n+ xi   s.t.  w'psi >= D - xi  for every labelling                 [PERF.2]
 *
 * by one slack and cutting planes: the labelling that is violated most has the best scores of
 * either class, a of them and k - a, so that one sort finds it. The dual over the planes so far is
 * [PLANE.1] with B = C n+. There is no intercept: the threshold is set from the scores. With
 * max_fnr the classes are exchanged. */
#include "learn/baseline/cutting_planes.h"
#include "learn/method.h"
#include "linalg/rows.h"
#include "linalg/vector.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct perf {
    ney_task *t;
    int sign; /* -1: classes exchanged */
    int64_t n_free, k, cols;
    double budget; /* C n+ */
    ney_planes planes;
    double **psi; /* of each plane, x->cols numbers */
    double *w, *score;
    int64_t *order[2]; /* rows of the bounded and the free class, best score first */
    int64_t n_of[2];
} perf;

/* ---- sorting rows by score */

typedef struct scored_row {
    double score;
    int64_t row;
} scored_row;

static int best_first(const void *a, const void *b)
{
    const scored_row *x = a, *y = b;
    if (x->score != y->score) {
        return x->score > y->score ? -1 : 1;
    }
    return x->row < y->row ? -1 : x->row > y->row;
}

static bool sort_rows(perf *p)
{
    const int64_t n = p->t->x->rows;
    scored_row *item = ney_alloc(&p->t->env, n, sizeof *item);
    if (!item) {
        return false;
    }
    for (int64_t i = 0; i < n; i++) {
        item[i] = (scored_row){p->score[i], i};
    }
    qsort(item, (size_t)n, sizeof *item, best_first);
    p->n_of[0] = p->n_of[1] = 0;
    for (int64_t i = 0; i < n; i++) {
        const int c = p->sign * p->t->label[item[i].row] > 0;
        p->order[c][p->n_of[c]++] = item[i].row;
    }
    ney_release(&p->t->env, item);
    return true;
}

/* ---- the labelling that is violated most */

static double loss_of(const perf *p, int64_t right)
{
    return 1 - (double)right / (double)(p->k < p->n_free ? p->k : p->n_free);
}

/* How many of its k positives are right. */
static int64_t worst_labelling(const perf *p)
{
    const int64_t most = p->k < p->n_free ? p->k : p->n_free;
    int64_t a = p->k > p->n_of[0] ? p->k - p->n_of[0] : 0, worst = a;
    double sum = 0, value = -(double)INFINITY;
    for (int64_t i = 0; i < a; i++) {
        sum += p->score[p->order[1][i]];
    }
    for (int64_t i = 0; i < p->k - a; i++) {
        sum += p->score[p->order[0][i]];
    }
    for (;; a++) {
        const double here = loss_of(p, a) + sum / (double)p->n_free;
        if (here > value) {
            value = here;
            worst = a;
        }
        if (a == most) {
            return worst;
        }
        sum += p->score[p->order[1][a]] - p->score[p->order[0][p->k - a - 1]];
    }
}

/* Add its plane; returns false without memory. */
static bool add_plane(perf *p, int64_t right)
{
    const double share = p->sign / (double)p->n_free; /* scores are sign times w'x */
    ney_planes *const planes = &p->planes;
    const int64_t new = planes->n;
    double *const psi = ney_alloc_zeroed(&p->t->env, p->cols, sizeof *psi);
    if (!psi) {
        return false;
    }
    for (int64_t i = right; i < p->n_of[1]; i++) {
        ney_row_add(p->t->x, p->order[1][i], share, psi);
    }
    for (int64_t i = 0; i < p->k - right; i++) {
        ney_row_add(p->t->x, p->order[0][i], -share, psi);
    }
    p->psi[new] = psi;
    planes->loss[new] = loss_of(p, right);
    planes->weight[new] = 0;
    for (int64_t j = 0; j <= new; j++) {
        const double g = ney_dot(psi, p->psi[j], p->cols);
        planes->gram[new *NEY_MOST_PLANES + j] = planes->gram[j * NEY_MOST_PLANES + new] = g;
    }
    planes->n++;
    return true;
}

/* ---- the loop */

static void set_weights(perf *p)
{
    memset(p->w, 0, (size_t)p->cols * sizeof *p->w);
    for (int64_t j = 1; j < p->planes.n; j++) {
        for (int64_t c = 0; c < p->cols && p->planes.weight[j] > 0; c++) {
            p->w[c] += p->planes.weight[j] * p->psi[j][c];
        }
    }
    for (int64_t i = 0; i < p->t->x->rows; i++) {
        p->score[i] = p->sign * ney_row_dot(p->t->x, i, p->w, p->cols);
    }
}

static double slack_of_planes(const perf *p)
{
    double most = 0;
    for (int64_t j = 0; j < p->planes.n; j++) {
        most = fmax(most, p->planes.loss[j] - ney_dot(p->w, p->psi[j], p->cols));
    }
    return most;
}

/* Steps of the quadratic problem over the planes, of all of them together. */
static int64_t most_moves(const perf *p)
{
    const int64_t asked = p->t->o.max_iter;
    return asked > 0 ? asked : ney_task_most_steps(p->t);
}

static ney_stop why_stop(const perf *p)
{
    const ney_train_opts *const o = &p->t->o;
    if (!ney_poll(&p->t->env, "training", (double)p->planes.n, 0)) {
        return NEY_STOP_CANCELLED;
    }
    if (o->max_time > 0 && ney_task_seconds(p->t) > o->max_time) {
        return NEY_STOP_TIME;
    }
    return p->planes.n == NEY_MOST_PLANES || p->planes.moves >= most_moves(p) ? NEY_STOP_ITERATIONS
                                                                              : NEY_STOP_CONVERGED;
}

static ney_status run_cutting_planes(perf *p, ney_train_info *info, ney_error *err)
{
    const double tol = p->t->o.tol;
    for (;;) {
        const double before = slack_of_planes(p);
        info->iterations = p->planes.moves;
        if (!sort_rows(p) || (info->stop = why_stop(p)) != NEY_STOP_CONVERGED) {
            return info->stop == NEY_STOP_CONVERGED ? ney_no_memory(err, p->t->x->rows, "scores")
                                                    : NEY_OK;
        }
        if (!add_plane(p, worst_labelling(p))) {
            return ney_no_memory(err, p->cols, "weights of a plane");
        }
        const double after = slack_of_planes(p); /* the true one: no labelling is violated more */
        const double square = ney_dot(p->w, p->w, p->cols) / 2;
        double dual = -square;
        for (int64_t j = 0; j < p->planes.n; j++) {
            dual += p->planes.weight[j] * p->planes.loss[j];
        }
        info->objective = info->convex_objective = square + p->budget * after;
        info->dual_objective = dual;
        info->gap = fmax(0, info->objective - dual);
        info->steps = p->planes.n - 1;
        if (after <= before + tol) {
            return NEY_OK;
        }
        ney_planes_solve(&p->planes, tol / 10, most_moves(p));
        set_weights(p);
    }
}

static ney_status perf_init(perf *p, ney_task *t, ney_error *err)
{
    const ney_env *const env = &t->env;
    const int64_t n = t->x->rows, most = NEY_MOST_PLANES;
    ney_planes *const planes = &p->planes;
    *p = (perf){.t = t, .sign = -t->request.bounded_class, .cols = t->x->cols};
    p->n_free = p->sign > 0 ? t->n_pos : t->n_neg;
    p->k = t->o.at_k > 0 && t->o.at_k < n ? t->o.at_k : p->n_free;
    p->budget = t->o.C * (double)p->n_free;
    planes->gram = ney_alloc(env, most * most, sizeof *planes->gram);
    planes->workspace =
        ney_alloc(env, 3 * most + ney_planes_workspace(), sizeof *planes->workspace);
    p->psi = ney_alloc_zeroed(env, most, sizeof *p->psi);
    p->w = ney_alloc_zeroed(env, p->cols, sizeof *p->w);
    p->score = ney_alloc_zeroed(env, n, sizeof *p->score);
    p->order[0] = ney_alloc(env, n, sizeof *p->order[0]);
    p->order[1] = ney_alloc(env, n, sizeof *p->order[1]);
    if (!planes->gram || !planes->workspace || !p->psi || !p->w || !p->score || !p->order[0] ||
        !p->order[1] || !(p->psi[0] = ney_alloc_zeroed(env, p->cols, sizeof *p->psi[0]))) {
        return ney_no_memory(err, n, "scores");
    }
    planes->loss = planes->workspace + ney_planes_workspace();
    planes->weight = planes->loss + most;
    planes->gradient = planes->weight + most;
    planes->gram[0] = planes->loss[0] = 0;
    planes->weight[0] = p->budget;
    planes->n = 1;
    return NEY_OK;
}

static void perf_deinit(perf *p)
{
    const ney_env *const env = &p->t->env;
    for (int64_t j = 0; p->psi && j < NEY_MOST_PLANES; j++) {
        ney_release(env, p->psi[j]);
    }
    ney_release(env, p->psi);
    ney_release(env, p->planes.gram);
    ney_release(env, p->planes.workspace);
    ney_release(env, p->w);
    ney_release(env, p->score);
    ney_release(env, p->order[0]);
    ney_release(env, p->order[1]);
}

/* ---- the learner */

static ney_status learn(ney_task *t, ney_answer *a, ney_train_info *info, ney_error *err)
{
    perf p;
    ney_status st = perf_init(&p, t, err);
    *info = (ney_train_info){0};
    if (st == NEY_OK && (st = run_cutting_planes(&p, info, err)) == NEY_OK) {
        a->w = p.w;
        p.w = NULL;
    }
    perf_deinit(&p);
    return st;
}

static ney_status describe(const ney_task *t, const ney_train_info *info, ney_model *m,
                           ney_error *err)
{
    (void)t;
    return ney_model_set_number(m, NEY_METADATA_SUMMARY, "planes", (double)info->steps, err);
}

const ney_learner ney_learner_perf = {
    .reads = "conformal conformal-folds calibrate-folds tol max-iter at-k",
    .finds = NEY_FINDS_GAP | NEY_FINDS_ITERATIONS,
    .learn = learn,
    .describe = describe};
