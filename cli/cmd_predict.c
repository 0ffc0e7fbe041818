/* neyman predict: labels and scores for new rows. */
#include <stdlib.h>

#include "commands.h"
#include "discoveries.h"
#include "labelled.h"
#include "model_json.h"
#include "predict_lines.h"
#include "result.h"
#include "score_rows.h"
#include "summary.h"

typedef struct predict_args {
    const char *output;
    bool scores, qvalues;
    const char *reject_label;
    bool conformal, seen, line_buffered;
    double confidence;
} predict_args;

/* clang-format off */
static const ney_param own_rows[] = {
#define AT(field) offsetof(predict_args, field)
    /* name    flag kind           offset      default low high arg  choices help */
    {"output", 'o', NEY_KIND_TEXT, AT(output), 0, 0, 0, "FILE", NULL, "file for the predictions; default: standard output"},
    {"scores",  0,  NEY_KIND_FLAG, AT(scores), 0, 0, 0, NULL,   NULL, "write TSV with a header: predicted, score (17 digits) and, if DATA has it, label"},
    {"qvalues", 0,  NEY_KIND_FLAG, AT(qvalues), 0, 0, 0, NULL,  NULL, "as --scores, with the q-value of every row (q), from the labels of DATA and the defaults of 'neyman qvalues'; 1 for rows that lose a competition"},
    {"seen",    0,  NEY_KIND_FLAG, AT(seen), 0, 0, 0, NULL,     NULL, "as --scores, with a column seen: 1 if the row was used in training, 0 if not, empty if unknown; rows that repeat training rows by chance are 0"},
    {"reject-label", 0, NEY_KIND_TEXT, AT(reject_label), 0, 0, 0, "WORD", NULL, "word for a rejected row; default 0"},
    {"conformal", 0, NEY_KIND_FLAG, AT(conformal), 0, 0, 0, NULL, NULL, "as --scores, with the p-value of each class (p_pos, p_neg) and the set of classes that cannot be ruled out at --confidence; for models trained with --conformal"},
    {"confidence", 0, NEY_KIND_REAL, AT(confidence), 0.95, 0, 1, "P", NULL, "probability with which the set contains the true class, in each class"},
    {"line-buffered", 0, NEY_KIND_FLAG, AT(line_buffered), 0, 0, 0, NULL, NULL, "read, score and write one row at a time: a line is written before the next row is parsed, even if more rows are available"},
#undef AT
};
/* clang-format on */

static const option_set own_options = {
    .title = "Output", .rows = own_rows, .n_rows = COUNT(own_rows), .bytes = sizeof(predict_args)};

/* ------------------------------------------------------------------ checks */

static line_format format_of(const session *s, const ney_model *model)
{
    const predict_args *args = options_of(s->call, &own_options);
    line_format f = {.model = model,
                     .rejected = args->reject_label ? args->reject_label : "0",
                     .confidence = args->confidence,
                     .scores = args->scores || args->conformal || args->qvalues || args->seen,
                     .qvalues = args->qvalues,
                     .seen = args->seen,
                     .conformal = args->conformal};

    ney_model_thresholds(model, &f.low, &f.high);
    return f;
}

/* The word for rejected rows must differ from the labels, where rows can be rejected. */
static int check_reject_label(session *s, const line_format *f)
{
    const predict_args *args = options_of(s->call, &own_options);

    if (args->reject_label && !(f->low < f->high)) {
        return session_misused(s, "--reject-label applies to models that reject rows");
    }
    for (int sign = -1; sign <= 1; sign += 2) {
        if (same_label(f->rejected, line_name(f, sign)) &&
            (args->reject_label || f->low < f->high)) {
            return session_misused(s,
                                   "%.60s is the label of a class and cannot stand for rejected "
                                   "rows; name another word with --reject-label",
                                   f->rejected);
        }
    }
    return EXIT_OK;
}

