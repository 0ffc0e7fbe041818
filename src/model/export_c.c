/* A model as a C99 source file: the preprocessing, the score function and the decision, with no
 * library but the standard one.
 *
 * The arithmetic is that of preprocessing.h, rounding to single precision included, so that
 * features are the same and a linear model gives the same scores; the other families are summed in
 * double. A row is given by the cells of the file, one number per column; a column of words takes
 * the position of the word. */
#include "model/export_c.h"
#include "base/file.h"
#include "base/number.h"
#include "model/exchange.h"
#include "model/model.h"
#include "model/online.h"

#include <math.h>
#include <string.h>

enum {
    LONGEST_WORD = 1000 /* bytes; four characters each in a literal, which C99 lets have 4095 */
};

/* ---------------------------------------------------------------- what can be said */

/* Labels that are integers keep their values, others are 1 and -1. */
static void plan_labels(ney_c_plan *p)
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

static ney_status plan_words(ney_c_plan *p, ney_error *err)
{
    const ney_preprocessing *const r = p->preprocessing;
    bool longer =
        too_long(ney_preprocessing_label(r, 1)) || too_long(ney_preprocessing_label(r, -1));
    p->inputs = r->input ? r->n_input : ney_preprocessing_stored(r);
    p->is_mapped = r->n_indicator > 0;
    for (int64_t i = 0; r->input && i < r->n_input; i++) {
        const ney_input *const in = &r->input[i];
        p->words = p->words || in->category;
        p->is_mapped = p->is_mapped || in->category;
        longer = longer || too_long(in->name);
        for (int64_t k = 0; in->category && k < in->n_category; k++) {
            longer = longer || too_long(in->category[k]);
        }
    }
    if (longer) {
        return ney_fail(err, NEY_EINVAL,
                        "a name or category is longer than %d bytes, which a C compiler may refuse",
                        LONGEST_WORD);
    }
    return NEY_OK;
}

/* ---------------------------------------------------------------- the comment */

static void put_words_of(const ney_c_plan *p, const ney_input *in, int64_t column)
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

static void put_columns(const ney_c_plan *p)
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
    ney_c_put(&p->c, r->missing == NEY_MISSING_KEEP ? " *\n * A cell that is missing is NAN.\n"
                     : r->fill
                         ? " *\n * A cell that is missing is NAN, and is filled as in training.\n"
                         : " *\n * No cell may be missing (NAN).\n");
    ney_c_put(&p->c, " * Where a number is infinite, beyond single precision or missing where no "
                     "cell may be,\n * the score is NAN and the row is rejected.\n *\n");
}

static void put_class(const ney_c_plan *p, const char *what, int sign, const char *rule,
                      double threshold)
{
    ney_c_put(&p->c, " *     ");
    ney_c_put(&p->c, what);
    ney_c_string(&p->c, ney_preprocessing_label(p->preprocessing, sign));
    ney_c_put(&p->c, rule);
    ney_c_double(&p->c, threshold);
    ney_c_put(&p->c, "\n");
}

static void put_comment(const ney_c_plan *p)
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
    ney_c_put(
        &p->c,
        " * Every function may be called from many threads at once. No memory is allocated, and"
        " the\n * stack holds the features of one row, and the second layer of a network, at "
        "most: ");
    ney_c_int(&p->c, (p->cols <= NEY_C_MOST_ON_STACK ? 4 * p->cols : 0) + 8 * p->second_units);
    ney_c_put(&p->c, " bytes. */\n");
}

/* ---------------------------------------------------------------- features */

/* For each feature: its column, and the position of its word there, -1 for a number or -2 for an
 * indicator; and the word. */
