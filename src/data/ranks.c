#include "data/ranks.h"

#include <float.h>
#include <math.h>
#include <string.h>

ney_ranks *ney_ranks_new(const ney_env *env, int64_t cols)
{
    ney_ranks *const r = ney_alloc_zeroed(env, 1, sizeof *r);
    if (!r) {
        return NULL;
    }
    r->env = *env;
    r->cols = cols;
    r->first = ney_alloc_zeroed(env, 2 * cols, sizeof *r->first);
    if (!r->first) {
        ney_release(env, r);
        return NULL;
    }
    r->n = r->first + cols;
    return r;
}

ney_ranks *ney_ranks_copy(const ney_ranks *from, const ney_env *env)
{
    ney_ranks *const r = ney_ranks_new(env, from->cols);
    const size_t n_bytes = (size_t)from->n_knots * sizeof *r->value;
    if (!r || from->n_knots == 0) {
        return r;
    }
    if (!ney_grow(env, &r->value, &r->value_cap, from->n_knots, sizeof *r->value) ||
        !ney_grow(env, &r->rank, &r->rank_cap, from->n_knots, sizeof *r->rank)) {
        ney_ranks_free(r);
        return NULL;
    }
    memcpy(r->first, from->first, 2 * (size_t)from->cols * sizeof *r->first);
    memcpy(r->value, from->value, n_bytes);
    memcpy(r->rank, from->rank, n_bytes);
    r->n_knots = from->n_knots;
    return r;
}

bool ney_ranks_extend(ney_ranks *r, int64_t cols)
{
    int64_t *const first = ney_alloc_zeroed(&r->env, 2 * cols, sizeof *first);
    if (!first) {
        return false;
    }
    memcpy(first, r->first, (size_t)r->cols * sizeof *first);
    memcpy(first + cols, r->n, (size_t)r->cols * sizeof *first);
    ney_release(&r->env, r->first);
    r->first = first;
    r->n = first + cols;
    r->cols = cols;
    return true;
}

void ney_ranks_free(ney_ranks *r)
{
    if (r) {
        const ney_env env = r->env;
        ney_release_all(&env, r->first, r->value, r->rank, r);
    }
}

bool ney_ranks_add(ney_ranks *r, int64_t c, double value, double rank)
{
    if (!ney_grow(&r->env, &r->value, &r->value_cap, r->n_knots + 1, sizeof *r->value) ||
        !ney_grow(&r->env, &r->rank, &r->rank_cap, r->n_knots + 1, sizeof *r->rank)) {
        return false;
    }
    r->first[c] = r->n[c]++ == 0 ? r->n_knots : r->first[c];
    r->value[r->n_knots] = value;
    r->rank[r->n_knots++] = rank;
    return true;
}

/* Linear between n points, `from` ascending, and constant beyond the first and the last. */
static double interpolate(const double *from, const double *to, int64_t n, double x)
{
    int64_t low = 0, high = n - 1;
    if (isnan(x)) {
        return x;
    }
    if (x <= from[0] || high == 0) {
        return to[0];
    }
    if (x >= from[high]) {
        return to[high];
    }
    while (high - low > 1) { /* from[low] <= x < from[high] */
        const int64_t middle = low + (high - low) / 2;
        if (from[middle] <= x) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return to[low] + (to[high] - to[low]) * ((x - from[low]) / (from[high] - from[low]));
}

double ney_ranks_of(const ney_ranks *r, int64_t c, double x)
{
    return interpolate(r->value + r->first[c], r->rank + r->first[c], r->n[c], x);
}

double ney_ranks_value(const ney_ranks *r, int64_t c, double rank)
{
    return interpolate(r->rank + r->first[c], r->value + r->first[c], r->n[c], rank);
}

/* ---- as text */

void ney_ranks_format(const ney_ranks *r, ney_text *t)
{
    for (int64_t c = 0; r && c < r->cols; c++) {
        if (!ney_ranks_has(r, c)) {
            continue;
        }
        ney_text_put(t, "rank ");
        ney_text_int(t, c + 1);
        for (int64_t k = r->first[c]; k < r->first[c] + r->n[c]; k++) {
            ney_text_field_number(t, r->value[k]);
            ney_text_field_number(t, r->rank[k]);
        }
        ney_text_put(t, "\n");
    }
}

static void parse_knots(ney_fields *f, ney_ranks *r, int64_t c)
{
    double last_value = -INFINITY, last_rank = 0;
    do {
        const double value = ney_fields_number(f), rank = ney_fields_number(f);
        if (f->status != NEY_OK) {
            return;
        }
        if (!(fabs(value) <= (double)FLT_MAX) || !(value > last_value) ||
            !(rank >= last_rank && rank <= 1)) { /* values are those of cells */
            ney_fields_fail(f, "expected ascending values within single precision with ascending "
                               "ranks from 0 to 1");
            return;
        }
        if (!ney_ranks_add(r, c, value, rank)) {
            f->status = ney_no_memory(f->err, r->n_knots + 1, "ranks");
            return;
        }
        last_value = value;
        last_rank = rank;
    } while (!ney_fields_at_end(f));
}

ney_ranks *ney_ranks_parse(ney_fields *f, int64_t cols)
{
    int64_t c = 0;
    if (f->status != NEY_OK || !ney_fields_is(f, "rank")) {
        return NULL;
    }
    ney_ranks *const r = ney_ranks_new(f->env, cols);
    if (!r) {
        f->status = ney_no_memory(f->err, cols, "ranks");
        return NULL;
    }
    while (f->status == NEY_OK && ney_fields_is(f, "rank")) {
        ney_fields_key(f, "rank");
        c = ney_fields_int(f, c + 1, cols);
        if (f->status == NEY_OK) {
            parse_knots(f, r, c - 1);
        }
        ney_fields_end(f);
    }
    if (f->status != NEY_OK) {
        ney_ranks_free(r);
        return NULL;
    }
    return r;
}
