/* Whatever the data: every line of the table is what training on that fold gives, the point chosen
 * is the best of them, and threads, resuming and the order of work change nothing. */
#include <neyman/experimental.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/cmocka_all.h"
#include "support/random_data.h"

enum { ROWS = 80, FOLDS = 3, MOST_LINES = 1000 };

static const char table_file[] = "prop.tune.tsv";

typedef struct line {
    double C, gamma, cost_fp, loss;
    int method, fold;
    int64_t iterations;
} line;

static ney_data *draw(rnd *r)
{
    static float x[2 * ROWS];
    static int8_t y[ROWS];
    const ney_matrix m = {.rows = ROWS, .cols = 2, .dense = x};
    ney_data *d;
    for (int i = 0; i < ROWS; i++) {
        y[i] = rnd_chance(r, 0.4) ? 1 : -1;
        x[2 * (size_t)i] = (float)(rnd_unit(r) + 0.4 * y[i]);
        x[2 * (size_t)i + 1] = (float)(rnd_chance(r, 0.3) ? 0 : rnd_unit(r)); /* with ties */
    }
    for (int i = 0; i < 2 * FOLDS; i++) { /* enough of either */
        y[i] = i % 2 ? 1 : -1;
    }
    assert_int_equal(ney_data_new(&d, NULL, &m, y, NULL, NULL), NEY_OK);
    return d;
}

static ney_train_opts train_options(bool bounded)
{
    ney_train_opts o;
    int64_t n;
    const ney_param *p = ney_train_params(&n);
    ney_params_init(p, n, &o);
    o.confidence = (double)NAN; /* the bound holds on the training rows */
    o.kernel = NEY_KERNEL_RBF;
    o.seed = 3;
    if (bounded) {
        o.max_fpr = 0.15;
    } else {
        o.cost_fp = 4;
    }
    return o;
}

static ney_tune_opts tune_options(void)
{
    ney_tune_opts t;
    int64_t n;
    const ney_param *p = ney_tune_params(&n);
    ney_params_init(p, n, &t);
    t.grid = "C=0.1:10:3 gamma=0.5,2";
    t.folds = FOLDS;
    t.no_extend = true;
    t.table = table_file;
    return t;
}

static int read_table(line *lines)
{
    char row[1024];
    FILE *file = fopen(table_file, "r");
    int n = 0;
    assert_non_null(file);
    assert_non_null(fgets(row, sizeof row, file)); /* the header */
    while (n < MOST_LINES && fgets(row, sizeof row, file)) {
        char *at = strchr(strchr(row, '\t') + 1, '\t'); /* after method and kernel */
        double number[20];
        for (int k = 0; k < 20; k++) {
            number[k] = strtod(at, &at);
        }
        const int method = strncmp(row, "annealed", 8) == 0 ? NEY_METHOD_ANNEALED
                           : strncmp(row, "convex", 6) == 0 ? NEY_METHOD_CONVEX
                                                            : NEY_METHOD_AUTO;
        lines[n++] = (line){.C = number[0],
                            .gamma = number[1],
                            .cost_fp = number[4],
                            .loss = number[13],
                            .method = method,
                            .fold = (int)number[11] - 1,
                            .iterations = (int64_t)number[19]};
    }
    fclose(file);
    return n;
}

/* ---- an independent judge of scores: every threshold is tried, every pair of points joined */

static double rate_loss(const double *score, const int8_t *y, int64_t n, double A)
{
    double P[ROWS + 2], Q[ROWS + 2], least = INFINITY;
    for (int64_t k = 0; k <= n; k++) { /* threshold: the k-th score, or above all */
        double fp = 0, fn = 0, pos = 0, neg = 0;
        for (int64_t i = 0; i < n; i++) {
            const bool called = k < n && score[i] >= score[k];
            pos += y[i] > 0;
            neg += y[i] < 0;
            fp += called && y[i] < 0;
            fn += !called && y[i] > 0;
        }
        P[k] = fp / neg;
        Q[k] = fn / pos;
        least = fmin(least, fmax(0, P[k] - A) / A + Q[k]);
    }
    /* the point of the curve at A: between the last with P <= A and the first with P > A */
    int64_t a = n, b = -1;
    for (int64_t k = 0; k <= n; k++) {
        if (P[k] <= A && (P[k] > P[a] || (P[k] == P[a] && Q[k] < Q[a]))) {
            a = k;
        }
        if (P[k] > A && (b < 0 || P[k] < P[b] || (P[k] == P[b] && Q[k] > Q[b]))) {
            b = k;
        }
    }
    if (b >= 0) {
        least = fmin(least, Q[a] + (Q[b] - Q[a]) * (A - P[a]) / (P[b] - P[a]));
    }
    return least;
}

