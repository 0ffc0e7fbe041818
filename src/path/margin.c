#include "path/margin.h"

#include <string.h>

enum { FIRST_CAP = 32 };

/* Grow to `cap` rows on the margin; contents are kept. False without memory. */
static bool grow_margin(ney_margin *g, int64_t cap)
{
    const ney_env *const env = &g->env;
    const struct {
        void *block; /* the address of a pointer */
        int64_t n;
        size_t size;
    } parts[] = {{&g->row, cap, sizeof *g->row},
                 {&g->slot, cap, sizeof *g->slot},
                 {&g->hole, cap, sizeof *g->hole},
                 {&g->v, cap, sizeof *g->v},
                 {&g->rate, cap, sizeof *g->rate},
                 {&g->ones, cap, sizeof *g->ones},
                 {&g->spare, 4 * cap, sizeof *g->spare},
                 {&g->factor, cap * (cap + 1) / 2, sizeof *g->factor}};
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++) {
        int64_t had = 0;
        if (!ney_grow(env, parts[k].block, &had, parts[k].n, parts[k].size)) {
            return false;
        }
    }
    ney_real *const panel = g->has_panel ? ney_alloc_zeroed(env, g->n * cap, sizeof *panel) : NULL;
    if (g->has_panel && !panel) {
        return false;
    }
    for (int64_t i = 0; panel && i < g->n && g->width > 0; i++) {
        memcpy(panel + i * cap, g->panel + i * g->cap, (size_t)g->width * sizeof *panel);
    }
    ney_release(env, g->panel);
    g->panel = panel;
    g->cap = cap;
    return true;
}

ney_status ney_margin_init(ney_margin *g, const ney_env *env, int64_t n, ney_real rho,
                           bool has_panel, ney_error *err)
{
    *g = (ney_margin){.env = *env, .n = n, .rho = rho, .has_panel = has_panel};
    g->place = ney_alloc(env, n, sizeof *g->place);
    if (!g->place || !grow_margin(g, FIRST_CAP)) {
        ney_margin_deinit(g);
        return ney_no_memory(err, n, "rows of a panel");
    }
    ney_margin_clear(g);
    return NEY_OK;
}

void ney_margin_deinit(ney_margin *g)
{
    ney_release(&g->env, g->row);
    ney_release(&g->env, g->slot);
    ney_release(&g->env, g->place);
    ney_release(&g->env, g->hole);
    ney_release(&g->env, g->panel);
    ney_release(&g->env, g->factor);
    ney_release(&g->env, g->v);
    ney_release(&g->env, g->rate);
    ney_release(&g->env, g->ones);
    ney_release(&g->env, g->spare);
    *g = (ney_margin){0};
}

void ney_margin_clear(ney_margin *g)
{
    for (int64_t i = 0; i < g->n; i++) {
        g->place[i] = -1;
    }
    g->m = g->width = g->n_holes = 0;
}

ney_status ney_margin_append(ney_margin *g, int64_t i, const ney_real *kernel_row, ney_real v,
                             ney_real least, bool *taken, ney_error *err)
{
    if (g->m == g->cap && !grow_margin(g, g->cap + g->cap / 2)) {
        return ney_no_memory(err, g->n * g->cap, "numbers of a panel");
    }
    ney_real *const last = g->factor + ney_packed_row(g->m);
    const ney_real diagonal = kernel_row[i] + g->rho;
    for (int64_t k = 0; k < g->m; k++) {
        last[k] = kernel_row[g->row[k]] + g->rho;
    }
    last[g->m] = diagonal;
    *taken = ney_real_append(g->factor, g->m, least * diagonal) > least * diagonal;
    if (!*taken) {
        return NEY_OK;
    }
    const int64_t slot = g->n_holes > 0 ? g->hole[--g->n_holes] : g->width++;
    for (int64_t k = 0; g->has_panel && k < g->n; k++) {
        g->panel[k * g->cap + slot] = kernel_row[k];
    }
    g->v[slot] = v;
    g->rate[slot] = 0;
    g->row[g->m] = i;
    g->slot[g->m] = slot;
    g->place[i] = g->m++;
    return NEY_OK;
}

void ney_margin_combination(const ney_margin *g, ney_real *x)
{
    memcpy(x, g->factor + ney_packed_row(g->m), (size_t)g->m * sizeof *x);
    ney_real_back(g->factor, g->m, x);
}

void ney_margin_remove(ney_margin *g, int64_t place)
{
    const int64_t slot = g->slot[place];
    ney_real_remove(g->factor, g->m, place, g->spare);
    g->place[g->row[place]] = -1;
    g->v[slot] = g->rate[slot] = 0;
    g->hole[g->n_holes++] = slot;
    g->m--;
    for (int64_t k = place; k < g->m; k++) {
        g->row[k] = g->row[k + 1];
        g->slot[k] = g->slot[k + 1];
        g->place[g->row[k]] = k;
    }
}

void ney_margin_column(const ney_margin *g, int64_t place, ney_real *kernel_row)
{
    const ney_real *column = g->panel + g->slot[place];
    for (int64_t k = 0; k < g->n; k++, column += g->cap) {
        kernel_row[k] = *column;
    }
}

static ney_real sum_of(const ney_real *x, int64_t n)
{
    ney_real sum = 0;
    for (int64_t k = 0; k < n; k++) {
        sum += x[k];
    }
    return sum;
}

/* With A x = r - beta 1, beta such that 1'x = t: s = beta + rho t. */
ney_real ney_margin_solve(ney_margin *g, ney_real *r, ney_real t, bool fresh)
{
    if (fresh) {
        for (int64_t k = 0; k < g->m; k++) {
            g->ones[k] = 1;
        }
        ney_real_solve_two(g->factor, g->m, r, g->ones);
        g->ones_sum = sum_of(g->ones, g->m);
    } else {
        ney_real_solve(g->factor, g->m, r);
    }
    const ney_real beta = (sum_of(r, g->m) - t) / g->ones_sum;
    ney_real_axpy(-beta, g->ones, r, g->m);
    return beta + g->rho * t;
}
