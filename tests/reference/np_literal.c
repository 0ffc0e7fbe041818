/* The algorithms of Gasso et al. (2011) as printed, with the library's quadratic programs: what the
 * library's own methods are measured against.
 *
 *     bench_np_literal uzawa|annealed|online TRAIN TEST [NAME=VALUE ...]
 *
 * uzawa     algorithms 1 and 2: convex steps until no example is clipped or unclipped, then one
 * small step of lambda annealed  algorithm 3: one small step of lambda after every convex step
 * online    algorithm 4: a random example, one gradient step, and one step of lambda where it is
 * negative; linear
 *
 * rate (bound on the FPR), C (of one positive, as in the program), gamma (0: linear kernel), nu
 * (step of lambda, in units of C n+), multiplicative (1: lambda (1 + nu (P - rate)) instead of
 * lambda + nu (P - rate)), epsilon (the run ends where |P - rate| <= epsilon rate), steps (most
 * steps of lambda), epochs and seed of online. Prints one JSON object; the decision is that of the
 * function's own intercept. */
#include "base/env.h"
#include "base/rng.h"
#include "learn/batch/ramp.h"
#include "linalg/rows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct settings {
    double rate, C, gamma, nu, multiplicative, epsilon, steps, epochs, seed, start;
} settings;

typedef struct outcome {
    double lambda, P, Q; /* ramp rates on the training rows */
    int64_t lambda_steps, convex_steps, iterations;
    bool converged;
    double *w; /* of a linear function */
    double b;
} outcome;

static void check(ney_status st, const ney_error *err)
{
    if (st != NEY_OK) {
        fprintf(stderr, "bench_np_literal: %s\n", err->message);
        exit(1);
    }
}

static void *zeros(int64_t n, size_t size)
{
    void *p = calloc((size_t)n + 1, size);
    if (!p) {
        abort();
    }
    return p;
}

static double step_lambda(const settings *s, double lambda, double P)
{
    return s->multiplicative > 0 ? lambda * fmax(0.5, 1 + s->nu * (P - s->rate))
                                 : fmax(0, lambda + s->nu * (P - s->rate));
}

/* Algorithms 1 with 2, and 3: they differ in when lambda moves. */
static void search_saddle_point(ney_ramp *r, const settings *s, bool is_annealed, outcome *o)
{
    enum { MOST_ROUNDS = 50 }; /* of convex steps at one lambda */
    bool *next = zeros(r->n, sizeof *next);
    ney_ramp_rates now = {0};
    ney_error err;
    int rounds = 0;

    if (s->start > 0) {
        ney_rng rng = {(uint64_t)s->start};
        for (int64_t i = 0; i < r->n; i++) {
            next[i] = ney_rng_unit(&rng) < 0.5;
        }
        check(ney_ramp_move(r, r->lambda, next, &err), &err);
    }
    while ((double)o->lambda_steps < s->steps) {
        check(ney_ramp_solve(r, r->task->o.tol, &now, &err), &err);
        o->convex_steps++;
        rounds++;
        const int64_t changed = ney_ramp_clip(r, 0, next);
        const bool is_stationary = changed == 0 || rounds >= MOST_ROUNDS;
        const bool is_met = fabs(now.bounded - s->rate) <= s->epsilon * s->rate;
        double lambda = r->lambda;
        if (is_met && is_stationary) {
            o->converged = true;
            break;
        }
        if (is_annealed || is_stationary) {
            lambda = step_lambda(s, lambda, now.bounded);
            o->lambda_steps++;
            rounds = is_annealed && changed != 0 ? rounds : 0;
        }
        check(ney_ramp_move(r, lambda, next, &err), &err);
    }
    o->lambda = r->lambda;
    o->P = now.bounded;
    o->Q = now.free;
    o->iterations = r->task->iterations;
    free(next);
}

