/* neyman compare: the methods for one goal on one split, in one table. */
#include <math.h>
#include <stdlib.h>

#include "commands.h"
#include "contest.h"
#include "files.h"
#include "groups.h"
#include "labelled.h"
#include "learning.h"
#include "plotting.h"
#include "result.h"
#include "summary.h"
#include "tsv.h"

typedef struct compare_args {
    const char *test, *output;
    double share;
    int scale;
} compare_args;

/* clang-format off */
static const ney_param own_rows[] = {
#define AT(field) offsetof(compare_args, field)
    /* name    flag kind             offset      default low   high  arg      choices help */
    {"test",   0,   NEY_KIND_TEXT,   AT(test),   0,      0,    0,    "FILE",  NULL, "labelled rows for the test; default: a share of DATA"},
    {"share",  0,   NEY_KIND_REAL,   AT(share),  0.3,    0.01, 0.99, "SHARE", NULL, "share of DATA that is held out for the test"},
    {"output", 'o', NEY_KIND_TEXT,   AT(output), 0,      0,    0,    "FILE",  NULL, "file for the ROC curves on the test rows as TSV: method, threshold, fpr, tpr"},
    SCALE_ROW(AT(scale)),
#undef AT
};
/* clang-format on */

static const option_set own_options = {.title = "Test rows",
                                       .topics = scale_topics,
                                       .rows = own_rows,
                                       .n_rows = COUNT(own_rows),
                                       .bytes = sizeof(compare_args)};

static const option_set tuning_options = {.title = "Grid and validation",
                                          .from = ney_tune_params,
                                          .bytes = sizeof(ney_tune_opts),
                                          .omit = "table fresh",
                                          .where = ney_tune_where};

/* ------------------------------------------------------------------ the rows */

/* The default confidence, unless there are too few rows for it. */
static void choose_confidence(session *s, const ney_data *train, ney_train_opts *o)
{
    int64_t n = ney_data_matrix(train)->rows;
    int64_t *rows = malloc((size_t)(n + 1) * sizeof *rows);

    if (rows && ney_train_goal(o) == NEY_GOAL_RATE && !option_given(s->call, "confidence")) {
        if (ney_train_rows(train, o, rows, &n, &s->err) != NEY_OK) {
            o->confidence = NAN;
            session_say(s, NEY_LOG_WARNING,
                        "too few rows to certify the rate with confidence 0.95: thresholds are set "
                        "on rows held out in turn");
        }
    }
    free(rows);
}

/* Take the rows of one part. */
static ney_status take_part(session *s, const ney_data *whole, const int *part_of, int part,
                            int64_t *rows, ney_data **out)
{
    int64_t n = 0;

    for (int64_t i = 0; i < ney_data_matrix(whole)->rows; i++) {
        if (part_of[i] == part) {
            rows[n++] = i;
        }
    }
    return ney_data_take(out, whole, rows, n, &s->err);
}

static ney_status split(session *s, ney_data *whole, ney_train_opts *o, contest *c)
{
    const compare_args *args = options_of(s->call, &own_options);
    const int64_t n = ney_data_matrix(whole)->rows;
    const double share[2] = {1 - args->share, args->share};
    int *part_of = calloc((size_t)n + 1, sizeof *part_of);
    int64_t *rows = malloc((size_t)(n + 1) * sizeof *rows), m = 0;
    ney_data *raw = NULL;
    ney_status st = part_of && rows ? NEY_OK : NEY_ENOMEM;

    if (st == NEY_OK && !args->test) {
        st = ney_data_split(whole, share, 2, (uint64_t)o->seed, part_of, &s->err);
    }
    if (st == NEY_OK && (st = take_part(s, whole, part_of, 0, rows, &raw)) == NEY_OK) {
        choose_confidence(s, raw, o);
        m = ney_data_matrix(raw)->rows;
        st = learning_rows_to_fit(s, whole, o, rows, &m);
    }
    ney_data_free(raw);
    if (st == NEY_OK &&
        (st = ney_data_prepare(whole, learning_scaling(args->scale, whole), rows, m, &s->err)) ==
            NEY_OK &&
        (st = take_part(s, whole, part_of, 0, rows, &c->train)) == NEY_OK) {
        st = args->test ? read_more(s, args->test, ney_data_preprocessing(whole), &c->test)
                        : take_part(s, whole, part_of, 1, rows, &c->test);
    }
    free(rows);
    free(part_of);
    return st;
}

