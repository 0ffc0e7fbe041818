#include "data/column_map.h"

#include "data/asinh_fit.h"

#include <math.h>

/* In units of 1 / sqrt(n). */
#define MARGIN 0.25

/* A column under one of its maps. */
typedef struct mapped {
    const ney_value_run *run;
    int64_t n_runs;
    ney_column_map map;
    ney_asinh_map asinh;
} mapped;

/* The value of run k; `below`: the number of smaller values. */
static double value_of(const mapped *m, int64_t k, double below)
{
    const double x = (double)m->run[k].value;
    switch (m->map) {
    case NEY_MAP_ASINH:
        return ney_asinh_of(&m->asinh, x);
    case NEY_MAP_RANK:
        return below + (double)m->run[k].n / 2;
    default:
        return x;
    }
}

/* The absolute correlation with the labels; 0 where one of the two is constant. */
static double correlation(const mapped *m)
{
    double n = 0, n_pos = 0, mean = 0;
    for (int64_t k = 0; k < m->n_runs; k++) {
        const double y = value_of(m, k, n), more = (double)m->run[k].n;
        n += more;
        n_pos += (double)m->run[k].n_pos;
        mean += (y - mean) * (more / n);
    }
    double below = 0, squares = 0, product = 0;
    for (int64_t k = 0; k < m->n_runs; k++) {
        const double y = value_of(m, k, below) - mean, more = (double)m->run[k].n;
        below += more;
        squares += more * y * y;
        product += ((double)m->run[k].n_pos - more * (n_pos / n)) * y;
    }
    const double labels = n_pos * (n - n_pos) / n; /* their sum of squares */
    return squares > 0 && labels > 0 ? fabs(product) / sqrt(squares * labels) : 0;
}

/* A map must raise the correlation by more than `margin`. */
static ney_column_map choose(const ney_value_run *run, int64_t n_runs, double margin)
{
    if (n_runs <= 2) {
        return NEY_MAP_STANDARD;
    }
    mapped m = {.run = run, .n_runs = n_runs, .asinh = ney_asinh_map_of(run, n_runs)};
    ney_column_map chosen = NEY_MAP_STANDARD;
    double best = correlation(&m) + margin;
    for (int map = NEY_MAP_ASINH; map <= NEY_MAP_RANK; map++) {
        m.map = (ney_column_map)map;
        const double found = correlation(&m);
        if (found > best) {
            best = found;
            chosen = m.map;
        }
    }
    return chosen;
}

ney_column_map ney_column_map_choose(const ney_value_run *run, int64_t n_runs)
{
    double n = 0;
    for (int64_t k = 0; k < n_runs; k++) {
        n += (double)run[k].n;
    }
    return choose(run, n_runs, MARGIN / sqrt(n));
}

/* ---- advice */

static const double notable = 0.05;
enum { ADVICE_ROWS = 1 << 12, ADVICE_CELLS = 1 << 22, FEWEST_ROWS = 100 };

static ney_status count_column(void *context, int64_t c, const ney_value_run *run, int64_t n_runs,
                               ney_error *err)
{
    int64_t *const n = context;
    (void)c;
    (void)err;
    *n += choose(run, n_runs, notable) != NEY_MAP_STANDARD;
    return NEY_OK;
}

ney_status ney_column_map_count(int64_t *n, const ney_data *d, const int64_t *rows, int64_t n_rows,
                                ney_error *err)
{
    const int64_t most =
        d->x.cols > ADVICE_CELLS / ADVICE_ROWS ? ADVICE_CELLS / d->x.cols : ADVICE_ROWS;
    const int64_t sampled = n_rows < most ? n_rows : most;
    *n = 0;
    if (!d->label || sampled < FEWEST_ROWS) {
        return NEY_OK;
    }
    int64_t *const sample = ney_alloc(&d->env, sampled, sizeof *sample);
    if (!sample) {
        return ney_no_memory(err, sampled, "rows");
    }
    for (int64_t i = 0; i < sampled; i++) {
        const int64_t at = i * (n_rows / sampled);
        sample[i] = rows ? rows[at] : at;
    }
    const ney_status st = ney_column_values(d, sample, sampled, count_column, n, err);
    ney_release(&d->env, sample);
    return st;
}
