/* Sequential minimal optimisation for the linear SVM with an unregularised intercept.
 *
 *   max  D(beta) = sum_i y_i beta_i - 1/2 |w|^2,   w = sum_i beta_i x_i                     [SMO.1]
 *   s.t. sum_i beta_i = 0,   0 <= y_i beta_i <= C_i
 *
 *   math      code        meaning
 *   beta_i    s->beta     y_i a_i: the dual variable with its label's sign
 *   C_i       s->box      bound
 *   F_i       s->level    y_i - w'x_i: dD/dbeta_i, and the intercept that puts row i at its margin
 *   w         s->w        explicit, so that F costs one pass over the data
 *
 * The point is optimal iff some b separates the levels of what can grow from what can shrink:
 *
 *   violation = max { F_i : beta_i can grow } - min { F_j : beta_j can shrink }             [SMO.2]
 *
 * Pair steps after Platt (1998) with the second-order choice of Fan, Chen and Lin (2005). What
 * differs: a step on all rows costs a pass over the data, so pairs are taken from a working set of
 * the worst violators whose Gram matrix is at hand, as in Joachims (1999); one pass then serves
 * hundreds of steps. The set holds the worst pair, which is what convergence needs.
 */
#include "learn/linear_smo.h"

#include "base/parallel.h"
#include "model/rows.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

enum {
    WORKING_ROWS = 256,    /* with its Gram matrix of half a megabyte, in the second-level cache */
    STEPS_A_ROW = 100,     /* bounds a round to some ten milliseconds, so that polls are frequent */
    BLOCK_ROWS = 1024,     /* of a pass, the piece of work of a thread */
    WORTH_A_TEAM = 1 << 20 /* numbers in a pass: waking threads for less costs more than it saves */
};

/* How far beta_i = `beta` may move up and down. */
static double room_up(const ney_smo *s, int64_t i, double beta)
{
    return (s->y[i] > 0 ? s->box[i] : 0) - beta;
}

static double room_down(const ney_smo *s, int64_t i, double beta)
{
    return beta + (s->y[i] > 0 ? 0 : s->box[i]);
}

/* ---------------------------------------------------------------- set-up */

static void *carve(unsigned char **at, int64_t count, size_t bytes)
{
    void *const piece = *at;
    *at += (size_t)count * bytes;
    return piece;
}

ney_status ney_smo_init(ney_smo *s, const ney_env *env, const ney_matrix *x, const int8_t *y,
                        const double *box, ney_error *err)
{
    static_assert(sizeof(double) == sizeof(int64_t) && sizeof(ney_ranked) == 2 * sizeof(double),
                  "slices share one alignment");
    const int64_t n = x->rows, cap = n < WORKING_ROWS ? n : WORKING_ROWS;

    *s = (ney_smo){.env = env, .x = x, .y = y, .box = box, .cap = cap, .w_is_exact = true};
    if (n <= INT64_MAX / 16 && x->cols <= INT64_MAX / 16) {
        s->block = ney_alloc_zeroed(env, 6 * n + 2 * x->cols + cap * (cap + 3), sizeof(double));
    }
    if (!s->block) {
        return ney_no_memory(err, n, "dual variables");
    }
    unsigned char *at = s->block;
    s->beta = carve(&at, n, sizeof *s->beta);
    s->level = carve(&at, n, sizeof *s->level);
    s->ranked = carve(&at, 2 * n, sizeof *s->ranked);
    s->w = carve(&at, x->cols, sizeof *s->w);
    s->scatter = carve(&at, x->cols, sizeof *s->scatter);
    s->set = carve(&at, cap, sizeof *s->set);
    s->set_beta = carve(&at, cap, sizeof *s->set_beta);
    s->set_level = carve(&at, cap, sizeof *s->set_level);
    s->gram = carve(&at, cap * cap, sizeof *s->gram);
    return NEY_OK;
}

void ney_smo_deinit(ney_smo *s)
{
    if (s->block) {
        ney_release(s->env, s->block);
        s->block = NULL;
    }
}

/* ---------------------------------------------------------------- the violation */

