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
    bool all, rows, decoys, compete;
    const char *output, *spectrum, *group;
} qvalues_args;

/* clang-format off */
static const ney_param own_rows[] = {
#define AT(field) offsetof(qvalues_args, field)
    /* name     flag kind           offset       default low high arg  choices help */
    {"max-fdr",  0,  NEY_KIND_REAL, AT(max_fdr), 0.01, 0, 1, "Q",    NULL, "accept targets with a q-value of at most Q"},
    {"all",      0,  NEY_KIND_FLAG, AT(all),     0,    0, 0, NULL,   NULL, "write every target, not only those accepted"},
    {"decoys",   0,  NEY_KIND_FLAG, AT(decoys),  0,    0, 0, NULL,   NULL, "write decoys too: those at or above the threshold, with --all every one"},
    {"compete",  0,  NEY_KIND_FLAG, AT(compete), 0,    0, 0, NULL,   NULL, "keep only the best match of each spectrum, target or decoy (target-decoy competition)"},
    {"spectrum", 0,  NEY_KIND_TEXT, AT(spectrum), 0,   0, 0, "COLUMNS", NULL, "for --compete: rows that agree in these columns, separated by commas, are matches of one spectrum; default: file, ScanNr and ExpMass of a PIN file"},
    {"group",    0,  NEY_KIND_TEXT, AT(group),   0,    0, 0, "COLUMN", NULL, "q-values within each value of a column, such as the charge or the file"},
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
    double *q, *pep; /* one a row that takes part */
    struct ranked {
        double score;
        int64_t row; /* from 0 */
    } * item;
    int64_t n;                /* items */
    int64_t known;            /* rows that a model was learned from and has not seen */
    int64_t accepted, decoys; /* at or above the threshold: targets and decoys */
    double threshold, least;  /* the lowest accepted score, NAN when there is none; the least q */
} found;

/* ------------------------------------------------------------------ the rows that take part */

typedef struct picked {
    double *score;
    int8_t *label;
    int64_t *row; /* of the input, ascending */
    int64_t n, n_pos, n_neg;
} picked;

static void picked_deinit(picked *p)
{
    free(p->score);
    free(p->label);
    free(p->row);
}

static ney_status keys_of(session *s, const evidence *in, const char *columns, uint64_t **key);

/* All rows, or the best of each spectrum. */
static ney_status choose_best(session *s, const evidence *in, bool *best)
{
    const qvalues_args *args = options_of(s->call, &own_options);
    uint64_t *key = NULL;
    ney_status st = NEY_OK;

    for (int64_t i = 0; i < in->n; i++) {
        best[i] = true;
    }
    if (args->compete) {
        const char *columns = args->spectrum ? args->spectrum : "filename?,ScanNr?,ExpMass?";
        if ((st = keys_of(s, in, columns, &key)) == NEY_OK) {
            st = ney_best_of_groups(&s->env, in->score, in->label, key, in->n, best, &s->err);
        }
    }
    free(key);
    return st;
}

static ney_status pick(picked *p, session *s, const evidence *in)
{
    const size_t n = (size_t)in->n + 1;
    bool *best = malloc(n * sizeof *best);
    ney_status st = NEY_ENOMEM;

    *p = (picked){.score = malloc(n * sizeof *p->score),
                  .label = malloc(n * sizeof *p->label),
                  .row = malloc(n * sizeof *p->row)};
    if (!best || !p->score || !p->label || !p->row) {
        s->err = (ney_error){.code = NEY_ENOMEM, .message = "no memory for the rows"};
    } else if ((st = choose_best(s, in, best)) == NEY_OK) {
        for (int64_t i = 0; i < in->n; i++) {
            if (best[i]) {
                p->score[p->n] = in->score[i];
                p->label[p->n] = in->label[i];
                p->row[p->n++] = i;
                p->n_pos += in->label[i] > 0;
            }
        }
        p->n_neg = p->n - p->n_pos;
    }
    free(best);
    return st;
}

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
static void summarise(found *f, const picked *in, double max_fdr)
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

