/* Score rows in a process: the model is read once, each row is one call.
 *
 *     serve MODEL COLUMNS < NUMBERS
 *
 * NUMBERS are the cells of the rows, COLUMNS of them per row. Any number of threads may call
 * ney_predict() with one model at the same time. */
#include <neyman/neyman.h>

#include <stdio.h>
#include <stdlib.h>

/* One row; false at the end of the input. */
static bool read_row(double *cell, int64_t cols)
{
    for (int64_t k = 0; k < cols; k++) {
        if (scanf("%lf", &cell[k]) != 1) {
            return false;
        }
    }
    return true;
}

int main(int argc, char **argv)
{
    const int64_t cols = argc == 3 ? atoll(argv[2]) : 0;
    double *const cell = cols > 0 ? malloc((size_t)cols * sizeof *cell) : NULL;
    ney_env one_thread = {.threads = 1}; /* one row is no work for several */
    ney_error err = {0};
    ney_model *model = NULL;

    if (!cell) {
        fprintf(stderr, "usage: serve MODEL COLUMNS < NUMBERS\n");
        return 2;
    }
    ney_status st = ney_model_read(&model, NULL, argv[1], &err);
    while (st == NEY_OK && read_row(cell, cols)) {
        const ney_array row = {.rows = 1, .cols = cols, .value = cell, .value_type = NEY_FLOAT64};
        double score;
        int8_t decision;
        st = ney_predict(model, &one_thread, &row, &score, &decision, &err);
        if (st == NEY_OK) {
            printf("%d %.17g\n", decision, score);
            fflush(stdout);
        }
    }
    if (st != NEY_OK) {
        fprintf(stderr, "%s: %s\n", ney_status_text(st), err.message);
    }
    ney_model_free(model);
    free(cell);
    return st == NEY_OK ? 0 : 1;
}
