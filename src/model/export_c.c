/* A model as a C99 source file: the preprocessing, the score function and the decision, with no
 * library but the standard one.
 *
 * The arithmetic is that of preprocessing.h, rounding to single precision included, so that
 * features are the same and a linear model gives the same scores; the other families are summed in
 * double. A row is given by the cells of the file, one number per column; a column of words takes
 * the position of the word. */
#include "base/file.h"
#include "base/number.h"
#include "model/c_text.h"
#include "model/exchange.h"
#include "model/model.h"
#include "model/online.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    MOST_ON_STACK = 32768, /* features that are kept in an array while a kernel is summed */
    LONGEST_WORD = 1000    /* bytes; four characters each in a literal, which C99 lets have 4095 */
};

typedef struct plan {
    const ney_model *model;
    const ney_preprocessing *preprocessing;
    ney_c_text c;
    bool words, unit; /* there are columns of words; rows are scaled to length 1 */
    int64_t cols, inputs;
    int64_t positive, negative, rejected; /* what predict gives */
    void (*put_score)(const struct plan *p);
} plan;

/* ---------------------------------------------------------------- what can be said */

/* Labels that are whole numbers stand for themselves, others are 1 and -1. */
static void plan_labels(plan *p)
{
    double value[2];
    bool whole = true;
    for (int i = 0; i < 2; i++) {
        const char *const name = ney_preprocessing_label(p->preprocessing, i ? 1 : -1);
        whole = whole && ney_number_parse(name, strlen(name), &value[i]) &&
                value[i] == floor(value[i]) && fabs(value[i]) <= INT32_MAX;
    }
    p->negative = whole ? (int64_t)value[0] : -1;
    p->positive = whole ? (int64_t)value[1] : 1;
    while (p->rejected == p->positive || p->rejected == p->negative) {
        p->rejected++;
    }
}

static bool too_long(const char *word)
{
    return strlen(word) > LONGEST_WORD;
}

static ney_status plan_words(plan *p, ney_error *err)
{
    const ney_preprocessing *const r = p->preprocessing;
    bool longer =
        too_long(ney_preprocessing_label(r, 1)) || too_long(ney_preprocessing_label(r, -1));
    p->inputs = r->input ? r->n_input : r->cols;
    for (int64_t i = 0; r->input && i < r->n_input; i++) {
        const ney_input *const in = &r->input[i];
        p->words = p->words || in->category;
        longer = longer || too_long(in->name);
        for (int64_t k = 0; in->category && k < in->n_category; k++) {
            longer = longer || too_long(in->category[k]);
        }
    }
    if (longer) {
        return ney_fail(err, NEY_EINVAL,
                        "a name or category is longer than %d bytes, which C need not hold",
                        LONGEST_WORD);
    }
    return NEY_OK;
}

/* ---------------------------------------------------------------- the comment */

static void put_words_of(const plan *p, const ney_input *in, int64_t column)
{
    ney_c_put(&p->c, ": @_category(");
    ney_c_int(&p->c, column);
    ney_c_put(&p->c, ", cell), which is");
    for (int64_t k = 0; k < in->n_category; k++) {
        ney_c_put(&p->c, k ? ",\n *               " : "\n *               ");
        ney_c_int(&p->c, k);
        ney_c_put(&p->c, " for ");
        ney_c_string(&p->c, in->category[k]);
    }
    ney_c_put(&p->c, ",\n *               -1 for any other");
}

