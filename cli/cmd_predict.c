/* neyman predict: labels and scores for new rows. */
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "discoveries.h"
#include "labelled.h"
#include "rates.h"
#include "result.h"
#include "tsv.h"

typedef struct predict_args {
    const char *output;
    bool scores, qvalues;
    const char *reject_label;
    bool conformal, seen;
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
#undef AT
};
/* clang-format on */

static const option_set own_options = {
    .title = "Output", .rows = own_rows, .n_rows = COUNT(own_rows), .bytes = sizeof(predict_args)};

/* Positive, negative or neither, by the model's thresholds. */
static int decide(const scored *in, int64_t row)
{
    assert(in->score);
    return in->score[row] >= in->high ? 1 : in->score[row] < in->low ? -1 : 0;
}

/* What the lines are made of. */
typedef struct writing {
    const scored *in;
    const char *rejected; /* what stands for a row that is rejected */
    bool scores;
    const double *p_pos, *p_neg; /* NULL: not asked for */
    const int8_t *seen;          /* used in training: 1, 0, or -1 where unknown; NULL: not asked */
    discoveries found;           /* its q is NULL where it is not asked for */
    double confidence;
    ney_notes *notes;    /* of the data; NULL: no ids or groups */
    int64_t column[2];   /* ids and groups among them; -1: none */
    const char *name[2]; /* of these */
} writing;

static const char *name_of(const writing *w, int sign)
{
    return sign == 0 ? w->rejected
                     : ney_preprocessing_label(ney_model_preprocessing(w->in->model), sign);
}

enum { SET_TEXT = 256 };

/* The classes whose p-value exceeds 1 - confidence, as {a,b}. */
static void set_text(const writing *w, int64_t row, char text[SET_TEXT])
{
    const double e = ney_delta_of_confidence(w->confidence);
    const bool neg = w->p_neg[row] > e, pos = w->p_pos[row] > e;

    snprintf(text, SET_TEXT, "{%.100s%s%.100s}", neg ? name_of(w, -1) : "", neg && pos ? "," : "",
             pos ? name_of(w, 1) : "");
}

/* What stands for rejected rows must not be misclassified for a class, where there can be some. */
static int check_rejected(session *s, const writing *w)
{
    const predict_args *args = options_of(s->call, &own_options);

    if (args->reject_label && !(w->in->low < w->in->high)) {
        return session_misused(s, "--reject-label applies to models that reject rows");
    }
    for (int sign = -1; sign <= 1; sign += 2) {
        if (same_label(w->rejected, name_of(w, sign)) &&
            (args->reject_label || w->in->low < w->in->high)) {
            return session_misused(s,
                                   "%.60s is the label of a class and cannot stand for rejected "
                                   "rows; name another word with --reject-label",
                                   w->rejected);
        }
    }
    return EXIT_OK;
}

/* The ids and groups of the rows, so that what reads the scores knows them. */
static ney_status open_notes(writing *w, ney_error *err)
{
    const ney_data *const data = w->in->data;
    const char *const id = ney_data_id_column(data), *const group = ney_data_group_column(data);
    const ney_status st = id || group ? ney_notes_new(&w->notes, data, err) : NEY_OK;

    w->name[0] = id && !(group && strcmp(id, group) == 0) ? id : NULL; /* one may be both */
    w->name[1] = group;
    for (int k = 0; k < 2; k++) {
        w->column[k] = w->notes && w->name[k] ? ney_notes_find(w->notes, w->name[k]) : -1;
    }
    return st;
}

enum { NOTE_TEXT = 1024 };

static void note_text(const writing *w, int64_t row, int k, char text[NOTE_TEXT])
{
    int64_t length;
    const char *cell = ney_notes_text(w->notes, row, w->column[k], &length);

    snprintf(text, NOTE_TEXT, "%.*s", (int)(length < NOTE_TEXT ? length : NOTE_TEXT - 1), cell);
}

