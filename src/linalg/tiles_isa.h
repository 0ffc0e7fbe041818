/* The two builds of tiles_body.h. */
#ifndef NEY_LINALG_TILES_ISA_H
#define NEY_LINALG_TILES_ISA_H

#include "linalg/tiles.h"

#define NEY_TILES_BUILD(isa)                                                                       \
    void ney_tiles_forward_##isa(const ney_tiles *l, const float *x, float *hidden, float *f);     \
    double ney_tiles_loss_##isa(const float *factor, double eta, bool logistic, float *f);         \
    void ney_tiles_backward_##isa(const ney_tiles *l, const float *x, float *hidden,               \
                                  const float *slope, double *gradient);

NEY_TILES_BUILD(plain)
NEY_TILES_BUILD(avx2)

#endif
