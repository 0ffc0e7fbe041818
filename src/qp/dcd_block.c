/* Rows that are nearly equal make single coordinates slow: what one of them gains, the others take
 * back. The worst violators among the active rows, up to a hundred, are therefore solved at once,
 *
 *     max over the block of  r'delta - 1/2 delta' (X_B X_B' + rho 11') delta,   low <= v + delta <=
 * high
 *
 * by Newton steps on the rows that are free, each as far as the first bound. The row that meets it
 * leaves the factor; when a step was a whole one, a row that is pushed off its bound returns, once.
 * The dual increases with every step.
 *
 *   math    code           meaning
 *   r       b->rest        slope_i - x_i'w - b, of the piece that the row moves on
 *   K       b->gram        X_B X_B' + rho 11', of which b->factor has the free rows
 */
#include "linalg/cholesky.h"
#include "linalg/rows.h"
#include "qp/dcd.h"
#include "qp/violators.h"

#include <math.h>
#include <string.h>

enum { MOST = 128 };

typedef struct block {
    ney_dcd *d;
    int64_t n, n_free;
    int64_t row[MOST],
        free[MOST]; /* the rows of the problem; of the block, in the factor's order */
    double low[MOST], high[MOST], v[MOST], rest[MOST], step[MOST];
    bool is_free[MOST], is_done[MOST]; /* done: not to be freed again */
    double *gram, *factor, *wide;      /* wide: one row, with its zeros */
    double *up, *down, *level;         /* of the active rows */
    bool *in_set;
} block;

static bool block_init(block *b)
{
    const ney_env *env = &b->d->q->env;
    const int64_t n = b->d->n_active;
    b->gram = ney_alloc(env, MOST * MOST, sizeof *b->gram);
    b->factor = ney_alloc(env, ney_packed_row(MOST) + 2 * MOST, sizeof *b->factor);
    b->wide = ney_alloc_zeroed(env, b->d->q->x->cols, sizeof *b->wide);
    b->up = ney_alloc(env, 3 * n, sizeof *b->up);
    b->in_set = ney_alloc_zeroed(env, n, sizeof *b->in_set);
    if (!b->gram || !b->factor || !b->wide || !b->up || !b->in_set) {
        return false;
    }
    b->down = b->up + n;
    b->level = b->up + 2 * n;
    return true;
}

static void block_deinit(block *b)
{
    ney_release_all(&b->d->q->env, b->gram, b->factor, b->wide, b->up, b->in_set);
}

/* The rows that violated most when they were last visited: of two that take back each other's gains
 * both did, where now one of them does not. As many as a pass has time for. */
static void choose_rows(block *b)
{
    const ney_dcd *d = b->d;
    const double intercept = d->b0 + d->rho * d->sum;
    const int64_t most = (int64_t)fmin(MOST, 2 * sqrt((double)d->n_active));
    for (int64_t k = 0; k < d->n_active; k++) {
        const ney_dcd_item *t = &d->item[d->active[k]];
        const ney_qp p = ney_dcd_alone(t);
        b->level[k] = t->score + intercept;
        b->up[k] = ney_qp_up(&p, 0, t->v);
        b->down[k] = ney_qp_down(&p, 0, t->v);
    }
    b->n = ney_find_violators(
        &(ney_violator_search){
            .up = b->up, .down = b->down, .f = b->level, .n = d->n_active, .in_set = b->in_set},
        0, 0, most, b->row);
    for (int64_t a = 0; a < b->n; a++) {
        b->row[a] = d->active[b->row[a]];
    }
}

/* Where the rows are, the pieces that they move on, and the slopes of the dual. */
static void take_rows(block *b)
{
    ney_dcd *d = b->d;
    for (int64_t a = 0; a < b->n; a++) {
        ney_dcd_item *t = &d->item[b->row[a]];
        const ney_qp p = ney_dcd_alone(t);
        t->score = ney_linear_score(d->q->x, b->row[a], d->q->w);
        const double level = t->score + d->b0 + d->rho * d->sum;
        const bool rises = ney_qp_up(&p, 0, t->v) > level, falls = ney_qp_down(&p, 0, t->v) < level;
        const bool is_upper = t->v > t->middle || (t->v == t->middle && !falls);
        b->v[a] = t->v;
        b->low[a] = is_upper ? t->middle : t->low;
        b->high[a] = is_upper ? t->high : t->middle;
        b->rest[a] = (is_upper ? t->slope_high : t->slope_low) - level;
        b->is_free[a] = rises || falls || (t->v > b->low[a] && t->v < b->high[a]);
        b->is_done[a] = false;
    }
}