/* ------------------------------------------------------------------ the outcome */

static ney_status write_curves(session *s, const contest *c, const char *path)
{
    tsv t;
    ney_status st = tsv_open(&t, path, "method threshold fpr tpr", &s->err);

    if (st != NEY_OK) {
        return st;
    }
    for (int k = 0; k < c->n; k++) {
        const ney_roc *roc = c->entry[k].roc;
        for (int64_t i = 0; i < roc->n_points; i++) {
            const ney_operating_point p = ney_roc_at(roc, i);
            tsv_text(&t, c->entry[k].name);
            tsv_real(&t, p.threshold);
            tsv_real(&t, p.fpr);
            tsv_real(&t, p.tpr);
            if (!tsv_end(&t)) {
                break;
            }
        }
    }
    return tsv_close(&t, &s->err);
}

/* The rate's quantile lies beyond all n test rows with probability (1 - rate)^n. */
static void warn_too_few(ney_result *root, const contest *c, const ney_train_opts *o)
{
    const class_counts n = count_classes(c->test);
    const double rate = c->fnr_bounded ? o->max_fnr : o->max_fpr;

    if (!c->entry[0].difference.too_few) {
        return;
    }
    if (rate > 0) {
        ney_result_warn(root,
                        "the differences have no interval: %lld test rows of the bounded class, "
                        "expected %.0f or more for a rate of %g",
                        (long long)(c->fnr_bounded ? n.pos : n.neg),
                        ceil(log(0.025) / log1p(-rate)), rate);
    } else {
        ney_result_warn(root, "the differences have no interval: no number of test rows shows how "
                              "methods differ at a rate of 0");
    }
}

static ney_status report(session *s, const contest *c, const ney_data *whole,
                         const ney_train_opts *o)
{
    const compare_args *args = options_of(s->call, &own_options);
    const class_counts train = count_classes(c->train), test = count_classes(c->test);
    ney_result *root = result_new();
    char verdict[VERDICT];

    contest_verdict(c, verdict);
    ney_result_add_text(root, "verdict", verdict);
    warn_too_few(root, c, o);
    ney_data_warn_groups(whole, root);
    const ney_status st =
        warn_shared(s, root, c->train, args->test ? c->test : NULL, "test rows", "training");
    ney_result_add_text(root, "goal", c->bounds ? "np" : "cost");
    if (c->bounds) {
        ney_result_add_real(root, c->fnr_bounded ? "max_fnr" : "max_fpr",
                            c->fnr_bounded ? o->max_fnr : o->max_fpr);
        ney_result_add_real(root, "confidence", o->confidence);
    }
    ney_result_add_int(root, "n", train.pos + train.neg);
    ney_result_add_int(root, "n_pos", train.pos);
    ney_result_add_int(root, "n_neg", train.neg);
    ney_result_add_int(root, "n_test", test.pos + test.neg);
    if (c->group) {
        ney_result_add_text(root, "unit", "group");
        ney_result_add_text(root, "rate_definition",
                            "shares of the test rows; the bootstrap draws whole groups");
    }
    contest_table(c, ney_result_add_array(root, "methods"));
    ney_result_add_real(root, "seconds", session_seconds(s));
    ney_result_headline(root, "On %lld test rows: %s.", (long long)(test.pos + test.neg), verdict);
    summary_next(s, root,
                 "neyman tune DATA -o MODEL  (with the options of the goal and the method)");
    result_print(s, root);
    return st;
}

static int run_contest(session *s, contest *c, const ney_data *whole, const ney_train_opts *o)
{
    const compare_args *args = options_of(s->call, &own_options);
    const ney_tune_opts *tune = options_of(s->call, &tuning_options);
    const int code = check_both_classes(s, args->test ? args->test : s->call->operands[0], c->test);
    ney_status st;

    if (code != EXIT_OK) {
        return code;
    }
    if ((st = contest_check(c, s, o, tune)) == NEY_OK &&
        (st = contest_run(c, s, o, tune)) == NEY_OK && args->output) {
        st = write_curves(s, c, args->output);
    }
    if (st == NEY_OK && plotting_is_asked(s->call)) {
        st = contest_plot(c, s, c->fnr_bounded ? o->max_fnr : o->max_fpr);
    }
    if (st != NEY_OK) {
        return contest_out_of_time(c) ? session_fail(s, st) : learning_refuse(s, st);
    }
    st = report(s, c, whole, o);
    return st == NEY_OK ? EXIT_OK : session_fail(s, st);
}