static void write_note(const writing *w, tsv *t, int64_t row, int k)
{
    char text[NOTE_TEXT];

    if (w->column[k] >= 0) {
        note_text(w, row, k, text);
        tsv_text(t, text);
    }
}

static void write_header(const writing *w, tsv *t, bool labelled)
{
    tsv_text(t, "predicted");
    tsv_text(t, "score");
    if (labelled) {
        tsv_text(t, "label");
    }
    if (w->found.q) {
        tsv_text(t, "q");
    }
    if (w->seen) {
        tsv_text(t, "seen");
    }
    if (w->p_pos) {
        tsv_text(t, "p_pos");
        tsv_text(t, "p_neg");
        tsv_text(t, "set");
    }
    for (int k = 0; k < 2; k++) {
        if (w->column[k] >= 0) {
            tsv_text(t, w->name[k]);
        }
    }
    (void)tsv_end(t); /* what fails is reported at the end */
}

static ney_status write_lines(session *s, const writing *w, const char *path)
{
    const scored *in = w->in;
    const bool scores = w->scores;
    const int64_t rows = ney_data_matrix(in->data)->rows;
    const int8_t *label = ney_data_label(in->data);
    tsv t;
    const ney_status st = tsv_open(&t, path, "", &s->err);

    if (st != NEY_OK) {
        return st;
    }
    if (scores) {
        write_header(w, &t, label != NULL);
    }
    for (int64_t i = 0; i < rows; i++) {
        tsv_text(&t, name_of(w, decide(in, i)));
        if (scores) {
            tsv_real(&t, in->score[i]);
        }
        if (scores && label) {
            tsv_text(&t, name_of(w, label[i]));
        }
        if (w->found.q) {
            tsv_real(&t, w->found.q[i]);
        }
        if (w->seen) {
            tsv_text(&t, w->seen[i] < 0 ? "" : w->seen[i] ? "1" : "0");
        }
        if (w->p_pos) {
            char set[SET_TEXT];
            set_text(w, i, set);
            tsv_real(&t, w->p_pos[i]);
            tsv_real(&t, w->p_neg[i]);
            tsv_text(&t, set);
        }
        for (int k = 0; scores && k < 2; k++) {
            write_note(w, &t, i, k);
        }
        if (!tsv_end(&t)) {
            break;
        }
    }
    return tsv_close(&t, &s->err);
}

static void add_p_values(ney_result *root, const writing *w, int64_t rows)
{
    ney_result *pos = ney_result_add_array(root, "p_pos"),
               *neg = ney_result_add_array(root, "p_neg"),
               *sets = ney_result_add_array(root, "set");

    for (int64_t i = 0; i < rows; i++) {
        char set[SET_TEXT];
        set_text(w, i, set);
        ney_result_add_real(pos, NULL, w->p_pos[i]);
        ney_result_add_real(neg, NULL, w->p_neg[i]);
        ney_result_add_text(sets, NULL, set);
    }
}

static void add_note(ney_result *list, const writing *w, int64_t row, int k)
{
    char text[NOTE_TEXT];

    note_text(w, row, k, text);
    ney_result_add_text(list, NULL, text);
}