static void take_gram(block *b)
{
    const ney_matrix *x = b->d->q->x;
    for (int64_t a = 0; a < b->n; a++) {
        ney_row_add(x, b->row[a], 1, b->wide);
        for (int64_t c = 0; c <= a; c++) {
            const double product = ney_linear_score(x, b->row[c], b->wide) + b->d->rho;
            b->gram[a * MOST + c] = b->gram[c * MOST + a] = product;
        }
        ney_row_add(x, b->row[a], -1, b->wide);
    }
}

/* Border the factor with a row of the block, unless the free rows span it. */
static void set_free(block *b, int64_t a)
{
    const double *const line = b->gram + a * MOST;
    double *const to = b->factor + ney_packed_row(b->n_free);
    for (int64_t k = 0; k < b->n_free; k++) {
        to[k] = line[b->free[k]];
    }
    to[b->n_free] = line[a];
    b->is_free[a] = ney_packed_append(b->factor, b->n_free, 1e-10 * line[a]) > 1e-10 * line[a];
    if (b->is_free[a]) {
        b->free[b->n_free++] = a;
    }
}

static void set_bound(block *b, int64_t k)
{
    const int64_t a = b->free[k];
    b->v[a] = b->step[k] > 0 ? b->high[a] : b->low[a];
    b->is_free[a] = false;
    ney_packed_remove(b->factor, b->n_free, k, b->factor + ney_packed_row(MOST));
    memmove(b->free + k, b->free + k + 1, (size_t)(b->n_free - k - 1) * sizeof *b->free);
    b->n_free--;
}

/* The share of its step that free row k can make. */
static double share_to_bound(const block *b, int64_t k)
{
    const int64_t a = b->free[k];
    return b->step[k] > 0   ? (b->high[a] - b->v[a]) / b->step[k]
           : b->step[k] < 0 ? (b->low[a] - b->v[a]) / b->step[k]
                            : (double)INFINITY;
}

/* A Newton step of the free rows, or what of it the bounds allow. True when that was all. */
static bool move_free(block *b)
{
    double share = 1;
    for (int64_t k = 0; k < b->n_free; k++) {
        b->step[k] = b->rest[b->free[k]];
    }
    ney_packed_solve(b->factor, b->n_free, b->step);
    for (int64_t k = 0; k < b->n_free; k++) {
        share = fmin(share, share_to_bound(b, k));
    }
    for (int64_t a = 0; a < b->n; a++) {
        double product = 0;
        for (int64_t k = 0; k < b->n_free; k++) {
            product += b->gram[a * MOST + b->free[k]] * b->step[k];
        }
        b->rest[a] -= share * product;
    }
    for (int64_t k = b->n_free - 1; k >= 0; k--) {
        const int64_t a = b->free[k];
        if (share < 1 && share_to_bound(b, k) <= share) {
            set_bound(b, k);
        } else {
            b->v[a] = fmin(fmax(b->v[a] + share * b->step[k], b->low[a]), b->high[a]);
        }
    }
    return share == 1;
}

/* Free the row on a bound that violates [QP.2] most. False if none does by more than tol. */
static bool free_one(block *b, double tol)
{
    int64_t worst = -1;
    for (int64_t a = 0; a < b->n; a++) {
        const bool pushed = b->rest[a] > 0 ? b->v[a] < b->high[a] : b->v[a] > b->low[a];
        if (!b->is_free[a] && !b->is_done[a] && pushed && fabs(b->rest[a]) > tol) {
            tol = fabs(b->rest[a]);
            worst = a;
        }
    }
    if (worst >= 0) {
        b->is_done[worst] = true;
        set_free(b, worst);
    }
    return worst >= 0;
}

static void store_rows(const block *b)
{
    ney_dcd *d = b->d;
    for (int64_t a = 0; a < b->n; a++) {
        ney_dcd_item *t = &d->item[b->row[a]];
        if (b->v[a] != t->v) {
            d->sum += b->v[a] - t->v;
            ney_row_add(d->q->x, b->row[a], b->v[a] - t->v, d->q->w);
            t->v = b->v[a];
        }
    }
}

bool ney_dcd_solve_block(ney_dcd *d, double tol)
{
    block b = {.d = d};
    const bool fine = block_init(&b);
    if (fine) {
        choose_rows(&b);
        take_rows(&b);
        take_gram(&b);
        for (int64_t a = 0; a < b.n; a++) {
            if (b.is_free[a]) {
                set_free(&b, a);
            }
        }
        while (!move_free(&b) || free_one(&b, tol)) {
        }
        store_rows(&b);
    }
    block_deinit(&b);
    return fine;
}