static void level_block(void *context, int64_t k, int thread)
{
    ney_smo *const s = context;
    const int64_t first = k * BLOCK_ROWS;
    const int64_t end = s->x->rows - first < BLOCK_ROWS ? s->x->rows : first + BLOCK_ROWS;
    (void)thread;
    for (int64_t i = first; i < end; i++) {
        s->level[i] = s->y[i] - ney_row_dot(s->x, i, s->w, s->x->cols);
    }
}

/* The largest level of what can grow and the smallest of what can shrink. */
static void extremes(const ney_smo *s, double *top, double *bottom)
{
    *top = -(double)INFINITY;
    *bottom = (double)INFINITY;
    for (int64_t i = 0; i < s->x->rows; i++) {
        const double level = s->level[i];
        if (level > *top && room_up(s, i, s->beta[i]) > 0) {
            *top = level;
        }
        if (level < *bottom && room_down(s, i, s->beta[i]) > 0) {
            *bottom = level;
        }
    }
}

double ney_smo_violation(ney_smo *s)
{
    double top, bottom;
    const int64_t n_blocks = (s->x->rows + BLOCK_ROWS - 1) / BLOCK_ROWS;
    if (ney_matrix_stored(s->x) >= WORTH_A_TEAM) {
        ney_parallel_for(s->env, n_blocks, level_block, s);
    } else {
        for (int64_t k = 0; k < n_blocks; k++) {
            level_block(s, k, 0);
        }
    }
    extremes(s, &top, &bottom);
    return top > bottom ? top - bottom : 0;
}

/* ---------------------------------------------------------------- the working set */

/* A heap of the rows with the largest keys met so far, the smallest of them on top. */
static void sift_down(ney_ranked *heap, int64_t n, int64_t at)
{
    const ney_ranked one = heap[at];
    for (int64_t child; (child = 2 * at + 1) < n; at = child) {
        child += child + 1 < n && heap[child + 1].score < heap[child].score;
        if (heap[child].score >= one.score) {
            break;
        }
        heap[at] = heap[child];
    }
    heap[at] = one;
}

static void heap_offer(ney_ranked *heap, int64_t *n, int64_t cap, double key, int64_t row)
{
    if (*n == cap) {
        if (key > heap[0].score) {
            heap[0] = (ney_ranked){.score = key, .row = row};
            sift_down(heap, *n, 0);
        }
        return;
    }
    int64_t at = (*n)++;
    for (; at > 0 && heap[(at - 1) / 2].score > key; at = (at - 1) / 2) {
        heap[at] = heap[(at - 1) / 2];
    }
    heap[at] = (ney_ranked){.score = key, .row = row};
}

static void add_to_set(ney_smo *s, const ney_ranked *heap, int64_t n)
{
    const int64_t before = s->size;
    for (int64_t k = 0; k < n; k++) {
        bool is_new = true;
        for (int64_t m = 0; m < before && is_new; m++) {
            is_new = s->set[m] != heap[k].row;
        }
        if (is_new) {
            s->set[s->size++] = heap[k].row;
        }
    }
}

/* Half of the set for the highest levels that can grow, half for the lowest that can shrink. */
static void choose_set(ney_smo *s)
{
    const int64_t n = s->x->rows, share = n == s->cap ? n : s->cap / 2;
    ney_ranked *const grow = s->ranked, *const shrink = s->ranked + n;
    int64_t n_grow = 0, n_shrink = 0;
    double top, bottom;

    extremes(s, &top, &bottom);
    for (int64_t i = 0; i < n; i++) {
        if (s->level[i] > bottom && room_up(s, i, s->beta[i]) > 0) {
            heap_offer(grow, &n_grow, share, s->level[i], i);
        }
        if (s->level[i] < top && room_down(s, i, s->beta[i]) > 0) {
            heap_offer(shrink, &n_shrink, share, -s->level[i], i);
        }
    }
    s->size = 0;
    add_to_set(s, grow, n_grow);
    add_to_set(s, shrink, n_shrink);
    for (int64_t k = 0; k < s->size; k++) {
        s->set_beta[k] = s->beta[s->set[k]];
        s->set_level[k] = s->level[s->set[k]];
    }
}