static void put_columns(const plan *p)
{
    const ney_preprocessing *const r = p->preprocessing;
    ney_c_put(&p->c, " * x points to ");
    ney_c_int(&p->c, p->inputs);
    ney_c_put(&p->c,
              " numbers, the cells of one row as they stand in a data file, unscaled:\n *\n");
    if (!r->input) {
        ney_c_put(&p->c,
                  " *     x[j] is the value of feature j + 1 of an svmlight file, 0 where it "
                  "is absent\n");
    }
    for (int64_t i = 0; r->input && i < r->n_input; i++) {
        ney_c_put(&p->c, " *     x[");
        ney_c_int(&p->c, i);
        ney_c_put(&p->c, "]  ");
        ney_c_string(&p->c, r->input[i].name);
        if (r->input[i].category) {
            put_words_of(p, &r->input[i], i);
        }
        ney_c_put(&p->c, "\n");
    }
    ney_c_put(&p->c, r->fill
                         ? " *\n * A cell that is missing is NAN, and is filled as in training.\n"
                         : " *\n * No cell may be missing (NAN).\n");
    ney_c_put(&p->c,
              " * Where a number is infinite, beyond single precision or missing without leave,"
              "\n * the score is NAN and the row is rejected.\n *\n");
}

static void put_class(const plan *p, const char *what, int sign, const char *rule, double threshold)
{
    ney_c_put(&p->c, " *     ");
    ney_c_put(&p->c, what);
    ney_c_string(&p->c, ney_preprocessing_label(p->preprocessing, sign));
    ney_c_put(&p->c, rule);
    ney_c_double(&p->c, threshold);
    ney_c_put(&p->c, "\n");
}

static void put_comment(const plan *p)
{
    ney_c_put(&p->c, "/* A classifier (family: ");
    ney_c_put(&p->c, p->model->family->name);
    ney_c_put(&p->c, ") in C99, written by neyman ");
    ney_c_put(&p->c, ney_version());
    ney_c_put(&p->c, ".\n * Link with -lm. Declare in your program:\n *\n"
                     " *     double @_score(const double *x);\n"
                     " *     int @_predict(const double *x);\n"
                     " *     const char *@_label(int predicted);\n");
    if (p->words) {
        ney_c_put(&p->c, " *     double @_category(int column, const char *cell);\n");
    }
    ney_c_put(&p->c, " *\n");
    put_columns(p);
    ney_c_put(&p->c, " * The classes, as predict numbers and label names them:\n *\n");
    put_class(p, "@_POSITIVE ", 1, " where the score is at least ", p->model->high);
    put_class(p, "@_NEGATIVE ", -1, " where the score is below ", p->model->low);
    ney_c_put(&p->c, " *     @_REJECTED between them, and where there is no score\n *\n");
    ney_c_put(
        &p->c,
        ney_model_weights(p->model, NULL)
            ? " * Scores and labels are those of 'neyman predict --scores', bit for bit where the"
              " compiler\n * does not fuse multiplications with additions (-ffp-contract=off).\n"
            : " * Scores are sums in double precision; those of 'neyman predict --scores' differ"
              " by rounding,\n * at most that of single precision relative to the length of the"
              " coefficients, and a\n * label may differ where a score is that near to a"
              " threshold. A certificate is about the\n * scores of 'neyman predict'.\n");
    ney_c_put(&p->c, " * Every function may be called from many threads at once. */\n");
}

/* ---------------------------------------------------------------- features */

/* For each feature: its column, and the position of its word there or -1, and the word. */
static ney_status put_word_tables(const plan *p, ney_error *err)
{
    const ney_preprocessing *const r = p->preprocessing;
    const ney_env *const env = &p->model->env;
    int64_t *const column = ney_alloc(env, p->cols, sizeof *column);
    int64_t *const place = ney_alloc(env, p->cols, sizeof *place);
    const char **const word = ney_alloc(env, p->cols, sizeof *word);
    const bool room = column && place && word;

    for (int64_t i = 0, j = 0; room && i < r->n_input; i++) {
        const ney_input *const in = &r->input[i];
        for (int64_t k = 0; k < (in->category ? in->n_category : 1); k++, j++) {
            column[j] = i;
            place[j] = in->category ? k : -1;
            word[j] = in->category ? in->category[k] : NULL;
        }
    }
    if (room) {
        ney_c_put(&p->c, "/* Of each feature: its column, and which word of it. */\n");
        ney_c_longs(&p->c, "column", column, p->cols);
        ney_c_longs(&p->c, "place", place, p->cols);
        ney_c_strings(&p->c, "word", word, p->cols);
    }
    ney_release(env, column);
    ney_release(env, place);
    ney_release(env, word);
    return room ? NEY_OK : ney_no_memory(err, p->cols, "features to export");
}