static ney_status put_feature_tables(const ney_c_plan *p, ney_error *err)
{
    const ney_preprocessing *const r = p->preprocessing;
    const ney_env *const env = &p->model->env;
    int64_t *const column = ney_alloc(env, p->cols, sizeof *column);
    int64_t *const place = ney_alloc(env, p->cols, sizeof *place);
    const char **const word = ney_alloc(env, p->cols, sizeof *word);
    const bool has_memory = column && place && word;

    for (int64_t j = 0; has_memory && !r->input && j < p->inputs; j++) {
        column[j] = j;
        place[j] = -1;
        word[j] = NULL;
    }
    for (int64_t i = 0, j = 0; has_memory && i < r->n_input; i++) {
        const ney_input *const in = &r->input[i];
        for (int64_t k = 0; k < (in->category ? in->n_category : 1); k++, j++) {
            column[j] = i;
            place[j] = in->category ? k : -1;
            word[j] = in->category ? in->category[k] : NULL;
        }
    }
    for (int64_t k = 0; has_memory && k < r->n_indicator; k++) {
        const int64_t j = p->cols - r->n_indicator + k;
        column[j] = column[r->indicator[k]];
        place[j] = -2;
        word[j] = NULL;
    }
    if (has_memory) {
        ney_c_put(&p->c, "/* Of each feature: its column, and which word of it; -1: a number, -2: "
                         "whether it is missing. */\n");
        ney_c_longs(&p->c, "column", column, p->cols);
        ney_c_longs(&p->c, "place", place, p->cols);
    }
    if (has_memory && p->words) {
        ney_c_strings(&p->c, "word", word, p->cols);
    }
    ney_release(env, column);
    ney_release(env, place);
    ney_release(env, word);
    return has_memory ? NEY_OK : ney_no_memory(err, p->cols, "features to export");
}

static void put_array(const ney_c_plan *p, const char *array, const double *value)
{
    if (value) {
        ney_c_doubles(&p->c, array, value, p->cols);
    }
}