/* Without --scores the output has no columns for ids and groups. */
static int check_notes(session *s, const line_format *f)
{
    const ney_read_opts *read = options_of(s->call, &read_options);

    if (!f->scores && (read->id || read->group)) {
        return session_misused(s,
                               "--%s applies to predict with --scores, --qvalues, --conformal or "
                               "--seen",
                               read->id ? "id" : "group");
    }
    return EXIT_OK;
}

static int check_format(session *s, const line_format *f)
{
    const int code = check_notes(s, f);

    return code == EXIT_OK ? check_reject_label(s, f) : code;
}

/* ------------------------------------------------------------------ the summary */

typedef struct summary {
    line_counts counts;
    int64_t out_of_fold;
    int64_t seen;             /* rows used in training; -1: not asked for */
    const discoveries *found; /* NULL: no q-values */
} summary;

static ney_result *summarise(const session *s, const line_format *f, const summary *sum)
{
    ney_result *root = result_new();
    const line_counts *n = &sum->counts;

    ney_result_add_int(root, "n", n->n);
    ney_result_add_text(root, "positive", line_name(f, 1));
    ney_result_add_text(root, "negative", line_name(f, -1));
    ney_result_add_int(root, "predicted_pos", n->pos);
    ney_result_add_int(root, "predicted_neg", n->neg);
    ney_result_add_int(root, "rejected", n->n - n->pos - n->neg);
    add_thresholds(root, f->low, f->high);
    if (ney_model_fold_count(f->model) > 0) {
        ney_result_add_int(root, "scored_out_of_fold", sum->out_of_fold);
    }
    if (sum->seen >= 0) {
        ney_result_add_int(root, "rows_seen", sum->seen);
    }
    if (sum->found) {
        discoveries_add(root, sum->found);
    }
    ney_result_add_real(root, "seconds", session_seconds(s));
    return root;
}

static void add_headline(const session *s, ney_result *root, const line_format *f,
                         const line_counts *n)
{
    const predict_args *args = options_of(s->call, &own_options);
    char path[SHELL_WORD];

    ney_result_headline(root, "Classifies %lld of %lld rows as positive ('%.100s').",
                        (long long)n->pos, (long long)n->n, line_name(f, 1));
    if (f->low < f->high) {
        ney_result_headline(root, "Rejects %lld rows.", (long long)(n->n - n->pos - n->neg));
    }
    shell_word(path, args->output);
    if (f->scores && f->labelled && f->low < f->high) {
        summary_next(s, root, "neyman evaluate --from-scores %s --thresholds %.17g,%.17g", path,
                     f->low, f->high);
    } else if (f->scores && f->labelled) {
        summary_next(s, root, "neyman evaluate --from-scores %s --threshold %.17g", path, f->high);
    }
}

static void report_written(const session *s, const line_format *f, const summary *sum)
{
    const predict_args *args = options_of(s->call, &own_options);
    ney_result *root = summarise(s, f, sum);

    ney_result_add_text(root, "output", args->output);
    add_headline(s, root, f, &sum->counts);
    result_print(s, root);
}

/* Warn of labels in DATA that cannot be written. */
static void warn_dropped_labels(session *s, const ney_error *why, bool column)
{
    if (why->line > 0) {
        session_say(s, NEY_LOG_WARNING, "%s:%lld: %s; %s", why->file, (long long)why->line,
                    why->message,
                    column ? "the column label is empty in this row and others like it"
                           : "the output has no column of labels");
    }
}

/* ------------------------------------------------------------------ all rows at once */

/* What needs all rows: q-values, which rows were used in training, and one object. */
static bool needs_all_rows(const invocation *call)
{
    const predict_args *args = options_of(call, &own_options);
    const common_opts *common = options_of(call, &common_options);

    return args->qvalues || args->seen || (common->json && output_is_stdout(args->output));
}

static int fail_memory(session *s)
{
    s->err = (ney_error){.code = NEY_ENOMEM, .message = "out of memory for the values of rows"};
    return session_fail(s, NEY_ENOMEM);
}

