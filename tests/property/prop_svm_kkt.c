/* Whatever the data: the objective is the primal of the model, its intercept is the best for its
 * weights, the dual is below every primal, and a run that says "converged" is close to the optimum;
 * and they do converge. Judged by tests/support/kkt.c, which solves the dual in its own way. */
#include "base/rng.h"
#include "support/kkt.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

enum { MOST_ROWS = 24, MOST_COLS = 5 };

typedef struct problem {
    int64_t rows, cols;
    float x[MOST_ROWS * MOST_COLS], weight[MOST_ROWS];
    int8_t y[MOST_ROWS];
    double box[MOST_ROWS];
    bool weighted;
} problem;

static int64_t env_int(const char *name, int64_t initial)
{
    const char *text = getenv(name);
    return text ? atoll(text) : initial;
}

/* Small whole numbers make duplicates, contradictions, rows of zeros and constant columns common.
 */
static problem random_problem(ney_rng *r)
{
    problem p = {.rows = 2 + ney_rng_below(r, MOST_ROWS - 1),
                 .cols = ney_rng_below(r, MOST_COLS + 1)};
    const bool coarse = ney_rng_below(r, 2) == 0;
    const double scale = pow(10, (double)(ney_rng_below(r, 3) - 1));
    p.weighted = ney_rng_below(r, 3) == 0;
    for (int64_t i = 0; i < p.rows * p.cols; i++) {
        const double v = coarse ? (double)(ney_rng_below(r, 3) - 1) : 2 * ney_rng_unit(r) - 1;
        p.x[i] = (float)(scale * v);
    }
    for (int64_t i = 0; i < p.rows; i++) {
        p.y[i] = ney_rng_below(r, 2) == 0 ? 1 : -1;
        p.weight[i] = (float)ney_rng_below(r, 4);
    }
    p.y[0] = 1;
    p.y[1] = -1;
    return p;
}

static ney_data *data_of(const problem *p, bool sparse)
{
    int64_t start[MOST_ROWS + 1] = {0}, k = 0;
    int32_t index[MOST_ROWS * MOST_COLS];
    float value[MOST_ROWS * MOST_COLS];
    ney_data *d = NULL;
    ney_matrix x = {.rows = p->rows, .cols = p->cols, .dense = p->x};
    for (int64_t i = 0; sparse && i < p->rows; i++) {
        for (int64_t j = 0; j < p->cols; j++) {
            if (p->x[i * p->cols + j] != 0) {
                index[k] = (int32_t)j;
                value[k++] = p->x[i * p->cols + j];
            }
        }
        start[i + 1] = k;
    }
    if (sparse) {
        x = (ney_matrix){
            .rows = p->rows, .cols = p->cols, .start = start, .index = index, .value = value};
    }
    assert_int_equal(ney_data_new(&d, NULL, &x, p->y, p->weighted ? p->weight : NULL, NULL),
                     NEY_OK);
    return d;
}

static void prop_converged_means_optimal(void **state)
{
    const int64_t base = env_int("NEY_TEST_SEED", 1), runs = 400 * env_int("NEY_TEST_MULT", 1);
    int64_t n;
    const ney_param *params = ney_train_params(&n);
    (void)state;
    for (int64_t t = base; t < base + runs; t++) {
        ney_rng r = {(uint64_t)t};
        problem p = random_problem(&r);
        ney_data *d = data_of(&p, t % 2 == 0);
        ney_train_opts o;
        ney_train_info info;
        ney_model *m = NULL;
        long double boxes = 0; /* a violation of tol is a gap of tol * boxes at most */
        double b;

        ney_params_init(params, n, &o);
        o.C = pow(10, (double)(ney_rng_below(&r, 4) - 2));
        o.cost_fn = 1 + 9 * ney_rng_unit(&r);
        o.cost_fp = 1 + ney_rng_unit(&r);
        o.tol = 1e-8;
        for (int64_t i = 0; i < p.rows; i++) {
            p.box[i] =
                o.C * (p.y[i] > 0 ? o.cost_fn : o.cost_fp) * (p.weighted ? (double)p.weight[i] : 1);
            boxes += p.box[i];
        }
        assert_int_equal(ney_train(&m, NULL, d, &o, &info, NULL), NEY_OK);
        const double *w = ney_model_weights(m, &b);
        const kkt_problem judged = {.x = ney_data_matrix(d), .y = p.y, .box = p.box};
        const long double primal = kkt_primal(&judged, w, b), bound = kkt_dual_bound(&judged);
        const long double best = kkt_primal_of_best_b(&judged, w), unit = 1e-12L + fabsl(primal);
        if (info.stop != NEY_STOP_CONVERGED || fabsl(primal - info.objective) > 1e-10L * unit ||
            primal > best + 1e-10L * unit || info.dual_objective > primal + 1e-10L * unit ||
            bound > primal + 1e-10L * unit || primal - bound > 1e-8L * boxes + 1e-10L * unit ||
            primal - info.dual_objective > 1e-8L * boxes + 1e-10L * unit) {
            fail_msg(
                "seed %lld: stop %d objective %.12g dual %.12g, judged primal %.12Lg best %.12Lg "
                "bound %.12Lg",
                (long long)t, (int)info.stop, info.objective, info.dual_objective, primal, best,
                bound);
        }
        ney_model_free(m);
        ney_data_free(d);
    }
}

/* The representation of the features cannot show in the model, but for the order of sums. */
static void prop_sparse_is_dense(void **state)
{
    int64_t n;
    const ney_param *params = ney_train_params(&n);
    (void)state;
    for (int64_t t = 1; t <= 100; t++) {
        ney_rng r = {(uint64_t)t};
        const problem p = random_problem(&r);
        ney_train_info info[2];
        ney_train_opts o;
        ney_params_init(params, n, &o);
        o.tol = 1e-9;
        for (int k = 0; k < 2; k++) {
            ney_model *m = NULL;
            ney_data *d = data_of(&p, k == 1);
            assert_int_equal(ney_train(&m, NULL, d, &o, &info[k], NULL), NEY_OK);
            ney_model_free(m);
            ney_data_free(d);
        }
        assert_true(fabs(info[0].objective - info[1].objective) <= 1e-6 * info[0].objective);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(prop_converged_means_optimal),
        cmocka_unit_test(prop_sparse_is_dense),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
