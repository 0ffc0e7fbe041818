/* neyman qvalues: the false-discovery rate at which each row is accepted. */
#include <math.h>
#include <stdlib.h>

#include "commands.h"
#include "evidence.h"
#include "file_memory.h"
#include "groups.h"
#include "output.h"
#include "plotting.h"
#include "qvalues.h"

typedef struct qvalues_args {
    double max_fdr, memory;
    bool all, rows, decoys;
    const char *output, *spectrum, *by;
} qvalues_args;

/* clang-format off */
static const ney_param own_rows[] = {
#define AT(field) offsetof(qvalues_args, field)
    /* name     flag kind           offset       default low high arg  choices help */
    {"max-fdr",  0,  NEY_KIND_REAL, AT(max_fdr), 0.01, 0, 1, "Q",    NULL, "accept targets with a q-value of at most Q"},
    {"all",      0,  NEY_KIND_FLAG, AT(all),     0,    0, 0, NULL,   NULL, "write every target, not only the accepted ones"},
    {"with-decoys", 0, NEY_KIND_FLAG, AT(decoys),  0,    0, 0, NULL,   NULL, "write decoys too: those at or above the threshold, with --all every decoy"},
    {"spectrum", 0,  NEY_KIND_TEXT, AT(spectrum), 0,   0, 0, "COLUMNS", NULL, "columns, separated by commas, that identify a spectrum: rows with equal values compete; default: file, ScanNr and ExpMass of a PIN file"},
    {"by",       0,  NEY_KIND_TEXT, AT(by),      0,    0, 0, "COLUMN", NULL, "separate q-values for each value of a column, such as the charge or the file"},
    {"output",  'o', NEY_KIND_TEXT, AT(output),  0,    0, 0, "FILE", NULL, "file for the rows; default: standard output"},
    {"memory",   0,  NEY_KIND_REAL, AT(memory),  0,    0, 1e9, "MB", NULL, "memory in MB: arrays beyond a quarter of it are kept in temporary files, whose pages are returned to the system when the process exceeds the limit, which it can do briefly; 0: no limit. Never changes a result"},
    {"rows",     0,  NEY_KIND_FLAG, AT(rows),    0,    0, 0, NULL,   NULL, "include the rows in the JSON object, one array per column"},
#undef AT
};
/* clang-format on */

static const option_set own_options = {.title = "Discoveries",
                                       .rows = own_rows,
                                       .n_rows = COUNT(own_rows),
                                       .bytes = sizeof(qvalues_args)};

static const option_set qvalue_options = {
    .title = "Estimate", .from = ney_qvalue_params, .bytes = sizeof(ney_qvalue_opts)};

/* ------------------------------------------------------------------ q-values */

/* q-values never fall from a score to a lower one: the accepted rows are those from a threshold on.
 */
static void summarise(found *f, const evidence *in, double max_fdr)
{
    const double *q = f->d.q;

    f->threshold = (double)NAN;
    f->least = (double)NAN;
    for (int64_t i = 0; i < in->n; i++) {
        const bool target = in->label[i] > 0;
        if (!f->d.best[i]) {
            continue;
        }
        if (q[i] <= max_fdr) {
            f->accepted += target;
            f->decoys += !target;
        }
        if (target && q[i] <= max_fdr && !(in->score[i] >= f->threshold)) {
            f->threshold = in->score[i];
        }
        if (target && !(q[i] >= f->least)) {
            f->least = q[i];
        }
    }
}

static bool is_written(const qvalues_args *args, const evidence *in, const found *f, int64_t i)
{
    return f->d.best[i] && (args->all || f->d.q[i] <= args->max_fdr) &&
           (args->decoys || in->label[i] > 0);
}

