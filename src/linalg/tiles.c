#include "linalg/machine.h"
#include "linalg/tiles_isa.h"

void ney_tiles_forward(const ney_tiles *l, const float *x, float *hidden, float *f)
{
    NEY_ON_MACHINE(ney_tiles_forward, l, x, hidden, f);
}

double ney_tiles_loss(const float *factor, double eta, bool logistic, float *f)
{
    return NEY_ON_MACHINE(ney_tiles_loss, factor, eta, logistic, f);
}

void ney_tiles_backward(const ney_tiles *l, const float *x, float *hidden, const float *slope,
                        double *gradient)
{
    NEY_ON_MACHINE(ney_tiles_backward, l, x, hidden, slope, gradient);
}