/* gram = x_k'x_m of the set's rows; row k is spread out once to meet all others. */
static void fill_gram(ney_smo *s)
{
    const int64_t q = s->size, cols = s->x->cols;
    for (int64_t k = 0; k < q; k++) {
        ney_row_add(s->x, s->set[k], 1, s->scatter);
        for (int64_t m = 0; m <= k; m++) {
            const double dot = ney_row_dot(s->x, s->set[m], s->scatter, cols);
            s->gram[k * q + m] = s->gram[m * q + k] = dot;
        }
        ney_row_add(s->x, s->set[k], -1, s->scatter); /* exactly zero again */
    }
}

/* ---------------------------------------------------------------- pair steps */

/* |x_k - x_m|^2, no smaller than what rounding leaves of it: an illusion of no curvature would
 * make a step to the bound. Zero only for two rows of zeros. */
static double curvature(const ney_smo *s, int64_t k, int64_t m)
{
    const int64_t q = s->size;
    const double sum = s->gram[k * q + k] + s->gram[m * q + m];
    return fmax(sum - 2 * s->gram[k * q + m], 4 * DBL_EPSILON * sum);
}

/* The pair to move along: k has the highest level that can grow; m, among what can shrink below
 * it, promises the largest gain (F_k - F_m)^2 / |x_k - x_m|^2. Returns the set's violation. */
static double choose_pair(const ney_smo *s, int64_t *k, int64_t *m)
{
    double top = -(double)INFINITY, bottom = (double)INFINITY, most = -1;
    *k = *m = -1;
    for (int64_t i = 0; i < s->size; i++) {
        if (s->set_level[i] > top && room_up(s, s->set[i], s->set_beta[i]) > 0) {
            top = s->set_level[i];
            *k = i;
        }
    }
    for (int64_t i = 0; i < s->size && *k >= 0; i++) {
        const double fall = top - s->set_level[i];
        if (!(fall > 0) || !(room_down(s, s->set[i], s->set_beta[i]) > 0)) {
            continue;
        }
        bottom = fmin(bottom, s->set_level[i]);
        const double gain = fall * fall / curvature(s, *k, i); /* infinite for rows of zeros */
        if (gain > most) {
            most = gain;
            *m = i;
        }
    }
    return *m < 0 ? 0 : top - bottom;
}

/* Maximise D along beta_k + t, beta_m - t:
 *
 *   t = (F_k - F_m) / |x_k - x_m|^2, clipped to the box                                     [SMO.3]
 *   F_i <- F_i - t (x_i'x_k - x_i'x_m)
 */
static void pair_step(ney_smo *s, int64_t k, int64_t m)
{
    const int64_t q = s->size;
    const double up = room_up(s, s->set[k], s->set_beta[k]);
    const double down = room_down(s, s->set[m], s->set_beta[m]);
    const double free_step = (s->set_level[k] - s->set_level[m]) / curvature(s, k, m);
    const double t = fmin(free_step, fmin(up, down));

    /* A variable that reaches its bound is put on it: what is left of its room must be nothing. */
    s->set_beta[k] = t < up ? s->set_beta[k] + t : s->y[s->set[k]] > 0 ? s->box[s->set[k]] : 0;
    s->set_beta[m] = t < down ? s->set_beta[m] - t : s->y[s->set[m]] > 0 ? 0 : -s->box[s->set[m]];
    for (int64_t i = 0; i < q; i++) {
        s->set_level[i] -= t * (s->gram[k * q + i] - s->gram[m * q + i]);
    }
}

int64_t ney_smo_round(ney_smo *s, double tol, int64_t max_steps)
{
    const int64_t most = s->cap * STEPS_A_ROW < max_steps ? s->cap * STEPS_A_ROW : max_steps;
    int64_t steps = 0, k, m;

    choose_set(s);
    fill_gram(s);
    for (; steps < most && choose_pair(s, &k, &m) > tol; steps++) {
        pair_step(s, k, m);
    }
    for (int64_t i = 0; i < s->size; i++) {
        const int64_t row = s->set[i];
        const double change = s->set_beta[i] - s->beta[row];
        if (change != 0) {
            ney_row_add(s->x, row, change, s->w);
            s->beta[row] = s->set_beta[i];
        }
    }
    s->w_is_exact = false;
    return steps;
}

