/* neyman info: what is in a data or model file. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "commands.h"
#include "importance.h"
#include "info.h"
#include "interrupt.h"
#include "model_json.h"
#include "rates.h"
#include "result.h"

typedef struct info_args {
    bool columns;
    const char *importance;
} info_args;

/* clang-format off */
static const ney_param own_rows[] = {
    /* name     flag kind           offset                        default low high arg  choices help */
    {"columns",  0,  NEY_KIND_FLAG, offsetof(info_args, columns), 0, 0, 0, NULL, NULL, "also list every column of the data, or every weight of the model"},
    {"importance", 0, NEY_KIND_TEXT, offsetof(info_args, importance), 0, 0, 0, "DATA", NULL, "of a model: how much its rates on these labelled rows change when the cells of a column are permuted, and the weights per standard deviation of a linear model"},
};
/* clang-format on */

static const option_set own_options = {
    .title = "Detail", .rows = own_rows, .n_rows = COUNT(own_rows), .bytes = sizeof(info_args)};

/* How a model begins: ours, LIBSVM's, LIBLINEAR's. */
static const char *const model_marks[] = {"neyman-model", "svm_type ", "solver_type "};
static const char path_mark[] = "neyman-path ";
enum { LONGEST_MARK = 12 };

/* ------------------------------------------------------------------ models */

typedef struct weight_at {
    double weight;
    int64_t column;
} weight_at;

static int by_size(const void *a, const void *b)
{
    const weight_at *x = a, *y = b;
    const double p = fabs(x->weight), q = fabs(y->weight);

    return p > q ? -1 : p < q ? 1 : x->column < y->column ? -1 : 1;
}

/* The weights by size, largest first: ten of them, or all. */
static ney_status add_weights(session *s, ney_result *root, const ney_model *model, bool all)
{
    const ney_preprocessing *preprocessing = ney_model_preprocessing(model);
    const int64_t cols = ney_preprocessing_cols(preprocessing);
    double intercept;
    const double *w = ney_model_weights(model, &intercept);

    if (!w) {
        return NEY_OK;
    }
    weight_at *order = malloc(((size_t)cols + 1) * sizeof *order);
    if (!order) {
        return out_of_memory(&s->err, "the weights");
    }
    int64_t nonzero = 0;
    for (int64_t c = 0; c < cols; c++) {
        order[c] = (weight_at){w[c], c};
        nonzero += w[c] != 0;
    }
    qsort(order, (size_t)cols, sizeof *order, by_size);
    ney_result_add_real(root, "intercept", intercept);
    ney_result_add_int(root, "nonzero_weights", nonzero);
    ney_result *list = ney_result_add_array(root, all ? "weights" : "largest_weights");
    for (int64_t k = 0; k < cols && (all || (k < 10 && order[k].weight != 0)); k++) {
        char name[128];
        ney_result *row = ney_result_add_object(list, NULL);
        ney_preprocessing_feature(preprocessing, order[k].column, name, sizeof name);
        ney_result_add_text(row, "name", name);
        ney_result_add_real(row, "weight", order[k].weight);
    }
    free(order);
    return NEY_OK;
}

/* The fingerprint of the training rows. */
static void add_fingerprint(ney_result *root, const ney_model *model)
{
    int64_t rows, hashes;
    const bool has = ney_model_training_rows(model, &rows, &hashes);

    ney_result_add_bool(root, "fingerprint", has);
    if (has) {
        ney_result_add_int(root, "fingerprint_rows", rows);
        ney_result_add_int(root, "fingerprint_hashes", hashes);
    }
}

