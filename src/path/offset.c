#include "path/offset.h"

#include "linalg/rows.h"

#include <math.h>

/* The entries of the matrix, dense or sparse, as one array: entry e is of this column. */
static int64_t column_of(const ney_matrix *x, int64_t e)
{
    return x->dense ? e % x->cols : x->index[e];
}

static const float *entries_of(const ney_matrix *x)
{
    return x->dense ? x->dense : x->value;
}

typedef struct column {
    int64_t n;
    double sum, squares; /* of the entries */
    double by, spread;   /* the shift; squares of what it leaves */
    bool lossless;
} column;

/* A shift by float numbers of a column that is far from 0 and narrow. */
static void choose_offset(column *c, int64_t rows)
{
    const double mean = c->sum / (double)rows;
    c->by = c->n == rows && isfinite(mean) ? (double)(float)mean : 0;
    c->lossless = true;
}

static void find_shifts(const ney_matrix *x, column *columns, double *of)
{
    const int64_t stored = ney_matrix_stored(x);
    const float *const value = entries_of(x);
    for (int64_t e = 0; e < stored; e++) {
        column *const c = &columns[column_of(x, e)];
        c->n++;
        c->sum += (double)value[e];
        c->squares += (double)value[e] * (double)value[e];
    }
    for (int64_t k = 0; k < x->cols; k++) {
        choose_offset(&columns[k], x->rows);
    }
    for (int64_t e = 0; e < stored; e++) {
        column *const c = &columns[column_of(x, e)];
        const double left = (double)value[e] - c->by;
        c->spread += left * left;
        c->lossless = c->lossless && (double)(float)left + c->by == (double)value[e];
    }
    for (int64_t k = 0; k < x->cols; k++) {
        const column *const c = &columns[k];
        of[k] = c->lossless && c->spread < c->squares / 4 ? c->by : 0;
    }
}

static ney_status shift_rows(ney_offset *s, const ney_matrix *x, ney_error *err)
{
    const int64_t stored = ney_matrix_stored(x);
    s->value = ney_alloc(&s->env, stored, sizeof *s->value);
    s->product = ney_alloc_zeroed(&s->env, x->rows, sizeof *s->product);
    if (!s->value || !s->product) {
        return ney_no_memory(err, stored, "shifted numbers");
    }
    for (int64_t e = 0; e < stored; e++) {
        s->value[e] = (float)((double)entries_of(x)[e] - s->of[column_of(x, e)]);
    }
    if (x->dense) {
        s->x.dense = s->value;
    } else {
        s->x.value = s->value;
    }
    for (int64_t i = 0; i < x->rows; i++) {
        const int64_t first = x->dense ? i * x->cols : x->start[i];
        const int64_t end = x->dense ? first + x->cols : x->start[i + 1];
        for (int64_t e = first; e < end; e++) {
            s->product[i] += (long double)s->value[e] * s->of[column_of(x, e)];
        }
    }
    return NEY_OK;
}

ney_status ney_offset_init(ney_offset *s, const ney_env *env, const ney_matrix *x, bool none,
                           ney_error *err)
{
    *s = (ney_offset){.env = *env, .x = *x};
    column *const columns = ney_alloc_zeroed(env, x->cols, sizeof *columns);
    bool shifted = false;
    s->of = ney_alloc_zeroed(env, x->cols, sizeof *s->of);
    if (!columns || !s->of) {
        ney_release(env, columns);
        return ney_no_memory(err, x->cols, "shifts of columns");
    }
    find_shifts(x, columns, s->of);
    ney_release(env, columns);
    for (int64_t k = 0; k < x->cols && !none; k++) {
        shifted = shifted || s->of[k] != 0;
    }
    return shifted ? shift_rows(s, x, err) : NEY_OK;
}

void ney_offset_deinit(ney_offset *s)
{
    ney_release(&s->env, s->value);
    ney_release(&s->env, s->of);
    ney_release(&s->env, s->product);
    *s = (ney_offset){0};
}

double ney_offset_of_duals(const ney_offset *s, const double *v)
{
    long double sum = 0;
    for (int64_t i = 0; s->value && i < s->x.rows; i++) {
        sum += (long double)v[i] * s->product[i];
    }
    return (double)sum;
}

double ney_offset_of_weights(const ney_offset *s, const double *w)
{
    long double sum = 0;
    for (int64_t c = 0; s->value && c < s->x.cols; c++) {
        sum += (long double)w[c] * s->of[c];
    }
    return (double)sum;
}