/* Keys of the rows that take part, by columns of the data. */
static ney_status keys_of(session *s, const evidence *in, const char *columns, uint64_t **key)
{
    int64_t used;

    *key = malloc(((size_t)in->n + 1) * sizeof **key);
    if (!*key) {
        s->err = (ney_error){.code = NEY_ENOMEM, .message = "no memory for the groups"};
        return NEY_ENOMEM;
    }
    const ney_status st = ney_data_keys(in->of_model.data, columns, *key, &used, &s->err);
    if (st == NEY_OK && used == 0) {
        s->err = (ney_error){.code = NEY_EINVAL,
                             .message = "the data name no spectrum to compete for, expected "
                                        "--spectrum COLUMN"};
        return NEY_EINVAL;
    }
    return st;
}

/* q-values and error probabilities, of all rows or within groups. */
static ney_status estimate(session *s, const evidence *in, const picked *p, found *f)
{
    const qvalues_args *args = options_of(s->call, &own_options);
    const ney_qvalue_opts *opts = options_of(s->call, &qvalue_options);
    uint64_t *key = NULL;
    ney_status st;

    if (!args->group) {
        st = ney_qvalues(&s->env, p->score, p->label, p->n, opts, f->q, &s->err);
        return st == NEY_OK ? ney_peps(&s->env, p->score, p->label, p->n, opts, f->pep, &s->err)
                            : st;
    }
    if ((st = keys_of(s, in, args->group, &key)) == NEY_OK) {
        for (int64_t i = 0; i < p->n; i++) { /* rows ascend: nothing is overwritten too early */
            key[i] = key[p->row[i]];
        }
        st = ney_qvalues_by_group(&s->env, p->score, p->label, key, p->n, opts, f->q, f->pep,
                                  &s->err);
    }
    free(key);
    return st;
}

static bool is_wanted(const qvalues_args *args, const picked *p, const found *f, int64_t i)
{
    return (args->all || f->q[i] <= args->max_fdr) && (args->decoys || p->label[i] > 0);
}

