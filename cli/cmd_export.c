/* neyman export: a model for other programs. */
#include <string.h>

#include "commands.h"
#include "model_json.h"
#include "output.h"
#include "result.h"

enum { TO_LIBSVM, TO_LIBLINEAR, TO_C, TO_JSON }; /* as in the choices below */
enum { MOST_FEATURES = 1000000, LONGEST_NAME = 60 };

typedef struct export_args {
    const char *output, *name;
    int format;
} export_args;

/* clang-format off */
static const ney_param own_rows[] = {
#define AT(field) offsetof(export_args, field)
    /* name    flag kind             offset      default low high arg  choices help */
    {"format",  0,  NEY_KIND_CHOICE, AT(format), 0, 0, 0, "FORMAT", "libsvm liblinear c json", "what to write: a model file of LIBSVM or LIBLINEAR, a C source file, or everything as JSON"},
    {"name",    0,  NEY_KIND_TEXT,   AT(name),   0, 0, 0, "NAME",   NULL, "what the functions of a C file begin with; model when left out"},
    {"output", 'o', NEY_KIND_TEXT,   AT(output), 0, 0, 0, "FILE",   NULL, "file to write; standard output when left out"},
#undef AT
};
/* clang-format on */

static const option_set own_options = {
    .title = "Output", .rows = own_rows, .n_rows = COUNT(own_rows), .bytes = sizeof(export_args)};

/* ------------------------------------------------------------------ JSON */

/* Names and scaling; left out where there are too many to name, which happens to numbered features
 * only. */
static void add_features(cJSON *root, const ney_recipe *recipe)
{
    if (ney_recipe_cols(recipe) > MOST_FEATURES) {
        return;
    }
    cJSON *list = json_array(root, "features");

    for (int64_t c = 0; c < ney_recipe_cols(recipe); c++) {
        char name[256];
        double offset, factor;
        cJSON *row = json_object(list, NULL);
        ney_recipe_feature(recipe, c, name, sizeof name);
        ney_recipe_scale(recipe, c, &offset, &factor);
        json_text(row, "name", name);
        json_real(row, "offset", offset);
        json_real(row, "factor", factor);
    }
}

static void add_weights(cJSON *root, const ney_model *model)
{
    double intercept;
    const double *w = ney_model_weights(model, &intercept);

    if (w) {
        json_real(root, "intercept", intercept);
        cJSON *list = json_array(root, "weights");
        for (int64_t c = 0; c < ney_recipe_cols(ney_model_recipe(model)); c++) {
            json_real(list, NULL, w[c]);
        }
    }
}

/* Each support vector as its coefficient and pairs of column (from 1) and value. */
static void add_support(cJSON *root, const ney_model *model)
{
    ney_kernel kernel;
    ney_matrix x;
    const double *coefficient;
    double intercept;

    if (!ney_model_kernel(model, &kernel, &x, &coefficient, &intercept)) {
        return;
    }
    cJSON *list = json_array(root, "support");
    for (int64_t i = 0; i < x.rows; i++) {
        cJSON *row = json_object(list, NULL);
        json_real(row, "coefficient", coefficient[i]);
        cJSON *columns = json_array(row, "columns"), *values = json_array(row, "values");
        const int64_t begin = x.dense ? i * x.cols : x.start[i];
        const int64_t end = x.dense ? begin + x.cols : x.start[i + 1];
        for (int64_t k = begin; k < end; k++) {
            const float value = x.dense ? x.dense[k] : x.value[k];
            if (value != 0) {
                json_int(columns, NULL, (x.dense ? k - begin : x.index[k]) + 1);
                json_real(values, NULL, (double)value);
            }
        }
    }
}

static ney_status write_json(session *s, const ney_model *model, const char *path)
{
    output out;
    const ney_status st = output_open(&out, path, &s->err);

    if (st != NEY_OK) {
        return st;
    }
    cJSON *root = json_new();
    json_text(root, "format", "neyman-model");
    json_int(root, "version", 1);
    add_model(root, model);
    add_features(root, ney_model_recipe(model));
    add_kernel(root, model);
    add_weights(root, model);
    add_support(root, model);
    add_facts(root, model);
    char *text = cJSON_Print(root);
    output_put(&out, text, strlen(text));
    output_put(&out, "\n", 1);
    cJSON_free(text);
    cJSON_Delete(root);
    return output_commit(&out, &s->err);
}

