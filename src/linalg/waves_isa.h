/* The two builds of waves_body.h. */
#ifndef NEY_LINALG_WAVES_ISA_H
#define NEY_LINALG_WAVES_ISA_H

#include "linalg/waves.h"

#define NEY_WAVES_BUILD(isa)                                                                       \
    void ney_waves_map_##isa(const ney_waves *w, const ney_entries *row, int64_t n_rows,           \
                             float *out);                                                          \
    double ney_waves_dot_##isa(const float *a, const float *b, int64_t n);                         \
    void ney_waves_add_##isa(float t, const float *x, float *y, int64_t n);

NEY_WAVES_BUILD(plain)
NEY_WAVES_BUILD(avx2)

#endif
