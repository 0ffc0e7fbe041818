/* neyman qvalues: the false-discovery rate at which each row is accepted. */
#include <math.h>
#include <stdlib.h>

#include "commands.h"
#include "labelled.h"
#include "output.h"
#include "result.h"
#include "tsv.h"

typedef struct qvalues_args {
    double max_fdr;
    bool all, rows;
    const char *output;
} qvalues_args;

/* clang-format off */
static const ney_param own_rows[] = {
#define AT(field) offsetof(qvalues_args, field)
    /* name     flag kind           offset       default low high arg  choices help */
    {"max-fdr",  0,  NEY_KIND_REAL, AT(max_fdr), 0.01, 0, 1, "Q",    NULL, "accept targets with a q-value of at most Q"},
    {"all",      0,  NEY_KIND_FLAG, AT(all),     0,    0, 0, NULL,   NULL, "write every row, decoys and what is not accepted included"},
    {"output",  'o', NEY_KIND_TEXT, AT(output),  0,    0, 0, "FILE", NULL, "file for the rows; standard output when left out"},
    {"rows",     0,  NEY_KIND_FLAG, AT(rows),    0,    0, 0, NULL,   NULL, "with --json, the rows too, an array a column"},
#undef AT
};
/* clang-format on */

static const option_set own_options = {
    .title = "Result", .rows = own_rows, .n_rows = COUNT(own_rows), .bytes = sizeof(qvalues_args)};

static const option_set qvalue_options = {
    .title = "Estimate", .from = ney_qvalue_params, .bytes = sizeof(ney_qvalue_opts)};

/* The rows to write, best score first, and what the q-values come to. */
typedef struct found {
    double *q; /* one a row of the input */
    struct ranked {
        double score;
        int64_t row; /* from 0 */
    } * item;
    int64_t n;                /* items */
    int64_t accepted, decoys; /* at or above the threshold: targets and decoys */
    double threshold, least;  /* the lowest accepted score, NAN when there is none; the least q */
} found;

/* ------------------------------------------------------------------ finding */

/* Best score first; rows of equal score as in the file. */
static int by_score(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;

    if (x->score != y->score) {
        return x->score > y->score ? -1 : 1;
    }
    return (x->row > y->row) - (x->row < y->row);
}

/* q-values never fall from a score to a lower one: the accepted rows are those from a threshold on.
 */
static void summarise(found *f, const evidence *in, double max_fdr)
{
    f->threshold = (double)NAN;
    f->least = (double)NAN;
    for (int64_t i = 0; i < in->n; i++) {
        const bool target = in->label[i] > 0;
        if (f->q[i] <= max_fdr) {
            f->accepted += target;
            f->decoys += !target;
        }
        if (target && f->q[i] <= max_fdr && !(in->score[i] >= f->threshold)) {
            f->threshold = in->score[i];
        }
        if (target && !(f->q[i] >= f->least)) {
            f->least = f->q[i];
        }
    }
}

static ney_status find(found *f, session *s, const evidence *in, bool rows_wanted)
{
    const qvalues_args *args = options_of(s->call, &own_options);
    const ney_qvalue_opts *opts = options_of(s->call, &qvalue_options);
    ney_status st;

    *f = (found){.q = malloc(((size_t)in->n + 1) * sizeof *f->q)};
    if (!f->q) {
        goto no_memory;
    }
    if ((st = ney_qvalues(&s->env, in->score, in->label, in->n, opts, f->q, &s->err)) != NEY_OK) {
        return st;
    }
    summarise(f, in, args->max_fdr);
    if (!rows_wanted) {
        return NEY_OK;
    }
    f->item = malloc(((size_t)(args->all ? in->n : f->accepted) + 1) * sizeof *f->item);
    if (!f->item) {
        goto no_memory;
    }
    for (int64_t i = 0; i < in->n; i++) {
        if (args->all || (in->label[i] > 0 && f->q[i] <= args->max_fdr)) {
            f->item[f->n++] = (struct ranked){in->score[i], i};
        }
    }
    qsort(f->item, (size_t)f->n, sizeof *f->item, by_score);
    return NEY_OK;

no_memory:
    s->err = (ney_error){.code = NEY_ENOMEM, .message = "no memory for the q-values"};
    return NEY_ENOMEM;
}

