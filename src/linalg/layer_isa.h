/* The two builds of layer_body.h. */
#ifndef NEY_LINALG_LAYER_ISA_H
#define NEY_LINALG_LAYER_ISA_H

#include "linalg/layer.h"

#define NEY_LAYER_BUILD(isa)                                                                       \
    void ney_layer_forward_##isa(const ney_layer *l, const float *x, float *hidden, float *f);     \
    double ney_layer_loss_##isa(const float *factor, double eta, bool logistic, float *f);         \
    void ney_layer_backward_##isa(const ney_layer *l, const float *x, float *hidden,               \
                                  const float *slope, double *gradient);

NEY_LAYER_BUILD(plain)
NEY_LAYER_BUILD(avx2)

#endif
