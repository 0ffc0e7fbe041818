/* The last digits of the linear QP over rows that are shared out among processes.
 *
 * Newton steps soon find which rows sit on their bounds; the others are few, about as many as there
 * are columns at most. Those are gathered on the first process, which solves for them alone, by the
 * method of one process. With A the rows gathered and w_B = sum of v_i x_i over all others,
 *
 *     max over v_A of  -1/2 |X_A'v_A|^2 + sum over A of (p_i(v_i) - v_i (x_i'w_B + b))
 *     s.t.  sum over A of v_i stays what it is,  low_i <= v_i <= high_i                  [ACTIVE.1]
 *
 * is a problem [QP.1] whose slopes are less by the scores that all others give, with one more row,
 * without entries and fixed, that makes the sum zero. Then every process looks among its rows for
 * those that violate [QP.2]; these are gathered too, until there are none.
 *
 * A row is sent once. Further messages of a step are w, b and the new v_A. Which rows are gathered,
 * and their order, depend on sums of newton_shared.c alone: not on the number of processes. */
#include "base/clock.h"
#include "linalg/rows.h"
#include "qp/linear.h"

#include <math.h>
#include <string.h>

/* Entries that the first process gathers at most: 128 MB; passes of its coordinate descent. */
enum { MOST_ENTRIES = 1 << 24, MOST_PASSES = 2000 };

/* A row without its entries. */
typedef struct item {
    double low, middle, high, slope_low, slope_high, v;
} item;

typedef struct active_rows {
    ney_linear_qp *q;
    bool *in;                    /* of this process's rows: gathered */
    int64_t *row, *place, n_own; /* this process's rows in A, and where they are in v_A */
    int64_t n, entries;          /* of all processes */
    double *v;                   /* of all rows in A */
    double b;
    /* on the first process */
    item *items;
    int64_t *start; /* NULL: dense */
    int32_t *index;
    float *value;
    int64_t cap_v, cap_items, cap_start, cap_index, cap_value;
} active_rows;

static bool is_dense(const active_rows *a)
{
    return a->q->x->dense;
}

static bool is_first(const active_rows *a)
{
    return ney_comm_rank(a->q->blocks->comm) == 0;
}

/* ---- which rows */

/* By how much a row violates [QP.2]; below 0: how far it is from doing so. */
static double row_violation(const active_rows *a, int64_t i)
{
    const ney_linear_qp *const q = a->q;
    const double level = q->f[i] + a->b;
    return fmax(ney_qp_up(q->p, i, q->v[i]) - level, level - ney_qp_down(q->p, i, q->v[i]));
}

static int64_t entries_of(const ney_matrix *x, int64_t i)
{
    return x->dense ? x->cols : x->start[i + 1] - x->start[i];
}

/* This process's rows that violate [QP.2] or are as near as `margin` to it. Returns their number,
 * and their entries. */
static int64_t choose_rows(active_rows *a, double margin, int64_t *entries)
{
    const int64_t before = a->n_own;
    *entries = 0;
    for (int64_t i = 0; i < a->q->p->n; i++) {
        if (!a->in[i] && row_violation(a, i) > -margin) {
            a->in[i] = true;
            a->row[a->n_own++] = i;
            *entries += entries_of(a->q->x, i);
        }
    }
    return a->n_own - before;
}

/* ---- gathering */

/* Rows that are sent together. */
typedef struct parcel {
    int64_t n, entries;
    item *items;
    int64_t *length;
    int32_t *index;
    float *value;
} parcel;

static void parcel_deinit(const active_rows *a, parcel *p)
{
    ney_release_all(&a->q->env, p->items, p->length, p->index, p->value);
}

static bool parcel_init(const active_rows *a, parcel *p, int64_t n, int64_t entries)
{
    const ney_env *const env = &a->q->env;
    *p = (parcel){.n = n, .entries = entries};
    p->items = ney_alloc(env, n, sizeof *p->items);
    p->length = ney_alloc(env, n, sizeof *p->length);
    p->index = ney_alloc(env, is_dense(a) ? 0 : entries, sizeof *p->index);
    p->value = ney_alloc(env, entries, sizeof *p->value);
    return p->items && p->length && p->index && p->value;
}