/* With --json and no file to write to, the predictions are part of the object. */
static void add_lines(ney_result *root, const writing *w)
{
    const scored *in = w->in;
    const bool scores = w->scores;
    const int64_t rows = ney_data_matrix(in->data)->rows;
    const int8_t *label = ney_data_label(in->data);
    ney_result *predicted = ney_result_add_array(root, "predicted");

    for (int64_t i = 0; i < rows; i++) {
        ney_result_add_text(predicted, NULL, name_of(w, decide(in, i)));
    }
    if (scores) {
        ney_result *score = ney_result_add_array(root, "score");
        for (int64_t i = 0; i < rows; i++) {
            ney_result_add_real(score, NULL, in->score[i]);
        }
    }
    if (scores && label) {
        ney_result *truth = ney_result_add_array(root, "label");
        for (int64_t i = 0; i < rows; i++) {
            ney_result_add_text(truth, NULL, name_of(w, label[i]));
        }
    }
    if (w->found.q) {
        ney_result *q = ney_result_add_array(root, "q");
        for (int64_t i = 0; i < rows; i++) {
            ney_result_add_real(q, NULL, w->found.q[i]);
        }
    }
    if (w->seen) {
        ney_result *seen = ney_result_add_array(root, "seen");
        for (int64_t i = 0; i < rows; i++) {
            ney_result_add_real(seen, NULL, w->seen[i] < 0 ? (double)NAN : w->seen[i]);
        }
    }
    if (w->p_pos) {
        add_p_values(root, w, rows);
    }
    for (int k = 0; scores && k < 2; k++) {
        ney_result *notes = w->column[k] >= 0 ? ney_result_add_array(root, w->name[k]) : NULL;
        for (int64_t i = 0; notes && i < rows; i++) {
            add_note(notes, w, i, k);
        }
    }
}

static void tell(const session *s, const writing *w, const predict_args *args)
{
    const scored *in = w->in;
    const int64_t rows = ney_data_matrix(in->data)->rows;
    int64_t pos = 0, neg = 0;
    ney_result *root = result_new();

    for (int64_t i = 0; i < rows; i++) {
        const int sign = decide(in, i);
        pos += sign > 0;
        neg += sign < 0;
    }
    ney_result_add_int(root, "n", rows);
    ney_result_add_text(root, "positive", name_of(w, 1));
    ney_result_add_text(root, "negative", name_of(w, -1));
    ney_result_add_int(root, "predicted_pos", pos);
    ney_result_add_int(root, "predicted_neg", neg);
    ney_result_add_int(root, "rejected", rows - pos - neg);
    ney_result_add_real(root, "threshold", in->high);
    if (in->low < in->high) {
        ney_result_add_real(root, "threshold_low", in->low);
    }
    if (ney_model_fold_count(in->model) > 0) {
        ney_result_add_int(root, "scored_out_of_fold", in->out_of_fold);
    }
    if (w->seen) {
        ney_result_add_int(root, "rows_seen", count_reused(&in->reuse));
    }
    if (w->found.q) {
        discoveries_add(root, &w->found);
    }
    ney_result_add_real(root, "seconds", session_seconds(s));
    if (output_is_stdout(args->output)) {
        add_lines(root, w);
    } else {
        ney_result_add_text(root, "output", args->output);
    }
    result_print(s, root);
}

/* Labels are no must here, but that they were there and are left out is worth a word. */
static void say_dropped(session *s, const scored *in)
{
    ney_error why = {0};

    if (ney_data_unlabelled(in->data, &why) != NEY_OK && why.line > 0) {
        session_say(s, NEY_LOG_WARNING, "%s:%lld: %s; the column of labels is left out", why.file,
                    (long long)why.line, why.message);
    }
}

/* What is asked for beside the scores; `room` is to be freed in any case. */
static int find_values(session *s, writing *w, double **room)
{
    const predict_args *args = options_of(s->call, &own_options);
    const int64_t rows = ney_data_matrix(w->in->data)->rows;
    const int8_t *label = ney_data_label(w->in->data);
    ney_status st = NEY_OK;

    if (args->qvalues && !label) {
        return refuse_unlabelled(s, s->call->operands[1], w->in->data, false);
    }
    double *const values = *room = malloc((2 * (size_t)rows + 1) * sizeof **room);
    if (!values) {
        s->err = (ney_error){.code = NEY_ENOMEM, .message = "no memory for the values of rows"};
        return session_fail(s, NEY_ENOMEM);
    }
    if (args->conformal) {
        w->p_pos = values;
        w->p_neg = values + rows;
        st = ney_model_p_values(w->in->model, w->in->score, rows, values, values + rows, &s->err);
    }
    if (st == NEY_OK && args->qvalues) {
        const discovery_rows found = {.score = w->in->score,
                                      .label = label,
                                      .n = rows,
                                      .data = w->in->data,
                                      .in_sample = w->in->in_sample || w->in->partly_seen,
                                      .out_of_fold = w->in->out_of_fold};
        if ((st = discoveries_init(&w->found, s, &found, NULL, NULL, NULL)) == NEY_OK) {
            discoveries_say(s, &w->found);
        }
    }
    return st == NEY_OK ? EXIT_OK : session_fail(s, st);
}

