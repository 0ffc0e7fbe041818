/* Curves, areas, hulls, costs, risks and q-values against slow code, on random scores full of ties.
 */
#include "support/cmocka_all.h"
#include "support/ref_decide.h"

#include <neyman/experimental.h>

#include <math.h>
#include <string.h>

enum { MOST = 600 };

static double score[MOST];
static int8_t label[MOST];

/* Scores at random; the larger sizes are sorted in another way than the small ones. */
static ref_scores next_scores(rnd *r, int64_t most)
{
    const int64_t n = 2 + rnd_below(r, rnd_chance(r, 0.1) ? most - 1 : most / 10);
    random_scores(r, score, label, n);
    return (ref_scores){score, label, n};
}

static ney_roc *roc_of(const ref_scores *s)
{
    ney_roc *roc = NULL;
    assert_int_equal(ney_roc_new(&roc, NULL, s->score, s->label, s->n, NULL), NEY_OK);
    return roc;
}

static void points_are_counts(void **state)
{
    rnd r = rnd_new(421);
    (void)state;
    for (int64_t round = 0; round < test_times(300); round++) {
        const ref_scores s = next_scores(&r, MOST);
        ney_roc *roc = roc_of(&s);
        assert_int_equal(roc->n_pos + roc->n_neg, s.n);
        assert_true(roc->threshold[0] == (double)INFINITY && roc->tp[0] == 0 && roc->fp[0] == 0);
        assert_int_equal(roc->tp[roc->n_points - 1], roc->n_pos);
        assert_int_equal(roc->fp[roc->n_points - 1], roc->n_neg);
        for (int64_t k = 1; k < roc->n_points; k++) {
            /* falling, where an infinite score makes its own point beside the empty one */
            assert_true(roc->threshold[k] < roc->threshold[k - 1] ||
                        (k == 1 && roc->threshold[k] == (double)INFINITY));
            assert_int_equal(roc->tp[k], ref_at_least(&s, 1, roc->threshold[k]));
            assert_int_equal(roc->fp[k], ref_at_least(&s, -1, roc->threshold[k]));
            assert_true(roc->tp[k] + roc->fp[k] > roc->tp[k - 1] + roc->fp[k - 1]);
            const ney_operating_point p = ney_roc_at(roc, k);
            const ney_counts c = ney_count(s.score, s.label, s.n, p.threshold, p.threshold);
            assert_true(p.fpr == (double)c.fp / (double)roc->n_neg);
            assert_true(p.tpr == (double)c.tp / (double)roc->n_pos);
            assert_true(p.precision == (double)c.tp / (double)(c.tp + c.fp));
        }
        ney_roc_free(roc);
    }
}

static void areas_agree(void **state)
{
    rnd r = rnd_new(422);
    (void)state;
    for (int64_t round = 0; round < test_times(300); round++) {
        const ref_scores s = next_scores(&r, MOST);
        ney_roc *roc = roc_of(&s);
        const ney_auc_result a = ney_roc_auc(roc, 0.9);
        double auc;
        assert_int_equal(ney_auc(NULL, s.score, s.label, s.n, &auc, NULL), NEY_OK);
        assert_true(auc == a.auc); /* whole numbers until the last division */
        assert_true(fabs(auc - ref_auc(&s)) < 1e-14);
        if (roc->n_pos > 1 && roc->n_neg > 1) {
            const double error = ref_delong(&s);
            if (!(fabs(a.error - error) < 1e-9)) { /* the root of a variance that may be 0 */
                fail_msg("error %.17g, expected %.17g", a.error, error);
            }
            assert_true(a.low >= 0 && a.low <= auc && auc <= a.high && a.high <= 1);
        } else {
            assert_true(isnan(a.error) && isnan(a.low) && isnan(a.high));
        }
        ney_roc_free(roc);
    }
}

static void partial_areas_agree(void **state)
{
    rnd r = rnd_new(423);
    (void)state;
    for (int64_t round = 0; round < test_times(300); round++) {
        const ref_scores s = next_scores(&r, 150);
        ney_roc *roc = roc_of(&s);
        const double x = rnd_chance(&r, 0.2)
                             ? (double)rnd_below(&r, roc->n_neg + 1) / (double)roc->n_neg
                             : rnd_unit(&r);
        const double part = ney_roc_partial_auc(roc, x), wanted = ref_partial_auc(&s, x);
        if (!(fabs(part - wanted) < 1e-13)) {
            fail_msg("up to %g: %.17g, expected %.17g", x, part, wanted);
        }
        assert_true(fabs(ney_roc_partial_auc(roc, 1) - ref_auc(&s)) < 1e-13);
        ney_roc_free(roc);
    }
}

/* ---- the hull: a point is on it unless it is on or below a line between two others */

static bool is_covered(const ney_roc *roc, int64_t k)
{
    for (int64_t a = 0; a < k; a++) {
        for (int64_t b = k + 1; b < roc->n_points; b++) {
            const int64_t cross = (roc->fp[b] - roc->fp[a]) * (roc->tp[k] - roc->tp[a]) -
                                  (roc->tp[b] - roc->tp[a]) * (roc->fp[k] - roc->fp[a]);
            if (cross <= 0) {
                return true;
            }
        }
    }
    return false;
}

