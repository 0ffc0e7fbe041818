/* The kernel family: scores against sums in long double, files, refusals. */
#include "base/rng.h"
#include "support/cmocka_all.h"
#include "support/counting.h"

#include <neyman/experimental.h>

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

/* A matrix both ways. */
typedef struct table {
    int64_t rows, cols;
    float *dense;
    int64_t *start;
    int32_t *index;
    float *value;
} table;

static table random_table(ney_rng *rng, int64_t rows, int64_t cols, double density, double centre,
                          double spread)
{
    table t = {.rows = rows, .cols = cols};
    int64_t n = 0;
    t.dense = calloc((size_t)(rows * cols) + 1, sizeof *t.dense);
    t.start = calloc((size_t)rows + 1, sizeof *t.start);
    t.index = malloc(((size_t)(rows * cols) + 1) * sizeof *t.index);
    t.value = malloc(((size_t)(rows * cols) + 1) * sizeof *t.value);
    for (int64_t i = 0; i < rows; i++) {
        for (int64_t c = 0; c < cols; c++) {
            if (ney_rng_unit(rng) < density) {
                const float v = (float)(centre + spread * (2 * ney_rng_unit(rng) - 1));
                t.dense[i * cols + c] = v;
                t.index[n] = (int32_t)c;
                t.value[n++] = v;
            }
        }
        t.start[i + 1] = n;
    }
    return t;
}

static void free_table(table *t)
{
    free(t->dense);
    free(t->start);
    free(t->index);
    free(t->value);
}

static ney_matrix matrix_of(const table *t, bool dense)
{
    return dense ? (ney_matrix){.rows = t->rows, .cols = t->cols, .dense = t->dense}
                 : (ney_matrix){.rows = t->rows,
                                .cols = t->cols,
                                .start = t->start,
                                .index = t->index,
                                .value = t->value};
}

/* A model of features as they are. */
static ney_status make(ney_model **m, const ney_env *env, const ney_kernel *kernel,
                       const ney_matrix *support, const double *coefficient, double intercept,
                       ney_error *err)
{
    static const int64_t start[] = {0, 0};
    static const int32_t index[1];
    static const float value[1];
    const int8_t label = 1;
    const ney_matrix empty = {
        .rows = 1, .cols = support->cols, .start = start, .index = index, .value = value};
    ney_data *d = NULL;
    *m = NULL;
    ney_status st = ney_data_new(&d, env, &empty, &label, NULL, err);
    if (st == NEY_OK) {
        st = ney_model_new_kernel(m, env, ney_data_preprocessing(d), kernel, support, coefficient,
                                  intercept, err);
    }
    ney_data_free(d);
    return st;
}

static long double reference(const ney_kernel *k, const table *z, const double *coefficient,
                             double intercept, const table *x, int64_t row)
{
    long double f = intercept;
    for (int64_t i = 0; i < z->rows; i++) {
        long double product = 0, apart = 0, value;
        for (int64_t c = 0; c < z->cols; c++) {
            const long double p = z->dense[i * z->cols + c];
            const long double q = c < x->cols ? x->dense[row * x->cols + c] : 0;
            product += p * q;
            apart += (p - q) * (p - q);
        }
        switch ((ney_kernel_kind)k->kind) {
        case NEY_KERNEL_RBF:
            value = expl(-k->gamma * apart);
            break;
        case NEY_KERNEL_POLY:
            value = powl(k->gamma * product + k->coef0, k->degree);
            break;
        case NEY_KERNEL_SIGMOID:
            value = tanhl(k->gamma * product + k->coef0);
            break;
        default:
            value = product;
        }
        f += coefficient[i] * value;
    }
    return f;
}

/* One case: how far scores are from the truth, in units of the length of the coefficients. */
typedef struct scene {
    ney_kernel kernel;
    int64_t n, cols, rows, row_cols;
    double density, centre, spread;
    double tolerance;
} scene;

