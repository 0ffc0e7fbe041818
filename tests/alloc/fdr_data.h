/* A small set with targets and decoys, and training on it: shared by the programs that refuse
 * requests and stop runs of training under a false-discovery rate. */
#ifndef TESTS_ALLOC_FDR_DATA_H
#define TESTS_ALLOC_FDR_DATA_H

#include "support/counting.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { ROWS = 24 };

static ney_data *training;

static ney_status use_train(const void *what, const ney_env *env, ney_error *err)
{
    ney_model *m = (ney_model *)(uintptr_t)1;
    ney_train_info info;
    const ney_status st = ney_train(&m, env, training, what, &info, err);
    assert_true((st == NEY_OK) == (m != NULL));
    ney_model_free(m);
    return st;
}

static ney_train_opts fdr_options(void)
{
    ney_train_opts o;
    int64_t n;
    const ney_param *p = ney_train_params(&n);
    ney_params_init(p, n, &o);
    o.max_fdr = "0.2";
    return o;
}

static int set_up(void **state)
{
    static float x[2 * ROWS];
    static int8_t y[ROWS];
    (void)state;
    for (int i = 0; i < ROWS; i++) {
        y[i] = i % 2 == 0 ? 1 : -1;
        x[2 * (size_t)i] = (float)(sin(5.3 * i) + (i % 4 == 0 ? 2 : 0));
        x[2 * (size_t)i + 1] = (float)cos(3.1 * i);
    }
    const ney_matrix m = {.rows = ROWS, .cols = 2, .dense = x};
    return ney_data_new(&training, NULL, &m, y, NULL, NULL) == NEY_OK ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    ney_data_free(training);
    return 0;
}

#endif