static void put_array(const plan *p, const char *array, const double *value)
{
    if (value) {
        ney_c_doubles(&p->c, array, value, p->cols);
    }
}

/* The three steps of preprocessing.h for one feature; what is not there is not written. */
static void put_feature(const plan *p)
{
    const ney_preprocessing *const r = p->preprocessing;
    ney_c_put(&p->c, "/* Feature j of a row, stored in single precision as neyman does; NAN where "
                     "there is none. */\n");
    ney_c_put(&p->c, p->unit ? "static float @_part(const double *x, long j)\n{\n"
                             : "static float @_feature(const double *x, long j)\n{\n");
    ney_c_put(&p->c, p->words ? "    double v = x[@_column[j]];\n\n" : "    double v = x[j];\n\n");
    if (p->words) {
        ney_c_put(&p->c, "    if (@_place[j] >= 0) {\n");
        if (!r->fill) {
            ney_c_put(&p->c, "        if (v != v) {\n            return (float)NAN;\n        }\n");
        }
        ney_c_put(&p->c, "        return v == (double)@_place[j] ? 1.0f : 0.0f;\n    }\n");
    }
    if (r->shift) {
        ney_c_put(&p->c, "    v -= @_shift[j];\n");
    }
    if (r->fill) {
        ney_c_put(&p->c, "    if (v != v) {\n        v = @_fill[j];\n    } else ");
    } else {
        ney_c_put(&p->c, "    ");
    }
    /* The limit: what rounds to the largest float. */
    ney_c_put(&p->c, "if (!(fabs(v) < 0x1.ffffffp127)) {\n        return (float)NAN;\n    }");
    ney_c_put(&p->c, r->fill ? " else {\n        v = (double)(float)v;\n    }\n"
                             : "\n    v = (double)(float)v;\n");
    if (r->offset) {
        ney_c_put(&p->c, "    v -= @_offset[j];\n");
    }
    if (r->factor) {
        ney_c_put(&p->c, "    v *= @_factor[j];\n");
    }
    ney_c_put(&p->c, "    if (v > (double)FLT_MAX) {\n        return FLT_MAX;\n    }\n"
                     "    return v < -(double)FLT_MAX ? -FLT_MAX : (float)v;\n}\n\n");
}

static void put_length(const plan *p)
{
    if (!p->unit) {
        return;
    }
    ney_c_put(&p->c, "/* The length of a row, to which its features are relative. */\n"
                     "static double @_length(const double *x)\n{\n"
                     "    double sum = 0.0;\n    long j;\n\n    for (j = 0; j < ");
    ney_c_int(&p->c, p->cols);
    ney_c_put(&p->c, "; j++) {\n"
                     "        const double v = (double)@_part(x, j);\n\n"
                     "        sum += v * v;\n    }\n    return sqrt(sum);\n}\n\n"
                     "static float @_feature(const double *x, long j, double length)\n{\n"
                     "    const float v = @_part(x, j);\n\n"
                     "    return length > 0.0 ? (float)((double)v / length) : v;\n}\n\n");
}

static ney_status put_preprocessing(const plan *p, ney_error *err)
{
    const ney_preprocessing *const r = p->preprocessing;
    ney_status st;
    if (p->words && (st = put_word_tables(p, err)) != NEY_OK) {
        return st;
    }
    if (r->shift || r->offset || r->factor || r->fill) {
        ney_c_put(&p->c, "/* A feature is ((x - shift) - offset) * factor, fill standing for a "
                         "missing x - shift. */\n");
    }
    put_array(p, "shift", r->shift);
    put_array(p, "fill", r->fill);
    put_array(p, "offset", r->offset);
    put_array(p, "factor", r->factor);
    put_feature(p);
    put_length(p);
    return NEY_OK;
}

