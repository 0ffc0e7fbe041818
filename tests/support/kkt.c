#include "support/kkt.h"

#include <math.h>
#include <string.h>

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

/* One exact step on a pair of dual variables a_i, a_j; how far it went. */
static long double step(const kkt_problem *p, long double gram[MOST_ROWS][MOST_ROWS], long double *a,
                        int64_t i, int64_t j)
{
    const long double yi = p->y[i], yj = p->y[j], bi = p->box[i], bj = p->box[j];
    long double gi = 1, gj = 1; /* dD/da */
    for (int64_t k = 0; k < p->x->rows; k++) {
        gi -= yi * p->y[k] * a[k] * gram[i][k];
        gj -= yj * p->y[k] * a[k] * gram[j][k];
    }
    /* a_i moves by t, a_j by -yi yj t. */
    const long double slope = gi - yi * yj * gj;
    const long double bend = gram[i][i] + gram[j][j] - 2 * gram[i][j];
    long double least = -a[i], most = bi - a[i];
    if (yi * yj > 0) {
        least = fmaxl(least, a[j] - bj);
        most = fminl(most, a[j]);
    } else {
        least = fmaxl(least, -a[j]);
        most = fminl(most, bj - a[j]);
    }
    long double t = bend > 0 ? slope / bend : slope > 0 ? most : slope < 0 ? least : 0;
    t = fminl(fmaxl(t, least), most);
    a[i] = fminl(fmaxl(a[i] + t, 0), bi);
    a[j] = fminl(fmaxl(a[j] - yi * yj * t, 0), bj);
    return fabsl(t);
}

long double kkt_dual_bound(const kkt_problem *p)
{
    const int64_t n = p->x->rows;
    long double a[MOST_ROWS] = {0}, gram[MOST_ROWS][MOST_ROWS], largest_box = 0, value = 0;

    for (int64_t i = 0; i < n; i++) {
        largest_box = fmaxl(largest_box, (long double)p->box[i]);
        for (int64_t k = 0; k < n; k++) {
            gram[i][k] = 0;
            for (int64_t j = 0; j < p->x->cols; j++) {
                gram[i][k] +=
                    (long double)kkt_entry(p->x, i, j) * (long double)kkt_entry(p->x, k, j);
            }
        }
    }
    for (int round = 0; round < 3000; round++) {
        long double moved = 0;
        for (int64_t i = 0; i < n; i++) {
            for (int64_t j = 0; j < i; j++) {
                moved = fmaxl(moved, step(p, gram, a, i, j));
            }
        }
        if (moved <= 1e-14L * largest_box) {
            break;
        }
    }
    for (int64_t i = 0; i < n; i++) {
        value += a[i];
        for (int64_t k = 0; k < n; k++) {
            value -= a[i] * a[k] * p->y[i] * p->y[k] * gram[i][k] / 2;
        }
    }
    return value;
}