/* Importance on the rows of --importance. Takes the model over; returns the exit code. */
static int report_importance(session *s, ney_model *model, const char *path)
{
    evidence in = {.path = path, .of_model = {.model = model}};
    ney_result *root = result_new();
    int code = evidence_fill(&in, s);

    if (code == EXIT_OK) {
        ney_result_add_text(root, "kind", "model");
        add_model(root, model);
        const ney_status st = importance_add(s, root, &in);
        if (in.of_model.in_sample || in.of_model.partly_seen) {
            ney_result_warn(root,
                            "rows of %s were used in training: importance on new rows may "
                            "differ",
                            path);
        }
        code = st == NEY_OK ? EXIT_OK : session_fail(s, st);
    }
    if (code == EXIT_OK) {
        result_print(s, root);
    } else {
        ney_result_free(root);
    }
    evidence_deinit(&in);
    return code;
}

static ney_status report_model(session *s, const ney_model *model, bool all)
{
    ney_result *root = result_new();

    ney_result_add_text(root, "kind", "model");
    add_model(root, model);
    add_kernel(root, model);
    const ney_status st = add_weights(s, root, model, all);
    add_metadata(root, model);
    add_fingerprint(root, model);
    if (st == NEY_OK) {
        result_print(s, root);
    } else {
        ney_result_free(root);
    }
    return st;
}

/* ------------------------------------------------------------------ either */

/* All of a stream, into *bytes, which the caller frees in either case. */
static ney_status read_all(FILE *file, const char *name, char **bytes, size_t *n_bytes,
                           ney_error *err)
{
    size_t capacity = 0;

    *bytes = NULL;
    *n_bytes = 0;
    *err = (ney_error){.code = NEY_OK};
    snprintf(err->file, sizeof err->file, "%s", name);
    while (*n_bytes == capacity) {
        capacity = capacity ? 2 * capacity : 1 << 16;
        char *larger = realloc(*bytes, capacity);
        if (!larger) {
            snprintf(err->message, sizeof err->message, "out of memory after %zu bytes", *n_bytes);
            return err->code = NEY_ENOMEM;
        }
        *bytes = larger;
        *n_bytes += fread(*bytes + *n_bytes, 1, capacity - *n_bytes, file);
    }
    if (ferror(file)) {
        snprintf(err->message, sizeof err->message, "cannot be read: %s", strerror(errno));
        return err->code = NEY_EIO;
    }
    return NEY_OK;
}

/* ------------------------------------------------------------------ paths */

static void report_path(const session *s, const ney_path *path)
{
    const ney_preprocessing *preprocessing = ney_data_preprocessing(ney_path_data(path));
    ney_result *root = result_new();
    int64_t n_choices;
    double share;

    (void)ney_path_choices(path, &n_choices, &share);
    ney_result_add_text(root, "kind", "path");
    ney_result_add_int(root, "n", ney_data_matrix(ney_path_data(path))->rows);
    ney_result_add_int(root, "cols", ney_preprocessing_cols(preprocessing));
    result_name(root, "positive", ney_preprocessing_label(preprocessing, 1));
    result_name(root, "negative", ney_preprocessing_label(preprocessing, -1));
    ney_result_add_int(root, "choices", n_choices);
    ney_result *list = ney_result_add_array(root, "lines");
    for (int64_t k = 0; k < ney_path_lines(path); k++) {
        int64_t n;
        const ney_path_point *point = ney_path_points(path, k, &n);
        ney_result *row = ney_result_add_object(list, NULL);
        ney_result_add_int(row, "breakpoints", n);
        ney_result_add_real(row, "from_c_plus", n ? point[0].c.plus : NAN);
        ney_result_add_real(row, "from_c_minus", n ? point[0].c.minus : NAN);
        ney_result_add_real(row, "to_c_plus", n ? point[n - 1].c.plus : NAN);
        ney_result_add_real(row, "to_c_minus", n ? point[n - 1].c.minus : NAN);
    }
    result_print(s, root);
}

static bool begins_with(const char *bytes, size_t n_bytes, const char *mark)
{
    return n_bytes >= strlen(mark) && memcmp(bytes, mark, strlen(mark)) == 0;
}

