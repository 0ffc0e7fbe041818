/* Tuning, for the programs that refuse its requests. */
#ifndef TESTS_ALLOC_TUNE_USE_H
#define TESTS_ALLOC_TUNE_USE_H

#include "alloc/rate_data.h"

#include <stdio.h>

#ifndef SEARCH_ROWS
#define SEARCH_ROWS 1 /* all */
#endif

static const char table_file[] = TABLE_FILE; /* of each program its own: they run side by side */

static ney_status use_tune(const void *what, const ney_env *env, ney_error *err)
{
    const ney_train_opts *o = what;
    const ney_tune_opts t = {.grid = o->method == NEY_METHOD_CONVEX ? "C=0.1,1,10 cost-fp=2"
                                                                    : "C=0.1,10",
                             .folds = 2,
                             .average = 2,
                             .at = NAN,
                             .table = table_file,
                             .search_rows = SEARCH_ROWS};
    ney_model *m = (ney_model *)(uintptr_t)1;
    remove(table_file);
    const ney_status st = ney_tune(&m, env, training, NULL, what, &t, NULL, err);
    assert_true((st == NEY_OK) == (m != NULL));
    ney_model_free(m);
    return st;
}

#endif