static void check_scene(const scene *s, uint64_t seed)
{
    ney_rng rng = {seed};
    table z = random_table(&rng, s->n, s->cols, s->density, s->centre, s->spread);
    table x = random_table(&rng, s->rows, s->row_cols, s->density, s->centre, s->spread);
    double *coefficient = malloc(((size_t)s->n + 1) * sizeof *coefficient);
    double *score[2] = {malloc((size_t)s->rows * sizeof(double)),
                        malloc((size_t)s->rows * sizeof(double))};
    double square = 0, worst = 0;
    for (int64_t i = 0; i < s->n; i++) {
        coefficient[i] = 20 * ney_rng_unit(&rng) - 10;
        square += coefficient[i] * coefficient[i];
    }
    for (int64_t i = 0; i < s->rows && i < s->n; i += 7) { /* some rows are support vectors */
        const int64_t cols = s->cols < s->row_cols ? s->cols : s->row_cols;
        if (s->density == 1) {
            memcpy(x.dense + i * s->row_cols, z.dense + i * s->cols, (size_t)cols * sizeof(float));
            memcpy(x.value + i * s->row_cols, z.dense + i * s->cols, (size_t)cols * sizeof(float));
        }
    }
    for (int both = 0; both < 4; both++) {
        const ney_matrix support = matrix_of(&z, both & 1), rows = matrix_of(&x, both & 2);
        ney_model *m = NULL;
        ney_error err = {0};
        if (make(&m, NULL, &s->kernel, &support, coefficient, 0.25, &err) != NEY_OK ||
            ney_model_score(m, NULL, &rows, score[both / 2], &err) != NEY_OK) {
            fail_msg("%s", err.message);
        }
        for (int64_t i = 0; i < s->rows; i++) {
            const long double f = reference(&s->kernel, &z, coefficient, 0.25, &x, i);
            const double apart = (double)fabsl(f - score[both / 2][i]) / sqrt(square + 1e-30);
            worst = apart > worst ? apart : worst;
            if (fabsl(f) > 1e-9L && (f > 0) != (score[both / 2][i] > 0)) {
                fail_msg("row %d: score %.17g, truth %.17g", (int)i, score[both / 2][i], (double)f);
            }
        }
        ney_model_free(m);
    }
    if (!(worst <= s->tolerance)) {
        fail_msg("kernel %d, %d support vectors: error %.3g", s->kernel.kind, (int)s->n, worst);
    }
    print_message("kernel %d n %d d %d: error %.2g of the coefficients\n", s->kernel.kind,
                  (int)s->n, (int)s->cols, worst);
    free(score[0]);
    free(score[1]);
    free(coefficient);
    free_table(&z);
    free_table(&x);
}

static void test_scores_are_the_sums(void **state)
{
    static const scene scenes[] = {
        {{NEY_KERNEL_RBF, 0.1, 0, 0}, 500, 10, 200, 10, 1, 0, 1, 1e-6},
        {{NEY_KERNEL_RBF, 0.1, 0, 0}, 193, 10, 33, 10, 1, 100, 1, 1e-6},
        {{NEY_KERNEL_RBF, 2, 0, 0}, 300, 3, 100, 3, 1, 0, 4, 4e-6},
        {{NEY_KERNEL_RBF, 0.05, 0, 0}, 400, 120, 70, 120, 0.1, 1, 0, 1e-6},
        {{NEY_KERNEL_RBF, 0.01, 0, 0}, 64, 300, 70, 280, 1, 0, 1, 4e-6},
        {{NEY_KERNEL_RBF, 0.01, 0, 0}, 64, 30, 70, 41, 0.5, 0, 1, 1e-6},
        {{NEY_KERNEL_RBF, 1e-3, 0, 0}, 50, 20, 50, 20, 1, 0, 500, 4e-6},
        {{NEY_KERNEL_RBF, 1e-60, 0, 0}, 20, 5, 20, 5, 1, 0, 1e30, 1e-11},
        {{NEY_KERNEL_RBF, 0, 0, 0}, 20, 5, 20, 5, 1, 0, 1, 1e-6},
        {{NEY_KERNEL_RBF, 1, 0, 0}, 1, 1, 5, 1, 1, 0, 1, 1e-6},
        {{NEY_KERNEL_RBF, 1, 0, 0}, 0, 3, 5, 3, 1, 0, 1, 1e-6},
        {{NEY_KERNEL_LINEAR, 0, 0, 0}, 100, 12, 100, 9, 0.5, 0, 10, 1e-12},
        {{NEY_KERNEL_POLY, 0.5, 1, 3}, 100, 12, 100, 15, 0.5, 0, 2, 1e-10},
        {{NEY_KERNEL_POLY, 0.5, -1, 0}, 30, 4, 30, 4, 1, 0, 2, 1e-12},
        {{NEY_KERNEL_SIGMOID, 0.2, -0.3, 0}, 100, 12, 101, 12, 0.7, 0, 2, 1e-12},
    };
    (void)state;
    for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++) {
        check_scene(&scenes[i], 100 + i);
    }
}

