#include "support/kkt.h"

#include <math.h>

enum { MOST_ROWS = 64 };

double kkt_entry(const ney_matrix *x, int64_t row, int64_t column)
{
    if (x->dense) {
        return (double)x->dense[row * x->cols + column];
    }
    for (int64_t k = x->start[row]; k < x->start[row + 1]; k++) {
        if (x->index[k] == column) {
            return (double)x->value[k];
        }
    }
    return 0;
}

static long double score(const ney_matrix *x, int64_t row, const double *w)
{
    long double sum = 0;
    for (int64_t j = 0; j < x->cols; j++) {
        sum += (long double)w[j] * (long double)kkt_entry(x, row, j);
    }
    return sum;
}

static long double primal_at(const kkt_problem *p, const double *w, long double b)
{
    long double value = 0;
    for (int64_t j = 0; j < p->x->cols; j++) {
        value += (long double)w[j] * (long double)w[j] / 2;
    }
    for (int64_t i = 0; i < p->x->rows; i++) {
        const long double loss = 1 - p->y[i] * (score(p->x, i, w) + b);
        value += loss > 0 ? (long double)p->box[i] * loss : 0;
    }
    return value;
}

long double kkt_primal(const kkt_problem *p, const double *w, double b)
{
    return primal_at(p, w, (long double)b);
}

long double kkt_primal_of_best_b(const kkt_problem *p, const double *w)
{
    long double least = primal_at(p, w, 0);
    for (int64_t i = 0; i < p->x->rows; i++) {
        least = fminl(least, primal_at(p, w, p->y[i] - score(p->x, i, w)));
    }
    return least;
}

typedef struct dual {
    long double a[MOST_ROWS], f[MOST_ROWS]; /* the dual variables and w'x of each row */
    long double gram[MOST_ROWS][MOST_ROWS];
} dual;

/* The best t for a_i + t, a_j - y_i y_j t, and by how much the dual grows with it. */
static long double best_step(const kkt_problem *p, const dual *d, int64_t i, int64_t j,
                             long double *gain)
{
    const long double same = p->y[i] * p->y[j], *a = d->a;
    const long double slope = 1 - p->y[i] * d->f[i] - same * (1 - p->y[j] * d->f[j]);
    const long double bend = d->gram[i][i] + d->gram[j][j] - 2 * d->gram[i][j];
    const long double least = fmaxl(-a[i], same > 0 ? a[j] - p->box[j] : -a[j]);
    const long double most = fminl(p->box[i] - a[i], same > 0 ? a[j] : p->box[j] - a[j]);
    long double t = bend > 0 ? slope / bend : slope > 0 ? most : slope < 0 ? least : 0;
    t = fminl(fmaxl(t, least), most);
    *gain = slope * t - bend * t * t / 2;
    return t;
}

/* Take the step that gains most of all pairs; the gain. */
static long double greedy_step(const kkt_problem *p, dual *d)
{
    long double most = 0, gain, step = 0;
    int64_t i = 0, j = 0;
    for (int64_t k = 0; k < p->x->rows; k++) {
        for (int64_t m = 0; m < k; m++) {
            const long double t = best_step(p, d, k, m, &gain);
            if (gain > most) {
                most = gain;
                step = t;
                i = k;
                j = m;
            }
        }
    }
    if (most > 0) {
        const long double ai = d->a[i], aj = d->a[j];
        d->a[i] = fminl(fmaxl(ai + step, 0), p->box[i]);
        d->a[j] = fminl(fmaxl(aj - p->y[i] * p->y[j] * step, 0), p->box[j]);
        for (int64_t k = 0; k < p->x->rows; k++) {
            d->f[k] +=
                (d->a[i] - ai) * p->y[i] * d->gram[i][k] + (d->a[j] - aj) * p->y[j] * d->gram[j][k];
        }
    }
    return most;
}

long double kkt_dual_bound(const kkt_problem *p)
{
    const int64_t n = p->x->rows;
    dual d = {{0}, {0}, {{0}}};
    long double value = 0, sum = 0;

    for (int64_t i = 0; i < n; i++) {
        for (int64_t k = 0; k < n; k++) {
            for (int64_t j = 0; j < p->x->cols; j++) {
                d.gram[i][k] +=
                    (long double)kkt_entry(p->x, i, j) * (long double)kkt_entry(p->x, k, j);
            }
        }
    }
    for (int64_t steps = 0; steps < 1000000; steps++) {
        const long double gain = greedy_step(p, &d);
        sum += gain;
        if (gain <= 1e-15L * sum) {
            break;
        }
    }
    for (int64_t i = 0; i < n; i++) {
        value += d.a[i];
        for (int64_t k = 0; k < n; k++) {
            value -= d.a[i] * d.a[k] * p->y[i] * p->y[k] * d.gram[i][k] / 2;
        }
    }
    return value;
}