static void hulls_agree(void **state)
{
    static int64_t point[MOST + 1];
    rnd r = rnd_new(424);
    (void)state;
    for (int64_t round = 0; round < test_times(500); round++) {
        const ref_scores s = next_scores(&r, 120);
        ney_roc *roc = roc_of(&s);
        const int64_t n = ney_roc_hull(roc, point);
        int64_t at = 0;
        for (int64_t k = 0; k < roc->n_points; k++) {
            const bool on = at < n && point[at] == k;
            if (on == is_covered(roc, k)) {
                fail_msg("round %d: point %d of %d", (int)round, (int)k, (int)roc->n_points);
            }
            at += on;
        }
        assert_int_equal(at, n);
        ney_roc_free(roc);
    }
}

static double cost_of(const ney_roc *roc, int64_t k, double share)
{
    const double fpr = (double)roc->fp[k] / (double)roc->n_neg;
    const double fnr = 1 - (double)roc->tp[k] / (double)roc->n_pos;
    return fnr * share + fpr * (1 - share);
}

/* The curve is the least cost of all points, at its corners and between them. */
static void costs_agree(void **state)
{
    static int64_t hull[MOST + 1];
    static ney_cost_point curve[MOST + 2];
    rnd r = rnd_new(425);
    (void)state;
    for (int64_t round = 0; round < test_times(300); round++) {
        const ref_scores s = next_scores(&r, 200);
        ney_roc *roc = roc_of(&s);
        const int64_t n = ney_roc_cost_curve(roc, curve, hull);
        assert_true(n >= 2 && n <= roc->n_points + 1);
        assert_true(curve[0].share == 0 && curve[n - 1].share == 1);
        for (int64_t i = 0; i + 1 < n; i++) {
            assert_true(curve[i].share <= curve[i + 1].share);
            for (int step = 0; step <= 4; step++) {
                const double u = step / 4.0;
                const double share = (1 - u) * curve[i].share + u * curve[i + 1].share;
                const double cost = (1 - u) * curve[i].cost + u * curve[i + 1].cost;
                double least = 1;
                for (int64_t k = 0; k < roc->n_points; k++) {
                    least = fmin(least, cost_of(roc, k, share));
                }
                assert_true(fabs(cost - least) < 1e-14);
                assert_true(fabs(cost_of(roc, curve[i].point, share) - least) < 1e-14);
            }
        }
        ney_roc_free(roc);
    }
}

static void risks_agree(void **state)
{
    static ney_risk_point curve[MOST];
    rnd r = rnd_new(426);
    (void)state;
    for (int64_t round = 0; round < test_times(300); round++) {
        const ref_scores s = next_scores(&r, MOST);
        const double t = rnd_chance(&r, 0.7) ? s.score[rnd_below(&r, s.n)] : rnd_unit(&r) - 2;
        int64_t n;
        assert_int_equal(ney_risk_coverage(NULL, s.score, s.label, s.n, t, curve, &n, NULL),
                         NEY_OK);
        assert_int_equal(curve[n - 1].covered, s.n);
        for (int64_t k = 0; k < n; k++) {
            int64_t covered = 0, errors = 0;
            for (int64_t i = 0; i < s.n; i++) {
                const double d = s.score[i] == t ? 0 : fabs(s.score[i] - t);
                covered += d >= curve[k].distance;
                errors += d >= curve[k].distance && (s.score[i] >= t) != (s.label[i] > 0);
            }
            assert_int_equal(curve[k].covered, covered);
            assert_int_equal(curve[k].errors, errors);
            assert_true(k == 0 || (curve[k].distance < curve[k - 1].distance &&
                                   curve[k].covered > curve[k - 1].covered));
        }
    }
}

static void qvalues_agree(void **state)
{
    static double q[MOST];
    rnd r = rnd_new(427);
    (void)state;
    for (int64_t round = 0; round < test_times(400); round++) {
        const ref_scores s = next_scores(&r, 100);
        const ney_qvalue_opts o = {.kind = (ney_fdr_kind)(round % 2),
                                   .compete = round / 2 % 2,
                                   .no_plus_one = round / 4 % 2};
        assert_int_equal(ney_qvalues(NULL, s.score, s.label, s.n, &o, q, NULL), NEY_OK);
        for (int64_t i = 0; i < s.n; i++) {
            const double wanted =
                ref_qvalue(&s, i, o.kind == NEY_FDR_DECOYS_PER_ALL, o.compete, !o.no_plus_one);
            if (!(fabs(q[i] - wanted) < 1e-15)) {
                fail_msg("round %d, row %d: %.17g, expected %.17g", (int)round, (int)i, q[i],
                         wanted);
            }
        }
    }
}

/* The same for all rows that tie, and never falling as scores fall, also where rows are many. */
static void qvalues_are_monotone(void **state)
{
    static double q[MOST];
    rnd r = rnd_new(428);
    (void)state;
    for (int64_t round = 0; round < test_times(50); round++) {
        const ref_scores s = next_scores(&r, MOST);
        assert_int_equal(ney_qvalues(NULL, s.score, s.label, s.n, NULL, q, NULL), NEY_OK);
        for (int64_t i = 0; i < s.n; i++) {
            assert_true(q[i] >= 0 && q[i] <= 1);
            for (int64_t j = 0; j < s.n; j++) {
                assert_true(s.score[i] < s.score[j] || q[i] <= q[j]);
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(points_are_counts),   cmocka_unit_test(areas_agree),
        cmocka_unit_test(partial_areas_agree), cmocka_unit_test(hulls_agree),
        cmocka_unit_test(costs_agree),         cmocka_unit_test(risks_agree),
        cmocka_unit_test(qvalues_agree),       cmocka_unit_test(qvalues_are_monotone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