/* Files of data that are not text. */
static const char *container_of(const char *bytes, size_t n_bytes)
{
    static const char *const marks[][2] = {
        {"NEYCACHE", "cache"}, {"\x93NUMPY", "npy"}, {"PK\x03\x04", "npz"}};

    for (int64_t k = 0; k < COUNT(marks); k++) {
        if (begins_with(bytes, n_bytes, marks[k][0])) {
            return marks[k][1];
        }
    }
    return NULL;
}

static bool begins_like_model(const char *bytes, size_t n_bytes)
{
    for (int64_t k = 0; k < COUNT(model_marks); k++) {
        if (begins_with(bytes, n_bytes, model_marks[k])) {
            return true;
        }
    }
    return false;
}

/* A file of any kind: one of the three is filled, or none where data are refused. */
typedef struct input {
    ney_model *model;
    ney_path *path;
    info_file file;
    bool is_data;
} input;

/* A pipe can be read only once: into memory, where its kind is recognised. */
static ney_status read_pipe(session *s, input *at, FILE *file, const char *name)
{
    info_file *const f = &at->file;
    ney_status st = read_all(file, name, &f->bytes, &f->n_bytes, &s->err);

    f->path = name;
    f->container = container_of(f->bytes, f->n_bytes);
    if (st == NEY_OK && begins_like_model(f->bytes, f->n_bytes)) {
        st = ney_model_parse(&at->model, &s->env, name, f->bytes, f->n_bytes, &s->err);
    } else if (st == NEY_OK) {
        at->is_data = true;
        st = ney_data_parse_with(&f->data, &s->env, name, f->bytes, f->n_bytes, &f->opts, NULL,
                                 &s->err);
    }
    return st;
}

static ney_status read_either(session *s, input *at, const char *path)
{
    struct stat there;
    char start[LONGEST_MARK] = "";
    ney_status st;

    if (strcmp(path, "-") == 0) {
        return read_pipe(s, at, stdin, "standard input");
    }
    FILE *file = fopen(path, "rb"); /* if it cannot be opened, the data reader reports why */
    if (!file && interrupted()) {   /* while waiting for the writer of a pipe */
        return NEY_ECANCELLED;
    }
    if (file && fstat(fileno(file), &there) == 0 && S_ISFIFO(there.st_mode)) {
        st = read_pipe(s, at, file, path);
        fclose(file);
        return st;
    }
    const size_t n = file ? fread(start, 1, sizeof start, file) : 0;
    at->file.container = container_of(start, n);
    at->file.path = path;
    if (begins_with(start, n, path_mark)) {
        st = ney_path_read(&at->path, &s->env, path, &s->err);
    } else if (begins_like_model(start, n)) {
        st = ney_model_read(&at->model, &s->env, path, &s->err);
    } else {
        at->is_data = true;
        st = ney_data_read_with(&at->file.data, &s->env, path, &at->file.opts, NULL, &s->err);
    }
    if (file) {
        fclose(file);
    }
    return st;
}

/* Options about data say nothing about other files. */
static int check_data_options(session *s, const char *kind)
{
    const option_set *set;

    for (int k = 0; (set = command_set(s->call->command, k)); k++) {
        int64_t n;
        const ney_param *rows = set_rows(set, &n);
        for (int64_t r = 0; (set == &read_options || set == &rate_options) && r < n; r++) {
            if (option_given(s->call, rows[r].name)) {
                return session_misused(s, "--%s applies to data; %s is %s", rows[r].name,
                                       s->call->operands[0], kind);
            }
        }
    }
    return EXIT_OK;
}

/* Options that do not apply to the kind of the file. */
static int check_kind(session *s, const input *at)
{
    const char *const kind = at->is_data ? "data" : at->path ? "a path" : "a model";
    double intercept;

    if (option_given(s->call, "importance")) {
        return at->model ? EXIT_OK
                         : session_misused(s, "--importance applies to models; %s is %s",
                                           s->call->operands[0], kind);
    }
    if (option_given(s->call, "columns") && !at->is_data &&
        !(at->model && ney_model_weights(at->model, &intercept))) {
        return session_misused(s, "--columns applies to data and linear models; %s is %s%s",
                               s->call->operands[0], kind, at->model ? " of another family" : "");
    }
    return at->is_data ? EXIT_OK : check_data_options(s, kind);
}

