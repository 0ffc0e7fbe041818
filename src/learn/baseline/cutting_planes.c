/* Moving weight from the active plane of the smallest gradient to that of the largest always gains,
 * but converges slowly: successive planes are nearly parallel. So after every such move the best
 * point is found of all that have weight on the same planes, by one factorisation; the step ends
 * where it leaves q >= 0, and a plane whose weight has become 0 leaves the set. Few planes have
 * weight, no more than there are columns. */
#include "learn/baseline/cutting_planes.h"

#include "linalg/cholesky.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

enum { MOST_MOVES = 10000 };

static const double DEPENDENT = 1e-11; /* a pivot below this part of its diagonal is rounding */

int64_t ney_planes_workspace(void)
{
    return ney_packed_row(NEY_MOST_PLANES) + (int64_t)3 * NEY_MOST_PLANES;
}

static void set_gradient(ney_planes *p)
{
    memcpy(p->gradient, p->loss, (size_t)p->n * sizeof *p->gradient);
    for (int64_t j = 0; j < p->n; j++) {
        const double *const g = &p->gram[j * NEY_MOST_PLANES], weight = p->weight[j];
        for (int64_t i = 0; i < p->n && weight > 0; i++) {
            p->gradient[i] -= weight * g[i];
        }
    }
}

/* Move weight between two planes; false when no two gradients differ by more than `tol`. */
static bool move_weight(ney_planes *p, double tol)
{
    const double *const g = p->gradient;
    int64_t up = 0, down = -1;
    for (int64_t i = 0; i < p->n; i++) {
        up = g[i] > g[up] ? i : up;
        down = p->weight[i] > 0 && (down < 0 || g[i] < g[down]) ? i : down;
    }
    if (down < 0 || g[up] - g[down] <= tol) {
        return false;
    }
    const double *const a = &p->gram[up * NEY_MOST_PLANES];
    const double curve = a[up] + p->gram[down * NEY_MOST_PLANES + down] - 2 * a[down];
    const double free = curve > 0 ? (g[up] - g[down]) / curve : (double)INFINITY;
    const double step = fmin(free, p->weight[down]);
    p->weight[up] += step;
    p->weight[down] = free < p->weight[down] ? p->weight[down] - step : 0;
    return true;
}

/* Planes with weight whose rows of G are no combination of each other. */
typedef struct support {
    double *factor; /* of G over them, packed */
    double *x, *y;
    double *plane; /* their numbers */
    int64_t n;
} support;

static support find_support(const ney_planes *p)
{
    support s = {.factor = p->workspace, .x = p->workspace + ney_packed_row(NEY_MOST_PLANES)};
    s.y = s.x + NEY_MOST_PLANES;
    s.plane = s.y + NEY_MOST_PLANES;
    for (int64_t i = 1; i < p->n; i++) {
        if (!(p->weight[i] > 0)) {
            continue;
        }
        double *const row = s.factor + ney_packed_row(s.n);
        const double *const g = &p->gram[i * NEY_MOST_PLANES];
        for (int64_t k = 0; k < s.n; k++) {
            row[k] = g[(int64_t)s.plane[k]];
        }
        row[s.n] = g[i];
        const double least = DEPENDENT * g[i];
        if (g[i] > 0 && ney_packed_append(s.factor, s.n, least) > least) {
            s.plane[s.n++] = (double)i;
        }
    }
    return s;
}

/* Go towards the best point over the support, all other weights but the slack's staying as they
 * are; true when it was reached. */
static bool go_to_best(ney_planes *p)
{
    const support s = find_support(p);
    const bool slack = p->weight[0] > 0;
    double sum_x = 0, sum_y = 0, whole = 1;
    for (int64_t k = 0; k < s.n; k++) { /* changes of the weights, not weights */
        s.x[k] = p->gradient[(int64_t)s.plane[k]];
        s.y[k] = 1;
    }
    ney_packed_solve_two(s.factor, s.n, s.x, s.y);
    for (int64_t k = 0; k < s.n; k++) {
        sum_x += s.x[k];
        sum_y += s.y[k];
    }
    const double level = slack || s.n == 0 ? 0 : sum_x / sum_y;
    for (int64_t k = 0; k < s.n; k++) {
        const double w = p->weight[(int64_t)s.plane[k]];
        s.x[k] -= level * s.y[k];
        whole = s.x[k] < 0 ? fmin(whole, -w / s.x[k]) : whole;
    }
    if (slack && sum_x > 0) {
        whole = fmin(whole, p->weight[0] / sum_x);
    }
    for (int64_t k = 0; k < s.n; k++) {
        double *const w = &p->weight[(int64_t)s.plane[k]];
        const bool ends = s.x[k] < 0 && -*w / s.x[k] <= whole;
        *w = ends ? 0 : *w + whole * s.x[k];
    }
    if (slack) {
        const bool ends = sum_x > 0 && p->weight[0] / sum_x <= whole;
        p->weight[0] = ends ? 0 : p->weight[0] - whole * sum_x;
    }
    return whole == 1;
}

static double sum_of_weights(const ney_planes *p)
{
    double sum = 0;
    for (int64_t i = 0; i < p->n; i++) {
        sum += p->weight[i];
    }
    return sum;
}

/* Changes over planes that are nearly dependent are large, and add up to 0 roughly: what is missing
 * goes to the plane of the largest weight. */
static void restore_sum(ney_planes *p, double budget)
{
    const double missing = budget - sum_of_weights(p);
    int64_t most = 0;
    for (int64_t i = 1; i < p->n; i++) {
        most = p->weight[i] > p->weight[most] ? i : most;
    }
    p->weight[most] = fmax(0, p->weight[most] + missing);
}

void ney_planes_solve(ney_planes *p, double tol, int64_t most_moves)
{
    const double budget = sum_of_weights(p);
    set_gradient(p);
    for (int k = 0; k < MOST_MOVES && p->moves < most_moves && move_weight(p, tol); k++) {
        bool reached = false;
        p->moves++;
        for (int64_t left = p->n; left > 0 && !reached; left--) { /* each end takes one plane out */
            set_gradient(p);
            reached = go_to_best(p);
            restore_sum(p, budget);
        }
        set_gradient(p);
    }
}
