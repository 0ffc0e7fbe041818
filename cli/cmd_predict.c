/* neyman predict: labels and scores for new rows. */
#include "commands.h"
#include "labelled.h"
#include "predict.h"

/* clang-format off */
static const ney_param own_rows[] = {
#define AT(field) offsetof(predict_args, field)
    /* name    flag kind           offset      default low high arg  choices help */
    {"output", 'o', NEY_KIND_TEXT, AT(output), 0, 0, 0, "FILE", NULL, "file for the predictions; default: standard output"},
    {"scores",  0,  NEY_KIND_FLAG, AT(scores), 0, 0, 0, NULL,   NULL, "write TSV with a header: predicted, score and, if DATA has it, label"},
    {"qvalues", 0,  NEY_KIND_FLAG, AT(qvalues), 0, 0, 0, NULL,  NULL, "as --scores, with the q-value of every row (q), from the labels of DATA and the defaults of 'neyman qvalues'; 1 for rows that lose a competition"},
    {"seen",    0,  NEY_KIND_FLAG, AT(seen), 0, 0, 0, NULL,     NULL, "as --scores, with a column seen: 1 if the row was used in training, 0 if not, empty if unknown; rows that repeat training rows by chance are 0"},
    {"reject-label", 0, NEY_KIND_TEXT, AT(reject_label), 0, 0, 0, "WORD", NULL, "word for a rejected row; default 0"},
    {"conformal", 0, NEY_KIND_FLAG, AT(conformal), 0, 0, 0, NULL, NULL, "as --scores, with the p-value of each class (p_pos, p_neg) and the set of classes that cannot be ruled out at --confidence; for models trained with --conformal"},
    {"confidence", 0, NEY_KIND_REAL, AT(confidence), 0.95, 0, 1, "P", NULL, "probability with which the set contains the true class, in each class"},
    {"probability", 0, NEY_KIND_FLAG, AT(probability), 0, 0, 0, NULL, NULL, "as --scores, with the probability of the positive class and the two Venn-Abers values (p_low, p_high); for models trained with --calibrate or --calibrate-folds"},
    {"calibration", 0, NEY_KIND_CHOICE, AT(calibration), 0, 0, 2, "METHOD", "venn-abers isotonic platt", "how the column probability is computed from the calibration rows: venn-abers, p_high / (1 - p_low + p_high); isotonic regression; platt, a sigmoid"},
    {"only", 0, NEY_KIND_CHOICE, AT(only), 0, 0, 3, "ROWS", LINE_CHOICES, "write lines of rows with this outcome only"},
    {"digits", 0, NEY_KIND_INT, AT(digits), 0, 0, 17, "N", NULL, "significant digits of scores, p-values, q-values and probabilities; 0: the fewest that read back exactly"},
    {"jsonl", 0, NEY_KIND_FLAG, AT(json_lines), 0, 0, 0, NULL, NULL, "write one JSON object per line; default for files whose names end in .jsonl"},
    {"explain", 0, NEY_KIND_INT, AT(explain), 0, 0, 1000, "K", NULL, "as --scores, with a column explanation: the K columns that moved the score of the row most, and by how much; 0: none"},
    {"line-buffered", 0, NEY_KIND_FLAG, AT(line_buffered), 0, 0, 0, NULL, NULL, "read, score and write one row at a time: a line is written before the next row is parsed, even if more rows are available"},
#undef AT
};
/* clang-format on */

const option_set predict_options = {
    .title = "Output", .rows = own_rows, .n_rows = COUNT(own_rows), .bytes = sizeof(predict_args)};

/* Lines are rows of a table and not labels alone: numbers are asked for, some rows have no line, or
 * a line is an object. */
static bool writes_table(const predict_args *args)
{
    return args->scores || args->conformal || args->qvalues || args->seen || args->probability ||
           args->explain > 0 || args->only != ONLY_ALL || args->json_lines ||
           table_format_of(args->output) == FORMAT_JSON_LINES;
}

static line_format format_of(const session *s, const ney_model *model)
{
    const predict_args *args = options_of(s->call, &predict_options);
    line_format f = {.model = model,
                     .rejected = args->reject_label ? args->reject_label : "0",
                     .confidence = args->confidence,
                     .scores = writes_table(args),
                     .explain = args->explain,
                     .env = &s->env,
                     .probability = args->probability,
                     .calibration = (ney_probability_method)args->calibration,
                     .only = (line_choice)args->only,
                     .qvalues = args->qvalues,
                     .seen = args->seen,
                     .conformal = args->conformal};

    ney_model_thresholds(model, &f.low, &f.high);
    return f;
}