/* A few far support vectors, and far rows: in double, beside the others. */
static void test_far_vectors(void **state)
{
    ney_rng rng = {5};
    table z = random_table(&rng, 250, 6, 1, 0, 1), x = random_table(&rng, 40, 6, 1, 0, 1);
    const ney_kernel kernel = {NEY_KERNEL_RBF, 0.5, 0, 0};
    double coefficient[250], score[40];
    (void)state;
    for (int i = 0; i < 250; i++) {
        coefficient[i] = ney_rng_unit(&rng) - 0.5;
        for (int c = 0; i % 50 == 3 && c < 6; c++) {
            z.dense[i * 6 + c] += 20;
        }
    }
    for (int c = 0; c < 6; c++) {
        x.dense[12 + c] = z.dense[3 * 6 + c] + 0.25F; /* beside a far one */
        x.dense[18 + c] = 3e38F;
    }
    const ney_matrix support = matrix_of(&z, true), rows = matrix_of(&x, true);
    ney_model *m = NULL;
    assert_int_equal(make(&m, NULL, &kernel, &support, coefficient, 1e-3, NULL), NEY_OK);
    assert_int_equal(ney_model_score(m, NULL, &rows, score, NULL), NEY_OK);
    for (int i = 0; i < 40; i++) {
        const long double f = reference(&kernel, &z, coefficient, 1e-3, &x, i);
        assert_true(fabsl(f - score[i]) < 1e-5L);
    }
    ney_model_free(m);
    free_table(&z);
    free_table(&x);
}

/* Whatever shares its block, whatever the number of threads: the same bits. */
static void test_a_row_stands_alone(void **state)
{
    ney_rng rng = {7};
    table z = random_table(&rng, 1000, 9, 1, 0, 1), x = random_table(&rng, 1111, 9, 1, 0, 1.5);
    double coefficient[1000];
    double *all = malloc(1111 * sizeof *all), *threads = malloc(1111 * sizeof *threads);
    (void)state;
    for (int i = 0; i < 1000; i++) {
        coefficient[i] = ney_rng_unit(&rng) - 0.5;
    }
    for (int kind = NEY_KERNEL_LINEAR; kind <= NEY_KERNEL_SIGMOID; kind++) {
        const ney_kernel kernel = {(ney_kernel_kind)kind, 0.3, 0.1, 2};
        const ney_matrix support = matrix_of(&z, kind % 2), rows = matrix_of(&x, true);
        ney_env env = ney_env_default();
        ney_model *m = NULL;
        assert_int_equal(make(&m, NULL, &kernel, &support, coefficient, 0, NULL), NEY_OK);
        env.threads = 1;
        assert_int_equal(ney_model_score(m, &env, &rows, all, NULL), NEY_OK);
        env.threads = 3;
        assert_int_equal(ney_model_score(m, &env, &rows, threads, NULL), NEY_OK);
        assert_memory_equal(all, threads, 1111 * sizeof *all);
        for (int64_t i = 0; i < 1111; i += 13) {
            const ney_matrix one = {.rows = 1, .cols = 9, .dense = x.dense + i * 9};
            double score;
            assert_int_equal(ney_model_score(m, &env, &one, &score, NULL), NEY_OK);
            assert_memory_equal(&score, &all[i], sizeof score);
        }
        ney_model_free(m);
    }
    free(all);
    free(threads);
    free_table(&z);
    free_table(&x);
}

