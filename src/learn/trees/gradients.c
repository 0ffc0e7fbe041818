#include "base/rng.h"
#include "learn/trees/boosting.h"

#include <math.h>

static double sigmoid(double z)
{
    return z >= 0 ? 1 / (1 + exp(-z)) : exp(z) / (1 + exp(z));
}

/* log(1 + exp(-z)) */
static double logistic(double z)
{
    return z >= 0 ? log1p(exp(-z)) : log1p(exp(z)) - z;
}

/* First and second derivative of the logistic loss. */
static void smooth_gradient(double f, int y, double *g, double *h)
{
    const double p = sigmoid(f);
    *g = p - (y > 0);
    *h = p * (1 - p);
}

/* The slope of the sigmoid loss, and a curvature that makes a step as long as eta: its own is
 * negative in places. */
static void sharp_gradient(double f, int y, double eta, double *g, double *h)
{
    const double p = sigmoid(f / eta), slope = p * (1 - p) / eta;
    *g = y > 0 ? -slope : slope;
    *h = slope / eta;
}

/* Weights have mean 1. Under the Lagrangian those of the bounded class add up to lambda times those
 * of the other. Weights of 0 stay 0. */
static void class_factors(const ney_boost_state *s, double factor[2])
{
    const double n = (double)s->n_learn;
    const int bounded = s->t->request.bounded_class > 0;
    for (int y = 0; y < 2; y++) {
        const double share = (y == bounded ? s->lambda : 1) / (1 + s->lambda);
        const double total = s->is_sharp ? s->sum[y] : s->sum[0] + s->sum[1];
        factor[y] = total > 0 ? n * (s->is_sharp ? share : 1) / total : 0;
    }
}

void ney_boost_gradients(const ney_boost_state *s, const float *f, float *gradient,
                         float *curvature)
{
    const ney_train_opts *const o = &s->t->o;
    ney_rng rng = {s->seed};
    double factor[2];
    class_factors(s, factor);
    for (int64_t i = 0; i < s->n_learn; i++) {
        const int64_t row = s->row[i];
        const double at = (f ? (double)f[i] : 0) + s->intercept - s->threshold;
        double g = 0, h = 0;
        if (o->subsample >= 1 || ney_rng_unit(&rng) < o->subsample) {
            if (s->is_sharp) {
                sharp_gradient(at, s->t->label[row], o->eta, &g, &h);
            } else {
                smooth_gradient(at, s->t->label[row], &g, &h);
            }
        }
        const double weight = factor[s->t->label[row] > 0] * ney_boost_weight(s, row);
        gradient[i] = (float)(weight * g);
        curvature[i] = (float)(weight * h);
    }
}

double ney_boost_held_out_loss(const ney_boost_state *s, const float *f)
{
    double sum = 0, weights = 0;
    for (int64_t i = 0; i < s->n_held; i++) {
        const int64_t row = s->row[s->n_learn + i];
        const double weight = ney_boost_weight(s, row);
        sum += weight * logistic(s->t->label[row] * ((f ? (double)f[i] : 0) + s->intercept));
        weights += weight;
    }
    return weights > 0 ? sum / weights : 0;
}

/* Newton's method on two numbers. A slope of 1 is the prior, with the weight of one row. */
void ney_committee_calibrate(const ney_committee *c, const ney_boost *b, double *slope,
                             double *shift)
{
    const ney_boost_state s = {.t = b->t, .loss = &c->loss};
    double a = 1, d = 0, step = 1;
    for (int k = 0; k < 50 && step > 1e-10; k++) {
        double ga = a - 1, gd = 0, haa = 1, had = 0, hdd = 1e-9;
        for (int64_t i = 0; i < s.t->x->rows; i++) {
            const double f = c->score[i], weight = ney_boost_weight(&s, i);
            double g, h;
            smooth_gradient(a * f + d, s.t->label[i], &g, &h);
            ga += weight * g * f;
            gd += weight * g;
            haa += weight * h * f * f;
            had += weight * h * f;
            hdd += weight * h;
        }
        const double det = haa * hdd - had * had;
        const double da = fmin(fmax((hdd * ga - had * gd) / det, -0.5), 0.5);
        const double dd = fmin(fmax((haa * gd - had * ga) / det, -1), 1);
        a -= da;
        d -= dd;
        step = fabs(da) + fabs(dd);
    }
    const bool is_sound = a > 0.05 && a < 20 && isfinite(d);
    *slope = is_sound ? a : 1;
    *shift = is_sound ? d : 0;
}