/* The word for rejected rows must differ from the labels, where rows can be rejected. */
static int check_reject_label(session *s, const line_format *f)
{
    const predict_args *args = options_of(s->call, &predict_options);

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

/* Labels alone have no columns for ids and groups. */
static int check_notes(session *s, const line_format *f)
{
    const ney_read_opts *read = options_of(s->call, &read_options);

    if (!f->scores && (read->id || read->group || read->keep)) {
        return session_misused(s,
                               "--%s applies to predict with --scores, --qvalues, --conformal, "
                               "--probability, --seen, --only or --jsonl",
                               read->id      ? "id"
                               : read->group ? "group"
                                             : "keep");
    }
    return EXIT_OK;
}

/* Options that need something of the model. */
static int check_model(session *s, const line_format *f)
{
    if (f->probability && !ney_model_calibrator(f->model)) {
        return session_misused(
            s, "--probability needs calibration rows, and the model has none: train "
               "it with --calibrate SHARE (rows held out for it) or "
               "--calibrate-folds K");
    }
    int64_t n_pos, n_neg;
    if (f->conformal && !ney_model_calibrated(f->model, &n_pos, &n_neg)) {
        return session_misused(s, "--conformal needs calibration rows, and the model has none: "
                                  "train it with --conformal");
    }
    if (f->only == ONLY_REJECTED && !(f->low < f->high)) {
        return session_misused(s, "--only rejected applies to models that reject rows");
    }
    return check_reject_label(s, f);
}

int predict_format(session *s, const ney_model *model, line_format *f)
{
    *f = format_of(s, model);
    const int code = check_notes(s, f);

    return code == EXIT_OK ? check_model(s, f) : code;
}

/* What needs all rows: q-values, which rows were used in training, and one object. */
static bool needs_all_rows(const invocation *call)
{
    const predict_args *args = options_of(call, &predict_options);
    const common_opts *common = options_of(call, &common_options);

    return args->qvalues || args->seen || (common->json && output_is_stdout(args->output));
}

static int run(session *s)
{
    const predict_args *args = options_of(s->call, &predict_options);

    if (s->env.comm && needs_all_rows(s->call)) {
        return session_misused(s, "%s needs the rows in one process: run it with neyman",
                               args->qvalues ? "--qvalues"
                               : args->seen  ? "--seen"
                                             : "--json without -o");
    }
    const ney_status st = predict_in_parts(s) ? NEY_OK : output_check(args->output, &s->err);
    const int code = session_agree(s, st == NEY_OK ? EXIT_OK : session_fail(s, st));

    if (code != EXIT_OK) {
        return code;
    }
    return needs_all_rows(s->call) ? predict_at_once(s) : predict_streamed(s);
}

static bool has_conformal(const invocation *call)
{
    return ((const predict_args *)options_of(call, &predict_options))->conformal;
}

/* A file appears at the end. */
static bool writes_lines(const invocation *call)
{
    const predict_args *args = options_of(call, &predict_options);

    return !needs_all_rows(call) && output_is_stdout(args->output);
}

static bool has_probability(const invocation *call)
{
    return ((const predict_args *)options_of(call, &predict_options))->probability;
}

static bool has_numbers(const invocation *call)
{
    return writes_table(options_of(call, &predict_options));
}

/* The predictions are lines, not arrays of an object. */
static bool has_lines(const invocation *call)
{
    const predict_args *args = options_of(call, &predict_options);
    const common_opts *common = options_of(call, &common_options);

    return !common->json || !output_is_stdout(args->output);
}

static bool has_lines_of_numbers(const invocation *call)
{
    return has_lines(call) && has_numbers(call);
}

static const option_rule rules[] = {
    {"calibration", has_probability, "--probability"},
    {"only jsonl", has_lines, "lines: with --json, add -o FILE"},
    {"digits", has_lines_of_numbers,
     "lines with numbers: add --scores, --qvalues, --conformal, --probability, --seen, --only or "
     "--jsonl, and with --json also -o FILE"},
    {"confidence", has_conformal, "--conformal"},
    {"line-buffered", writes_lines,
     "lines on standard output, not -o, --json, --qvalues or --seen"},
    {NULL, NULL, NULL}};

const command command_predict = {
    .name = "predict",
    .operands = "MODEL DATA...",
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
        "With --probability the lines also have the probability of the positive class, fitted to "
        "the model's calibration rows, and the Venn-Abers values p_low and p_high. If the rows "
        "were held out (--calibrate) and new rows come from the same distribution, one of the "
        "two, that of the true class, is perfectly calibrated: among rows for which it is p, a "
        "share p is positive. The interval between them has no coverage property.\n\n"
        "With --seen the lines also say which rows were used to train the model, by its "
        "fingerprint of the training rows. A row that equals a training row is marked 1 only if "
        "more rows of DATA do so than chance repeats explain, at level 1e-6; 'neyman certify' "
        "refuses scores with such rows. Rows that repeat training rows by chance belong to the "
        "distribution and are not marked: do not remove them.\n\n"
        "With --explain K the column explanation names up to K columns of DATA and what each adds "
        "to "
        "the score: the score minus the score of the row with the features of that column set to "
        "0, which with --scale standard is the mean of the training rows. Of linear models that is "
        "weight times feature, and the contributions of all columns and the intercept add up to "
        "the score; of other families columns act together and the contributions need not add up. "
        "Of trees they are Shapley values (TreeSHAP): columns that are not known are averaged over "
        "by the training rows at each split, and all contributions add up to the score minus its "
        "expected value. "
        "It is a statement about the model, not about causes.\n\n"
        "Lines are written as rows arrive: if DATA is a pipe, the rows that are available are "
        "scored and written before more are read. Memory does not grow with the number of rows, "
        "except with --qvalues, --seen and --json without -o, which need all rows first. The "
        "column label is written if the first row has a label that the model knows; its cell is "
        "empty in later rows without one.\n\n"
        "Files whose names end in .csv are CSV, in .jsonl JSON lines, others TSV. --only writes "
        "the lines of one outcome; the summary counts all rows. --only and JSON lines include "
        "--scores, so that ids say which rows they are.\n\n"
        "With -o the file is written completely or not at all, and a summary is printed. With "
        "--json and no -o the predictions are part of the object.",
    .everyday = "output scores probability only conformal confidence label id json help",
    .examples = {{"Labels:", "neyman predict spam.model new.csv"},
                 {"Scores, to a file:", "neyman predict spam.model new.csv --scores -o scores.tsv"},
                 {"Prediction sets with 99 % confidence:",
                  "neyman predict spam.model new.csv --conformal --confidence 0.99"}},
    .exits = {EXIT_FAILED, EXIT_USAGE, EXIT_INPUT, EXIT_INTERRUPTED},
    .sets = {&predict_options, &read_options, &target_options},
    .omit = "weight ignore words missing max-categories",
    .rules = rules,
    .distributed = true,
    .run = run,
};