/* ---------------------------------------------------------------- scores */

static const char *feature_call(const plan *p)
{
    return p->unit ? "@_feature(x, j, length)" : "@_feature(x, j)";
}

static void put_score_head(const plan *p)
{
    ney_c_put(&p->c, "double @_score(const double *x)\n{\n");
    ney_c_put(&p->c, p->unit ? "    const double length = @_length(x);\n" : "");
}

static void put_score_end(const plan *p, double intercept)
{
    ney_c_put(&p->c, "    return sum + ");
    ney_c_put(&p->c, intercept < 0 ? "(" : "");
    ney_c_double(&p->c, intercept);
    ney_c_put(&p->c, intercept < 0 ? ")" : "");
    ney_c_put(&p->c, ";\n}\n\n");
}

static void put_linear(const plan *p)
{
    double intercept;
    const double *const weight = ney_model_weights(p->model, &intercept);

    ney_c_doubles(&p->c, "weight", weight, p->cols);
    put_score_head(p);
    ney_c_put(&p->c, "    double sum = 0.0;\n    long j;\n\n    for (j = 0; j < ");
    ney_c_int(&p->c, p->cols);
    ney_c_put(&p->c, "; j++) {\n        sum += (double)");
    ney_c_put(&p->c, feature_call(p));
    ney_c_put(&p->c, " * @_weight[j];\n    }\n");
    put_score_end(p, intercept);
}

/* The kernel of what the sums over the columns gave: `value` is |x - z|^2 for rbf, x'z else. */
static void put_kernel(const plan *p, const ney_kernel *k)
{
    ney_c_put(&p->c, "static double @_kernel(double value)\n{\n");
    switch ((ney_kernel_kind)k->kind) {
    case NEY_KERNEL_LINEAR:
        ney_c_put(&p->c, "    return value;\n}\n\n");
        return;
    case NEY_KERNEL_RBF:
        ney_c_put(&p->c, "    return value > 0.0 ? exp(-value * ");
        ney_c_double(&p->c, k->gamma);
        ney_c_put(&p->c, ") : 1.0;\n}\n\n");
        return;
    case NEY_KERNEL_POLY:
    case NEY_KERNEL_SIGMOID:
        break;
    }
    const bool poly = k->kind == NEY_KERNEL_POLY;
    ney_c_put(&p->c, poly ? "    double base = value * " : "    return tanh(value * ");
    ney_c_double(&p->c, k->gamma);
    ney_c_put(&p->c, " + (");
    ney_c_double(&p->c, k->coef0);
    if (!poly) {
        ney_c_put(&p->c, "));\n}\n\n");
        return;
    }
    ney_c_put(&p->c, "), power = 1.0;\n    long n;\n\n    for (n = ");
    ney_c_int(&p->c, k->degree);
    ney_c_put(&p->c, "; n > 0; n /= 2) {\n"
                     "        power = n % 2 ? power * base : power;\n"
                     "        base *= base;\n    }\n    return power;\n}\n\n");
}

static void put_support(const plan *p, const ney_matrix *z, const double *coefficient)
{
    ney_c_put(&p->c, "/* The support vectors and their coefficients. */\n");
    ney_c_doubles(&p->c, "coefficient", coefficient, z->rows);
    if (z->dense) {
        ney_c_floats(&p->c, "support", z->dense, z->rows * z->cols);
        return;
    }
    const int64_t entries = z->start[z->rows];
    ney_c_longs(&p->c, "start", z->start, z->rows + 1);
    ney_c_floats(&p->c, "support", z->value, entries);
    ney_c_indices(&p->c, "index", z->index, entries);
}

/* The loop over one support vector: for rbf |x - z|^2, which for a sparse one is
 * |x|^2 + sum z_j (z_j - 2 x_j) over its entries. */
