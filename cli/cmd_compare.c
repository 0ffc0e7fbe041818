/* neyman compare: the methods for one goal on one split, in one table. */
#include <math.h>
#include <stdlib.h>

#include "commands.h"
#include "contest.h"
#include "files.h"
#include "folds.h"
#include "groups.h"
#include "labelled.h"
#include "learning.h"
#include "plotting.h"
#include "result.h"
#include "summary.h"
#include "tsv.h"

enum { USUAL_FOLDS = 4, MOST_FOLDS = 100 };

typedef struct compare_args {
    const char *test, *output;
    double share;
    int64_t cv;
    int scale;
} compare_args;

/* clang-format off */
static const ney_param own_rows[] = {
#define AT(field) offsetof(compare_args, field)
    /* name    flag kind             offset      default low   high  arg      choices help */
    {"test",   0,   NEY_KIND_TEXT,   AT(test),   0,      0,    0,    "FILE",  NULL, "labelled rows for the test; default: a share of DATA"},
    {"share",  0,   NEY_KIND_REAL,   AT(share),  0.3,    0.01, 0.99, "SHARE", NULL, "share of DATA that is held out for the test"},
    {"cv",     0,   NEY_KIND_INT,    AT(cv),     0,      0,    MOST_FOLDS, "K", NULL, "compare by cross-validation in K folds, 2 or more: each row is tested once, by methods tuned on the other folds; 0: 4 folds where a share of DATA has too few rows to show a difference"},
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

/* Whether the rows outside a fold (all, where no row is in it) can certify the rate. */
static bool can_certify(session *s, const ney_data *whole, const int *fold_of, int fold,
                        const ney_train_opts *o)
{
    int64_t n = ney_data_matrix(whole)->rows;
    int64_t *rows = malloc((size_t)(n + 1) * sizeof *rows);
    ney_data *train = NULL;
    ney_status st = rows ? NEY_OK : out_of_memory(&s->err, "the rows of a fold");

    if (st == NEY_OK) {
        n = fold_rows(fold_of, n, fold, false, rows);
        st = ney_data_take(&train, whole, rows, n, &s->err);
    }
    if (st == NEY_OK) {
        st = ney_train_rows(train, o, rows, &n, &s->err);
    }
    ney_data_free(train);
    free(rows);
    return st == NEY_OK;
}

/* The default confidence, unless there are too few rows for it outside one of the folds from
 * `first` on. */
static void choose_confidence(session *s, const ney_data *whole, const int *fold_of, int first,
                              int n_folds, ney_train_opts *o)
{
    bool certified = ney_train_goal(o) != NEY_GOAL_RATE || option_given(s->call, "confidence");

    for (int k = first; !certified && k < n_folds; k++) {
        if (!can_certify(s, whole, fold_of, k, o)) {
            o->confidence = NAN;
            certified = true;
            session_say(s, NEY_LOG_WARNING,
                        "too few rows to certify the rate with confidence 0.95: thresholds are set "
                        "on rows held out in turn");
        }
    }
}

/* Units of either class: rows, or groups that have some. */
static ney_status count_units(session *s, const ney_data *data, int64_t units[2])
{
    const class_counts n = count_classes(data);
    ney_status st = NEY_OK;

    units[0] = n.neg;
    units[1] = n.pos;
    for (int k = 0; k < 2 && st == NEY_OK && ney_data_group_column(data); k++) {
        st = ney_data_count_groups(data, k ? 1 : -1, &units[k], &s->err);
    }
    return st;
}

/* Whether a share of these rows is too small to show a difference between methods: one class has
 * few units, or the quantile of the bounded one lies beyond them. */
static bool is_small(const int64_t units[2], double share, const ney_train_opts *o)
{
    const bool bounds = ney_train_goal(o) == NEY_GOAL_RATE;
    const bool fnr = ney_train_bounds(o, NEY_FALSE_NEGATIVES);

    return share * (double)units[0] < CONTEST_UNITS || share * (double)units[1] < CONTEST_UNITS ||
           (bounds &&
            share * (double)units[fnr] < contest_rows_for_rate(fnr ? o->max_fnr : o->max_fpr));
}

/* The number of folds to compare in; 0: one split. */
static ney_status choose_folds(session *s, const ney_data *whole, const ney_train_opts *o,
                               int *folds)
{
    const compare_args *args = options_of(s->call, &own_options);
    int64_t units[2];

    *folds = (int)args->cv;
    if (args->cv > 0 || args->test || args->output || option_given(s->call, "share") ||
        plotting_is_asked(s->call)) {
        return NEY_OK;
    }
    const ney_status st = count_units(s, whole, units);
    if (st == NEY_OK && is_small(units, args->share, o)) {
        *folds = USUAL_FOLDS;
        session_say(s, NEY_LOG_INFO,
                    "%g %% of the rows are too few for a test: compared by cross-validation in %d "
                    "folds (--share SHARE or --test FILE: on one part)",
                    100 * args->share, *folds);
    }
    return st;
}

/* The fold of each row; of one split, 1 is the test. */
static ney_status assign_folds(session *s, const ney_data *whole, const ney_train_opts *o,
                               int folds, int *fold_of)
{
    const compare_args *args = options_of(s->call, &own_options);
    double share[MOST_FOLDS] = {1 - args->share, args->share};

    for (int k = 0; k < folds; k++) {
        share[k] = 1;
    }
    return args->test ? NEY_OK
                      : ney_data_split(whole, share, folds > 0 ? folds : 2, (uint64_t)o->seed,
                                       fold_of, &s->err);
}

/* The rows to train on and those of the test. */
static ney_status split(session *s, const ney_data *whole, const int *fold_of,
                        const ney_train_opts *o, contest *c)
{
    const compare_args *args = options_of(s->call, &own_options);
    ney_status st =
        fold_take(s, whole, fold_of, 1, o, args->scale, &c->train, args->test ? NULL : &c->test);

    if (st == NEY_OK && args->test) {
        st = read_more(s, args->test, ney_data_preprocessing(c->train), &c->test);
    }
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

static void add_headline(session *s, ney_result *root, const contest *c, const ney_data *whole,
                         const char *verdict)
{
    if (c->folds > 0) {
        ney_result_headline(root,
                            "By cross-validation on %lld rows, at the methods' thresholds: %s.",
                            (long long)ney_data_matrix(whole)->rows, verdict);
    } else {
        ney_result_headline(root, "On %lld test rows: %s.",
                            (long long)ney_data_matrix(c->test)->rows, verdict);
    }
    summary_next(s, root,
                 "neyman tune DATA -o MODEL  (with the options of the goal and the method)");
}

static ney_status report(session *s, const contest *c, const ney_data *whole,
                         const ney_train_opts *o)
{
    const compare_args *args = options_of(s->call, &own_options);
    const double rate = c->fnr_bounded ? o->max_fnr : o->max_fpr;
    ney_result *root = result_new();
    char verdict[VERDICT];
    ney_status st = NEY_OK;

    contest_verdict(c, verdict);
    ney_result_add_text(root, "verdict", verdict);
    contest_warn(root, c, rate);
    ney_data_warn_groups(whole, root);
    if (c->folds == 0) {
        st = warn_shared(s, root, c->train, args->test ? c->test : NULL, "test rows", "training");
    }
    ney_result_add_text(root, "goal", c->bounds ? "np" : "cost");
    if (c->bounds) {
        ney_result_add_real(root, c->fnr_bounded ? "max_fnr" : "max_fpr", rate);
        ney_result_add_real(root, "confidence", o->confidence);
    }
    contest_rows(root, c, whole);
    contest_table(c, ney_result_add_array(root, "methods"));
    ney_result_add_real(root, "seconds", session_seconds(s));
    add_headline(s, root, c, whole, verdict);
    result_print(s, root);
    return st;
}

/* Both classes must be among the rows of a test. */
static int check_test(session *s, const contest *c)
{
    const compare_args *args = options_of(s->call, &own_options);

    return c->folds > 0
               ? EXIT_OK
               : check_both_classes(s, args->test ? args->test : s->call->operands[0], c->test);
}

static ney_status compare_on_split(session *s, contest *c, const ney_train_opts *o)
{
    const compare_args *args = options_of(s->call, &own_options);
    const ney_tune_opts *tune = options_of(s->call, &tuning_options);
    ney_status st = contest_check(c, s, o, tune);

    if (st == NEY_OK && (st = contest_run(c, s, o, tune)) == NEY_OK && args->output) {
        st = write_curves(s, c, args->output);
    }
    if (st == NEY_OK && plotting_is_asked(s->call)) {
        st = contest_plot(c, s, c->fnr_bounded ? o->max_fnr : o->max_fpr);
    }
    return st;
}

static int run_contest(session *s, contest *c, const ney_data *whole, const int *fold_of,
                       const ney_train_opts *o)
{
    const compare_args *args = options_of(s->call, &own_options);
    const int code = check_test(s, c);
    ney_status st;

    if (code != EXIT_OK) {
        return code;
    }
    st = c->folds > 0 ? contest_cross_validate(c, s, whole, fold_of, o,
                                               options_of(s->call, &tuning_options), args->scale)
                      : compare_on_split(s, c, o);
    if (st != NEY_OK) {
        return contest_out_of_time(c) ? session_fail(s, st) : learning_refuse(s, st);
    }
    st = report(s, c, whole, o);
    return st == NEY_OK ? EXIT_OK : session_fail(s, st);
}

/* Choose the rows of the test, train and compare. */
static int compare(session *s, const ney_data *whole, ney_train_opts *o)
{
    contest c = {0};
    int *fold_of = calloc((size_t)ney_data_matrix(whole)->rows + 1, sizeof *fold_of);
    ney_status st = fold_of ? choose_folds(s, whole, o, &c.folds)
                            : out_of_memory(&s->err, "the rows of the test");
    int code = EXIT_OK;

    if (st == NEY_OK && (st = assign_folds(s, whole, o, c.folds, fold_of)) == NEY_OK) {
        choose_confidence(s, whole, fold_of, c.folds > 0 ? 0 : 1, c.folds > 0 ? c.folds : 2, o);
        st = c.folds > 0 ? NEY_OK : split(s, whole, fold_of, o, &c);
    }
    code = st == NEY_OK ? run_contest(s, &c, whole, fold_of, o) : learning_refuse(s, st);
    contest_deinit(&c);
    free(fold_of);
    return code;
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
    if (args->cv == 1) {
        return session_misused(s, "--cv 1: expected 2 folds or more");
    }
    if (args->cv > 0 && (args->test || args->output || plotting_is_asked(s->call))) {
        return session_misused(s, "--cv tests one model per fold: it has no test file and no "
                                  "curves; leave out --test, -o and --plot");
    }
    return EXIT_OK;
}

static int run(session *s)
{
    ney_train_opts o = *(const ney_train_opts *)options_of(s->call, &learning_options);
    ney_data *whole = NULL;
    int code = check_request(s, &o);

    if (code != EXIT_OK || (code = plotting_check(s)) != EXIT_OK) {
        return code;
    }
    /* of a bounded rate the baselines are linear or kernel models */
    if ((code = learning_read_rows(s, ney_train_goal(&o) == NEY_GOAL_RATE, &whole)) == EXIT_OK) {
        code = compare(s, whole, &o);
    }
    ney_data_free(whole);
    return code;
}

static bool has_share(const invocation *call)
{
    const compare_args *args = options_of(call, &own_options);

    return !args->test && args->cv == 0;
}

static const option_rule rules[] = {
    PLOT_RULE, {"share", has_share, "a part of DATA, not to --test or --cv"}, {NULL, NULL, NULL}};

const command command_compare = {
    .name = "compare",
    .operands = "DATA...",
    .group = "Training",
    .summary = "compare the methods for a goal on the same test rows",
    .description =
        "Tunes every method that serves the goal on the same training rows and tests all of them "
        "on the same test rows. For a bounded rate: np (trained for the rate), cost-weighted (an "
        "SVM with tuned costs), threshold-moved (an SVM with equal costs), generative, "
        "chebyshev, and with the linear kernel perf (SVMperf). For costs: cost (trained for them), "
        "threshold-moved, "
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
        "independent.\n\n"
        "With --cv, and where a share of DATA has too few rows to show a difference, each row is "
        "tested once, in folds, by methods that were tuned on the other folds. Compared is the "
        "cost, or the error rate that is not bounded, at the methods' own thresholds. The "
        "intervals are asymptotic (Bayle et al. 2020) and are about the models of the folds.",
    .everyday =
        "max-fpr max-fnr confidence cost-fn cost-fp kernel grid test share cv output plot label "
        "positive group scale json help",
    .examples =
        {{"Does training for the rate give fewer errors?",
          "neyman compare --max-fpr 0.01 --kernel rbf mail.csv --label class -o curves.tsv"},
         {"With a test file:", "neyman compare --cost-fp 10 --test test.svm train.svm"}},
    .exits = {EXIT_FAILED, EXIT_USAGE, EXIT_INPUT, EXIT_GOAL, EXIT_INTERRUPTED},
    .sets = {&learning_options, &tuning_options, &own_options, &plot_options, &read_options},
    .omit = "decoys max-fdr fdr-convention compete no-compete size-correct plus-one no-plus-one "
            "spectrum peptide "
            "init-weights training-rows "
            "reject-cost reject-cost-fn reject-cost-fp rule delta0 conformal conformal-folds "
            "calibrate calibrate-folds "
            "memory no-fingerprint checkpoint checkpoint-every resume",
    .rules = rules,
    .run = run,
};