static ney_status compute_qvalues(found *f, session *s, const evidence *in)
{
    const qvalues_args *args = options_of(s->call, &own_options);
    const discovery_rows rows = {.model = in->of_model.model,
                                 .score = in->score,
                                 .label = in->label,
                                 .n = in->n,
                                 .data = in->of_model.data,
                                 .in_sample = in->of_model.in_sample || in->of_model.partly_seen,
                                 .out_of_fold = in->of_model.out_of_fold};
    ney_status st;

    *f = (found){.item = memory_new((size_t)in->n + 1, sizeof *f->item)};
    if (!f->item) {
        return out_of_memory(&s->err, "the q-values");
    }
    if ((st = discoveries_init(&f->d, s, &rows, options_of(s->call, &qvalue_options),
                               args->spectrum, args->by)) != NEY_OK) {
        return st;
    }
    if ((st = levels_init(&f->levels, s, in, &f->d, options_of(s->call, &qvalue_options),
                          args->max_fdr)) != NEY_OK) {
        return st;
    }
    summarise(f, in, args->max_fdr);
    for (int64_t i = 0; i < in->n; i++) {
        if (is_written(args, in, f, i)) {
            f->item[f->n++] = (ney_ranked){in->score[i], i};
        }
    }
    return ney_rank(&s->env, f->item, f->n, &s->err); /* rows of equal score as in the file */
}

static void found_deinit(found *f)
{
    levels_deinit(&f->levels);
    discoveries_deinit(&f->d);
    memory_free(f->item);
}

/* ------------------------------------------------------------------ result */

/* The estimate when a share x of the accepted rows are decoys. */
static double rate_of_share(double x, const ney_competition *c)
{
    const double rate =
        x < 1 ? ney_qvalue_factor(&c->estimate, c->n_pos, c->n_neg) * x / (1 - x) : INFINITY;

    return c->estimate.kind == NEY_FDR_DECOYS_PER_TARGET ? fmin(1, rate)
           : isinf(rate)                                 ? 1
                                                         : rate / (1 + rate);
}

/* The estimate at the threshold, which is the largest accepted q-value; its interval is that of the
 * share of decoys, D / (D + T), in the same measure. */
static void add_fdr(ney_result *root, const session *s, const evidence *in, const found *f)
{
    const double max_fdr = ((const qvalues_args *)options_of(s->call, &own_options))->max_fdr;
    double fdr = (double)NAN, low, high;

    for (int64_t i = 0; i < in->n; i++) {
        if (f->d.best[i] && f->d.q[i] <= max_fdr && !(f->d.q[i] <= fdr)) {
            fdr = f->d.q[i];
        }
    }
    if (f->accepted == 0) {
        ney_result_add_text(root, "fdr", NULL);
        ney_result_add_text(root, "fdr_interval", NULL);
        return;
    }
    ney_interval(f->decoys, f->decoys + f->accepted, 0.95, &low, &high);
    ney_result_add_real(root, "fdr", fdr);
    ney_result_add_interval(root, "fdr_interval", rate_of_share(low, &f->d.competition),
                            rate_of_share(high, &f->d.competition));
}

static void add_headline(ney_result *root, const qvalues_args *args, const found *f)
{
    const discoveries *const d = &f->d;

    ney_result_headline(root,
                        "Accepts %lld of %lld targets with a q-value (estimated FDR) of at most "
                        "%.4g %%.",
                        (long long)f->accepted, (long long)d->competition.n_pos,
                        100 * args->max_fdr);
    if (d->is_covered) {
        ney_result_headline(root, "A theorem applies: %s.", d->reason);
    } else {
        ney_result_headline(root, "No theorem bounds the FDR of these rows: %s.", d->reason);
    }
}

