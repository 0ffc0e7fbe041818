#include "folds.h"

#include <stdlib.h>

#include "learning.h"
#include "result.h"

int64_t fold_rows(const int *fold_of, int64_t n, int fold, bool inside, int64_t *rows)
{
    int64_t m = 0;

    for (int64_t i = 0; i < n; i++) {
        if ((fold_of[i] == fold) == inside) {
            rows[m++] = i;
        }
    }
    return m;
}

/* All rows, filled and scaled by the rows outside the fold that are learned from. */
static ney_status prepare_all(session *s, const ney_data *raw, const int *fold_of, int fold,
                              const ney_train_opts *o, int scale, int64_t *rows, ney_data **whole)
{
    const int64_t n = ney_data_matrix(raw)->rows;
    ney_status st;

    for (int64_t i = 0; i < n; i++) {
        rows[i] = i;
    }
    if ((st = ney_data_take(whole, raw, rows, n, &s->err)) != NEY_OK) {
        return st;
    }
    int64_t m = fold_rows(fold_of, n, fold, false, rows);
    st = learning_rows_to_fit(s, *whole, o, rows, &m);
    return st == NEY_OK
               ? ney_data_prepare(*whole, learning_scaling(scale, *whole), rows, m, &s->err)
               : st;
}

ney_status fold_take(session *s, const ney_data *raw, const int *fold_of, int fold,
                     const ney_train_opts *o, int scale, ney_data **train, ney_data **test)
{
    const int64_t n = ney_data_matrix(raw)->rows;
    int64_t *rows = malloc((size_t)(n + 1) * sizeof *rows);
    ney_data *whole = NULL;
    ney_status st = rows ? prepare_all(s, raw, fold_of, fold, o, scale, rows, &whole)
                         : out_of_memory(&s->err, "the rows of a fold");

    if (st == NEY_OK) {
        const int64_t m = fold_rows(fold_of, n, fold, false, rows);
        st = ney_data_take(train, whole, rows, m, &s->err);
    }
    if (st == NEY_OK && test) {
        const int64_t m = fold_rows(fold_of, n, fold, true, rows);
        st = ney_data_take(test, whole, rows, m, &s->err);
    }
    ney_data_free(whole);
    free(rows);
    return st;
}
