/* neyman export: a model for other programs. */
#include <string.h>

#include "commands.h"
#include "model_json.h"
#include "output.h"
#include "result.h"

enum {
    TO_LIBSVM,
    TO_LIBLINEAR,
    TO_C,
    TO_JSON,
    TO_ONNX,
    TO_XGBOOST,
    TO_PERCOLATOR
}; /* as in the choices below */
enum { LONGEST_NAME = 60 };

typedef struct export_args {
    const char *output, *name, *header;
    int format;
} export_args;

/* clang-format off */
static const ney_param own_rows[] = {
#define AT(field) offsetof(export_args, field)
    /* name    flag kind             offset      default low high arg  choices help */
    {"format",  0,  NEY_KIND_CHOICE, AT(format), 0, 0, 0, "FORMAT", "libsvm liblinear c json onnx xgboost percolator", "format to write: a model file of LIBSVM, LIBLINEAR or XGBoost, a weights file of Percolator, a C source file, JSON, or ONNX"},
    {"name",    0,  NEY_KIND_TEXT,   AT(name),   0, 0, 0, "NAME",   NULL, "prefix of the functions in the C file; default: model"},
    {"header",  0,  NEY_KIND_TEXT,   AT(header), 0, 0, 0, "FILE",   NULL, "also write the header of the C file"},
    {"output", 'o', NEY_KIND_TEXT,   AT(output), 0, 0, 0, "FILE",   NULL, "file to write; default: standard output"},
#undef AT
};
/* clang-format on */

static const option_set own_options = {
    .title = "Output", .rows = own_rows, .n_rows = COUNT(own_rows), .bytes = sizeof(export_args)};

/* ------------------------------------------------------------------ the command */

static ney_status write_model(session *s, const ney_model *model, const export_args *args)
{
    const char *path = output_is_stdout(args->output) ? "-" : args->output;

    if (args->format == TO_JSON) {
        return ney_model_export_json(model, path, &s->err);
    }
    if (args->format == TO_ONNX) {
        return ney_model_export_onnx(model, path, &s->err);
    }
    if (args->format == TO_XGBOOST) {
        return ney_model_export_xgboost(model, path, &s->err);
    }
    if (args->format == TO_PERCOLATOR) {
        return ney_model_export_percolator(model, path, &s->err);
    }
    if (args->format == TO_C && args->header) {
        const ney_status st = ney_model_export_c_header(model, args->header, args->name, &s->err);
        if (st != NEY_OK) {
            return st;
        }
    }
    if (args->format == TO_C) {
        return ney_model_export_c(model, path, args->name, &s->err);
    }
    return ney_model_export(
        model, path, args->format == TO_LIBSVM ? NEY_EXCHANGE_LIBSVM : NEY_EXCHANGE_LIBLINEAR,
        &s->err);
}