static void report(const session *s, const evidence *in, const found *f)
{
    const qvalues_args *args = options_of(s->call, &own_options);
    ney_result *root = result_new();

    ney_result_add_text(root, "goal", "fdr");
    ney_result_add_text(root, "positive", in->positive);
    ney_result_add_text(root, "negative", in->negative);
    ney_result_add_int(root, "n", in->n);
    ney_result_add_int(root, "n_pos", in->n_pos);
    ney_result_add_int(root, "n_neg", in->n_neg);
    if (in->of_model.model) {
        ney_result_add_int(root, "scored_out_of_fold", in->of_model.out_of_fold);
    }
    discoveries_add(root, &f->d);
    ney_result_add_real(root, "max_fdr", args->max_fdr);
    ney_result_add_int(root, "accepted", f->accepted);
    ney_result_add_int(root, "accepted_decoys", f->decoys);
    ney_result_add_real(root, "threshold", f->threshold);
    add_fdr(root, s, in, f);
    levels_add(root, &f->levels, s, in, args->max_fdr);
    ney_result_add_real(root, "seconds", session_seconds(s));
    if (!output_is_stdout(args->output)) {
        ney_result_add_text(root, "output", args->output);
    } else if (args->rows) {
        found_add_rows(f, in, root);
    }
    add_headline(root, args, f);
    result_print(s, root);
}

/* No threshold reaches the bound with so few rows, whatever their scores: the estimate is at least
 * 1 / T where rows compete, else 1 / (n- + 1). */
static void warn_of_few(session *s, const ney_competition *c, const char *what, double max_fdr)
{
    const double least = ceil(1 / max_fdr - 1e-9);

    if (c->estimate.no_plus_one || c->estimate.kind != NEY_FDR_DECOYS_PER_TARGET) {
        return;
    }
    if (c->estimate.compete && (double)c->n_pos < least) {
        session_say(s, NEY_LOG_WARNING,
                    "%lld target%s are too few for a q-value of %g: at least %.0f must be accepted",
                    (long long)c->n_pos, what, max_fdr, least);
    }
    if (!c->estimate.compete && (double)c->n_neg + 1 < least) {
        session_say(s, NEY_LOG_WARNING,
                    "%lld decoy%s are too few for a q-value of %g: at least %.0f are needed",
                    (long long)c->n_neg, what, max_fdr, least - 1);
    }
}

/* The matches, and of the other levels those that a file is written of. */
static void warn_of_few_at_levels(session *s, const found *f, double max_fdr)
{
    static const char *const what[] = {"s", " peptides", " proteins"};
    const level_args *const a = options_of(s->call, &level_options);

    for (int k = 0; k < f->levels.n; k++) {
        const level *const v = &f->levels.level[k];
        if (k == 0 || a->file[v->kind].targets || a->file[v->kind].decoys) {
            warn_of_few(s, &v->competition, what[v->kind], max_fdr);
        }
    }
}

static void say_estimate(session *s, const evidence *in, const found *f)
{
    const qvalues_args *args = options_of(s->call, &own_options);
    const ney_competition *c = &f->d.competition;

    discoveries_say(s, &f->d);
    warn_of_few_at_levels(s, f, args->max_fdr);
    if (c->n_neg < 20) {
        session_say(s, NEY_LOG_WARNING, "only %lld decoys: the estimate is imprecise",
                    (long long)c->n_neg);
    }
    if (f->accepted == 0) {
        session_say(s, NEY_LOG_WARNING,
                    "no target has a q-value of at most %g; the smallest is %.4g (a larger "
                    "--max-fdr accepts more)",
                    args->max_fdr, f->least);
    } else {
        session_say(s, NEY_LOG_INFO, "%lld of %lld targets ('%s') have a q-value of at most %g",
                    (long long)f->accepted, (long long)c->n_pos, in->positive, args->max_fdr);
    }
}

/* ------------------------------------------------------------------ running */