static void put_inner_loop(const plan *p, const ney_matrix *z, bool rbf, const char *feature)
{
    ney_c_put(&p->c, rbf && !z->dense ? "        double value = square;\n\n"
                                      : "        double value = 0.0;\n\n");
    if (z->dense) {
        ney_c_put(&p->c, "        for (j = 0; j < ");
        ney_c_int(&p->c, z->cols);
        ney_c_put(&p->c, "; j++) {\n            const double z = (double)@_support[i * ");
        ney_c_int(&p->c, z->cols);
        ney_c_put(&p->c, " + j];\n");
    } else {
        ney_c_put(&p->c, "        for (k = @_start[i]; k < @_start[i + 1]; k++) {\n"
                         "            const long j = @_index[k];\n"
                         "            const double z = (double)@_support[k];\n");
    }
    ney_c_put(&p->c, "            const double v = (double)");
    ney_c_put(&p->c, feature);
    ney_c_put(&p->c, ";\n\n            value += ");
    ney_c_put(&p->c, !rbf ? "v * z" : z->dense ? "(v - z) * (v - z)" : "z * (z - 2.0 * v)");
    ney_c_put(&p->c, ";\n        }\n");
}

static void put_kernel_sum(const plan *p, const ney_kernel *kernel, const ney_matrix *z,
                           double intercept)
{
    const bool kept = p->cols <= MOST_ON_STACK, rbf = kernel->kind == NEY_KERNEL_RBF;
    put_score_head(p);
    if (kept) {
        ney_c_put(&p->c, "    float feature[");
        ney_c_int(&p->c, p->cols > 0 ? p->cols : 1);
        ney_c_put(&p->c, "];\n");
    }
    ney_c_put(&p->c, z->dense ? "    double square = 0.0, sum = 0.0;\n    long i, j;\n\n"
                              : "    double square = 0.0, sum = 0.0;\n    long i, k, n;\n\n");
    ney_c_put(&p->c, z->dense ? "    for (j = 0; j < " : "    for (n = 0; n < ");
    ney_c_int(&p->c, p->cols);
    ney_c_put(&p->c, z->dense ? "; j++) {\n" : "; n++) {\n        const long j = n;\n");
    ney_c_put(&p->c, "        const float v = ");
    ney_c_put(&p->c, feature_call(p));
    ney_c_put(&p->c, kept ? ";\n\n        feature[j] = v;\n" : ";\n\n");
    ney_c_put(&p->c, "        square += (double)v * (double)v;\n    }\n"
                     "    if (square != square) {\n        return (double)NAN;\n    }\n"
                     "    for (i = 0; i < ");
    ney_c_int(&p->c, z->rows);
    ney_c_put(&p->c, "; i++) {\n");
    put_inner_loop(p, z, rbf, kept ? "feature[j]" : feature_call(p));
    ney_c_put(&p->c, "        sum += @_coefficient[i] * @_kernel(value);\n    }\n");
    put_score_end(p, intercept);
}

/* Open the score function with its row: `float feature[]` where that fits on the stack. Gives the
 * expression for feature j. */
static const char *put_row(const plan *p)
{
    put_score_head(p);
    if (p->cols > MOST_ON_STACK) {
        ney_c_put(&p->c, "    double sum = 0.0;\n    long i, j;\n\n");
        return feature_call(p);
    }
    ney_c_put(&p->c, "    float feature[");
    ney_c_int(&p->c, p->cols > 0 ? p->cols : 1);
    ney_c_put(&p->c, "];\n    double sum = 0.0;\n    long i, j;\n\n    for (j = 0; j < ");
    ney_c_int(&p->c, p->cols);
    ney_c_put(&p->c, "; j++) {\n        feature[j] = ");
    ney_c_put(&p->c, feature_call(p));
    ney_c_put(&p->c, ";\n    }\n");
    return "feature[j]";
}

