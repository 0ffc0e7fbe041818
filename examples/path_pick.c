/* All classifiers along a line of costs, and the one at a pair of costs.
 *
 *     path_pick DATA C_PLUS C_MINUS
 *
 * Follows the exact solution from costs (0, 0) to (C_PLUS, C_MINUS), then takes the classifier
 * half-way without training again. */
#include <neyman/neyman.h>

#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    ney_error err = {0};
    ney_data *data = NULL;
    ney_path *path = NULL;
    ney_model *model = NULL;
    int64_t line, n;

    if (argc != 4) {
        fprintf(stderr, "usage: path_pick DATA C_PLUS C_MINUS\n");
        return 2;
    }
    const ney_cost_pair from = {0, 0}, to = {atof(argv[2]), atof(argv[3])};
    const ney_cost_pair middle = {to.plus / 2, to.minus / 2};
    ney_status st = ney_data_read(&data, NULL, argv[1], NULL, NULL, &err);
    if (st == NEY_OK &&
        (st = ney_data_prepare(data, NEY_SCALING_STANDARD, NULL, 0, &err)) == NEY_OK &&
        (st = ney_path_new(&path, NULL, data, NULL, &err)) == NEY_OK &&
        (st = ney_path_follow(path, from, to, &line, &err)) == NEY_OK &&
        (st = ney_path_model(&model, path, middle, &err)) == NEY_OK) {
        const ney_path_point *points = ney_path_points(path, line, &n);
        double intercept;
        const double *weight = ney_model_weights(model, &intercept);
        printf("breakpoints: %lld\n", (long long)n);
        printf("objective at the end: %.6g\n", points[n - 1].objective);
        printf("exact: %s\n", ney_path_residual(path) <= NEY_PATH_RESIDUAL ? "yes" : "no");
        printf("half-way: w1 %.6g, b %.6g\n", weight[0], intercept);
    } else {
        fprintf(stderr, "%s\n", err.message);
    }
    ney_model_free(model);
    ney_path_free(path);
    ney_data_free(data);
    return st == NEY_OK ? 0 : 1;
}