/* A sparse model needs memory for what it stores, not for its column numbers. */
static void *little_resize(void *user, void *block, size_t bytes)
{
    (void)user;
    if (bytes == 0) {
        free(block);
        return NULL;
    }
    return bytes < 1 << 20 ? realloc(block, bytes) : NULL;
}

static void test_large_columns(void **state)
{
    static const int64_t start[] = {0, 2, 3};
    static const int32_t index[] = {0, INT32_MAX - 2, 1000000};
    static const float value[] = {1, 2, 3};
    const ney_matrix x = {
        .rows = 2, .cols = INT32_MAX - 1, .start = start, .index = index, .value = value};
    const double coefficient[] = {1, -1};
    const ney_env env = {.resize = little_resize, .threads = 2};
    (void)state;
    for (int kind = NEY_KERNEL_LINEAR; kind <= NEY_KERNEL_SIGMOID; kind++) {
        const ney_kernel kernel = {(ney_kernel_kind)kind, 0.5, 0, 2};
        ney_model *m = NULL;
        double score[2];
        assert_int_equal(make(&m, &env, &kernel, &x, coefficient, 0, NULL), NEY_OK);
        assert_int_equal(ney_model_score(m, &env, &x, score, NULL), NEY_OK);
        const double same = kind == NEY_KERNEL_LINEAR ? 5
                            : kind == NEY_KERNEL_RBF  ? 1 - exp(-7)
                            : kind == NEY_KERNEL_POLY ? 6.25
                                                      : tanh(2.5);
        assert_true(fabs(score[0] - same) < 1e-6);
        ney_model_free(m);
    }
}

static void test_files_keep_every_bit(void **state)
{
    static const float odd[] = {0.1F, -0.0F, FLT_MAX, FLT_MIN / 4, 1e-3F, 16777215};
    static const double coefficient[] = {0.1, -DBL_MIN / 8, 1.0 / 3};
    static const int64_t start[] = {0, 1, 1, 4};
    static const int32_t index[] = {1, 0, 1, 2};
    const ney_matrix support[] = {
        {.rows = 3, .cols = 2, .dense = odd},
        {.rows = 3, .cols = 3, .start = start, .index = index, .value = odd},
        {.rows = 0, .cols = 3, .dense = odd},
        {.rows = 3, .cols = 0, .dense = odd}};
    (void)state;
    for (int k = 0; k < 16; k++) {
        const ney_kernel kernel = {(ney_kernel_kind)(k / 4), 0.1, -1.0 / 7, 5};
        ney_model *m = NULL, *back = NULL;
        ney_error err = {0};
        char *text, *again;
        size_t n_text, n_again;
        assert_int_equal(make(&m, NULL, &kernel, &support[k % 4], coefficient, 1.0 / 9, NULL),
                         NEY_OK);
        assert_int_equal(ney_model_format(m, &text, &n_text, NULL), NEY_OK);
        if (ney_model_parse(&back, NULL, "text", text, n_text, &err) != NEY_OK) {
            fail_msg("%d: line %d: %s", k, (int)err.line, err.message);
        }
        assert_string_equal(ney_model_family(back), "kernel");
        assert_int_equal(ney_model_format(back, &again, &n_again, NULL), NEY_OK);
        assert_int_equal(n_text, n_again);
        assert_memory_equal(text, again, n_text);
        ney_kernel other;
        ney_matrix x;
        const double *c;
        double b;
        assert_true(ney_model_kernel(back, &other, &x, &c, &b));
        assert_true(other.kind == kernel.kind && other.gamma == kernel.gamma &&
                    other.coef0 == kernel.coef0 && other.degree == 5 && b == 1.0 / 9);
        assert_memory_equal(c, coefficient, (size_t)x.rows * sizeof *c);
        assert_null(ney_model_weights(back, NULL));
        ney_model_text_free(m, text);
        ney_model_text_free(back, again);
        ney_model_free(m);
        ney_model_free(back);
    }
}