static int report(session *s, input *at, const info_args *args)
{
    if (at->is_data) {
        return info_report_data(s, &at->file);
    }
    if (args->importance) {
        ney_model *const model = at->model;
        at->model = NULL;
        return report_importance(s, model, args->importance);
    }
    if (at->path) {
        report_path(s, at->path);
        return EXIT_OK;
    }
    const ney_status st = report_model(s, at->model, at->file.all_columns);
    return st == NEY_OK ? EXIT_OK : session_fail(s, st);
}

static int run(session *s)
{
    const info_args *args = options_of(s->call, &own_options);
    input at = {.file = {.opts = *(const ney_read_opts *)options_of(s->call, &read_options),
                         .all_columns = args->columns || s->common->verbose}};
    int code = rates_check_bounds(s);

    if (code != EXIT_OK) {
        return code;
    }
    at.file.opts.missing = NEY_MISSING_KEEP;
    const ney_status st = read_either(s, &at, s->call->operands[0]);
    /* data are described as far as they can be read; a model cannot be */
    if (st != NEY_OK && (!at.is_data || (st == NEY_EIO && args->importance))) {
        code = session_fail(s, st);
    } else if ((code = check_kind(s, &at)) == EXIT_OK) {
        code = report(s, &at, args);
    }
    ney_model_free(at.model);
    ney_data_free(at.file.data);
    ney_path_free(at.path);
    free(at.file.bytes);
    return code;
}

const command command_info = {
    .name = "info",
    .operands = "FILE",
    .group = "Files",
    .summary = "describe a data, model or path file",
    .description =
        "Data: format, shape, classes, density, repeated rows, rows with equal features and "
        "different labels; every column with its role, type, range, missing cells, distinct values "
        "and what it looks like; what train would refuse and the next step; which bounds can be "
        "certified with these rows (--max-fpr, --max-fnr, --confidence). Model (also of LIBSVM and "
        "LIBLINEAR): family, labels, scaling, thresholds, how it "
        "was trained, its certificate, whether it has a fingerprint of its training rows, kernel "
        "and number of support vectors, or the largest weights with the names of their columns. "
        "Path: rows, lines with their end points and breakpoints, choices.",
    .details =
        "A file that train refuses is described as far as it can be read: rows that cannot be "
        "parsed are left out and counted, and 'problems' says why and what to do. Of a file with "
        "more than 100 columns those with a note are listed; with --columns or -v every column, or "
        "every weight, and more figures.\n\n"
        "--importance DATA permutes the cells of each column of a model (a column of words as a "
        "whole) among at most 4000 rows of DATA, five times, and lists by how much FPR and FNR at "
        "the thresholds of the model increase and the area under the ROC curve falls: means, with "
        "the standard deviation over the permutations. A large value says that the model uses the "
        "column, not that the column causes the class; columns that carry the same information "
        "share it. Weights per standard deviation are those of scaled features.",
    .everyday = "columns importance max-fpr max-fnr confidence label positive format json help",
    .examples = {{"A data file:", "neyman info mail.csv --label class"},
                 {"Are there enough rows for a bound:", "neyman info mail.csv --max-fpr 0.01"},
                 {"Every column:", "neyman info mail.csv --columns"},
                 {"A model:", "neyman info spam.model"},
                 {"Which columns matter:", "neyman info spam.model --importance test.csv"}},
    .exits = {EXIT_FAILED, EXIT_USAGE, EXIT_INPUT, EXIT_INTERRUPTED},
    .sets = {&own_options, &rate_options, &read_options},
    .omit = "decoys missing", /* missing cells are counted */
    .run = run,
};