/* for (i = 0; i < n; i++) { double z = start; for (j ...) z += feature * factor; last } */
static void put_layer(const plan *p, const char *feature, int64_t n, const char *start,
                      const char *factor, const char *last)
{
    ney_c_put(&p->c, "    for (i = 0; i < ");
    ney_c_int(&p->c, n);
    ney_c_put(&p->c, "; i++) {\n        double z = ");
    ney_c_put(&p->c, start);
    ney_c_put(&p->c, ";\n\n        for (j = 0; j < ");
    ney_c_int(&p->c, p->cols);
    ney_c_put(&p->c, "; j++) {\n            z += (double)");
    ney_c_put(&p->c, feature);
    ney_c_put(&p->c, " * ");
    ney_c_put(&p->c, factor);
    ney_c_put(&p->c, ";\n        }\n        ");
    ney_c_put(&p->c, last);
    ney_c_put(&p->c, ";\n    }\n");
}

static void put_kernel_score(const plan *p)
{
    ney_kernel kernel;
    ney_matrix z;
    const double *coefficient;
    double intercept;
    (void)ney_model_kernel(p->model, &kernel, &z, &coefficient, &intercept);
    put_support(p, &z, coefficient);
    put_kernel(p, &kernel);
    put_kernel_sum(p, &kernel, &z, intercept);
}

static void put_features_score(const plan *p)
{
    ney_fourier map;
    const double *weight;
    double gamma, intercept;
    (void)ney_model_features(p->model, &map, &gamma, &weight, &intercept);
    ney_c_put(
        &p->c,
        "/* Random Fourier features: frequencies, and the weights of cosines and sines. */\n");
    ney_c_floats(&p->c, "frequency", map.value, map.D * map.cols);
    ney_c_doubles(&p->c, "weight", weight, map.n);
    const char *const feature = put_row(p);
    char factor[80], last[160];
    snprintf(factor, sizeof factor, "(double)@_frequency[i * %lld + j]", (long long)map.cols);
    snprintf(last, sizeof last, "sum += @_weight[i] * cos(z) + @_weight[%lld + i] * sin(z)",
             (long long)map.D);
    put_layer(p, feature, map.D, "0.0", factor, last);
    ney_c_put(&p->c, "    sum /= sqrt((double)");
    ney_c_int(&p->c, map.D);
    ney_c_put(&p->c, ");\n");
    put_score_end(p, intercept);
}

static void put_network_score(const plan *p)
{
    int64_t units;
    const double *weight, *bias;
    (void)ney_model_network(p->model, &units, &weight, &bias);
    ney_c_put(&p->c,
              "/* One hidden layer: weights of all units feature after feature, their intercepts, "
              "and the\n * weights of the output. */\n");
    ney_c_doubles(&p->c, "weight", weight, p->cols * units);
    ney_c_doubles(&p->c, "bias", bias, units);
    ney_c_doubles(&p->c, "output", weight + p->cols * units, units);
    const char *const feature = put_row(p);
    char factor[80];
    snprintf(factor, sizeof factor, "@_weight[j * %lld + i]", (long long)units);
    put_layer(p, feature, units, "@_bias[i]", factor, "sum += @_output[i] * tanh(z)");
    put_score_end(p, bias[units]);
}

typedef void put_score(const plan *p);

/* NULL for a family that C cannot be written for. */
static put_score *score_writer(const ney_family *family)
{
    static const struct {
        const ney_family *family;
        put_score *put;
    } writers[] = {
        {&ney_family_linear, put_linear},
        {&ney_family_kernel, put_kernel_score},
        {&ney_family_features, put_features_score},
        {&ney_family_network, put_network_score},
    };
    for (size_t k = 0; k < sizeof writers / sizeof *writers; k++) {
        if (writers[k].family == family) {
            return writers[k].put;
        }
    }
    return NULL;
}

