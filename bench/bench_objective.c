/* What a linear model is worth: bench_objective MODEL DATA C COST_FP. Prints one JSON object.
 *
 *     1/2 |w|^2 + sum_i C_i max(0, 1 - y_i (w'x_i + b)),   C_i = C, times COST_FP for label -1
 *
 * with the model's own b and with the best one: LIBLINEAR counts b as a weight, which moves it, and
 * only w can be compared fairly. MODEL is one of ours or of LIBLINEAR's. */
#include <neyman/experimental.h>

#include <stdio.h>
#include <stdlib.h>

typedef struct point {
    double at,
        weight; /* the b where a row's loss begins or ends, and how the slope changes there */
} point;

static int by_place(const void *a, const void *b)
{
    const double x = ((const point *)a)->at, y = ((const point *)b)->at;
    return (x > y) - (x < y);
}

typedef struct rows {
    const int8_t *label;
    const double *score; /* w'x */
    double weight[2];    /* C_i of the negative and the positive class */
    int64_t n;
} rows;

static double loss(const rows *r, double b)
{
    double sum = 0;
    for (int64_t i = 0; i < r->n; i++) {
        const double slack = 1 - r->label[i] * (r->score[i] + b);
        sum += slack > 0 ? r->weight[r->label[i] > 0] * slack : 0;
    }
    return sum;
}

/* The slope of the loss in b begins at minus the positives' weights and grows at every row's point:
 * the best b is where it is no longer below zero. */
static double best_intercept(const rows *r, point *points)
{
    double slope = 0;
    for (int64_t i = 0; i < r->n; i++) {
        points[i] = (point){r->label[i] - r->score[i], r->weight[r->label[i] > 0]};
        slope -= r->label[i] > 0 ? r->weight[1] : 0;
    }
    qsort(points, (size_t)r->n, sizeof *points, by_place);
    int64_t k = 0;
    for (; k < r->n - 1 && slope + points[k].weight < 0; k++) {
        slope += points[k].weight;
    }
    return points[k].at;
}

static int fail(const ney_error *err)
{
    fprintf(stderr, "bench_objective: %s:%lld: %s\n", err->file, (long long)err->line,
            err->message);
    return 1;
}

int main(int argc, char **argv)
{
    ney_error err = {.code = NEY_OK};
    ney_model *model;
    ney_data *data;
    double b, half = 0;

    if (argc != 5) {
        fprintf(stderr, "usage: bench_objective MODEL DATA C COST_FP\n");
        return 2;
    }
    if (ney_model_read(&model, NULL, argv[1], &err) != NEY_OK ||
        ney_data_read_with(&data, NULL, argv[2], NULL, ney_model_preprocessing(model), &err) !=
            NEY_OK) {
        return fail(&err);
    }
    const ney_preprocessing *preprocessing = ney_model_preprocessing(model);
    const double *w = ney_model_weights(model, &b);
    const double c = atof(argv[3]), cost_fp = atof(argv[4]);
    rows r = {.label = ney_data_label(data), .n = ney_data_matrix(data)->rows};
    double *score = malloc((size_t)r.n * sizeof *score);
    point *points = malloc((size_t)r.n * sizeof *points);

    if (!w || !r.label || !score || !points) {
        fprintf(stderr, "bench_objective: a linear model and labelled rows are expected\n");
        free(points);
        free(score);
        return 1;
    }
    for (int sign = -1; sign <= 1; sign += 2) { /* the model's positive class may be -1 */
        r.weight[sign > 0] =
            atof(ney_preprocessing_label(preprocessing, sign)) < 0 ? c * cost_fp : c;
    }
    for (int64_t j = 0; j < ney_preprocessing_cols(preprocessing); j++) {
        half += w[j] * w[j] / 2;
    }
    if (ney_model_score(model, NULL, ney_data_matrix(data), score, &err) != NEY_OK) {
        free(points);
        free(score);
        return fail(&err);
    }
    for (int64_t i = 0; i < r.n; i++) {
        score[i] -= b;
    }
    r.score = score;
    printf("{\"own_intercept\": %.17g, \"best_intercept\": %.17g}\n", half + loss(&r, b),
           half + loss(&r, best_intercept(&r, points)));
    free(points);
    free(score);
    ney_data_free(data);
    ney_model_free(model);
    return 0;
}