static void test_refuses_what_is_no_kernel_model(void **state)
{
    static const float value[] = {1, 2, 3, INFINITY};
    static const int64_t start[] = {0, 2, 3};
    static const int32_t crossed[] = {1, 0, 2}, beyond[] = {0, 3, 1};
    const double good[] = {1, 2}, bad[] = {1, (double)NAN};
    const ney_matrix dense = {.rows = 2, .cols = 1, .dense = value};
    const ney_matrix infinite = {.rows = 2, .cols = 2, .dense = value};
    const ney_matrix order = {
        .rows = 2, .cols = 3, .start = start, .index = crossed, .value = value};
    const ney_matrix out = {.rows = 2, .cols = 3, .start = start, .index = beyond, .value = value};
    const struct {
        ney_kernel kernel;
        const ney_matrix *support;
        const double *coefficient;
        double intercept;
        const char *says;
    } cases[] = {
        {{4, 1, 0, 1}, &dense, good, 0, "no kernel 4"},
        {{(ney_kernel_kind)(-1), 1, 0, 1}, &dense, good, 0, "no kernel"},
        {{NEY_KERNEL_RBF, -1, 0, 1}, &dense, good, 0, "0 or more"},
        {{NEY_KERNEL_RBF, (double)NAN, 0, 1}, &dense, good, 0, "finite"},
        {{NEY_KERNEL_POLY, 1, (double)INFINITY, 1}, &dense, good, 0, "finite"},
        {{NEY_KERNEL_POLY, 1, 0, -1}, &dense, good, 0, "degree"},
        {{NEY_KERNEL_RBF, 1, 0, 1}, &dense, bad, 0, "vector 2"},
        {{NEY_KERNEL_RBF, 1, 0, 1}, &dense, good, (double)NAN, "finite"},
        {{NEY_KERNEL_RBF, 1, 0, 1}, &infinite, good, 0, "vector 2"},
        {{NEY_KERNEL_RBF, 1, 0, 1}, &order, good, 0, "ascend"},
        {{NEY_KERNEL_RBF, 1, 0, 1}, &out, good, 0, "ascend"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ney_model *m = NULL;
        ney_error err = {0};
        assert_int_equal(make(&m, NULL, &cases[i].kernel, cases[i].support, cases[i].coefficient,
                              cases[i].intercept, &err),
                         NEY_EINVAL);
        assert_null(m);
        if (!strstr(err.message, cases[i].says)) {
            fail_msg("%s, expected '%s'", err.message, cases[i].says);
        }
    }
}

/* The text of a model whose family's lines are given, with a last line that fits. */
static size_t text_of_columns(char *text, size_t room, const char *cols, const char *lines)
{
    const int n =
        snprintf(text, room,
                 "neyman-model 1\nfamily kernel\nrecipe svmlight\ncolumns %s\nend-recipe\n"
                 "thresholds 0 0\nsummary 0\ncertificate 0\n%s",
                 cols, lines);
    return (size_t)n + (size_t)snprintf(text + n, room - (size_t)n, "end %016llx\n",
                                        (unsigned long long)XXH3_64bits(text, (size_t)n));
}

static size_t text_of(char *text, size_t room, const char *lines)
{
    return text_of_columns(text, room, "2", lines);
}

/* An environment that refuses a megabyte. */
static void *small_resize(void *user, void *block, size_t bytes)
{
    (void)user;
    if (bytes == 0) {
        free(block);
        return NULL;
    }
    return bytes < 1000000 ? realloc(block, bytes) : NULL;
}

/* A few bytes cannot announce columns that take memory. */
static void test_columns_without_rows_take_nothing(void **state)
{
    static const char *const storage[] = {"dense", "sparse"};
    const ney_env env = {.resize = small_resize, .threads = 1};
    (void)state;
    for (int k = 0; k < 2; k++) {
        char text[600], lines[200];
        ney_model *m = NULL;
        ney_error err = {0};
        snprintf(lines, sizeof lines,
                 "kernel rbf\ngamma 1\ncoef0 0\ndegree 3\nintercept 0.5\nsupport 0 2147483647 %s\n",
                 storage[k]);
        const size_t n = text_of_columns(text, sizeof text, "2147483647", lines);
        assert_int_equal(ney_model_parse(&m, &env, "few bytes", text, n, &err), NEY_OK);
        const float value[] = {1, 2};
        const int32_t index[] = {3, 2147483646};
        const int64_t start[] = {0, 2};
        const ney_matrix x = {
            .rows = 1, .cols = 2147483647, .start = start, .index = index, .value = value};
        double score = 0;
        assert_int_equal(ney_model_score(m, &env, &x, &score, &err), NEY_OK);
        assert_true(score == 0.5);
        ney_model_free(m);
    }
}

static void test_refuses_broken_lines(void **state)
{
#define START "kernel rbf\ngamma 1\ncoef0 0\ndegree 3\nintercept 0\n"
    static const struct {
        const char *lines, *says;
    } cases[] = {
        {START "support 1 2 dense\n 1 2 3\n", NULL},
        {START "support 1 2 sparse\n 1 1 3 2 4\n", NULL},
        {START "support 1 2 sparse\n 1\n", NULL},
        {START "support 1 3 dense\n 1 2 3 4\n", "3 columns"},
        {START "support 2 2 dense\n 1 2 3\n", "shorter"},
        {START "support 1 2 dense\n 1.0000 2\n", "ends here"},
        {START "support 1 2 dense\n 1 2 3 4\n", "end of the line"},
        {START "support 1 2 dense\n 1 2 inf\n", "finite"},
        {START "support 1 2 dense\n nan 2 3\n", "finite"},
        {START "support 1 2 dense\n 1 2 4e38\n", "single"},
        {START "support 1 2 sparse\n 1 2 3 1 4\n", "from 3 to 2"},
        {START "support 1 2 sparse\n 1 0 3\n", "from 1 to 2"},
        {START "support 1 2 sparse\n 1 3 3\n", "from 1 to 2"},
        {START "support 1 2 sparse\n 1 1\n", "ends here"},
        {START "support 9000000000000000000 2 sparse\n 1\n", "shorter"},
        {START "support 1 2 loose\n 1\n", "sparse"},
        {START "support 1 2 dense\n 1 2 3\n 1 2 3\n", "more lines"},
        {"kernel cubic\n", "cubic"},
        {"kernel rbf\ngamma -1\ncoef0 0\ndegree 3\nintercept 0\nsupport 0 2 dense\n", "0 or more"},
        {"kernel rbf\ngamma nan\n", "finite"},
        {"kernel poly\ngamma 1\ncoef0 0\ndegree -1\n", "degree"},
    };
#undef START
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[1024];
        const size_t n = text_of(text, sizeof text, cases[i].lines);
        ney_model *m = NULL;
        ney_error err = {0};
        const ney_status st = ney_model_parse(&m, NULL, "text", text, n, &err);
        if (cases[i].says ? st != NEY_EFORMAT || m : st != NEY_OK) {
            fail_msg("%s%s", cases[i].lines, err.message);
        }
        if (cases[i].says && strcmp(cases[i].says, "degree") != 0 &&
            !strstr(err.message, cases[i].says)) {
            fail_msg("%s: %s, expected '%s'", cases[i].lines, err.message, cases[i].says);
        }
        ney_model_free(m);
    }
}