static ney_status find(found *f, session *s, const evidence *in, const picked *p)
{
    const qvalues_args *args = options_of(s->call, &own_options);
    ney_status st;

    *f = (found){.q = malloc((2 * (size_t)p->n + 1) * sizeof *f->q),
                 .item = malloc(((size_t)p->n + 1) * sizeof *f->item)};
    if (!f->q || !f->item) {
        s->err = (ney_error){.code = NEY_ENOMEM, .message = "no memory for the q-values"};
        return NEY_ENOMEM;
    }
    f->pep = f->q + p->n;
    if ((st = estimate(s, in, p, f)) != NEY_OK) {
        return st;
    }
    summarise(f, p, args->max_fdr);
    for (int64_t i = 0; i < p->n; i++) {
        if (is_wanted(args, p, f, i)) {
            f->item[f->n++] = (struct ranked){p->score[i], i};
        }
    }
    qsort(f->item, (size_t)f->n, sizeof *f->item, by_score);
    return NEY_OK;
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

/* The columns of a PIN file that results repeat; -1 where they are missing. */
typedef struct id_columns {
    ney_notes *notes;
    int64_t id, peptide, proteins;
} id_columns;

static ney_status id_columns_init(id_columns *c, session *s, const evidence *in)
{
    *c = (id_columns){0};
    if (!in->of_model.data || ney_data_format(in->of_model.data) != NEY_FORMAT_PIN) {
        return NEY_OK;
    }
    const ney_status st = ney_notes_new(&c->notes, in->of_model.data, &s->err);
    if (st == NEY_OK) {
        c->id = ney_notes_find(c->notes, "SpecId");
        c->id = c->id < 0 ? ney_notes_find(c->notes, "PSMId") : c->id;
        c->peptide = ney_notes_find(c->notes, "Peptide");
        c->proteins = ney_notes_find(c->notes, "Proteins");
        c->proteins = c->proteins < 0 ? ney_notes_find(c->notes, "proteinIds") : c->proteins;
    }
    return st;
}

static void put_note(tsv *t, const id_columns *c, int64_t row, int64_t column)
{
    int64_t length = 0;
    const char *text = column < 0 ? "" : ney_notes_text(c->notes, row, column, &length);

    tsv_plain(t, text, length);
}

/* Percolator's columns, or those of any table. */
static void write_row(tsv *t, const evidence *in, const picked *p, const found *f, int64_t at,
                      const id_columns *c)
{
    const int64_t row = p->row[at];

    if (c->notes) {
        put_note(t, c, row, c->id);
        tsv_real(t, p->score[at]);
        tsv_real(t, f->q[at]);
        tsv_real(t, f->pep[at]);
        put_note(t, c, row, c->peptide);
        put_note(t, c, row, c->proteins);
        return;
    }
    tsv_int(t, row + 1);
    tsv_real(t, p->score[at]);
    tsv_text(t, name_of(in, row));
    tsv_real(t, f->q[at]);
}

static ney_status write_rows(session *s, const evidence *in, const picked *p, const found *f,
                             const char *path)
{
    id_columns c;
    tsv t;
    ney_status st = id_columns_init(&c, s, in);

    if (st == NEY_OK &&
        (st = tsv_open(&t, path,
                       c.notes ? "PSMId score q-value posterior_error_prob peptide proteinIds"
                               : "row score label q",
                       &s->err)) == NEY_OK) {
        for (int64_t i = 0; i < f->n; i++) {
            write_row(&t, in, p, f, f->item[i].row, &c);
            if (!tsv_end(&t)) {
                break;
            }
        }
        st = tsv_close(&t, &s->err);
    }
    ney_notes_free(c.notes);
    return st;
}

static void add_rows(cJSON *root, const evidence *in, const picked *p, const found *f)
{
    cJSON *rows = json_object(root, "rows");
    cJSON *row = json_array(rows, "row"), *score = json_array(rows, "score");
    cJSON *label = json_array(rows, "label"), *q = json_array(rows, "q");
    cJSON *pep = json_array(rows, "posterior_error_prob");

    for (int64_t i = 0; i < f->n; i++) {
        const int64_t at = f->item[i].row;
        json_int(row, NULL, p->row[at] + 1);
        json_real(score, NULL, f->item[i].score);
        json_text(label, NULL, name_of(in, p->row[at]));
        json_real(q, NULL, f->q[at]);
        json_real(pep, NULL, f->pep[at]);
    }
}

/* What the rate is when a share x of the accepted rows are decoys. */
static double rate_of_share(double x, const ney_qvalue_opts *o, const picked *in)
{
    const double correction =
        o->size_correct && in->n_neg > 0 ? (double)in->n_pos / (double)in->n_neg : 1;

    return fmin(1, correction * (o->kind == NEY_FDR_DECOYS_PER_ALL ? x : x / (1 - x)));
}

/* The estimate at the threshold, which is the largest accepted q-value; its interval is that of the
 * share of decoys, D / (D + T), turned into the same measure. */
static void add_fdr(cJSON *root, const session *s, const picked *in, const found *f)
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

static void tell(const session *s, const evidence *in, const picked *p, const found *f)
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
    if (args->compete) {
        json_int(root, "best_matches", p->n);
        json_int(root, "best_targets", p->n_pos);
        json_int(root, "best_decoys", p->n_neg);
    }
    if (in->of_model.model) {
        json_int(root, "scored_out_of_fold", f->known);
    }
    json_text(root, "estimate",
              opts->kind == NEY_FDR_DECOYS_PER_ALL ? "decoys/all" : "decoys/targets");
    json_bool(root, "size_correct", opts->size_correct);
    json_bool(root, "plus_one", opts->plus_one);
    json_real(root, "max_fdr", args->max_fdr);
    json_int(root, "accepted", f->accepted);
    json_int(root, "accepted_decoys", f->decoys);
    json_real(root, "threshold", f->threshold);
    add_fdr(root, s, p, f);
    json_real(root, "seconds", session_seconds(s));
    if (!output_is_stdout(args->output)) {
        json_text(root, "output", args->output);
    } else if (args->rows) {
        add_rows(root, in, p, f);
    }
    result_print(s, root);
}

static void say_what_was_done(session *s, const evidence *in, const picked *p, const found *f)
{
    const qvalues_args *args = options_of(s->call, &own_options);

    if (f->known > 0) {
        session_say(s, NEY_LOG_INFO,
                    "%lld of %lld rows are known to the model: each is scored by the fold model "
                    "that has not seen it",
                    (long long)f->known, (long long)in->n);
    }
    if (args->compete) {
        session_say(s, NEY_LOG_INFO,
                    "%lld best matches of a spectrum: %lld targets and %lld decoys",
                    (long long)p->n, (long long)p->n_pos, (long long)p->n_neg);
    }
    if (p->n_neg < 20) {
        session_say(s, NEY_LOG_WARNING,
                    "only %lld decoys: a q-value of 0 says no more than that none of them came so "
                    "far (--plus-one counts one more)",
                    (long long)p->n_neg);
    }
    if (f->accepted == 0) {
        session_say(
            s, NEY_LOG_WARNING,
            "no target has a q-value of at most %g; the least is %.4g (--max-fdr accepts more)",
            args->max_fdr, f->least);
    } else {
        session_say(s, NEY_LOG_INFO, "%lld of %lld targets ('%s') have a q-value of at most %g",
                    (long long)f->accepted, (long long)p->n_pos, in->positive, args->max_fdr);
    }
}