static int compare_numbers(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* How many targets have at most each q-value. */
static ney_status draw_chart(session *s, const evidence *in, const found *f)
{
    const qvalues_args *args = options_of(s->call, &own_options);
    double *q = memory_new(2 * ((size_t)in->n + 1), sizeof *q), *count = q ? q + in->n + 1 : NULL;
    int64_t n = 0;

    if (!q) {
        return out_of_memory(&s->err, "the chart");
    }
    for (int64_t i = 0; i < in->n; i++) {
        if (in->label[i] > 0 && f->d.best[i]) {
            q[n++] = f->d.q[i];
        }
    }
    qsort(q, (size_t)n, sizeof *q, compare_numbers);
    for (int64_t i = 0; i < n; i++) {
        count[i] = (double)i + 1;
    }
    const double most = fmin(1, fmax(0.1, 2 * args->max_fdr));
    char name[64];
    snprintf(name, sizeof name, "FDR %.4g %%: %lld", 100 * args->max_fdr, (long long)f->accepted);
    int64_t shown = 0;
    while (shown < n && q[shown] <= most) {
        shown++;
    }
    const double bound[4] = {args->max_fdr, args->max_fdr, 0,
                             1.05 * (double)(shown > 0 ? shown : 1)};
    const plot_series series[] = {{.kind = PLOT_STEP, .x = q, .y = count, .n = n},
                                  plotting_line(name, bound)};
    const plot_panel panel = {
        .title = "Discoveries by q-value",
        .x = {"q-value (estimated false-discovery rate)", PLOT_LINEAR, 0, most},
        .y = {"targets accepted", PLOT_LINEAR, 0, shown > 0 ? 1.05 * (double)shown : (double)NAN},
        .series = series,
        .n_series = 2};
    const ney_status st = plotting_write(s, &(plot_figure){.panels = &panel, .n_panels = 1});
    memory_free(q);
    return st;
}

static ney_status compute_and_write(session *s, const evidence *in)
{
    const qvalues_args *args = options_of(s->call, &own_options);
    const bool to_stdout = output_is_stdout(args->output), json = s->common->json;
    found f = {0};
    ney_status st = compute_qvalues(&f, s, in);

    if (st == NEY_OK) {
        say_estimate(s, in, &f);
        st = levels_write(&f.levels, s, in);
    }
    if (st == NEY_OK && plotting_is_asked(s->call)) {
        st = draw_chart(s, in, &f);
    }
    if (st == NEY_OK && (!to_stdout || !json)) {
        st = found_write(&f, s, in, args->output);
    }
    if (st == NEY_OK && (!to_stdout || json)) {
        report(s, in, &f);
    }
    found_deinit(&f);
    return st;
}

static int run(session *s)
{
    const qvalues_args *args = options_of(s->call, &own_options);
    evidence in = {0};
    file_memory_limit(s, args->memory);
    ney_status st = output_check(args->output, &s->err);
    int code = st == NEY_OK ? groups_refuse(s, NULL, "--spectrum names the rows that compete")
                            : session_fail(s, st);

    if (code == EXIT_OK && (code = plotting_check(s)) == EXIT_OK) {
        code = evidence_read(&in, s, true);
    }
    if (code == EXIT_OK && (in.n_pos == 0 || in.n_neg == 0)) {
        code = refuse_one_class(s, &in);
    }
    if (code == EXIT_OK && (st = compute_and_write(s, &in)) != NEY_OK) {
        code = session_fail(s, st);
    }
    evidence_deinit(&in);
    return code;
}

static bool has_data(const invocation *call)
{
    return call->n_operands > 0;
}

static bool has_rows_in_json(const invocation *call)
{
    const qvalues_args *args = options_of(call, &own_options);

    return ((const common_opts *)options_of(call, &common_options))->json &&
           output_is_stdout(args->output);
}

/* Whether rows are written at all. */
static bool has_rows(const invocation *call)
{
    return !has_rows_in_json(call) || ((const qvalues_args *)options_of(call, &own_options))->rows;
}

static bool may_compete(const invocation *call)
{
    return !((const ney_qvalue_opts *)options_of(call, &qvalue_options))->no_compete;
}

static const option_rule rules[] = {
    PLOT_RULE,
    {"rows", has_rows_in_json, "--json without -o"},
    {"all with-decoys", has_rows, "the rows written: with --json, add --rows or -o FILE"},
    {"spectrum by targets decoys format na no-header zero-based", has_data,
     "MODEL DATA, not to --from-scores"},
    {"results-psms decoy-results-psms results-peptides decoy-results-peptides results-proteins "
     "decoy-results-proteins layout peptide-pairs shared-peptides peptide protein decoy-prefix "
     "entrapment",
     has_data, "MODEL DATA, not to --from-scores"},
    {"entrapment-ratio entrapment-curve", levels_have_entrapment, "--entrapment"},
    {"spectrum", may_compete, "rows that compete, not to --no-compete"},
    {NULL, NULL, NULL}};

const command command_qvalues = {
    .name = "qvalues",
    .operands = "[MODEL DATA...]",
    .group = "Thresholds and q-values from scores",
    .summary = "compute the false-discovery rate at which each row is accepted",
    .description =
        "Positives are targets, of which an unknown share is false; negatives are decoys, false "
        "by construction and scored like false targets. The q-value of a row is the lowest "
        "estimated false-discovery rate of a threshold that accepts the row. Writes the targets "
        "with a q-value of at most --max-fdr as TSV, best score first.",
    .details =
        "The false-discovery rate of a threshold is estimated from the D decoys and T targets at "
        "or above it. Rows of equal score have equal q-values. Where spectra are known (a PIN "
        "file, or --spectrum), only the best match of each takes part: target-decoy competition. "
        "If every spectrum has as many decoys as targets, or at least 40 % of the low-scoring "
        "winners are decoys, the estimate is (D + 1) / T. Otherwise, and where no spectra are "
        "known, it is n+ (D + 1) / ((n- + 1) T) with n+ targets and n- decoys in all, which is "
        "Benjamini and Hochberg's rule on conformal p-values. The result says which estimate was "
        "used (fdr_estimate), and whether a theorem bounds the expected false-discovery rate by "
        "the q-value (fdr_control: theorem) or not (estimate), and why (fdr_reason).\n\n"
        "Columns: of a PIN file PSMId, score, q-value, posterior_error_prob, peptide and "
        "proteinIds; of other data row (numbered from 1), score, label, q. --all writes every "
        "target; decoys are written with --with-decoys only. Rows on which a model of 'neyman "
        "train "
        "--max-fdr' was trained are scored by the one of its three fold models that was trained "
        "without them, other rows by the mean of the three. With -o the rows are written to a "
        "file and a summary is printed; with --json the result is the summary, and with --rows "
        "also the rows. fdr_interval is the exact 95 % interval of the share of decoys among "
        "accepted rows, in the scale of the estimate; the threshold was chosen on the same rows, "
        "so no coverage is claimed.",
    .everyday = "from-scores max-fdr all with-decoys targets decoys by output plot label positive "
                "json help",
    .examples = {{"Targets at an FDR of 1 %:",
                  "neyman qvalues --from-scores scores.tsv --max-fdr 0.01 -o accepted.tsv"},
                 {"Scores of the winners of a competition, from another program:",
                  "neyman qvalues --from-scores winners.tsv --compete --all"},
                 {"The best match of each spectrum, at 1 %:",
                  "neyman qvalues psm.model psms.pin -o psms.tsv"},
                 {"The number of accepted targets, for a script:",
                  "neyman qvalues psm.model psms.pin --max-fdr 0.05 --json | jq .accepted"}},
    .exits = {EXIT_FAILED, EXIT_USAGE, EXIT_INPUT, EXIT_INTERRUPTED},
    .sets = {&source_options, &own_options, &plot_options, &level_options, &qvalue_options,
             &read_options, &target_options},
    .omit = "weight id ignore words missing max-categories",
    .rules = rules,
    .run = run,
};
