/* A whole line of costs against one tight training run at its end, in seconds of one processor.
 *
 *     bench_path DATA ROWS KERNEL GAMMA C RUNS
 *
 * The line is n+ C+ = n- C-, from 0 to C+ + C- = C. Both work on the first ROWS rows, with one
 * thread, in turns, and the medians are printed: breakpoints, widest margin, worst residual,
 * seconds of the path, seconds of training to 1e-8, and by how much the objectives differ,
 * relative. */
#include <neyman/experimental.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { MOST_RUNS = 99 };

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *x, int n)
{
    qsort(x, (size_t)n, sizeof *x, ascending);
    return x[n / 2];
}

static ney_data *read_rows(const char *file, int64_t rows, ney_error *err)
{
    ney_data *all = NULL, *some = NULL;
    if (ney_data_read_with(&all, NULL, file, NULL, NULL, err) != NEY_OK) {
        return NULL;
    }
    const int64_t there = ney_data_matrix(all)->rows, n = rows < there ? rows : there;
    int64_t *list = malloc((size_t)n * sizeof *list);
    for (int64_t i = 0; list && i < n; i++) {
        list[i] = i;
    }
    if (!list || ney_data_take(&some, all, list, n, err) != NEY_OK) {
        some = NULL;
    }
    free(list);
    ney_data_free(all);
    return some;
}

/* What one line comes to. */
typedef struct outcome {
    int64_t n_points, widest;
    double worst, objective;
} outcome;

static double follow(const ney_data *d, const ney_train_opts *o, ney_cost_pair to, outcome *out,
                     ney_error *err)
{
    ney_env env = ney_env_default();
    ney_path *p = NULL;
    const double begin = now();
    env.threads = 1;
    if (ney_path_new_with(&p, &env, d, o, err) != NEY_OK ||
        ney_path_follow(p, (ney_cost_pair){0, 0}, to, NULL, err) != NEY_OK) {
        ney_path_free(p);
        return -1;
    }
    const double seconds = now() - begin;
    const ney_path_point *point = ney_path_points(p, 0, &out->n_points);
    out->widest = 0;
    out->worst = 0;
    for (int64_t k = 0; k < out->n_points; k++) {
        out->worst = fmax(out->worst, point[k].kkt_residual);
        out->widest = point[k].margin > out->widest ? point[k].margin : out->widest;
    }
    out->objective = point[out->n_points - 1].objective;
    ney_path_free(p);
    return seconds;
}

static double train(const ney_data *d, const ney_train_opts *o, ney_train_info *info,
                    ney_error *err)
{
    ney_env env = ney_env_default();
    ney_model *m = NULL;
    const double begin = now();
    env.threads = 1;
    const ney_status st = ney_train(&m, &env, d, o, info, err);
    const double seconds = now() - begin;
    ney_model_free(m);
    return st == NEY_OK ? seconds : -1;
}

int main(int argc, char **argv)
{
    if (argc != 7) {
        fputs("bench_path DATA ROWS KERNEL GAMMA C RUNS\n", stderr);
        return 2;
    }
    ney_error err = {0};
    ney_train_opts o;
    int64_t n_params;
    const ney_param *params = ney_train_params(&n_params);
    ney_params_init(params, n_params, &o);
    ney_data *d = read_rows(argv[1], atoll(argv[2]), &err);
    if (!d || ney_params_set(params, n_params, &o, "kernel", argv[3], &err) != NEY_OK ||
        (atof(argv[4]) > 0 && /* 0: a kernel without gamma */
         ney_params_set(params, n_params, &o, "gamma", argv[4], &err) != NEY_OK)) {
        fprintf(stderr, "%s\n", err.message);
        return 1;
    }
    const int64_t n = ney_data_matrix(d)->rows;
    int64_t n_pos = 0;
    for (int64_t i = 0; i < n; i++) {
        n_pos += ney_data_label(d)[i] > 0;
    }
    const double total = atof(argv[5]), share = (double)(n - n_pos) / (double)n;
    const ney_cost_pair to = {total * share, total * (1 - share)};
    const int runs = atoi(argv[6]) < MOST_RUNS ? atoi(argv[6]) : MOST_RUNS;
    double line[MOST_RUNS], one[MOST_RUNS];
    outcome out = {0};
    ney_train_info info = {0};
    const ney_train_opts of_path = o; /* costs and tolerance are no options of a path */
    o.C = 1;
    o.cost_fn = to.plus;
    o.cost_fp = to.minus;
    o.tol = 1e-8;
    for (int k = 0; k < runs; k++) {
        line[k] = follow(d, &of_path, to, &out, &err);
        one[k] = train(d, &o, &info, &err);
        if (line[k] < 0 || one[k] < 0) {
            fprintf(stderr, "%s\n", err.message);
            return 1;
        }
    }
    printf("%lld %lld %lld %.3g %.6g %.6g %.3g\n", (long long)n, (long long)out.n_points,
           (long long)out.widest, out.worst, median(line, runs), median(one, runs),
           (out.objective - info.dual_objective) / info.dual_objective);
    ney_data_free(d);
    return 0;
}