static double cost_loss(const double *score, const int8_t *y, int64_t n, double fn, double fp)
{
    double sum = 0;
    for (int64_t i = 0; i < n; i++) {
        sum += score[i] >= 0 && y[i] < 0 ? fp : score[i] < 0 && y[i] > 0 ? fn : 0;
    }
    return sum / (double)n;
}

/* Train on the other folds by the public door and judge the fold. */
static double loss_of(const ney_data *d, const ney_train_opts *like, const line *l,
                      int64_t *iterations)
{
    const double share[FOLDS] = {1, 1, 1};
    int part[ROWS];
    int64_t learn[ROWS], held[ROWS], n = 0, m = 0;
    double score[ROWS];
    ney_train_opts o = *like;
    ney_data *a, *b;
    ney_model *model;
    ney_train_info info;
    ney_error err = {0};
    assert_int_equal(ney_data_split(d, share, FOLDS, (uint64_t)o.seed, part, NULL), NEY_OK);
    for (int i = 0; i < ROWS; i++) {
        *(part[i] == l->fold ? &held[m++] : &learn[n++]) = i;
    }
    assert_int_equal(ney_data_take(&a, d, learn, n, NULL), NEY_OK);
    assert_int_equal(ney_data_take(&b, d, held, m, NULL), NEY_OK);
    o.C = l->C;
    o.gamma = l->gamma;
    o.cost_fp = l->cost_fp;
    o.method = (ney_method)l->method;
    o.seed = 1; /* the default: the fit itself draws nothing, and says so of any other seed */
    if (ney_train(&model, NULL, a, &o, &info, &err) != NEY_OK) {
        fail_msg("%s", err.message);
    }
    *iterations += info.iterations;
    assert_int_equal(ney_model_score(model, NULL, ney_data_matrix(b), score, NULL), NEY_OK);
    const int8_t *y = ney_data_label(b);
    const double loss = isnan(o.max_fpr) ? cost_loss(score, y, m, o.cost_fn, o.cost_fp)
                                         : rate_loss(score, y, m, o.max_fpr);
    ney_model_free(model);
    ney_data_free(a);
    ney_data_free(b);
    return loss;
}

static double mean_loss(const line *lines, int n, const line *like)
{
    double sum = 0;
    int found = 0;
    for (int k = 0; k < n; k++) {
        if (lines[k].C == like->C && lines[k].gamma == like->gamma &&
            lines[k].cost_fp == like->cost_fp && lines[k].method == like->method) {
            sum += lines[k].loss;
            found++;
        }
    }
    return found == FOLDS ? sum / FOLDS : INFINITY;
}