/* This process's last n rows of A. */
static void pack(const active_rows *a, parcel *to)
{
    const ney_matrix *const x = a->q->x;
    const ney_qp *const p = a->q->p;
    int64_t at = 0;
    for (int64_t k = 0; k < to->n; k++) {
        const int64_t i = a->row[a->n_own - to->n + k], m = entries_of(x, i);
        const int64_t from = x->dense ? i * x->cols : x->start[i];
        to->items[k] = (item){p->low[i],       p->middle[i],     p->high[i],
                              p->slope_low[i], p->slope_high[i], a->q->v[i]};
        to->length[k] = m;
        memcpy(to->value + at, (x->dense ? x->dense : x->value) + from,
               (size_t)m * sizeof *to->value);
        if (!x->dense) {
            memcpy(to->index + at, x->index + from, (size_t)m * sizeof *to->index);
        }
        at += m;
    }
}

static void send(const active_rows *a, const parcel *p)
{
    const ney_comm *const c = a->q->blocks->comm;
    c->send(c->state, 0, p->items, p->n * (int64_t)sizeof *p->items);
    c->send(c->state, 0, p->value, p->entries * (int64_t)sizeof *p->value);
    if (!is_dense(a)) {
        c->send(c->state, 0, p->length, p->n * (int64_t)sizeof *p->length);
        c->send(c->state, 0, p->index, p->entries * (int64_t)sizeof *p->index);
    }
}

static void receive(const active_rows *a, int from, parcel *p)
{
    const ney_comm *const c = a->q->blocks->comm;
    c->receive(c->state, from, p->items, p->n * (int64_t)sizeof *p->items);
    c->receive(c->state, from, p->value, p->entries * (int64_t)sizeof *p->value);
    if (!is_dense(a)) {
        c->receive(c->state, from, p->length, p->n * (int64_t)sizeof *p->length);
        c->receive(c->state, from, p->index, p->entries * (int64_t)sizeof *p->index);
    }
}

/* Allocate for n rows in all and the row that fixes the sum; at least one entry, so that no array
 * is NULL. */
static bool grow(active_rows *a, int64_t n, int64_t entries)
{
    const ney_env *const env = &a->q->env;
    const int64_t more = is_dense(a) ? a->q->x->cols : 1;
    if (!ney_grow(env, &a->v, &a->cap_v, n, sizeof *a->v)) {
        return false;
    }
    return !is_first(a) ||
           (ney_grow(env, &a->items, &a->cap_items, n, sizeof *a->items) &&
            ney_grow(env, &a->value, &a->cap_value, entries + more, sizeof *a->value) &&
            (is_dense(a) ||
             (ney_grow(env, &a->start, &a->cap_start, n + 2, sizeof *a->start) &&
              ney_grow(env, &a->index, &a->cap_index, entries + more, sizeof *a->index))));
}

/* Add rows to those that the first process has. */
static void unpack(active_rows *a, const parcel *p)
{
    memcpy(a->items + a->n, p->items, (size_t)p->n * sizeof *p->items);
    memcpy(a->value + a->entries, p->value, (size_t)p->entries * sizeof *p->value);
    if (!is_dense(a)) {
        memcpy(a->index + a->entries, p->index, (size_t)p->entries * sizeof *p->index);
        a->start[0] = 0;
        for (int64_t k = 0; k < p->n; k++) {
            a->start[a->n + k + 1] = a->start[a->n + k] + p->length[k];
        }
    }
    a->n += p->n;
    a->entries += p->entries;
}

/* The last n rows of this process, and those of the others, to the first. `count`: rows and entries
 * of each process. */
static bool gather_rows(active_rows *a, const int64_t *count)
{
    const ney_comm *const comm = a->q->blocks->comm;
    const int rank = ney_comm_rank(comm), size = ney_comm_size(comm);
    int64_t n = a->n, entries = a->entries, place = a->n;
    parcel largest = {0}, own;
    for (int r = 0; r < size; r++) {
        place += r < rank ? count[2 * r] : 0;
        n += count[2 * r];
        entries += count[2 * r + 1];
        largest.n = r > 0 && count[2 * r] > largest.n ? count[2 * r] : largest.n;
        largest.entries =
            r > 0 && count[2 * r + 1] > largest.entries ? count[2 * r + 1] : largest.entries;
    }
    for (int64_t k = 0; k < count[2 * rank]; k++) {
        a->place[a->n_own - count[2 * rank] + k] = place + k;
    }
    bool fine = parcel_init(a, &own, count[2 * rank], count[2 * rank + 1]);
    fine = parcel_init(a, &largest, rank == 0 ? largest.n : 0, rank == 0 ? largest.entries : 0) &&
           fine && grow(a, n, entries);
    fine = ney_shared_have_memory(a->q, fine);
    if (fine) {
        pack(a, &own);
        if (rank == 0) {
            unpack(a, &own);
        } else if (own.n > 0) {
            send(a, &own);
        }
        for (int r = 1; r < size && rank == 0; r++) {
            largest.n = count[2 * r];
            largest.entries = count[2 * r + 1];
            if (largest.n > 0) {
                receive(a, r, &largest);
                unpack(a, &largest);
            }
        }
        a->n = n;
        a->entries = entries;
    }
    parcel_deinit(a, &own);
    parcel_deinit(a, &largest);
    return fine;
}