/* Algorithm 4 with the ramp loss, eta = 1: a_i = n/n+ for positives, lambda n/n- for negatives. */
static void stochastic_gradient(const ney_data *d, const settings *s, int64_t n_pos, int64_t n_neg,
                                outcome *o)
{
    const ney_matrix *x = ney_data_matrix(d);
    const int8_t *y = ney_data_label(d);
    const double n = (double)x->rows, mu = 1 / (s->C * (double)n_pos), t0 = 1 / (mu * 0.1);
    const int64_t total = (int64_t)(s->epochs * n);
    double scale = 1, loss[2] = {0};
    ney_rng rng = {(uint64_t)s->seed};

    o->w = zeros(x->cols, sizeof *o->w); /* w = scale * o->w */
    o->lambda = (double)n_neg / (double)n_pos;
    for (int64_t t = 0; t < total; t++) {
        const int64_t i = ney_rng_below(&rng, x->rows);
        const double z = y[i] * (scale * ney_row_dot(x, i, o->w, x->cols) + o->b),
                     g = 1 / (mu * (t0 + (double)t));
        const double a = y[i] > 0 ? n / (double)n_pos : o->lambda * n / (double)n_neg;
        scale *= 1 - g * mu;
        if (fabs(z) < 1) {
            ney_row_add(x, i, g * a * y[i] / 2 / scale, o->w);
            o->b += g * a * y[i] / 2;
        }
        if (y[i] < 0) {
            o->lambda =
                fmax(0, o->lambda + s->nu / (double)n_neg * (ney_ramp_loss(z, 1) - s->rate));
            o->lambda_steps++;
        }
    }
    for (int64_t c = 0; c < x->cols; c++) {
        o->w[c] *= scale;
    }
    for (int64_t i = 0; i < x->rows; i++) {
        loss[y[i] > 0] += ney_ramp_loss(y[i] * (ney_row_dot(x, i, o->w, x->cols) + o->b), 1);
    }
    o->P = loss[0] / (double)n_neg;
    o->Q = loss[1] / (double)n_pos;
    o->converged = true;
}

/* ---- scores of other rows */

static double *dense_rows(const ney_matrix *x, int64_t cols)
{
    double *all = zeros(x->rows * cols, sizeof *all);
    for (int64_t i = 0; i < x->rows; i++) {
        ney_row_add(x, i, 1, all + i * cols);
    }
    return all;
}

static double kernel_score(const ney_ramp *r, const double *rows, const double *row, int64_t cols,
                           double gamma)
{
    double sum = r->sign * r->intercept;
    for (int64_t i = 0; i < r->n; i++) {
        double square = 0;
        for (int64_t c = 0; c < cols && r->v[i] != 0; c++) {
            const double d = rows[i * cols + c] - row[c];
            square += d * d;
        }
        sum += r->v[i] != 0 ? r->sign * r->v[i] * exp(-gamma * square) : 0;
    }
    return sum;
}

static void print_rates(const char *name, const ney_data *d, const ney_ramp *r, const double *rows,
                        const outcome *o, double gamma)
{
    const ney_matrix *x = ney_data_matrix(d);
    const int64_t cols = r ? r->task->x->cols : x->cols;
    const int8_t *y = ney_data_label(d);
    double *other = rows ? dense_rows(x, cols) : NULL;
    int64_t wrong[2] = {0}, n[2] = {0};
    for (int64_t i = 0; i < x->rows; i++) {
        const double score = rows ? kernel_score(r, rows, other + i * cols, cols, gamma)
                                  : ney_row_dot(x, i, o->w, cols) + o->b;
        n[y[i] > 0]++;
        wrong[y[i] > 0] += (score >= 0) != (y[i] > 0);
    }
    printf(", \"%s_fpr\": %.17g, \"%s_fnr\": %.17g", name, (double)wrong[0] / (double)n[0], name,
           (double)wrong[1] / (double)n[1]);
    free(other);
}