/* Returns how many steps of the solver the search saved against training each line by itself. */
static int64_t check(const ney_data *d, const ney_train_opts *asked, const ney_tune_opts *tune)
{
    const ney_train_opts o = *asked;
    const bool bounded = !isnan(o.max_fpr);
    ney_tune_opts t = *tune;
    if (bounded) {
        t.criterion = NEY_CRITERION_RATE; /* unit.select has a reference for the other one */
    }
    line lines[MOST_LINES];
    int64_t saved = 0;
    ney_tune_info info;
    ney_model *m;
    remove(table_file);
    assert_int_equal(ney_tune(&m, NULL, d, NULL, &o, &t, &info, NULL), NEY_OK);
    const int n = read_table(lines);
    assert_int_equal(n, info.points * FOLDS);
    assert_int_equal(info.fits, n);
    for (int k = 0; k < n; k++) {
        const double loss = loss_of(d, &o, &lines[k], &saved);
        saved -= lines[k].iterations;
        if (!(fabs(loss - lines[k].loss) <= 1e-12)) {
            fail_msg("C %g gamma %g fold %d: the table says %.17g, training gives %.17g",
                     lines[k].C, lines[k].gamma, lines[k].fold, lines[k].loss, loss);
        }
        assert_true(mean_loss(lines, n, &lines[k]) >= info.loss - 1e-12);
    }
    const line best = {.C = info.best.C,
                       .gamma = info.best.gamma,
                       .cost_fp = info.best.cost_fp,
                       .method = (int)info.best.method};
    assert_true(fabs(mean_loss(lines, n, &best) - info.loss) <= 1e-12);
    assert_true(info.calibrated == bounded);
    const ney_counts *c = &info.held_out;
    assert_int_equal(c->tp + c->fn + c->fp + c->tn, ROWS);
    if (bounded) { /* the threshold keeps the rate on the rows held out in turn */
        assert_true((double)c->fp <= o.max_fpr * (double)(c->fp + c->tn + 1));
    }
    ney_model_free(m);
    return saved;
}

/* A fit that begins where another ended ends in the same place when problems are solved exactly,
 * and sooner. */
static void prop_table_is_true(void **state)
{
    rnd r = rnd_new(61);
    const ney_tune_opts t = tune_options();
    int64_t saved = 0;
    (void)state;
    for (int64_t k = 0; k < test_times(6); k++) {
        ney_data *d = draw(&r);
        ney_train_opts o = train_options(k % 2 == 0);
        o.tol = k < 3 ? 1e-8 : 2e-5; /* with kernel rows that folds do not share, and with */
        saved += check(d, &o, &t);
        ney_data_free(d);
    }
    assert_true(saved > 0);
    remove(table_file);
}

/* One point a kernel, so that each begins by itself: what folds share must not show at all. */
static void prop_shared_rows_are_true(void **state)
{
    rnd r = rnd_new(64);
    ney_tune_opts t = tune_options();
    (void)state;
    t.grid = "C=3 gamma=0.5,2,8";
    t.refine = 0;
    for (int64_t k = 0; k < test_times(6); k++) {
        ney_data *d = draw(&r);
        ney_train_opts o = train_options(k % 2 == 0);
        o.method = k % 2 == 0 ? NEY_METHOD_ANNEALED : NEY_METHOD_AUTO;
        assert_int_equal(check(d, &o, &t), 0);
        ney_data_free(d);
    }
    remove(table_file);
}

/* ---- the same bytes, whatever the way */

static char *tuned(const ney_data *d, int threads, size_t *n, ney_tune_info *info)
{
    const ney_train_opts o = train_options(true);
    const ney_tune_opts t = tune_options();
    ney_env env = ney_env_default();
    ney_model *m;
    char *found, *copy;
    env.threads = threads;
    assert_int_equal(ney_tune(&m, &env, d, NULL, &o, &t, info, NULL), NEY_OK);
    assert_int_equal(ney_model_format(m, &found, n, NULL), NEY_OK);
    copy = malloc(*n);
    memcpy(copy, found, *n);
    ney_model_text_free(m, found);
    ney_model_free(m);
    return copy;
}

/* Keep the header and some of the lines, in another order, and half a line more. */
static void damage_table(rnd *r)
{
    static char kept[MOST_LINES][1024];
    int n = 0;
    FILE *file = fopen(table_file, "r");
    while (n < MOST_LINES && fgets(kept[n], sizeof kept[n], file)) {
        n++;
    }
    fclose(file);
    file = fopen(table_file, "w");
    fputs(kept[0], file);
    for (int k = n - 1; k > 0; k--) {
        if (rnd_chance(r, 0.5)) {
            fputs(kept[k], file);
        }
    }
    fwrite(kept[1], 1, strlen(kept[1]) / 2, file);
    fclose(file);
}

