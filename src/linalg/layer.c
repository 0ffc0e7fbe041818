#include "linalg/layer_isa.h"
#include "linalg/machine.h"

void ney_layer_forward(const ney_layer *l, const float *x, float *hidden, float *f)
{
    if (ney_has_avx2()) {
        ney_layer_forward_avx2(l, x, hidden, f);
    } else {
        ney_layer_forward_plain(l, x, hidden, f);
    }
}

double ney_layer_loss(const float *factor, double eta, bool logistic, float *f)
{
    return ney_has_avx2() ? ney_layer_loss_avx2(factor, eta, logistic, f)
                          : ney_layer_loss_plain(factor, eta, logistic, f);
}

void ney_layer_backward(const ney_layer *l, const float *x, float *hidden, const float *slope,
                        double *gradient)
{
    if (ney_has_avx2()) {
        ney_layer_backward_avx2(l, x, hidden, slope, gradient);
    } else {
        ney_layer_backward_plain(l, x, hidden, slope, gradient);
    }
}