static void test_golden_file(void **state)
{
    const char *const root = getenv("NEY_SOURCE");
    char path[4096], file[4096];
    ney_model *m = NULL;
    ney_error err = {0};
    char *text;
    size_t n_text;
    const float row[] = {1, 2, -1, 0, 0.5F, 1};
    const ney_matrix x = {.rows = 2, .cols = 3, .dense = row};
    double score[2];
    (void)state;
    if (!root) {
        skip();
    }
    snprintf(path, sizeof path, "%s/tests/golden/model-v1-kernel.ney", root);
    if (ney_model_read(&m, NULL, path, &err) != NEY_OK) {
        fail_msg("%s", err.message);
    }
    assert_int_equal(ney_model_score(m, NULL, &x, score, NULL), NEY_OK);
    /* support (1, 0, 2), (0, 0, 0), (0, 0.1, 0); gamma 0.25 */
    const double f[] = {
        1.5 * exp(-3.25) - 2 * exp(-1.5) + 0.5 * exp(-0.25 * (2 + 1.9 * 1.9)) - 0.25,
        1.5 * exp(-0.25 * 2.25) - 2 * exp(-0.25 * 1.25) + 0.5 * exp(-0.25 * (0.16 + 1)) - 0.25};
    assert_true(fabs(score[0] - f[0]) < 1e-6 && fabs(score[1] - f[1]) < 1e-6);
    assert_int_equal(ney_model_format(m, &text, &n_text, NULL), NEY_OK);
    FILE *in = fopen(path, "r");
    const size_t n = fread(file, 1, sizeof file, in);
    fclose(in);
    assert_int_equal(n, n_text);
    assert_memory_equal(file, text, n);
    ney_model_text_free(m, text);
    ney_model_free(m);
}