static void prop_same_bytes(void **state)
{
    rnd r = rnd_new(62);
    (void)state;
    for (int64_t k = 0; k < test_times(3); k++) {
        ney_data *d = draw(&r);
        ney_tune_info a, b;
        size_t n, m;
        remove(table_file);
        char *one = tuned(d, 1, &n, &a);
        remove(table_file);
        char *many = tuned(d, 4, &m, &b);
        assert_true(n == m && memcmp(one, many, n) == 0);
        free(many);
        damage_table(&r);
        many = tuned(d, 2, &m, &b);
        assert_true(b.reused > 0 && b.fits > 0 && b.reused + b.fits == a.fits);
        assert_true(n == m && memcmp(one, many, n) == 0);
        free(one);
        free(many);
        ney_data_free(d);
    }
    remove(table_file);
}

/* ---- the edge */

static void prop_grows_at_the_edge(void **state)
{
    rnd r = rnd_new(63);
    ney_train_opts o = train_options(true);
    ney_tune_opts t = tune_options();
    (void)state;
    o.method = NEY_METHOD_ANNEALED;
    t.refine = 0;
    t.table = NULL;
    t.grid = "C=0.0001:0.001:2 gamma=1"; /* too small by far: growing must help or do no harm */
    for (int64_t k = 0; k < test_times(3); k++) {
        ney_data *d = draw(&r);
        ney_tune_info stays, grows;
        ney_model *m;
        t.no_extend = true;
        assert_int_equal(ney_tune(&m, NULL, d, NULL, &o, &t, &stays, NULL), NEY_OK);
        ney_model_free(m);
        t.no_extend = false;
        assert_int_equal(ney_tune(&m, NULL, d, NULL, &o, &t, &grows, NULL), NEY_OK);
        ney_model_free(m);
        assert_true(stays.at_edge && stays.points == 2 && stays.extensions == 0);
        assert_true(grows.extensions > 0 && grows.points > 2 && grows.loss <= stays.loss);
        assert_true(grows.best.gamma == 1); /* a single value is a wish */
        ney_data_free(d);
    }
}

/* A ring of rows around others, which takes a gamma that is not small, or labels that have nothing
 * to do with the rows. */
static ney_data *draw_ring(rnd *r, bool noise)
{
    static float x[2 * ROWS];
    static int8_t y[ROWS];
    const ney_matrix m = {.rows = ROWS, .cols = 2, .dense = x};
    ney_data *d;
    for (int i = 0; i < ROWS; i++) {
        const double angle = 6.283 * rnd_unit(r),
                     radius = i % 2 ? 1 + 0.3 * rnd_unit(r) : rnd_unit(r);
        x[2 * (size_t)i] = (float)(radius * cos(angle));
        x[2 * (size_t)i + 1] = (float)(radius * sin(angle));
        y[i] = (noise ? rnd_chance(r, 0.5) : i % 2) ? 1 : -1;
    }
    assert_int_equal(ney_data_new(&d, NULL, &m, y, NULL, NULL), NEY_OK);
    return d;
}

static int64_t extensions(rnd *r, bool noise)
{
    const ney_train_opts o = train_options(false);
    ney_tune_opts t = tune_options();
    int64_t sum = 0;
    t.no_extend = false;
    t.refine = 0;
    t.table = NULL;
    t.folds = 4;
    t.criterion = NEY_CRITERION_AUC;
    t.grid = "C=1 gamma=0.001:0.003:2";
    for (int k = 0; k < 40; k++) {
        ney_data *d = draw_ring(r, noise);
        ney_tune_info info;
        ney_model *m;
        assert_int_equal(ney_tune(&m, NULL, d, NULL, &o, &t, &info, NULL), NEY_OK);
        sum += info.extensions;
        ney_model_free(m);
        ney_data_free(d);
    }
    return sum;
}

/* Where growing pays the grid grows again; where losses are noise it seldom does. */
static void prop_grows_while_that_pays(void **state)
{
    rnd r = rnd_new(65);
    (void)state;
    const int64_t with_signal = extensions(&r, false), with_noise = extensions(&r, true);
    assert_true(with_signal > with_noise + 4); /* of forty each, which grow one to three times */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(prop_table_is_true),
        cmocka_unit_test(prop_shared_rows_are_true),
        cmocka_unit_test(prop_same_bytes),
        cmocka_unit_test(prop_grows_at_the_edge),
        cmocka_unit_test(prop_grows_while_that_pays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