/* p-values of both classes; *buffer is to be freed in any case. */
static int find_p_values(session *s, const line_format *f, line_rows *rows, double **buffer)
{
    double *const values = *buffer = malloc((2 * (size_t)rows->n + 1) * sizeof **buffer);

    if (!values) {
        return fail_memory(s);
    }
    rows->p_pos = values;
    rows->p_neg = values + rows->n;
    const ney_status st =
        ney_model_p_values(f->model, rows->score, rows->n, values, values + rows->n, &s->err);
    return st == NEY_OK ? EXIT_OK : session_fail(s, st);
}

static int find_qvalues(session *s, const scored *in, line_rows *rows, discoveries *found)
{
    const discovery_rows of = {.score = in->score,
                               .label = rows->label,
                               .n = rows->n,
                               .data = in->data,
                               .in_sample = in->in_sample || in->partly_seen,
                               .out_of_fold = in->out_of_fold};

    if (!rows->label) {
        return refuse_unlabelled(s, s->call->operands[1], in->data, false);
    }
    const ney_status st = discoveries_init(found, s, &of, NULL, NULL, NULL);
    if (st != NEY_OK) {
        return session_fail(s, st);
    }
    discoveries_say(s, found);
    rows->q = found->q;
    return EXIT_OK;
}

/* Which rows were used in training; *seen is to be freed in any case. */
static int find_seen(session *s, const scored *in, line_rows *rows, int8_t **seen)
{
    ney_reuse reuse;

    if (!in->has_reuse) {
        return session_misused(s,
                               "--seen applies to models with a fingerprint of their training "
                               "rows; %s has none",
                               s->call->operands[0]);
    }
    if (!(*seen = malloc((size_t)rows->n + 1))) {
        return fail_memory(s);
    }
    rows->seen = *seen;
    const ney_status st = ney_model_find_reuse(in->model, in->data, *seen, &reuse, &s->err);
    return st == NEY_OK ? EXIT_OK : session_fail(s, st);
}

static int write_rows(session *s, const line_format *f, const line_rows *rows, summary *sum)
{
    const predict_args *args = options_of(s->call, &own_options);
    tsv t;
    ney_status st = tsv_open(&t, args->output, "", &s->err);

    if (st != NEY_OK) {
        return session_fail(s, st);
    }
    if (f->scores) {
        lines_write_header(f, &t);
    }
    (void)lines_write(f, rows, &t, &sum->counts); /* failures are reported by this: */
    st = tsv_close(&t, &s->err);
    return st == NEY_OK ? EXIT_OK : session_fail(s, st);
}

static int write_results(session *s, const line_format *f, const line_rows *rows, summary *sum)
{
    const predict_args *args = options_of(s->call, &own_options);
    const bool to_stdout = output_is_stdout(args->output), json = s->common->json;

    if (to_stdout && json) { /* the predictions are part of the object */
        lines_count(f, rows, &sum->counts);
        ney_result *root = summarise(s, f, sum);
        lines_add(f, rows, root);
        result_print(s, root);
        return EXIT_OK;
    }
    const int code = write_rows(s, f, rows, sum);
    if (code == EXIT_OK && !to_stdout) {
        report_written(s, f, sum);
    }
    return code;
}

