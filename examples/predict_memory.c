/* Scores of rows in memory.
 *
 *     predict_memory MODEL COLUMNS < NUMBERS
 *
 * NUMBERS are the cells of the rows, COLUMNS of them per row, as they would stand in a file: the
 * model knows how to fill and scale them. Prints decision and score of each row; the scores are
 * those of `neyman predict --scores`, bit for bit. */
#include <neyman/neyman.h>

#include <stdio.h>
#include <stdlib.h>

/* All numbers of standard input; NULL without memory. */
static double *read_numbers(int64_t *n)
{
    int64_t capacity = 1024;
    double *numbers = malloc((size_t)capacity * sizeof *numbers), x;

    for (*n = 0; numbers && scanf("%lf", &x) == 1; numbers[(*n)++] = x) {
        if (*n == capacity) {
            double *more = realloc(numbers, 2 * (size_t)capacity * sizeof *numbers);
            if (!more) {
                free(numbers);
                return NULL;
            }
            numbers = more;
            capacity *= 2;
        }
    }
    return numbers;
}

int main(int argc, char **argv)
{
    const int64_t cols = argc == 3 ? atoll(argv[2]) : 0;
    ney_error err = {0};
    ney_model *model = NULL;
    int64_t n = 0;

    if (cols <= 0) {
        fprintf(stderr, "usage: predict_memory MODEL COLUMNS < NUMBERS\n");
        return 2;
    }
    double *const numbers = read_numbers(&n);
    /* Members that are not named are 0: C order, no names, so that columns go by position. */
    const ney_array x = {
        .rows = n / cols, .cols = cols, .value = numbers, .value_type = NEY_FLOAT64};
    double *const score = malloc(((size_t)x.rows + 1) * sizeof *score);
    int8_t *const decision = malloc((size_t)x.rows + 1);

    ney_status st =
        numbers && score && decision ? ney_model_read(&model, NULL, argv[1], &err) : NEY_ENOMEM;
    if (st == NEY_OK) {
        st = ney_predict(model, NULL, &x, score, decision, &err);
    }
    for (int64_t i = 0; st == NEY_OK && i < x.rows; i++) {
        printf("%d %.17g\n", decision[i], score[i]);
    }
    if (st != NEY_OK) {
        fprintf(stderr, "%s: %s\n", ney_status_text(st), err.message);
    }
    ney_model_free(model);
    free(decision);
    free(score);
    free(numbers);
    return st == NEY_OK ? 0 : 1;
}
