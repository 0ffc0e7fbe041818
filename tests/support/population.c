#include "support/population.h"

#include "support/cmocka_all.h"

#include <math.h>
#include <stdlib.h>

static double normal(rnd *r)
{
    return sqrt(-2 * log(1 - rnd_unit(r))) * cos(6.283185307179586 * rnd_unit(r));
}

population population_new(rnd *r, int n, double shift)
{
    population p = {.n = n};
    for (int c = 0; c < 2; c++) {
        for (int i = 0; i < n; i++) {
            p.x[c][POPULATION_COLS * i] = (float)(normal(r) + (c == 1 ? shift : 0));
            p.x[c][POPULATION_COLS * i + 1] = (float)normal(r);
        }
    }
    return p;
}

ney_data *population_draw(const population *p, rnd *r, int64_t n_neg, int64_t n_pos, bool weighted)
{
    const int64_t n = n_neg + n_pos;
    float *x = malloc((size_t)n * POPULATION_COLS * sizeof *x);
    float *w = malloc((size_t)n * sizeof *w);
    int8_t *y = malloc((size_t)n);
    ney_data *d = NULL;
    assert_true(x && w && y);
    for (int64_t i = 0; i < n; i++) {
        const int c = i >= n_neg;
        const float *const point = p->x[c] + POPULATION_COLS * rnd_below(r, p->n);
        y[i] = c ? 1 : -1;
        x[POPULATION_COLS * i] = point[0];
        x[POPULATION_COLS * i + 1] = point[1];
        w[i] = (float)exp((double)point[0]);
    }
    const ney_matrix m = {.rows = n, .cols = POPULATION_COLS, .dense = x};
    assert_int_equal(ney_data_new(&d, NULL, &m, y, weighted ? w : NULL, NULL), NEY_OK);
    free(x);
    free(w);
    free(y);
    return d;
}

true_rates population_rates(const population *p, const ney_model *m)
{
    double score[POPULATION_MOST], low, high;
    int64_t fp = 0, fn = 0, rejected = 0;
    ney_env env = ney_env_default();
    env.threads = 1;
    ney_model_thresholds(m, &low, &high);
    for (int c = 0; c < 2; c++) {
        const ney_matrix x = {.rows = p->n, .cols = POPULATION_COLS, .dense = p->x[c]};
        assert_int_equal(ney_model_score(m, &env, &x, score, NULL), NEY_OK);
        for (int i = 0; i < p->n; i++) {
            fp += c == 0 && score[i] >= high;
            fn += c == 1 && score[i] < low;
            rejected += c == 1 && score[i] >= low && score[i] < high;
        }
    }
    return (true_rates){(double)fp / p->n, (double)fn / p->n, (double)rejected / p->n};
}
