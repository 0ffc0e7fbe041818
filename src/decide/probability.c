/* Isotonic regression and Venn-Abers [PROB.1, PROB.2].
 *
 * The isotonic fit of 0-1 labels is the slope of the greatest convex minorant of the cumulative sum
 * diagram. A new row at a score moves the points after it by (1, its label); its own fit is the
 * slope of the common lower tangent of the points before and the points after it. Both convex
 * minorants are chains of stored vertices, so that a query walks along two chains whose lengths are
 * the numbers of levels of isotonic fits. All comparisons are exact: counts are whole numbers. */
#include "decide/probability.h"

#include "decide/order.h"

#include <neyman/experimental.h>

#include <math.h>

/* ---------------------------------------------------------------- making it */

void ney_calibrator_free(ney_calibrator *c)
{
    if (c) {
        const ney_env env = c->env;
        ney_release_all(&env, c->knot, c->rows, c->positives, c->left, c->right, c->isotonic, c);
    }
}

/* Whether the slope from point a to b is at most that from a to d, all in the diagram, a < b, d. */
static bool is_below(const ney_calibrator *c, int64_t a, int64_t b, int64_t d)
{
    return (c->positives[b] - c->positives[a]) * (c->rows[d] - c->rows[a]) <=
           (c->positives[d] - c->positives[a]) * (c->rows[b] - c->rows[a]);
}

/* Andrew's scan from either side; -1: no further vertex. */
static void find_vertices(ney_calibrator *c)
{
    for (int64_t i = 0; i <= c->n_knots; i++) {
        int64_t at = i - 1;
        while (at > 0 && is_below(c, c->left[at], i, at)) {
            at = c->left[at];
        }
        c->left[i] = at;
    }
    for (int64_t i = c->n_knots; i >= 0; i--) {
        int64_t at = i < c->n_knots ? i + 1 : -1;
        while (at >= 0 && c->right[at] >= 0 && is_below(c, i, c->right[at], at)) {
            at = c->right[at];
        }
        c->right[i] = at;
    }
}

static void fit_isotonic(ney_calibrator *c)
{
    for (int64_t a = 0; a < c->n_knots; a = c->right[a]) {
        const int64_t b = c->right[a];
        const double level =
            (double)(c->positives[b] - c->positives[a]) / (double)(c->rows[b] - c->rows[a]);
        for (int64_t k = a; k < b; k++) {
            c->isotonic[k] = level;
        }
    }
}

static ney_status fit(ney_calibrator *c, ney_error *err)
{
    const int64_t n = c->n_knots;
    c->rows = ney_alloc(&c->env, n + 1, sizeof *c->rows);
    c->positives = ney_alloc(&c->env, n + 1, sizeof *c->positives);
    c->left = ney_alloc(&c->env, n + 1, sizeof *c->left);
    c->right = ney_alloc(&c->env, n + 1, sizeof *c->right);
    c->isotonic = ney_alloc(&c->env, n, sizeof *c->isotonic);
    if (!c->rows || !c->positives || !c->left || !c->right || !c->isotonic) {
        return ney_no_memory(err, n, "calibration scores");
    }
    c->rows[0] = c->positives[0] = 0;
    for (int64_t k = 0; k < n; k++) {
        c->rows[k + 1] = c->rows[k] + c->knot[k].neg + c->knot[k].pos;
        c->positives[k + 1] = c->positives[k] + c->knot[k].pos;
    }
    find_vertices(c);
    fit_isotonic(c);
    c->platt = ney_platt_fit(c->knot, n);
    return NEY_OK;
}

ney_status ney_calibrator_of_knots(ney_calibrator **out, const ney_env *env, ney_knot *knot,
                                   int64_t n_knots, ney_error *err)
{
    ney_calibrator *c = ney_alloc_zeroed(env, 1, sizeof *c);
    *out = NULL;
    if (!c) {
        ney_release(env, knot);
        return ney_no_memory(err, 1, "calibrator");
    }
    c->env = *env;
    c->knot = knot;
    c->n_knots = n_knots;
    const ney_status st = fit(c, err);
    if (st != NEY_OK) {
        ney_calibrator_free(c);
        return st;
    }
    *out = c;
    return NEY_OK;
}

static ney_status check_scores(const double *score, int64_t n, ney_error *err)
{
    if (n < 1 || n > NEY_MOST_CALIBRATION_ROWS) {
        return ney_fail(err, NEY_EINVAL, "%lld calibration rows, expected from 1 to %lld",
                        (long long)n, (long long)NEY_MOST_CALIBRATION_ROWS);
    }
    for (int64_t i = 0; i < n; i++) {
        if (!isfinite(score[i])) {
            return ney_fail(err, NEY_EINVAL, "score %lld is %g, expected a finite number",
                            (long long)i + 1, score[i]);
        }
    }
    return NEY_OK;
}

