/* The two builds of solver_loops_body.h. */
#ifndef NEY_LINALG_SOLVER_LOOPS_ISA_H
#define NEY_LINALG_SOLVER_LOOPS_ISA_H

#include "linalg/solver_loops.h"

#define NEY_LOOP_BUILD(isa)                                                                        \
    int64_t ney_loop_highest_##isa(const double *up, const double *f, int64_t n, double *highest); \
    int64_t ney_loop_step_##isa(const ney_pair_step *s, double *highest, double *lowest);          \
    int64_t ney_loop_partner_##isa(const double *down, const double *f, const double *own,         \
                                   const float *row, double diagonal, double highest, int64_t n);  \
    int64_t ney_loop_short_step_##isa(const ney_slopes *s, const float *row, const float *other,   \
                                      float step, float *highest, float *lowest);                  \
    int64_t ney_loop_short_partner_##isa(const ney_slopes *s, const float *row, float diagonal,    \
                                         float highest);                                           \
    void ney_loop_clipped_##isa(const ney_clipped *c, const double *f, const double *change,       \
                                double step, double b, int64_t begin, int64_t end,                 \
                                ney_clipped_sums *sums);                                           \
    void ney_loop_ramps_##isa(const ney_ramps *r, const double *f, const double *change,           \
                              double step, double b, int64_t begin, int64_t end,                   \
                              ney_ramp_sums *sums);                                                \
    int64_t ney_loop_near_##isa(const ney_near *q, int64_t n, int64_t *out);

NEY_LOOP_BUILD(plain)
NEY_LOOP_BUILD(avx2)

#endif