static settings read_settings(int argc, char **argv)
{
    settings s = {
        .rate = 0.05, .C = 1, .nu = 1, .epsilon = 0.05, .steps = 1000, .epochs = 50, .seed = 1};
    const struct {
        const char *name;
        double *at;
    } known[] = {{"rate", &s.rate},
                 {"C", &s.C},
                 {"gamma", &s.gamma},
                 {"nu", &s.nu},
                 {"multiplicative", &s.multiplicative},
                 {"epsilon", &s.epsilon},
                 {"steps", &s.steps},
                 {"epochs", &s.epochs},
                 {"seed", &s.seed},
                 {"start", &s.start}};
    for (int k = 4; k < argc; k++) {
        size_t j = 0;
        const char *equals = strchr(argv[k], '=');
        while (equals && j < sizeof known / sizeof *known &&
               (strncmp(argv[k], known[j].name, (size_t)(equals - argv[k])) != 0 ||
                known[j].name[equals - argv[k]])) {
            j++;
        }
        if (!equals || j == sizeof known / sizeof *known) {
            fprintf(stderr, "bench_np_literal: unknown setting %s\n", argv[k]);
            exit(2);
        }
        *known[j].at = atof(equals + 1);
    }
    return s;
}

int main(int argc, char **argv)
{
    ney_error err;
    ney_data *train = NULL, *test = NULL;
    outcome o = {0};
    if (argc < 4 || (strcmp(argv[1], "uzawa") != 0 && strcmp(argv[1], "annealed") != 0 &&
                     strcmp(argv[1], "online") != 0)) {
        fprintf(stderr,
                "usage: bench_np_literal uzawa|annealed|online TRAIN TEST [NAME=VALUE ...]\n");
        return 2;
    }
    const settings s = read_settings(argc, argv);
    check(ney_data_read_with(&train, NULL, argv[2], NULL, NULL, &err), &err);
    check(ney_data_read_with(&test, NULL, argv[3], NULL, NULL, &err), &err);
    ney_train_opts opts;
    int64_t n_params;
    const ney_param *const params = ney_train_params(&n_params);
    ney_params_init(params, n_params, &opts);
    opts.max_fpr = s.rate;
    opts.C = s.C;
    opts.kernel = s.gamma > 0 ? NEY_KERNEL_RBF : NEY_KERNEL_LINEAR;
    opts.gamma = s.gamma > 0 ? s.gamma : opts.gamma;
    ney_task task;
    const ney_env env = ney_env_of(&(ney_env){.threads = 1});
    check(ney_task_init(&task, &env, train, &opts, &err), &err);
    ney_ramp ramp = {0};
    const clock_t begin = clock();
    if (strcmp(argv[1], "online") == 0) {
        stochastic_gradient(train, &s, task.n_pos, task.n_neg, &o);
    } else {
        check(ney_ramp_init(&ramp, &task, 1, s.rate, 0, &err), &err);
        search_saddle_point(&ramp, &s, strcmp(argv[1], "annealed") == 0, &o);
    }
    const double seconds = (double)(clock() - begin) / CLOCKS_PER_SEC;
    printf("{\"converged\": %s, \"lambda\": %.17g, \"ramp_fpr\": %.17g, \"ramp_fnr\": %.17g, "
           "\"lambda_steps\": %lld, "
           "\"convex_steps\": %lld, \"iterations\": %lld, \"cpu\": %.6f",
           o.converged ? "true" : "false", o.lambda, o.P, o.Q, (long long)o.lambda_steps,
           (long long)o.convex_steps, (long long)o.iterations, seconds);
    const bool is_kernel = s.gamma > 0 && ramp.n > 0;
    if (ramp.n > 0 && !is_kernel) {
        o.w = zeros(task.x->cols, sizeof *o.w);
        memcpy(o.w, ramp.w, (size_t)task.x->cols * sizeof *o.w);
        o.b = ramp.intercept;
    }
    double *rows = is_kernel ? dense_rows(task.x, task.x->cols) : NULL;
    print_rates("train", train, ramp.n > 0 ? &ramp : NULL, rows, &o, s.gamma);
    print_rates("test", test, ramp.n > 0 ? &ramp : NULL, rows, &o, s.gamma);
    printf("}\n");
    free(rows);
    free(o.w);
    ney_ramp_deinit(&ramp);
    ney_task_deinit(&task);
    ney_data_free(train);
    ney_data_free(test);
    return 0;
}
