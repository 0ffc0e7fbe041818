#include "linalg/machine.h"
#include "linalg/solver_loops_isa.h"

int64_t ney_loop_highest(const double *up, const double *f, int64_t n, double *highest)
{
    return NEY_ON_MACHINE(ney_loop_highest, up, f, n, highest);
}

int64_t ney_loop_lowest(const double *down, const double *f, int64_t n, double *lowest)
{
    /* down - f is least where f - down is largest */
    double highest = 0;
    const int64_t place = ney_loop_highest(f, down, n, &highest);
    *lowest = -highest;
    return place;
}

int64_t ney_loop_step(const ney_pair_step *s, double *highest, double *lowest)
{
    return NEY_ON_MACHINE(ney_loop_step, s, highest, lowest);
}

int64_t ney_loop_partner(const double *down, const double *f, const double *own, const float *row,
                         double diagonal, double highest, int64_t n)
{
    return NEY_ON_MACHINE(ney_loop_partner, down, f, own, row, diagonal, highest, n);
}

int64_t ney_loop_short_step(const ney_slopes *s, const float *row, const float *other, float step,
                            float *highest, float *lowest)
{
    return NEY_ON_MACHINE(ney_loop_short_step, s, row, other, step, highest, lowest);
}

int64_t ney_loop_short_partner(const ney_slopes *s, const float *row, float diagonal, float highest)
{
    return NEY_ON_MACHINE(ney_loop_short_partner, s, row, diagonal, highest);
}

void ney_loop_clipped(const ney_clipped *c, const double *f, const double *change, double step,
                      double b, int64_t begin, int64_t end, ney_clipped_sums *sums)
{
    NEY_ON_MACHINE(ney_loop_clipped, c, f, change, step, b, begin, end, sums);
}

void ney_loop_ramps(const ney_ramps *r, const double *f, const double *change, double step,
                    double b, int64_t begin, int64_t end, ney_ramp_sums *sums)
{
    NEY_ON_MACHINE(ney_loop_ramps, r, f, change, step, b, begin, end, sums);
}

int64_t ney_loop_near(const ney_near *q, int64_t n, int64_t *out)
{
    return NEY_ON_MACHINE(ney_loop_near, q, n, out);
}