/* ------------------------------------------------------------------ the command */

static ney_status write_model(session *s, const ney_model *model, const export_args *args)
{
    const char *path = output_is_stdout(args->output) ? "-" : args->output;

    if (args->format == TO_JSON) {
        return write_json(s, model, path);
    }
    if (args->format == TO_C) {
        return ney_model_export_c(model, path, args->name, &s->err);
    }
    return ney_model_export(
        model, path, args->format == TO_LIBSVM ? NEY_EXCHANGE_LIBSVM : NEY_EXCHANGE_LIBLINEAR,
        &s->err);
}

/* As ney_model_export_c() wants it; here it is a mistake on the command line, not in a model. */
static bool name_ok(const char *name)
{
    static const char all[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
    const size_t n = strlen(name);

    return n > 0 && n <= LONGEST_NAME && strspn(name, all) == n && !strchr("0123456789_", *name);
}

static void tell(session *s, const ney_model *model, const char *path)
{
    cJSON *root = json_new();

    add_model(root, model);
    json_text(root, "output", path);
    json_real(root, "seconds", session_seconds(s));
    result_print(s, root);
}

static int run(session *s)
{
    const export_args *args = options_of(s->call, &own_options);
    const char *path = s->call->operands[0];
    const bool to_stdout = output_is_stdout(args->output);
    ney_model *model = NULL;
    ney_status st;

    if (args->name && args->format != TO_C) {
        return session_misused(s, "--name is for --format c");
    }
    if (args->name && !name_ok(args->name)) {
        return session_misused(s,
                               "--name '%.80s', expected letters, digits and '_', a letter first, "
                               "at most %d of them",
                               args->name, LONGEST_NAME);
    }
    if (to_stdout && s->common->json) {
        return session_misused(s, "--json and the model cannot share standard output; name a file");
    }
    if ((st = output_check(args->output, &s->err)) == NEY_OK &&
        (st = ney_model_read(&model, &s->env, path, &s->err)) == NEY_OK) {
        st = write_model(s, model, args);
    }
    int code = EXIT_OK;
    if (st == NEY_EINVAL) { /* the model cannot be said in that format */
        const ney_error why = s->err;
        code = session_bad_input(s, path, "%s", why.message);
    } else if (st != NEY_OK) {
        code = session_fail(s, st);
    } else if (!to_stdout) {
        tell(s, model, args->output);
    }
    ney_model_free(model);
    return code;
}

const command command_export = {
    .name = "export",
    .operands = "MODEL",
    .required = "format",
    .group = "Files",
    .summary = "write a model for another program",
    .description =
        "libsvm: a model file for svm-predict; liblinear: one for liblinear-predict. Either gives "
        "the same labels as 'neyman predict', for features as they stand in the data: the "
        "threshold and the scaling of columns are folded into the weights. A kernel model must "
        "have been trained with --scale none, since scaling does not fold into a kernel, and "
        "labels must be whole numbers.\n\n"
        "c: one C99 source file that needs nothing but the C library, with functions "
        "NAME_score(), NAME_predict() and NAME_label(). It takes the cells of a row as they stand "
        "in the data and does the rest itself: filling, categories, scaling, threshold, rejection. "
        "Its first comment tells which columns it expects in which order. Labels are those of "
        "'neyman predict', scores of a linear model are the same up to the last rounding; kernels "
        "are summed in double, where predict uses single precision for scores far from zero.\n\n"
        "json: labels, columns with their scaling, thresholds, weights or support vectors, and how "
        "the model was made.\n\n"
        "Model files of both programs are read wherever a MODEL is: their first label is the "
        "positive class, their decision value the score.",
    .examples = {{"For svm-predict:", "neyman export spam.model --format libsvm -o spam.libsvm"},
                 {"For liblinear-predict:",
                  "neyman export spam.model --format liblinear -o spam.liblinear"},
                 {"As C, to be compiled into a program:",
                  "neyman export spam.model --format c --name spam -o spam.c"},
                 {"As JSON:", "neyman export spam.model --format json"}},
    .exits = {EXIT_FAILED, EXIT_USAGE, EXIT_INPUT},
    .sets = {&own_options},
    .run = run,
};
