#include "linalg/machine.h"
#include "linalg/tiles_isa.h"

void ney_tiles_forward(const ney_tiles *l, const float *x, float *hidden, float *f)
{
    if (ney_has_avx2()) {
        ney_tiles_forward_avx2(l, x, hidden, f);
    } else {
        ney_tiles_forward_plain(l, x, hidden, f);
    }
}

double ney_tiles_loss(const float *factor, double eta, bool logistic, float *f)
{
    return ney_has_avx2() ? ney_tiles_loss_avx2(factor, eta, logistic, f)
                          : ney_tiles_loss_plain(factor, eta, logistic, f);
}

void ney_tiles_backward(const ney_tiles *l, const float *x, float *hidden, const float *slope,
                        double *gradient)
{
    if (ney_has_avx2()) {
        ney_tiles_backward_avx2(l, x, hidden, slope, gradient);
    } else {
        ney_tiles_backward_plain(l, x, hidden, slope, gradient);
    }
}
