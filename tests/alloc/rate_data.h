/* A small set and options of a bounded rate, shared by the programs that refuse requests of tuning
 * and of the methods beside Neyman-Pearson. */
#ifndef TESTS_ALLOC_RATE_DATA_H
#define TESTS_ALLOC_RATE_DATA_H

#include "support/counting.h"

#include <math.h>
#include <stdint.h>

#include "support/cmocka_all.h"

enum { ROWS = 24 };

static ney_data *training;

static ney_train_opts options(int kernel, int method, double confidence)
{
    ney_train_opts o;
    int64_t n;
    const ney_param *p = ney_train_params(&n);
    ney_params_init(p, n, &o);
    o.kernel = (ney_kernel_kind)kernel;
    o.method = (ney_method)method;
    o.max_fpr = 0.3;
    o.confidence = confidence;
    return o;
}

static int set_up(void **state)
{
    static float x[2 * ROWS];
    static int8_t y[ROWS];
    (void)state;
    for (int i = 0; i < ROWS; i++) {
        y[i] = i % 3 == 0 ? 1 : -1;
        x[2 * (size_t)i] = (float)(sin(5.3 * i) + 0.7 * y[i]);
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
