#include "data/asinh_fit.h"

#include <math.h>

/* Knots are this far apart in the range of the map, or at neighbouring values. */
#define KNOT_STEP (1.0 / 128)

/* Where a normal distribution has its upper quartile less the lower one, in deviations. */
#define NORMAL_QUARTILES 1.3489795003921634

static int64_t count_values(const ney_value_run *run, int64_t n_runs)
{
    int64_t n = 0;
    for (int64_t k = 0; k < n_runs; k++) {
        n += run[k].n;
    }
    return n;
}

/* The run that holds value number `place` from 0 in order of size. */
static int64_t run_at(const ney_value_run *run, int64_t n_runs, int64_t place)
{
    int64_t k = 0;
    for (int64_t below = run[0].n; k + 1 < n_runs && below <= place; below += run[k].n) {
        k++;
    }
    return k;
}

/* The median distance from run `m` of the values of the other runs: the nearest first, from both
 * sides. 0 where there are none. */
static double median_distance(const ney_value_run *run, int64_t n_runs, int64_t m)
{
    const double middle = (double)run[m].value;
    int64_t left = m - 1, right = m + 1;
    int64_t wanted = (count_values(run, n_runs) - run[m].n + 1) / 2;
    double distance = 0;
    while (wanted > 0 && (left >= 0 || right < n_runs)) {
        const double below = left >= 0 ? middle - (double)run[left].value : (double)INFINITY;
        const double above = right < n_runs ? (double)run[right].value - middle : (double)INFINITY;
        distance = below < above ? below : above;
        wanted -= below < above ? run[left--].n : run[right++].n;
    }
    return distance;
}

static double scale_of(const ney_value_run *run, int64_t n_runs, int64_t n, int64_t m)
{
    const double low = (double)run[run_at(run, n_runs, (n - 1) / 4)].value;
    const double high = (double)run[run_at(run, n_runs, 3 * (n - 1) / 4)].value;
    const double s = high > low ? (high - low) / NORMAL_QUARTILES : median_distance(run, n_runs, m);
    return s > 0 ? s : 1;
}

ney_asinh_map ney_asinh_map_of(const ney_value_run *run, int64_t n_runs)
{
    const int64_t n = count_values(run, n_runs), m = run_at(run, n_runs, (n - 1) / 2);
    return (ney_asinh_map){(double)run[m].value, scale_of(run, n_runs, n, m)};
}

double ney_asinh_of(const ney_asinh_map *map, double x)
{
    return asinh((x - map->middle) / map->s);
}

bool ney_asinh_knots(ney_ranks *ranks, int64_t c, const ney_value_run *run, int64_t n_runs)
{
    const ney_asinh_map map = ney_asinh_map_of(run, n_runs);
    const double low = ney_asinh_of(&map, (double)run[0].value);
    const double high = ney_asinh_of(&map, (double)run[n_runs - 1].value);
    const double range = high > low ? high - low : 1;
    double last = -1, before = -1;
    int64_t knot = -1;
    for (int64_t k = 0; k < n_runs; k++) {
        const double y = (ney_asinh_of(&map, (double)run[k].value) - low) / range;
        if (k > 0 && k + 1 < n_runs && y - last < KNOT_STEP) {
            before = y;
            continue;
        }
        if (knot < k - 1 && y - before >= KNOT_STEP &&
            !ney_ranks_add(ranks, c, (double)run[k - 1].value, before)) {
            return false;
        }
        if (!ney_ranks_add(ranks, c, (double)run[k].value, y < 1 ? y : 1)) {
            return false;
        }
        knot = k;
        last = before = y;
    }
    return true;
}
