/* The training objective of one SVM under a bounded FDR: bench_fdr_fit FILE Q C linear|rbf [EVERY].
 * Every EVERY-th row is used. Prints one JSON object.
 *
 *     J = 1/2 |w|^2 + C W Q   at the largest intercept where s P <= q (1 - Q)   [FDR.2]
 *
 * of the fit that folds and tuning make, and of the SVM at the same C with equal costs, recomputed
 * from the scores of the two models. */
#include "base/env.h"
#include "learn/fdr/fdr.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

typedef struct corner {
    double shift, slope; /* the slope of the excess below this shift, less that above it */
} corner;

static int descending(const void *a, const void *b)
{
    const double x = ((const corner *)a)->shift, y = ((const corner *)b)->shift;
    return (x < y) - (x > y);
}

typedef struct rows {
    const int8_t *label;
    const double *score;
    int64_t n, n_pos, n_neg;
    double C, q, s;
} rows;

/* The excess is s - q far up and piecewise linear. */
static double largest_shift(const rows *r)
{
    corner *c = malloc((size_t)(2 * r->n) * sizeof *c);
    double excess = r->s - r->q, slope = 0;
    if (!c) {
        abort();
    }
    for (int64_t i = 0; i < r->n; i++) {
        const double each = r->label[i] > 0 ? -r->q / (double)r->n_pos : r->s / (double)r->n_neg;
        c[2 * i] = (corner){1 - r->score[i], each / 2};
        c[2 * i + 1] = (corner){-1 - r->score[i], -each / 2};
    }
    qsort(c, (size_t)(2 * r->n), sizeof *c, descending);
    double shift = c[0].shift;
    for (int64_t k = 0; k < 2 * r->n && excess > 1e-15; k++) {
        const double fall = slope * (shift - c[k].shift);
        shift = fall >= excess ? shift - excess / slope : c[k].shift;
        excess -= fall;
        slope += c[k].slope;
    }
    free(c);
    return shift;
}

static double objective(const ney_model *m, const ney_data *d, rows *r, double half_square)
{
    double *score = malloc((size_t)r->n * sizeof *score), loss = 0;
    if (!score || ney_model_score(m, NULL, ney_data_matrix(d), score, NULL) != NEY_OK) {
        abort();
    }
    r->score = score;
    const double shift = largest_shift(r);
    for (int64_t i = 0; i < r->n; i++) {
        loss += r->label[i] > 0 ? fmin(1, fmax(0, (1 - score[i] - shift) / 2)) : 0;
    }
    free(score);
    return half_square + r->C * loss;
}

/* 1/2 |w|^2 of a linear or a kernel model. */
static double half_square(const ney_model *m, int64_t cols)
{
    double b, sum = 0;
    const double *w = ney_model_weights(m, &b), *v;
    ney_kernel kernel;
    ney_matrix support;
    if (w) {
        for (int64_t c = 0; c < cols; c++) {
            sum += w[c] * w[c];
        }
        return sum / 2;
    }
    if (!ney_model_kernel(m, &kernel, &support, &v, &b)) {
        abort();
    }
    double *f = malloc((size_t)support.rows * sizeof *f);
    if (!f || ney_model_score(m, NULL, &support, f, NULL) != NEY_OK) {
        abort();
    }
    for (int64_t i = 0; i < support.rows; i++) {
        sum += v[i] * (f[i] - b);
    }
    free(f);
    return sum / 2;
}

static void check(ney_status st, const ney_error *err)
{
    if (st != NEY_OK) {
        fprintf(stderr, "bench_fdr_fit: %s\n", err->message);
        exit(1);
    }
}

static ney_data *read_every(const char *path, int64_t every)
{
    ney_error err;
    ney_data *all = NULL, *d = NULL;
    check(ney_data_read_with(&all, NULL, path, NULL, NULL, &err), &err);
    check(ney_data_prepare(all, NEY_SCALING_STANDARD, NULL, 0, &err), &err);
    const int64_t n_all = ney_data_matrix(all)->rows;
    int64_t *row = malloc((size_t)n_all * sizeof *row), n = 0;
    if (!row) {
        abort();
    }
    for (int64_t i = 0; i < n_all; i += every) {
        row[n++] = i;
    }
    check(ney_data_take(&d, all, row, n, &err), &err);
    free(row);
    ney_data_free(all);
    return d;
}

/* The fit, then the SVM. */
static void report(const ney_data *d, const ney_train_opts *o, double q)
{
    const ney_env env = ney_env_of(&(ney_env){.threads = 1});
    const ney_fdr f = {.n = 1, .q = {q}, .estimate = {.compete = true}};
    const int64_t cols = ney_data_matrix(d)->cols;
    ney_task task = {0};
    ney_error err;
    ney_model *feature = NULL, *m = NULL, *plain = NULL;
    ney_train_info info = {0};
    double *score = malloc((size_t)ney_data_matrix(d)->rows * sizeof *score);
    if (!score) {
        abort();
    }
    const clock_t begin = clock();
    check(ney_task_init(&task, &env, d, o, &err), &err);
    check(ney_fdr_feature(&feature, &task, &f, q, score, &err), &err);
    check(ney_fdr_svm(&m, &task, &f, q, score, &info, &err), &err);
    const double seconds = (double)(clock() - begin) / CLOCKS_PER_SEC;
    check(ney_train(&plain, &env, d, o, NULL, &err), &err);
    rows r = {.label = ney_data_label(d),
              .n = ney_data_matrix(d)->rows,
              .n_pos = task.n_pos,
              .n_neg = task.n_neg,
              .C = o->C,
              .q = q,
              .s = ney_fdr_ratio(&f, task.n_pos, task.n_neg)};
    printf("{\"rows\": %lld, \"J\": %.10g, \"svm\": %.10g, \"nothing\": %.10g, \"seconds\": %.3f, "
           "\"steps\": %lld, \"iterations\": %lld, \"converged\": %s, \"end\": \"%s\"}\n",
           (long long)r.n, objective(m, d, &r, half_square(m, cols)),
           objective(plain, d, &r, half_square(plain, cols)), o->C * (double)task.n_pos, seconds,
           (long long)info.steps, (long long)info.iterations,
           info.stop == NEY_STOP_CONVERGED ? "true" : "false",
           ney_constraint_status_text(info.constraint));
    ney_model_free(m);
    ney_model_free(plain);
    ney_model_free(feature);
    ney_task_deinit(&task);
    free(score);
}

int main(int argc, char **argv)
{
    ney_train_opts o;
    int64_t n_params;
    if (argc < 5) {
        fputs("usage: bench_fdr_fit FILE Q C linear|rbf [EVERY]\n", stderr);
        return 2;
    }
    const ney_param *params = ney_train_params(&n_params);
    ney_params_init(params, n_params, &o);
    o.C = strtod(argv[3], NULL);
    o.kernel = argv[4][0] == 'r' ? NEY_KERNEL_RBF : NEY_KERNEL_LINEAR;
    ney_data *d = read_every(argv[1], argc > 5 ? strtoll(argv[5], NULL, 10) : 1);
    report(d, &o, strtod(argv[2], NULL));
    ney_data_free(d);
    return 0;
}