static void found_deinit(found *f)
{
    free(f->q);
    free(f->item);
}

/* ------------------------------------------------------------------ telling */

static const char *name_of(const evidence *in, int64_t row)
{
    return in->label[row] > 0 ? in->positive : in->negative;
}

static ney_status write_rows(session *s, const evidence *in, const found *f, const char *path)
{
    char q_text[32] = ""; /* neighbours often share their q-value: it is put into digits once */
    double q = -1;
    tsv t;
    const ney_status st = tsv_open(&t, path, "row score label q", &s->err);

    if (st != NEY_OK) {
        return st;
    }
    for (int64_t i = 0; i < f->n; i++) {
        const int64_t row = f->item[i].row;
        if (f->q[row] != q) {
            q = f->q[row];
            snprintf(q_text, sizeof q_text, "%.17g", q);
        }
        tsv_int(&t, row + 1);
        tsv_real(&t, f->item[i].score);
        tsv_text(&t, name_of(in, row));
        tsv_text(&t, q_text);
        if (!tsv_end(&t)) {
            break;
        }
    }
    return tsv_close(&t, &s->err);
}

static void add_rows(cJSON *root, const evidence *in, const found *f)
{
    cJSON *rows = json_object(root, "rows");
    cJSON *row = json_array(rows, "row"), *score = json_array(rows, "score");
    cJSON *label = json_array(rows, "label"), *q = json_array(rows, "q");

    for (int64_t i = 0; i < f->n; i++) {
        const int64_t at = f->item[i].row;
        json_int(row, NULL, at + 1);
        json_real(score, NULL, f->item[i].score);
        json_text(label, NULL, name_of(in, at));
        json_real(q, NULL, f->q[at]);
    }
}

/* What the rate is when a share x of the accepted rows are decoys. */
static double rate_of_share(double x, const ney_qvalue_opts *o, const evidence *in)
{
    const double correction =
        o->size_correct && in->n_neg > 0 ? (double)in->n_pos / (double)in->n_neg : 1;

    return fmin(1, correction * (o->kind == NEY_FDR_DECOYS_PER_ALL ? x : x / (1 - x)));
}

/* The estimate at the threshold, which is the largest accepted q-value; its interval is that of the
 * share of decoys, D / (D + T), turned into the same measure. */
static void add_fdr(cJSON *root, const session *s, const evidence *in, const found *f)
{
    const ney_qvalue_opts *opts = options_of(s->call, &qvalue_options);
    const double max_fdr = ((const qvalues_args *)options_of(s->call, &own_options))->max_fdr;
    double fdr = (double)NAN, low, high;

    for (int64_t i = 0; i < in->n; i++) {
        if (f->q[i] <= max_fdr && !(f->q[i] <= fdr)) {
            fdr = f->q[i];
        }
    }
    if (f->accepted == 0) {
        json_text(root, "fdr", NULL);
        json_text(root, "fdr_interval", NULL);
        return;
    }
    ney_interval(f->decoys, f->decoys + f->accepted, 0.95, &low, &high);
    json_real(root, "fdr", fdr);
    json_pair(root, "fdr_interval", rate_of_share(low, opts, in), rate_of_share(high, opts, in));
}

static void tell(const session *s, const evidence *in, const found *f)
{
    const qvalues_args *args = options_of(s->call, &own_options);
    const ney_qvalue_opts *opts = options_of(s->call, &qvalue_options);
    cJSON *root = json_new();

    json_text(root, "goal", "fdr");
    json_text(root, "positive", in->positive);
    json_text(root, "negative", in->negative);
    json_int(root, "n", in->n);
    json_int(root, "n_pos", in->n_pos);
    json_int(root, "n_neg", in->n_neg);
    json_text(root, "estimate",
              opts->kind == NEY_FDR_DECOYS_PER_ALL ? "decoys/all" : "decoys/targets");
    json_bool(root, "size_correct", opts->size_correct);
    json_bool(root, "plus_one", opts->plus_one);
    json_real(root, "max_fdr", args->max_fdr);
    json_int(root, "accepted", f->accepted);
    json_int(root, "accepted_decoys", f->decoys);
    json_real(root, "threshold", f->threshold);
    add_fdr(root, s, in, f);
    json_real(root, "seconds", session_seconds(s));
    if (!output_is_stdout(args->output)) {
        json_text(root, "output", args->output);
    } else if (args->rows) {
        add_rows(root, in, f);
    }
    result_print(s, root);
}