/* The rule of ney_model_export_c(); here an error of the command line, not of a model. */
static bool name_ok(const char *name)
{
    static const char all[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
    const size_t n = strlen(name);

    return n > 0 && n <= LONGEST_NAME && strspn(name, all) == n && !strchr("0123456789_", *name);
}

static void report(session *s, const ney_model *model, const export_args *args)
{
    ney_result *root = result_new();

    add_model(root, model);
    ney_result_add_text(root, "output", args->output);
    if (args->header) {
        ney_result_add_text(root, "header", args->header);
    }
    ney_result_add_real(root, "seconds", session_seconds(s));
    result_print(s, root);
}

static int run(session *s)
{
    const export_args *args = options_of(s->call, &own_options);
    const char *path = s->call->operands[0];
    const bool to_stdout = output_is_stdout(args->output);
    ney_model *model = NULL;
    ney_status st;

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
    if (st == NEY_EINVAL) { /* the format cannot hold the model */
        const ney_error why = s->err;
        code = session_misused(s, "%.200s: %s", path, why.message);
    } else if (st != NEY_OK) {
        code = session_fail(s, st);
    } else if (!to_stdout) {
        report(s, model, args);
    }
    ney_model_free(model);
    return code;
}

static bool writes_c(const invocation *call)
{
    return ((const export_args *)options_of(call, &own_options))->format == TO_C;
}

static const option_rule rules[] = {
    {"name", writes_c, "--format c"}, {"header", writes_c, "--format c"}, {NULL, NULL, NULL}};

const command command_export = {
    .name = "export",
    .operands = "MODEL",
    .required = "format",
    .group = "Files",
    .summary = "write a model in the format of another program",
    .description =
        "Writes MODEL for another program: libsvm (a model file for svm-predict), liblinear (a "
        "model file for liblinear-predict), c (one C99 source file that needs only the C library), "
        "json, onnx, xgboost (trees; a JSON model file), or percolator (a weights file). An export "
        "is complete or refused (exit "
        "code 2).",
    .details =
        "libsvm and liblinear give the same labels as 'neyman predict' for unscaled features, "
        "except where a score is within rounding of the threshold: the threshold and the scaling "
        "of columns are folded into the weights. They take linear models, libsvm also kernel "
        "models; a kernel model must have been trained with --scale none, because scaling cannot "
        "be folded into a kernel. Labels must be whole numbers. Refused: networks, random "
        "features, rejection, filled missing cells, fold models (--max-fdr), conformal "
        "calibration.\n\n"
        "c: functions NAME_score(), NAME_predict() and NAME_label(). They take the cells of a row "
        "unscaled and do the preprocessing: missing cells, categories, scaling, threshold, "
        "rejection. The first comment of the file lists the columns in order. Scores of a linear "
        "model equal those of 'neyman predict' bit for bit; those of other families are summed in "
        "double and differ by rounding, so that a label may differ where a score is that near to "
        "a threshold. No memory is allocated. --header FILE also writes a header for C99 and C++. "
        "Refused: fold models, conformal calibration.\n\n"
        "json: everything in the model, for every family: labels, preprocessing, thresholds, "
        "weights or support vectors, fold models, conformal calibration, summary and certificate. "
        "doc/reference/formats.md describes the keys.\n\n"
        "onnx: one file (opset 18) with the preprocessing, the score function and the decision. "
        "Input "
        "x is a double matrix of unscaled cells; outputs are score, decision (1, -1, 0 for "
        "rejected) "
        "and label. Scores are computed in double and differ from those of 'neyman predict' by "
        "rounding. Refused: fold models, conformal calibration, models without features.\n\n"
        "xgboost: the JSON model file of libxgboost 1.6 and later, of trees. Its prediction for "
        "the "
        "unscaled cells of a row is the score, rounded to single precision; scaling and filling "
        "are "
        "folded into the thresholds and the sides of missing cells. Attributes neyman_threshold "
        "and "
        "neyman_threshold_low have the thresholds. Rows must be given with their zeros: XGBoost "
        "takes absent entries of sparse rows for missing. Refused: --scale unit, fold models, "
        "conformal calibration.\n\n"
        "percolator: for each fold the names of the features and m0, the weights of the scaled "
        "features, and those of the features as they are. Linear models only. Refused: --scale "
        "unit "
        "and rank, filled missing cells.\n\n"
        "Weights files of Percolator are read wherever a MODEL is expected: the score is the mean "
        "of "
        "the folds. The file does not say which rows each fold was trained on.\n\n"
        "Model files of LIBSVM and LIBLINEAR are read wherever a MODEL is expected: their first "
        "label is the positive class, their decision value the score.",
    .examples = {{"For svm-predict:", "neyman export spam.model --format libsvm -o spam.libsvm"},
                 {"For liblinear-predict:",
                  "neyman export spam.model --format liblinear -o spam.liblinear"},
                 {"As C source:",
                  "neyman export spam.model --format c --name spam --header spam.h -o spam.c"},
                 {"As JSON:", "neyman export spam.model --format json"},
                 {"For onnxruntime:", "neyman export spam.model --format onnx -o spam.onnx"},
                 {"Trees for XGBoost:", "neyman export spam.model --format xgboost -o spam.json"}},
    .exits = {EXIT_FAILED, EXIT_USAGE, EXIT_INPUT},
    .sets = {&own_options},
    .rules = rules,
    .run = run,
};