/* Choose rows and gather them. *n: their number; -1: more than MOST_ENTRIES entries, nothing is
 * gathered. False without memory. */
static bool add_rows(active_rows *a, double margin, int64_t *n)
{
    const ney_comm *const comm = a->q->blocks->comm;
    const int rank = ney_comm_rank(comm), size = ney_comm_size(comm);
    int64_t entries = a->entries;
    int64_t *const count = ney_alloc_zeroed(&a->q->env, 2 * (int64_t)size, sizeof *count);
    bool fine = ney_shared_have_memory(a->q, count);
    if (!fine || !count) {
        ney_release(&a->q->env, count);
        return false;
    }
    count[2 * rank] = choose_rows(a, margin, &count[2 * rank + 1]);
    ney_comm_add_counts(comm, count, 2 * (int64_t)size);
    *n = 0;
    for (int r = 0; r < size; r++) {
        *n += count[2 * r];
        entries += count[2 * r + 1];
    }
    if (entries > MOST_ENTRIES) {
        *n = -1;
    } else if (*n > 0) {
        fine = gather_rows(a, count);
    }
    ney_release(&a->q->env, count);
    return fine;
}

/* ---- solving for them */

/* f = Xw */
static void score_rows(ney_linear_qp *q)
{
    for (int64_t i = 0; i < q->p->n; i++) {
        q->f[i] = ney_linear_score(q->x, i, q->w);
    }
}

/* What the first process has found. */
typedef struct found {
    double b;
    int64_t iterations;
    ney_stop stop;
} found;

static void load_problem(const active_rows *a, const ney_matrix *x, const double *fixed,
                         double *const *part)
{
    double sum = 0;
    for (int64_t k = 0; k < a->n; k++) {
        const item *const t = &a->items[k];
        const double score = ney_linear_score(x, k, fixed) + a->b;
        part[0][k] = t->low;
        part[1][k] = t->middle;
        part[2][k] = t->high;
        part[3][k] = t->slope_low - score;
        part[4][k] = t->slope_high - score;
        part[5][k] = t->v;
        sum += t->v;
    }
    for (int k = 0; k < 6; k++) {
        part[k][a->n] = k == 3 || k == 4 ? part[k][0] : -sum;
    }
}

/* The sum of the rows of A, as far as the first process knows them. */
static void combine_active(const active_rows *a, const ney_matrix *x, double *w)
{
    memset(w, 0, (size_t)x->cols * sizeof *w);
    for (int64_t k = 0; k < a->n; k++) {
        ney_row_add(x, k, a->items[k].v, w);
    }
}

/* The rows gathered, and one without entries. */
static ney_matrix matrix_of(const active_rows *a)
{
    if (is_dense(a)) {
        memset(a->value + a->entries, 0, (size_t)a->q->x->cols * sizeof *a->value);
    } else {
        a->start[a->n + 1] = a->start[a->n];
    }
    return (ney_matrix){.rows = a->n + 1,
                        .cols = a->q->x->cols,
                        .dense = is_dense(a) ? a->value : NULL,
                        .start = a->start,
                        .index = a->index,
                        .value = is_dense(a) ? NULL : a->value};
}

/* Solve [ACTIVE.1] on the first process: w, b and v_A. False without memory. */
static bool solve_gathered(active_rows *a, const ney_qp_opts *opts, found *to)
{
    enum { PARTS = 7 };
    ney_linear_qp *const q = a->q;
    const int64_t cols = q->x->cols;
    double *const fixed = ney_alloc(&q->env, PARTS * (a->n + 1) + 2 * cols, sizeof *fixed);
    double *part[PARTS];
    ney_qp_info info;
    if (!fixed) {
        return false;
    }
    double *const w = fixed + cols;
    for (int k = 0; k < PARTS; k++) {
        part[k] = w + cols + k * (a->n + 1);
    }
    const ney_matrix x = matrix_of(a);
    combine_active(a, &x, w);
    for (int64_t c = 0; c < cols; c++) {
        fixed[c] = q->w[c] - w[c];
    }
    load_problem(a, &x, fixed, part);
    const ney_qp p = {a->n + 1, part[0], part[1], part[2], part[3], part[4]};
    ney_linear_qp sub = {.env = q->env,
                         .x = &x,
                         .p = &p,
                         .o = opts,
                         .v = part[5],
                         .f = part[6],
                         .w = w,
                         .most_passes = MOST_PASSES};
    const ney_status st = ney_linear_solve(&sub, &info, NULL);
    if (st == NEY_OK) {
        *to = (found){a->b + info.intercept, info.iterations, info.stop};
        for (int64_t c = 0; c < cols; c++) {
            q->w[c] = fixed[c] + w[c];
        }
        for (int64_t k = 0; k < a->n; k++) {
            a->items[k].v = part[5][k];
        }
    }
    for (int64_t k = 0; k < a->n; k++) {
        a->v[k] = a->items[k].v;
    }
    ney_release(&q->env, fixed);
    return st != NEY_ENOMEM; /* NEY_EINVAL: rounding of the sum, and no row that may move */
}