static ney_status make_plan(plan *p, ney_error *err)
{
    if (!ney_c_name_ok(p->c.name)) {
        return ney_fail(err, NEY_EINVAL,
                        "the name '%.80s', expected at most 60 letters, digits and '_', a letter "
                        "first",
                        p->c.name);
    }
    const ney_status st = ney_export_check(p->model, "a C file", err);
    if (st != NEY_OK) {
        return st;
    }
    p->put_score = score_writer(p->model->family);
    if (!p->put_score) {
        return ney_fail(err, NEY_EINVAL, "a C file has no form for a model of family '%s'",
                        p->model->family->name);
    }
    p->cols = p->preprocessing->cols;
    p->unit = p->preprocessing->scaling == NEY_SCALING_UNIT;
    plan_labels(p);
    return plan_words(p, err);
}

/* ---------------------------------------------------------------- the file */

static void put_head(const plan *p)
{
    put_comment(p);
    ney_c_put(&p->c, "#include <float.h>\n#include <math.h>\n");
    ney_c_put(&p->c, p->words ? "#include <string.h>\n\n" : "\n");
    ney_c_put(&p->c, "enum { @_POSITIVE = ");
    ney_c_int(&p->c, p->positive);
    ney_c_put(&p->c, ", @_NEGATIVE = ");
    ney_c_int(&p->c, p->negative);
    ney_c_put(&p->c, ", @_REJECTED = ");
    ney_c_int(&p->c, p->rejected);
    ney_c_put(&p->c, " };\n\ndouble @_score(const double *x);\nint @_predict(const double *x);\n"
                     "const char *@_label(int predicted);\n");
    ney_c_put(&p->c, p->words ? "double @_category(int column, const char *cell);\n\n" : "\n");
}

static void put_decision(const plan *p)
{
    ney_c_put(&p->c, "int @_predict(const double *x)\n{\n    const double score = @_score(x);\n\n"
                     "    if (score >= ");
    ney_c_double(&p->c, p->model->high);
    ney_c_put(&p->c, ") {\n        return @_POSITIVE;\n    }\n    return score < ");
    ney_c_double(&p->c, p->model->low);
    ney_c_put(&p->c, " ? @_NEGATIVE : @_REJECTED;\n}\n\n"
                     "const char *@_label(int predicted)\n{\n"
                     "    if (predicted == @_POSITIVE) {\n        return ");
    ney_c_string(&p->c, ney_preprocessing_label(p->preprocessing, 1));
    ney_c_put(&p->c, ";\n    }\n    return predicted == @_NEGATIVE ? ");
    ney_c_string(&p->c, ney_preprocessing_label(p->preprocessing, -1));
    ney_c_put(&p->c, " : \"reject\";\n}\n");
    if (!p->words) {
        return;
    }
    ney_c_put(&p->c, "\ndouble @_category(int column, const char *cell)\n{\n    long j;\n\n"
                     "    for (j = 0; j < ");
    ney_c_int(&p->c, p->cols);
    ney_c_put(&p->c, "; j++) {\n"
                     "        if (@_column[j] == column && @_word[j] && strcmp(@_word[j], cell) == "
                     "0) {\n            return (double)@_place[j];\n        }\n    }\n"
                     "    return -1.0;\n}\n");
}

ney_status ney_model_export_c(const ney_model *model, const char *path, const char *name,
                              ney_error *err)
{
    ney_text text;
    plan p = {
        .model = model, .preprocessing = model->preprocessing, .c = {&text, name ? name : "model"}};
    ney_status st;

    ney_text_init(&text, &model->env);
    if ((st = make_plan(&p, err)) == NEY_OK) {
        put_head(&p);
        if ((st = put_preprocessing(&p, err)) == NEY_OK) {
            p.put_score(&p);
            put_decision(&p);
            st = text.failed ? ney_no_memory(err, text.length, "bytes of C")
                             : ney_file_write(&model->env, path, text.bytes, text.length, err);
        }
    }
    ney_text_deinit(&text);
    return st;
}