/* ------------------------------------------------------------------ running */

static ney_status give(session *s, const evidence *in, int64_t known)
{
    const qvalues_args *args = options_of(s->call, &own_options);
    const bool to_stdout = output_is_stdout(args->output), json = s->common->json;
    found f = {0};
    picked p;
    ney_status st = pick(&p, s, in);

    if (st == NEY_OK && (st = find(&f, s, in, &p)) == NEY_OK) {
        f.known = known;
        say_what_was_done(s, in, &p, &f);
    }
    if (st == NEY_OK && (!to_stdout || !json)) {
        st = write_rows(s, in, &p, &f, args->output);
    }
    if (st == NEY_OK && (!to_stdout || json)) {
        tell(s, in, &p, &f);
    }
    found_deinit(&f);
    picked_deinit(&p);
    return st;
}

/* Columns are those of data; a score file is read for label and score alone. */
static int check_options(session *s)
{
    const qvalues_args *args = options_of(s->call, &own_options);

    if (s->call->n_operands == 0 && (args->compete || args->group)) {
        return session_misused(s, "--compete and --group need MODEL DATA, not --from-scores");
    }
    return args->spectrum && !args->compete
               ? session_misused(s, "--spectrum tells what competes: expected --compete too")
               : EXIT_OK;
}

static int run(session *s)
{
    const qvalues_args *args = options_of(s->call, &own_options);
    evidence in = {0};
    int64_t known = 0;
    ney_status st = output_check(args->output, &s->err);
    int code = st == NEY_OK ? check_options(s) : session_fail(s, st);

    if (code == EXIT_OK) {
        code = evidence_read(&in, s);
    }
    if (code == EXIT_OK && (in.n_pos == 0 || in.n_neg == 0)) {
        code = refuse_one_class(s, &in);
    }
    if (code == EXIT_OK && in.of_model.model && ney_model_fold_count(in.of_model.model) > 0 &&
        (st = ney_model_score_data(in.of_model.model, &s->env, in.of_model.data, in.of_model.score,
                                   &known, &s->err)) != NEY_OK) {
        code = session_fail(s, st);
    }
    if (code == EXIT_OK && (st = give(s, &in, known)) != NEY_OK) {
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
        "Writes TSV with header, best score first: of a PIN file PSMId, score, q-value, "
        "posterior_error_prob, peptide and proteinIds; of other data row (counted from 1 in the "
        "input), score, label, q. The targets with q at most --max-fdr, or with --all every one; "
        "decoys only with --decoys. Rows that a model of 'neyman train --max-fdr' was learned from "
        "are scored by the one of its three fold models that has not seen them; other rows by "
        "their mean. With -o the rows go "
        "to a file and a summary is printed; with --json the result is the summary, and the rows "
        "too with --rows. The interval of the rate at the threshold is the exact one of the "
        "share of decoys among what is accepted, turned into the same measure.",
    .examples = {{"Targets at 1 % false discoveries:",
                  "neyman qvalues --from-scores scores.tsv --max-fdr 0.01 -o accepted.tsv"},
                 {"The unbiased competition estimate, every row:",
                  "neyman qvalues --from-scores scores.tsv --plus-one --all"},
                 {"The best match of each spectrum, as Percolator counts:",
                  "neyman qvalues psm.model psms.pin --compete --plus-one -o psms.tsv"},
                 {"How many, for a script:",
                  "neyman qvalues psm.model psms.pin --max-fdr 0.05 --json | jq .accepted"}},
    .exits = {EXIT_FAILED, EXIT_USAGE, EXIT_INPUT, EXIT_INTERRUPTED},
    .sets = {&source_options, &own_options, &qvalue_options, &read_options},
    .run = run,
};