/* The same for all processes, which take over what was found. */
static bool solve_active(active_rows *a, double tol, ney_qp_info *info)
{
    ney_linear_qp *const q = a->q;
    const ney_comm *const comm = q->blocks->comm;
    found what = {.b = a->b, .stop = NEY_STOP_PRECISION};
    ney_qp_opts opts = {
        .tol = tol, .max_iter = q->o->max_iter, .spent = q->o->spent + info->iterations};
    if (q->o->max_time > 0) {
        opts.max_time = fmax(q->o->max_time - (ney_now() - q->begin), 1e-9);
    }
    if (!ney_shared_have_memory(a->q, !is_first(a) || solve_gathered(a, &opts, &what))) {
        return false;
    }
    ney_comm_broadcast(comm, 0, &what, (int64_t)sizeof what);
    ney_comm_broadcast(comm, 0, q->w, q->x->cols * (int64_t)sizeof *q->w);
    ney_comm_broadcast(comm, 0, a->v, a->n * (int64_t)sizeof *a->v);
    for (int64_t k = 0; k < a->n_own; k++) {
        q->v[a->row[k]] = a->v[a->place[k]];
    }
    score_rows(q);
    a->b = what.b;
    info->iterations += what.iterations;
    info->stop = what.stop;
    return true;
}

/* ---- the whole */

static bool active_init(active_rows *a)
{
    const ney_env *const env = &a->q->env;
    const int64_t n = a->q->p->n;
    a->in = ney_alloc_zeroed(env, n, sizeof *a->in);
    a->row = ney_alloc(env, n, sizeof *a->row);
    a->place = ney_alloc(env, n, sizeof *a->place);
    return ney_shared_have_memory(a->q, a->in && a->row && a->place);
}

static void active_deinit(const active_rows *a)
{
    ney_release_all(&a->q->env, a->in, a->row, a->place, a->v, a->items, a->start, a->index,
                    a->value);
}

/* Rounds of gathering and solving, at first to a loose tolerance: rows that are found late cost
 * little then. */
static bool iterate(active_rows *a, double margin, ney_qp_info *info, bool *ended)
{
    enum { MOST_ROUNDS = 50 };
    const double loose = 20, aim = a->q->o->tol;
    double tol = loose * aim;
    int64_t n;
    bool fine = add_rows(a, margin, &n);
    for (int round = 0; fine && n >= 0 && round < MOST_ROUNDS && tol > 0.01 * aim; round++) {
        if (ney_shared_limit_reached(a->q, info, info->violation)) { /* others wait for the first */
            *ended = true;
            return true;
        }
        if (a->n > 0) {
            if (!solve_active(a, tol, info)) {
                return false;
            }
            if (info->stop != NEY_STOP_CONVERGED) {
                *ended = info->stop != NEY_STOP_PRECISION;
                return true;
            }
        }
        fine = add_rows(a, -0.5 * tol, &n);
        if (fine && n == 0 && tol > aim) {
            fine = add_rows(a, 0.5 * tol, &n);
            tol = 0.5 * aim;
        } else if (fine && n == 0) {
            fine = ney_shared_make_feasible(a->q, a->b, false, info);
            if (info->violation <= aim) {
                info->stop = NEY_STOP_CONVERGED;
                *ended = true;
                return fine;
            }
            tol *= 0.3;
        }
    }
    return fine;
}

bool ney_shared_solve_active(ney_linear_qp *q, double b, double margin, ney_qp_info *info,
                             bool *ended)
{
    active_rows a = {.q = q, .b = b};
    *ended = false;
    bool fine = active_init(&a) && ney_shared_combine(q, q->v, q->w);
    if (fine) {
        score_rows(q);
        fine = iterate(&a, margin, info, ended);
    }
    if (fine && !(*ended && info->stop == NEY_STOP_CONVERGED)) {
        fine = ney_shared_make_feasible(q, a.b, false, info);
    }
    active_deinit(&a);
    return fine;
}