ney_status ney_calibrator_new(ney_calibrator **out, const ney_env *env, const double *score,
                              const int8_t *label, int64_t n, ney_error *err)
{
    NEY_CLEAR(out);
    NEY_REQUIRE(out && score && label, err);
    const ney_env e = ney_env_of(env);
    ney_ranked *item = NULL;
    ney_knot *knot = NULL;
    int64_t m = 0;
    ney_status st = check_scores(score, n, err);

    if (st == NEY_OK && (st = ney_order_new(&item, &e, score, n, err)) == NEY_OK &&
        !(knot = ney_alloc(&e, n, sizeof *knot))) {
        st = ney_no_memory(err, n, "calibration scores");
    }
    for (int64_t i = 0; st == NEY_OK && i < n; i++) {
        if (m == 0 || item[i].score > knot[m - 1].score) {
            knot[m++] = (ney_knot){.score = item[i].score};
        }
        knot[m - 1].pos += label[item[i].row] > 0;
        knot[m - 1].neg += label[item[i].row] <= 0;
    }
    ney_release(&e, item);
    return st == NEY_OK ? ney_calibrator_of_knots(out, &e, knot, m, err) : st;
}

/* ---------------------------------------------------------------- asking it */

/* The first knot whose score is not below; n_knots: there is none. */
static int64_t find_knot(const ney_calibrator *c, double score)
{
    int64_t low = 0, high = c->n_knots;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (c->knot[middle].score < score) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* A line from point `a` before the new row to point `b` after it. */
typedef struct tangent {
    int64_t a, b;
    int64_t rise, run;
} tangent;

static tangent draw_line(const ney_calibrator *c, int64_t a, int64_t b, int label)
{
    return (tangent){a, b, c->positives[b] - c->positives[a] + label, c->rows[b] - c->rows[a] + 1};
}

static bool is_steeper(const tangent *x, const tangent *y)
{
    return x->rise * y->run > y->rise * x->run;
}

/* The isotonic fit of a new row between point `a` and point `b` of the diagram. */
static double fit_new_row(const ney_calibrator *c, int64_t a, int64_t b, int label)
{
    tangent line = draw_line(c, a, b, label);
    for (bool moved = true; moved;) {
        moved = false;
        while (c->right[line.b] >= 0) {
            const tangent next = draw_line(c, line.a, c->right[line.b], label);
            if (is_steeper(&next, &line)) {
                break;
            }
            line = next;
        }
        while (c->left[line.a] >= 0) {
            const tangent next = draw_line(c, c->left[line.a], line.b, label);
            if (is_steeper(&line, &next)) {
                break;
            }
            line = next;
            moved = true;
        }
    }
    return (double)line.rise / (double)line.run;
}

void ney_calibrator_interval(const ney_calibrator *c, double score, double *low, double *high)
{
    const int64_t k = find_knot(c, score);
    const bool is_tied = k < c->n_knots && c->knot[k].score == score;
    *low = fit_new_row(c, k, k + is_tied, 0);
    *high = fit_new_row(c, k, k + is_tied, 1);
}

static double isotonic_at(const ney_calibrator *c, double score)
{
    const int64_t k = find_knot(c, score);
    if (k == c->n_knots) {
        return c->isotonic[k - 1];
    }
    if (k == 0 || c->knot[k].score == score) {
        return c->isotonic[k];
    }
    /* halves: the difference of two scores may overflow */
    const double below = c->knot[k - 1].score / 2, above = c->knot[k].score / 2;
    const double share = above > below ? (score / 2 - below) / (above - below) : 0;
    return c->isotonic[k - 1] + share * (c->isotonic[k] - c->isotonic[k - 1]);
}

double ney_calibrator_probability(const ney_calibrator *c, ney_probability_method method,
                                  double score)
{
    double low, high;
    switch (method) {
    case NEY_PROBABILITY_ISOTONIC:
        return isotonic_at(c, score);
    case NEY_PROBABILITY_PLATT:
        return ney_platt_probability(&c->platt, score);
    default:
        ney_calibrator_interval(c, score, &low, &high);
        return high / (1 - low + high);
    }
}

/* ---------------------------------------------------------------- how good it is */

ney_probability_score ney_score_probabilities(const double *p, const int8_t *label, int64_t n,
                                              int n_bins, ney_reliability_bin *bin)
{
    double squares = 0, logs = 0;
    for (int k = 0; k < n_bins; k++) {
        bin[k] = (ney_reliability_bin){0};
    }
    for (int64_t i = 0; i < n; i++) {
        const bool positive = label[i] > 0;
        const double miss = positive ? 1 - p[i] : p[i];
        squares += miss * miss;
        logs -= positive ? log(p[i]) : log1p(-p[i]);
        if (n_bins > 0) {
            const double at = floor(p[i] * n_bins);
            const int k = at >= n_bins ? n_bins - 1 : at > 0 ? (int)at : 0;
            bin[k].n++;
            bin[k].n_pos += positive;
            bin[k].sum += p[i];
        }
    }
    const double rows = n > 0 ? (double)n : (double)NAN;
    return (ney_probability_score){.brier = squares / rows, .log_loss = logs / rows};
}