/* The three steps of preprocessing.h for one feature; what is not there is not written. */
static void put_feature(const ney_c_plan *p)
{
    const ney_preprocessing *const r = p->preprocessing;
    ney_c_put(&p->c, "/* Feature j of a row, stored in single precision as neyman does; NAN where "
                     "there is none. */\n");
    ney_c_put(&p->c, p->unit ? "static float @_part(const double *x, long j)\n{\n"
                             : "static float @_feature(const double *x, long j)\n{\n");
    ney_c_put(&p->c,
              p->is_mapped ? "    double v = x[@_column[j]];\n\n" : "    double v = x[j];\n\n");
    if (p->words) {
        ney_c_put(&p->c, "    if (@_place[j] >= 0) {\n");
        if (!r->fill) {
            ney_c_put(&p->c, "        if (v != v) {\n            return (float)NAN;\n        }\n");
        }
        ney_c_put(&p->c, "        return v == (double)@_place[j] ? 1.0f : 0.0f;\n    }\n");
    }
    if (r->n_indicator > 0) {
        ney_c_put(&p->c,
                  "    if (@_place[j] == -2) {\n        return v != v ? 1.0f : 0.0f;\n    }\n");
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
    if (r->ranks) {
        ney_c_put(&p->c, "    v = @_rank_n[j] > 0 ? @_rank_of(j, v) : v;\n");
    }
    if (r->offset) {
        ney_c_put(&p->c, "    v -= @_offset[j];\n");
    }
    if (r->factor) {
        ney_c_put(&p->c, "    v *= @_factor[j];\n");
    }
    ney_c_put(&p->c, "    if (v > (double)FLT_MAX) {\n        return FLT_MAX;\n    }\n"
                     "    return v < -(double)FLT_MAX ? -FLT_MAX : (float)v;\n}\n\n");
}

/* The mid-rank of v among the values that column j was fitted on: data/ranks.h. */
static void put_ranks(const ney_c_plan *p)
{
    const ney_ranks *const r = p->preprocessing->ranks;
    if (!r) {
        return;
    }
    ney_c_longs(&p->c, "rank_first", r->first, r->cols);
    ney_c_longs(&p->c, "rank_n", r->n, r->cols);
    ney_c_doubles(&p->c, "rank_value", r->value, r->n_knots);
    ney_c_doubles(&p->c, "rank_rank", r->rank, r->n_knots);
    ney_c_put(
        &p->c,
        "static double @_rank_of(long j, double v)\n{\n"
        "    const double *x = @_rank_value + @_rank_first[j];\n"
        "    const double *r = @_rank_rank + @_rank_first[j];\n"
        "    long low = 0, high = @_rank_n[j] - 1;\n\n"
        "    if (v <= x[0] || high == 0) {\n        return r[0];\n    }\n"
        "    if (v >= x[high]) {\n        return r[high];\n    }\n"
        "    while (high - low > 1) {\n"
        "        const long middle = low + (high - low) / 2;\n\n"
        "        if (x[middle] <= v) {\n            low = middle;\n"
        "        } else {\n            high = middle;\n        }\n    }\n"
        "    return r[low] + (r[high] - r[low]) * ((v - x[low]) / (x[high] - x[low]));\n}\n\n");
}

static void put_length(const ney_c_plan *p)
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

static ney_status put_preprocessing(const ney_c_plan *p, ney_error *err)
{
    const ney_preprocessing *const r = p->preprocessing;
    ney_status st;
    if (p->is_mapped && (st = put_feature_tables(p, err)) != NEY_OK) {
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
    put_ranks(p);
    put_feature(p);
    put_length(p);
    return NEY_OK;
}

static ney_status make_plan(ney_c_plan *p, ney_error *err)
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
    p->put_score = ney_c_score_writer(p->model->family);
    if (!p->put_score) {
        return ney_fail(err, NEY_EINVAL, "a C file has no form for a model of family '%s'",
                        p->model->family->name);
    }
    ney_network shape;
    const double *weight, *bias;
    if (ney_model_network(p->model, &shape, &weight, &bias)) {
        p->second_units = shape.units[1];
    }
    if (p->second_units > NEY_C_MOST_ON_STACK) {
        return ney_fail(err, NEY_EINVAL,
                        "a C file holds networks of at most %d units in the second layer, found "
                        "%lld",
                        (int)NEY_C_MOST_ON_STACK, (long long)p->second_units);
    }
    p->cols = p->preprocessing->cols;
    p->unit = p->preprocessing->scaling == NEY_SCALING_UNIT;
    plan_labels(p);
    return plan_words(p, err);
}

/* ---------------------------------------------------------------- the file */

static void put_declarations(const ney_c_plan *p)
{
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

static void put_head(const ney_c_plan *p)
{
    put_comment(p);
    ney_c_put(&p->c, "#include <float.h>\n#include <math.h>\n");
    ney_c_put(&p->c, p->words ? "#include <string.h>\n\n" : "\n");
    put_declarations(p);
}

static void put_header(const ney_c_plan *p)
{
    put_comment(p);
    ney_c_put(&p->c, "#ifndef @_HEADER\n#define @_HEADER\n\n"
                     "#ifdef __cplusplus\nextern \"C\" {\n#endif\n\nenum { @_INPUTS = ");
    ney_c_int(&p->c, p->inputs);
    ney_c_put(&p->c, " }; /* numbers that x points to */\n");
    put_declarations(p);
    ney_c_put(&p->c, "#ifdef __cplusplus\n}\n#endif\n\n#endif\n");
}

static void put_decision(const ney_c_plan *p)
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

/* What is written: the functions, or the header that declares them. */
static ney_status put_file(const ney_c_plan *p, bool header, ney_error *err)
{
    ney_status st;
    if (header) {
        put_header(p);
        return NEY_OK;
    }
    put_head(p);
    if ((st = put_preprocessing(p, err)) == NEY_OK) {
        p->put_score(p);
        put_decision(p);
    }
    return st;
}

static ney_status export_file(const ney_model *model, const char *path, const char *name,
                              bool header, ney_error *err)
{
    NEY_REQUIRE(model && path, err);
    ney_text text;
    ney_c_plan p = {
        .model = model, .preprocessing = model->preprocessing, .c = {&text, name ? name : "model"}};
    ney_status st;

    ney_text_init(&text, &model->env);
    if ((st = make_plan(&p, err)) == NEY_OK && (st = put_file(&p, header, err)) == NEY_OK) {
        st = text.failed ? ney_no_memory(err, text.length, "bytes of C")
                         : ney_file_write(&model->env, path, text.bytes, text.length, err);
    }
    ney_text_deinit(&text);
    return st;
}

ney_status ney_model_export_c(const ney_model *model, const char *path, const char *name,
                              ney_error *err)
{
    return export_file(model, path, name, false, err);
}

ney_status ney_model_export_c_header(const ney_model *model, const char *path, const char *name,
                                     ney_error *err)
{
    return export_file(model, path, name, true, err);
}