static void say_what_was_found(session *s, const evidence *in, const found *f)
{
    const qvalues_args *args = options_of(s->call, &own_options);

    if (f->accepted == 0) {
        session_say(
            s, NEY_LOG_WARNING,
            "no target has a q-value of at most %g; the least is %.4g (--max-fdr accepts more)",
            args->max_fdr, f->least);
    } else {
        session_say(s, NEY_LOG_INFO, "%lld of %lld targets ('%s') have a q-value of at most %g",
                    (long long)f->accepted, (long long)in->n_pos, in->positive, args->max_fdr);
    }
}

/* ------------------------------------------------------------------ running */

static ney_status give(session *s, const evidence *in)
{
    const qvalues_args *args = options_of(s->call, &own_options);
    const bool to_stdout = output_is_stdout(args->output), json = s->common->json;
    found f;
    ney_status st = find(&f, s, in, !to_stdout || !json || args->rows);

    if (st == NEY_OK) {
        say_what_was_found(s, in, &f);
    }
    if (st == NEY_OK && (!to_stdout || !json)) {
        st = write_rows(s, in, &f, args->output);
    }
    if (st == NEY_OK && (!to_stdout || json)) {
        tell(s, in, &f);
    }
    found_deinit(&f);
    return st;
}

static int run(session *s)
{
    const qvalues_args *args = options_of(s->call, &own_options);
    evidence in = {0};
    ney_status st = output_check(args->output, &s->err);
    int code = st == NEY_OK ? evidence_read(&in, s) : session_fail(s, st);

    if (code == EXIT_OK && (in.n_pos == 0 || in.n_neg == 0)) {
        code = refuse_one_class(s, &in);
    }
    if (code == EXIT_OK && (st = give(s, &in)) != NEY_OK) {
        code = session_fail(s, st);
    }
    evidence_deinit(&in);
    return code;
}

const command command_qvalues = {
    .name = "qvalues",
    .operands = "[MODEL DATA]",
    .group = "Deciding from scores",
    .summary = "tell at which false-discovery rate each row is accepted",
    .description =
        "Positives are targets, of which an unknown share is false; negatives are decoys, false "
        "by construction, which tell what false ones score. The false-discovery rate of a "
        "threshold "
        "is estimated from the decoys at or above it, and the q-value of a row is the least rate "
        "of "
        "a threshold that accepts it. Rows of equal score share one value.\n\n"
        "Writes TSV with header: row (counted from 1 in the input), score, label, q; best score "
        "first; the targets with q at most --max-fdr, or with --all every row. With -o the rows go "
        "to a file and a summary is printed; with --json the result is the summary, and the rows "
        "too with --rows. The interval of the rate at the threshold is the exact one of the "
        "share of decoys among what is accepted, turned into the same measure.",
    .examples = {{"Targets at 1 % false discoveries:",
                  "neyman qvalues --from-scores scores.tsv --max-fdr 0.01 -o accepted.tsv"},
                 {"The unbiased competition estimate, every row:",
                  "neyman qvalues --from-scores scores.tsv --plus-one --all"},
                 {"How many, for a script:",
                  "neyman qvalues psm.model psms.pin --max-fdr 0.05 --json | jq .accepted"}},
    .exits = {EXIT_FAILED, EXIT_USAGE, EXIT_INPUT, EXIT_INTERRUPTED},
    .sets = {&source_options, &own_options, &qvalue_options, &read_options},
    .run = run,
};