/* ---------------------------------------------------------------- the certificate */

void ney_smo_refresh(ney_smo *s)
{
    double excess = 0; /* sum of beta: zero but for rounding */
    for (int64_t i = 0; i < s->x->rows; i++) {
        excess += s->beta[i];
    }
    for (int64_t i = 0; i < s->x->rows; i++) {
        /* Taken from one free row, which stays free: no bound is reached, no zero lost. */
        if (fmin(room_up(s, i, s->beta[i]), room_down(s, i, s->beta[i])) > fabs(excess)) {
            s->beta[i] -= excess;
            break;
        }
    }
    memset(s->w, 0, (size_t)s->x->cols * sizeof *s->w);
    for (int64_t i = 0; i < s->x->rows; i++) {
        if (s->beta[i] != 0) {
            ney_row_add(s->x, i, s->beta[i], s->w);
        }
    }
    s->w_is_exact = true;
}

static double squared_norm(const ney_smo *s)
{
    double sum = 0;
    for (int64_t j = 0; j < s->x->cols; j++) {
        sum += s->w[j] * s->w[j];
    }
    return sum;
}

double ney_smo_dual(const ney_smo *s)
{
    double sum = 0;
    for (int64_t i = 0; i < s->x->rows; i++) {
        sum += s->y[i] * s->beta[i];
    }
    return sum - squared_norm(s) / 2;
}

int64_t ney_smo_support_vectors(const ney_smo *s)
{
    int64_t n = 0;
    for (int64_t i = 0; i < s->x->rows; i++) {
        n += s->beta[i] != 0;
    }
    return n;
}

/* For w fixed the loss is convex and piecewise linear in b, with a break at each level F_i:
 *
 *   sum_{y_i > 0} C_i max(0, F_i - b) + sum_{y_i < 0} C_i max(0, b - F_i)                   [SMO.4]
 *
 * Its slope is minus the positives' total to the left of all breaks and grows by C_i at each. It is
 * least where the slope passes zero; where it is zero over an interval, in the middle of that. */
double ney_smo_intercept(ney_smo *s)
{
    const int64_t n = s->x->rows;
    double positives = 0, negatives = 0, passed = 0;
    int64_t n_breaks = 0;

    for (int64_t i = 0; i < n; i++) {
        if (s->box[i] > 0) {
            s->ranked[n_breaks++] = (ney_ranked){.score = s->level[i], .row = i};
            positives += s->y[i] > 0 ? s->box[i] : 0;
            negatives += s->y[i] > 0 ? 0 : s->box[i];
        }
    }
    if (n_breaks == 0) {
        return 0; /* no row counts, any b will do */
    }
    ney_order(s->ranked, s->ranked + n, n_breaks);
    const double slack = 1e-13 * (positives + negatives); /* of sums in different orders */
    for (int64_t k = 0; k < n_breaks; k++) {
        passed += s->box[s->ranked[k].row];
        if (passed > positives + slack) {
            return s->ranked[k].score;
        }
        if (passed >= positives - slack) {
            const bool is_last = k + 1 == n_breaks; /* a class without weight: flat to infinity */
            return is_last ? s->ranked[k].score
                           : s->ranked[k].score + (s->ranked[k + 1].score - s->ranked[k].score) / 2;
        }
    }
    return s->ranked[n_breaks - 1].score;
}

double ney_smo_primal(const ney_smo *s, double intercept)
{
    double loss = 0;
    for (int64_t i = 0; i < s->x->rows; i++) {
        const double short_of = s->y[i] > 0 ? s->level[i] - intercept : intercept - s->level[i];
        loss += short_of > 0 ? s->box[i] * short_of : 0;
    }
    return squared_norm(s) / 2 + loss;
}