/* Compute the columns and write the rows. */
static int predict_rows(session *s, line_format *f, const scored *in)
{
    line_rows rows = {.n = ney_data_matrix(in->data)->rows,
                      .score = in->score,
                      .label = ney_data_label(in->data)};
    discoveries found = {0};
    summary sum = {.out_of_fold = in->out_of_fold,
                   .seen = f->seen ? count_reused(&in->reuse) : -1,
                   .found = f->qvalues ? &found : NULL};
    double *values = NULL;
    int8_t *seen = NULL;
    ney_error why = {0};

    f->labelled = rows.label != NULL;
    line_format_name_notes(f, in->data);
    const ney_status st = line_rows_open_notes(&rows, f, in->data, &s->err);
    int code = st == NEY_OK ? EXIT_OK : session_fail(s, st);
    if (code == EXIT_OK && f->conformal) {
        code = find_p_values(s, f, &rows, &values);
    }
    if (code == EXIT_OK && f->qvalues) {
        code = find_qvalues(s, in, &rows, &found);
    }
    if (code == EXIT_OK && f->seen) {
        code = find_seen(s, in, &rows, &seen);
    }
    if (code == EXIT_OK) {
        if (f->scores && ney_data_unlabelled(in->data, &why) != NEY_OK) {
            warn_dropped_labels(s, &why, false);
        }
        code = write_results(s, f, &rows, &sum);
    }
    free(values);
    free(seen);
    discoveries_deinit(&found);
    ney_notes_free(rows.notes);
    return code;
}

static int predict_at_once(session *s)
{
    scored in;
    int code = scored_read(&in, s, s->call->operands[0], s->call->operands[1]);

    if (code == EXIT_OK) {
        line_format f = format_of(s, in.model);
        code = check_format(s, &f);
        code = code == EXIT_OK ? predict_rows(s, &f, &in) : code;
    }
    scored_deinit(&in);
    return code;
}

/* ------------------------------------------------------------------ batch by batch */

static int write_batch(session *s, const line_format *f, const score_rows *in, tsv *t,
                       line_counts *counts, bool *go_on)
{
    const predict_args *args = options_of(s->call, &own_options);
    line_rows rows = {.n = in->n, .score = in->score, .label = ney_data_label(in->data)};
    double *values = NULL;
    const ney_status st = line_rows_open_notes(&rows, f, in->data, &s->err);
    int code = st == NEY_OK ? EXIT_OK : session_fail(s, st);

    if (code == EXIT_OK && f->conformal) {
        code = find_p_values(s, f, &rows, &values);
    }
    if (code == EXIT_OK) {
        const bool at_once = args->line_buffered || ney_row_stream_is_live(in->rows);
        *go_on = lines_write(f, &rows, t, counts) && (!at_once || output_flush(&t->out));
    }
    free(values);
    ney_notes_free(rows.notes);
    return code;
}

/* The first row determines the columns, so that lines can be written as rows arrive. */
static void begin_lines(line_format *f, const score_rows *in, tsv *t)
{
    const int8_t *label = in->n > 0 ? ney_data_label(in->data) : NULL;

    f->labelled = label && label[0] != 0;
    if (in->n > 0) {
        line_format_name_notes(f, in->data);
    }
    if (f->scores) {
        lines_write_header(f, t);
    }
}

static int write_batches(session *s, line_format *f, score_rows *in, tsv *t, summary *sum)
{
    bool go_on = true;
    int code = score_rows_next(in, s);

    if (code == EXIT_OK) {
        begin_lines(f, in, t);
    }
    while (code == EXIT_OK && in->n > 0 && go_on) {
        code = write_batch(s, f, in, t, &sum->counts, &go_on);
        if (code == EXIT_OK && go_on) {
            code = score_rows_next(in, s);
        }
    }
    sum->out_of_fold = in->out_of_fold;
    return code;
}

static int predict_batches(session *s, line_format *f, score_rows *in)
{
    const predict_args *args = options_of(s->call, &own_options);
    summary sum = {.seen = -1};
    ney_error why = {0};
    tsv t;
    ney_status st = tsv_open(&t, args->output, "", &s->err);

    if (st != NEY_OK) {
        return session_fail(s, st);
    }
    const int code = write_batches(s, f, in, &t, &sum);
    if (code != EXIT_OK) {
        tsv_break_off(&t);
        return code;
    }
    if ((st = tsv_close(&t, &s->err)) != NEY_OK) {
        return session_fail(s, st);
    }
    if (f->scores && ney_row_stream_unlabelled(in->rows, &why) != NEY_OK) {
        warn_dropped_labels(s, &why, f->labelled);
    }
    score_rows_say_folds(in, s);
    if (!output_is_stdout(args->output)) {
        report_written(s, f, &sum);
    }
    return EXIT_OK;
}

