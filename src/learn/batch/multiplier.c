#include "learn/batch/multiplier.h"

#include <math.h>

/* Ends that stay where they are lose weight, so that the other one moves too. */
static void place_end(ney_multiplier *m, double t, double h)
{
    if (h > 0) {
        m->low = t;
        m->at_low = h;
        m->at_high *= m->side < 0 ? 0.5 : 1;
        m->has_low = true;
        m->has_high = m->has_high && m->high > t;
        m->side = -1;
    } else {
        m->high = t;
        m->at_high = h;
        m->at_low *= m->side > 0 ? 0.5 : 1;
        m->has_high = true;
        m->has_low = m->has_low && m->low < t;
        m->side = 1;
    }
}

void ney_multiplier_see(ney_multiplier *m, double lambda, double rate)
{
    const double t = log(lambda), h = log((rate + m->small) / (m->aim + m->small));
    if (m->seen && fabs(t - m->last_t) > 1e-9) {
        m->slope = (h - m->last_h) / (t - m->last_t);
    }
    m->seen = true;
    m->last_t = t;
    m->last_h = h;
    place_end(m, t, h);
}

double ney_multiplier_next(const ney_multiplier *m)
{
    const double least = m->is_monotone ? 0.02 : 0.2, most = 2.5; /* of a step for the other end */
    if (m->has_low && m->has_high) {
        const double width = m->high - m->low;
        if (m->is_monotone && ney_multiplier_steepness(m) > 20) { /* a discontinuity */
            return exp(m->low + width / 2);
        }
        const double t = m->low + width * m->at_low / (m->at_low - m->at_high);
        return exp(fmin(fmax(t, m->low + 0.1 * width), m->high - 0.1 * width));
    }
    /* A little beyond the secant, to get an end on the other side. */
    const double slope = m->is_monotone && m->slope < 0     ? fmin(fmax(m->slope, -4), -0.1)
                         : m->slope < -0.2 && m->slope > -4 ? m->slope
                                                            : -1;
    const double step = fmin(fmax(1.2 * fabs(m->last_h / slope), least), most);
    const double lowest = -230; /* 0 has no logarithm */
    return exp(fmax(m->last_t + (m->last_h > 0 ? step : -step), lowest));
}

double ney_multiplier_steepness(const ney_multiplier *m)
{
    return m->has_low && m->has_high ? (m->at_low - m->at_high) / (m->high - m->low) : 0;
}

bool ney_multiplier_is_tight(const ney_multiplier *m, double ratio)
{
    return m->has_low && m->has_high && m->high - m->low < log(ratio);
}