/* Which rows were used in training; *seen is to be freed in any case. */
static int find_seen(session *s, writing *w, int8_t **seen)
{
    ney_reuse reuse;

    if (!w->in->has_reuse) {
        return session_misused(s,
                               "--seen applies to models with a fingerprint of their training "
                               "rows; %s has none",
                               s->call->operands[0]);
    }
    *seen = malloc((size_t)ney_data_matrix(w->in->data)->rows + 1);
    if (!*seen) {
        s->err = (ney_error){.code = NEY_ENOMEM, .message = "no memory for the rows"};
        return session_fail(s, NEY_ENOMEM);
    }
    w->seen = *seen;
    const ney_status st = ney_model_find_reuse(w->in->model, w->in->data, *seen, &reuse, &s->err);
    return st == NEY_OK ? EXIT_OK : session_fail(s, st);
}

static int give(session *s, const writing *w)
{
    const predict_args *args = options_of(s->call, &own_options);
    const bool to_stdout = output_is_stdout(args->output), json = s->common->json;

    if (w->scores) {
        say_dropped(s, w->in);
    }
    if (!to_stdout || !json) {
        const ney_status st = write_lines(s, w, args->output);
        if (st != NEY_OK) {
            return session_fail(s, st);
        }
    }
    if (!to_stdout || json) {
        tell(s, w, args);
    }
    return EXIT_OK;
}

/* Labels alone have no columns beside them. */
static int check_notes(session *s, writing *w)
{
    const ney_read_opts *read = options_of(s->call, &read_options);

    if (!w->scores && (read->id || read->group)) {
        return session_misused(s,
                               "--%s applies to predict with --scores, --qvalues, --conformal or "
                               "--seen",
                               read->id ? "id" : "group");
    }
    const ney_status st = open_notes(w, &s->err);
    return st == NEY_OK ? EXIT_OK : session_fail(s, st);
}

static int run(session *s)
{
    const predict_args *args = options_of(s->call, &own_options);
    scored in = {0};
    ney_status st = output_check(args->output, &s->err);
    int code = st == NEY_OK ? scored_read(&in, s, s->call->operands[0], s->call->operands[1])
                            : session_fail(s, st);

    double *values = NULL;
    int8_t *seen = NULL;
    writing w = {.in = &in,
                 .rejected = args->reject_label ? args->reject_label : "0",
                 .scores = args->scores || args->conformal || args->qvalues || args->seen,
                 .confidence = args->confidence};
    if (code == EXIT_OK) {
        code = check_notes(s, &w);
    }
    if (code == EXIT_OK) {
        code = check_rejected(s, &w);
    }
    if (code == EXIT_OK && (args->conformal || args->qvalues)) {
        code = find_values(s, &w, &values);
    }
    if (code == EXIT_OK && args->seen) {
        code = find_seen(s, &w, &seen);
    }
    if (code == EXIT_OK) {
        code = give(s, &w);
    }
    free(values);
    free(seen);
    discoveries_deinit(&w.found);
    ney_notes_free(w.notes);
    scored_deinit(&in);
    return code;
}

static bool has_conformal(const invocation *call)
{
    return ((const predict_args *)options_of(call, &own_options))->conformal;
}

static const option_rule rules[] = {{"confidence", has_conformal, "--conformal"},
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