/* ---- memory */

static ney_status use_all(const void *what, const ney_env *env, ney_error *err)
{
    static const float value[] = {1, 2, 3, 4};
    static const double coefficient[] = {1, -2};
    static const int64_t start[] = {0, 2, 3};
    static const int32_t index[] = {0, 1, 1};
    const int kind = *(const int *)what / 2;
    const ney_kernel kernel = {(ney_kernel_kind)kind, 1, 0, 2};
    const ney_matrix dense = {.rows = 2, .cols = 2, .dense = value};
    const ney_matrix sparse = {
        .rows = 2, .cols = 2, .start = start, .index = index, .value = value};
    ney_model *m = NULL, *back = NULL;
    char *text = NULL;
    size_t n_text;
    double score[2];
    ney_status st =
        make(&m, env, &kernel, *(const int *)what % 2 ? &dense : &sparse, coefficient, 0, err);
    assert_true((st == NEY_OK) == (m != NULL));
    if (st == NEY_OK && (st = ney_model_format(m, &text, &n_text, err)) == NEY_OK &&
        (st = ney_model_parse(&back, env, "text", text, n_text, err)) == NEY_OK) {
        st = ney_model_score(back, env, &dense, score, err);
    }
    if (m) {
        ney_model_text_free(m, text);
    }
    ney_model_free(m);
    ney_model_free(back);
    return st;
}

static void test_memory_refused(void **state)
{
    (void)state;
    for (int k = 0; k < 8; k++) {
        sweep_memory("kernel model", use_all, &k);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_scores_are_the_sums),
        cmocka_unit_test(test_far_vectors),
        cmocka_unit_test(test_a_row_stands_alone),
        cmocka_unit_test(test_large_columns),
        cmocka_unit_test(test_files_keep_every_bit),
        cmocka_unit_test(test_refuses_what_is_no_kernel_model),
        cmocka_unit_test(test_columns_without_rows_take_nothing),
        cmocka_unit_test(test_refuses_broken_lines),
        cmocka_unit_test(test_golden_file),
        cmocka_unit_test(test_memory_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
