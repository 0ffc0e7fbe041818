/* The scores of training rows that the solver knows: as near to the model's as it says, and the
 * rates that are reported from them are those of the model. */
#include "model/model.h"
#include "support/cmocka_all.h"
#include "support/random_data.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 400, MOST_COLS = 60 };

typedef struct rows {
    double x[ROWS * MOST_COLS];
    int8_t label[ROWS];
    int64_t cols;
} rows;

/* Classes that overlap; every fifth row is one before it, with a label of its own. Far from 0 where
 * `centre` is large: norms then exceed the distances. */
static void make_rows(rows *r, uint64_t stream, int64_t cols, double centre)
{
    rnd random = rnd_new(stream);
    *r = (rows){.cols = cols};
    for (int64_t i = 0; i < ROWS; i++) {
        r->label[i] = (int8_t)(rnd_chance(&random, 0.4) ? 1 : -1);
        for (int64_t c = 0; c < cols; c++) {
            r->x[i * cols + c] = centre + 2 * rnd_unit(&random) + (c == 0 ? 0.5 * r->label[i] : 0);
        }
        if (i % 5 == 4) {
            memcpy(r->x + i * cols, r->x + rnd_below(&random, i) * cols,
                   (size_t)cols * sizeof *r->x);
        }
    }
}

static ney_data *data_of(const rows *r, ney_array *x)
{
    ney_data *d;
    *x = (ney_array){.rows = ROWS, .cols = r->cols, .value = r->x, .value_type = NEY_FLOAT64};
    assert_int_equal(ney_data_from_array(&d, NULL, x, NULL, NULL), NEY_OK);
    assert_int_equal(ney_data_set_labels(d, r->label, "ham", "spam", NULL), NEY_OK);
    return d;
}

static ney_options *options_of(const char *C, const char *gamma, const char *cost)
{
    const char *const pairs[] = {"kernel", "rbf",   "scale", "none",    "C",
                                 C,        "gamma", gamma,   "cost-fp", cost};
    ney_options *o;
    assert_int_equal(ney_options_new(&o, NULL, NULL), NEY_OK);
    for (size_t k = 0; k < sizeof pairs / sizeof *pairs; k += 2) {
        assert_int_equal(ney_options_set(o, pairs[k], pairs[k + 1], NULL), NEY_OK);
    }
    return o;
}

/* The largest distance of a kept score from the model's, as a share of what is said. */
static double check_fit(const rows *r, const char *C, const char *gamma, const char *cost)
{
    static double score[ROWS];
    ney_array x;
    ney_data *d = data_of(r, &x);
    ney_options *o = options_of(C, gamma, cost);
    ney_model *m;
    ney_result *result;
    double fpr = -1, fnr = -1, apart = 0;
    assert_int_equal(ney_fit(&m, &result, NULL, d, o, NULL), NEY_OK);
    assert_int_equal(ney_predict(m, NULL, &x, score, NULL, NULL), NEY_OK);
    const ney_counts c = ney_count(score, r->label, ROWS, 0, 0);
    assert_true(ney_result_get_real(result, "fpr", &fpr) &&
                ney_result_get_real(result, "fnr", &fnr));
    assert_true(fpr == (double)c.fp / (double)(c.fp + c.tn));
    assert_true(fnr == (double)c.fn / (double)(c.fn + c.tp));
    assert_int_equal(m->trained.n, ROWS);
    for (int64_t i = 0; i < ROWS; i++) {
        apart = fmax(apart, fabs(score[i] - m->trained.score[i]));
    }
    const double share = apart / m->trained.error;
    ney_result_free(result);
    ney_model_free(m);
    ney_options_free(o);
    ney_data_free(d);
    return share;
}

static void test_rates_are_those_of_the_model(void **state)
{
    static const char *const C[] = {"0.1", "10", "1000"};
    static const struct {
        int64_t cols;
        double centre;
        const char *gamma;
    } kinds[] = {{3, 0, "1"}, {60, 0, "0.05"}, {3, 30, "1"}, {2, 0, "0.001"}};
    static rows r;
    (void)state;
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        make_rows(&r, k + 1, kinds[k].cols, kinds[k].centre);
        for (size_t c = 0; c < sizeof C / sizeof *C; c++) {
            const double share = check_fit(&r, C[c], kinds[k].gamma, c % 2 ? "1" : "3");
            print_message("kind %d, C %s: %g of the error\n", (int)k, C[c], share);
            assert_true(share < 1);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rates_are_those_of_the_model),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