static int predict_streamed(session *s)
{
    const predict_args *args = options_of(s->call, &own_options);
    score_rows in;
    int code =
        score_rows_open(&in, s, s->call->operands[0], s->call->operands[1], args->line_buffered);

    if (code == EXIT_OK) {
        line_format f = format_of(s, in.model);
        code = check_format(s, &f);
        code = code == EXIT_OK ? predict_batches(s, &f, &in) : code;
    }
    score_rows_close(&in);
    return code;
}

static int run(session *s)
{
    const predict_args *args = options_of(s->call, &own_options);
    const ney_status st = output_check(args->output, &s->err);

    return st != NEY_OK              ? session_fail(s, st)
           : needs_all_rows(s->call) ? predict_at_once(s)
                                     : predict_streamed(s);
}

static bool has_conformal(const invocation *call)
{
    return ((const predict_args *)options_of(call, &own_options))->conformal;
}

/* A file appears at the end. */
static bool writes_lines(const invocation *call)
{
    const predict_args *args = options_of(call, &own_options);

    return !needs_all_rows(call) && output_is_stdout(args->output);
}

static const option_rule rules[] = {
    {"confidence", has_conformal, "--conformal"},
    {"line-buffered", writes_lines,
     "lines on standard output, not -o, --json, --qvalues or --seen"},
    {NULL, NULL, NULL}};

const command command_predict = {
    .name = "predict",
    .operands = "MODEL DATA",
    .group = "Using a model",
    .summary = "classify new rows with a model",
    .description =
        "Writes one line per row of DATA: the label, or 0 where the model rejects the row. With "
        "--scores the lines are TSV with a header, a score file for 'certify', 'monitor', "
        "'evaluate --from-scores' and 'qvalues --from-scores'. DATA is preprocessed as in "
        "training; columns of a table are found by name.",
    .details =
        "--reject-label sets another word for rejected rows, and must where 0 is a class. Rows on "
        "which a model of 'neyman train --max-fdr' was trained are scored by the fold model that "
        "was trained without them.\n\n"
        "With --conformal the lines also have the p-value of each class and the set of classes "
        "that cannot be ruled out: the set of a new row contains its true class with probability "
        "at least P (--confidence), in each class. A set of both classes is a row that cannot be "
        "decided, an empty set a row that is unlike both.\n\n"
        "With --seen the lines also say which rows were used to train the model, by its "
        "fingerprint of the training rows. A row that equals a training row is marked 1 only if "
        "more rows of DATA do so than chance repeats explain, at level 1e-6; 'neyman certify' "
        "refuses scores with such rows. Rows that repeat training rows by chance belong to the "
        "distribution and are not marked: do not remove them.\n\n"
        "Lines are written as rows arrive: if DATA is a pipe, the rows that are available are "
        "scored and written before more are read. Memory does not grow with the number of rows, "
        "except with --qvalues, --seen and --json without -o, which need all rows first. The "
        "column label is written if the first row has a label that the model knows; its cell is "
        "empty in later rows without one.\n\n"
        "With -o the file is written completely or not at all, and a summary is printed. With "
        "--json and no -o the predictions are part of the object.",
    .everyday = "output scores conformal confidence label id json help",
    .examples = {{"Labels:", "neyman predict spam.model new.csv"},
                 {"Scores, to a file:", "neyman predict spam.model new.csv --scores -o scores.tsv"},
                 {"Prediction sets with 99 % confidence:",
                  "neyman predict spam.model new.csv --conformal --confidence 0.99"}},
    .exits = {EXIT_FAILED, EXIT_USAGE, EXIT_INPUT, EXIT_INTERRUPTED},
    .sets = {&own_options, &read_options},
    .omit = "weight ignore words missing max-categories",
    .rules = rules,
    .run = run,
};