/* Goals without a method to compare with, and test rows that were trained on. */
static int check_request(session *s, const ney_train_opts *o)
{
    const compare_args *args = options_of(s->call, &own_options);
    const ney_goal_kind goal = ney_train_goal(o);

    if (goal != NEY_GOAL_RATE && goal != NEY_GOAL_COST) {
        return session_misused(s, "compare serves one bounded rate (--max-fpr or --max-fnr) or "
                                  "costs without rejection (--cost-fn, --cost-fp)");
    }
    if (args->test && files_share(args->test, s->call->operands[0])) {
        return session_misused(s, "--test names the file that is trained on; expected other rows, "
                                  "or no --test, which holds out a part of the file");
    }
    return EXIT_OK;
}

static int run(session *s)
{
    const ney_read_opts *read = options_of(s->call, &read_options);
    ney_train_opts o = *(const ney_train_opts *)options_of(s->call, &learning_options);
    const char *path = s->call->operands[0];
    ney_data *whole = NULL;
    contest c = {0};
    int code = check_request(s, &o);

    if (code == EXIT_OK) {
        code = plotting_check(s);
    }
    if (code != EXIT_OK) {
        return code;
    }
    ney_status st = ney_data_read_with(&whole, &s->env, path, read, NULL, &s->err);
    if (st != NEY_OK) {
        return session_fail(s, st);
    }
    if ((code = learning_check(s, path, whole)) == EXIT_OK) {
        st = split(s, whole, &o, &c);
        code = st == NEY_OK ? run_contest(s, &c, whole, &o) : learning_refuse(s, st);
    }
    contest_deinit(&c);
    ney_data_free(whole);
    return code;
}

static bool has_share(const invocation *call)
{
    return !((const compare_args *)options_of(call, &own_options))->test;
}

static const option_rule rules[] = {
    PLOT_RULE, {"share", has_share, "a part of DATA, not to --test"}, {NULL, NULL, NULL}};

const command command_compare = {
    .name = "compare",
    .operands = "DATA...",
    .group = "Training",
    .summary = "compare the methods for a goal on the same test rows",
    .description =
        "Tunes every method that serves the goal on the same training rows and tests all of them "
        "on the same test rows. For a bounded rate: np (trained for the rate), cost-weighted (an "
        "SVM with tuned costs), threshold-moved (an SVM with equal costs), generative, "
        "chebyshev, and with the linear kernel perf (SVMperf). For costs: cost (trained for them), threshold-moved, "
        "and plain (an SVM with equal costs). The result states which differences are "
        "significant.",
    .details =
        "fpr and fnr are those at the threshold of each method, certified with confidence 0.95 "
        "unless --confidence says otherwise. 'matched' is the other error rate at the threshold "
        "that meets the bound on the test rows: it compares the score functions alone. "
        "'difference' is the matched error rate (or cost) of the method minus that of the first "
        "method: above 0, the first method is better.\n\n"
        "The interval of a difference has at least 95 % confidence for that pair, by a bootstrap "
        "of the test rows with the thresholds set again in each resample. p_adjusted is the "
        "p-value of no difference, corrected by Holm's method for the number of methods; a "
        "difference is reported where it is at most 0.05. 'No difference shown' does not mean "
        "that the methods are equal. The statements are about these trained models; another "
        "training sample can give another order. Test rows choose nothing, and are assumed to be "
        "independent.",
    .everyday =
        "max-fpr max-fnr confidence cost-fn cost-fp kernel grid test share output plot label "
        "positive group scale json help",
    .examples =
        {{"Does training for the rate give fewer errors?",
          "neyman compare --max-fpr 0.01 --kernel rbf mail.csv --label class -o curves.tsv"},
         {"With a test file:", "neyman compare --cost-fp 10 --test test.svm train.svm"}},
    .exits = {EXIT_FAILED, EXIT_USAGE, EXIT_INPUT, EXIT_GOAL, EXIT_INTERRUPTED},
    .sets = {&learning_options, &tuning_options, &own_options, &plot_options, &read_options},
    .omit = "decoys max-fdr fdr-convention compete no-compete size-correct plus-one no-plus-one spectrum "
            "init-weights training-rows "
            "reject-cost reject-cost-fn reject-cost-fp rule delta0 conformal conformal-folds "
            "calibrate calibrate-folds "
            "memory no-fingerprint checkpoint checkpoint-every resume",
    .rules = rules,
    .run = run,
};
