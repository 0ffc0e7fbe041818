/* neyman roc: the best ROC curve over all costs and thresholds. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "labelled.h"
#include "learning.h"
#include "output.h"
#include "path_data.h"
#include "plotting.h"
#include "result.h"
#include "summary.h"
#include "tsv.h"

typedef struct roc_args {
    const char *valid, *test, *output, *save_path;
    int scale;
} roc_args;

/* clang-format off */
static const ney_param own_rows[] = {
#define AT(field) offsetof(roc_args, field)
    /* name       flag kind           offset         default low high arg    choices help */
    {"valid",     0,   NEY_KIND_TEXT, AT(valid),     0, 0, 0, "FILE", NULL, "labelled rows by which classifiers are chosen, instead of half splits of TRAIN"},
    {"test",      0,   NEY_KIND_TEXT, AT(test),      0, 0, 0, "FILE", NULL, "labelled rows for unbiased rates; they choose nothing"},
    {"output",    'o', NEY_KIND_TEXT, AT(output),    0, 0, 0, "FILE", NULL, "file for the points of the three curves, as TSV"},
    {"save-path", 0,   NEY_KIND_TEXT, AT(save_path), 0, 0, 0, "PATH", NULL, "file for the path, from which 'neyman pick' extracts models"},
    SCALE_ROW(AT(scale)),
#undef AT
};
/* clang-format on */

static const option_set own_options = {.title = "Rows and curves",
                                       .topics = scale_topics,
                                       .rows = own_rows,
                                       .n_rows = COUNT(own_rows),
                                       .bytes = sizeof(roc_args)};

static const option_set explore_options = {
    .title = "Exploration",
    .from = ney_explore_params,
    .bytes = sizeof(ney_explore_opts),
    .omit = "scaling"}; /* --scale, which knows the file's format */

/* The kernel, and the costs that the middle of the exploration is sought for. */
static const option_set cost_options = {.title = "Costs and kernel",
                                        .from = ney_train_params,
                                        .bytes = sizeof(ney_train_opts),
                                        .only = "cost-fn cost-fp kernel gamma degree coef0 cache",
                                        .where = ney_train_where};

static const char *const curve_names[NEY_N_CURVES] = {"intercept", "asymmetry", "both"};

/* ------------------------------------------------------------------ as text */

/* Standard error of a mean over half splits. */
static void add_error(ney_result *row, const char *key, double error)
{
    if (!isnan(error)) {
        ney_result_add_real(row, key, error);
    }
}

static void add_points(ney_result *in, const char *key, const ney_curve *c, bool test)
{
    ney_result *list = ney_result_add_array(in, key);

    for (int64_t k = 0; k < c->n_points; k++) {
        const ney_curve_point *p = &c->point[k];
        ney_result *row = ney_result_add_object(list, NULL);
        ney_result_add_real(row, "fpr", p->choice.fpr);
        ney_result_add_real(row, "tpr", p->choice.tpr);
        add_error(row, "fpr_error", p->fpr_error);
        add_error(row, "tpr_error", p->tpr_error);
        if (test) {
            ney_result_add_real(row, "test_fpr", p->test_fpr);
            ney_result_add_real(row, "test_tpr", p->test_tpr);
        }
        ney_result_add_real(row, "c_plus", p->choice.c.plus);
        ney_result_add_real(row, "c_minus", p->choice.c.minus);
        ney_result_add_real(row, "threshold", p->choice.threshold);
    }
}

/* Rows that should be new, or new to the training rows. */
typedef struct other_rows {
    const ney_data *train, *valid, *test; /* NULL: none */
} other_rows;

static void add_headline(session *s, ney_result *root, const ney_exploration *e)
{
    const roc_args *args = options_of(s->call, &own_options);
    const ney_curve *one = ney_exploration_curve(e, NEY_CURVE_INTERCEPT),
                    *all = ney_exploration_curve(e, NEY_CURVE_BOTH);
    char path[SHELL_WORD];

    ney_result_headline(
        root,
        "Area under the ROC curve on the %s: %.3g with one classifier, %.3g with all "
        "costs and thresholds.",
        args->test    ? "test rows"
        : args->valid ? "validation rows, which chose (optimistic)"
                      : "half splits, which chose (optimistic)",
        args->test ? one->test_auc : one->auc, args->test ? all->test_auc : all->auc);
    if (args->save_path) {
        shell_word(path, args->save_path);
        summary_next(s, root, "neyman pick %s --cost-fn X --cost-fp Y -o MODEL", path);
    } else {
        summary_next(s, root, "the same command with --save-path PATH, for 'neyman pick PATH'");
    }
}

static ney_status report(session *s, const ney_exploration *e, const other_rows *rows)
{
    const roc_args *args = options_of(s->call, &own_options);
    const class_counts n = count_classes(ney_path_data(ney_exploration_path(e)));
    const ney_explore_opts *o = options_of(s->call, &explore_options);
    ney_result *root = result_new();
    double cost;
    const ney_cost_pair best = ney_exploration_best(e, &cost);

    ney_result_add_int(root, "n", n.pos + n.neg);
    ney_result_add_int(root, "n_pos", n.pos);
    ney_result_add_int(root, "n_neg", n.neg);
    ney_result_warn(root,
                    "fpr, tpr, cost and areas are those of the %s, which also chose: they are "
                    "optimistic%s",
                    args->valid ? "validation rows" : "half splits",
                    args->test ? "; the test rates are unbiased"
                               : ". Use --test, or 'neyman evaluate' on other rows");
    ney_status st = warn_shared(s, root, rows->train, rows->valid, "validation rows", "training");
    if (st == NEY_OK) {
        st = warn_shared(s, root, rows->train, rows->test, "test rows", "training");
    }
    if (st == NEY_OK && rows->valid) {
        st = warn_shared(s, root, rows->valid, rows->test, "test rows", "validation");
    }
    ney_result_add_text(root, "chosen_on", args->valid ? args->valid : "half splits");
    if (!args->valid) {
        ney_result_add_int(root, "splits", o->splits);
    }
    ney_result_add_real(root, "c_plus", best.plus);
    ney_result_add_real(root, "c_minus", best.minus);
    ney_result_add_real(root, "cost", cost);
    for (int k = 0; k < NEY_N_CURVES; k++) {
        const ney_curve *c = ney_exploration_curve(e, (ney_curve_kind)k);
        char key[32];
        snprintf(key, sizeof key, "auc_%s", curve_names[k]);
        ney_result_add_real(root, key, c->auc);
        if (args->test) {
            snprintf(key, sizeof key, "test_auc_%s", curve_names[k]);
            ney_result_add_real(root, key, c->test_auc);
        }
    }
    ney_result_add_int(root, "lines", ney_path_lines(ney_exploration_path(e)));
    path_add_residual(root, ney_exploration_residual(e));
    ney_result_add_real(root, "seconds", session_seconds(s));
    if (s->common->json) {
        ney_result *curves = ney_result_add_object(root, "curves");
        for (int k = 0; k < NEY_N_CURVES; k++) {
            add_points(curves, curve_names[k], ney_exploration_curve(e, (ney_curve_kind)k),
                       args->test != NULL);
        }
    } else {
        add_points(root, "envelope", ney_exploration_curve(e, NEY_CURVE_BOTH), args->test != NULL);
    }
    add_headline(s, root, e);
    result_print(s, root);
    return st;
}

static ney_status write_tsv(session *s, const ney_exploration *e, const char *path)
{
    tsv t;
    ney_status st = tsv_open(&t, path,
                             "curve fpr tpr fpr_error tpr_error test_fpr test_tpr c_plus c_minus "
                             "threshold",
                             &s->err);
    bool more = st == NEY_OK;

    for (int k = 0; k < NEY_N_CURVES && more; k++) {
        const ney_curve *c = ney_exploration_curve(e, (ney_curve_kind)k);
        for (int64_t i = 0; i < c->n_points && more; i++) {
            const ney_curve_point *p = &c->point[i];
            const double cell[] = {p->choice.fpr,    p->choice.tpr,     p->fpr_error,
                                   p->tpr_error,     p->test_fpr,       p->test_tpr,
                                   p->choice.c.plus, p->choice.c.minus, p->choice.threshold};
            tsv_text(&t, curve_names[k]);
            for (int64_t j = 0; j < COUNT(cell); j++) {
                tsv_real(&t, cell[j]);
            }
            more = tsv_end(&t);
        }
    }
    return st == NEY_OK ? tsv_close(&t, &s->err) : st;
}

/* ------------------------------------------------------------------ as a picture */

/* The columns of one curve that a chart draws. */
typedef struct columns {
    double *x, *y, *low, *high, *test_x, *test_y;
} columns;

/* The classifiers in the order of their rates on the test rows, which need not be that of the rows
 * that chose them. They are nearly in order. */
static void sort_points(double *x, double *y, int64_t n)
{
    for (int64_t i = 1; i < n; i++) {
        const double at_x = x[i], at_y = y[i];
        int64_t k = i;
        for (; k > 0 && (x[k - 1] > at_x || (x[k - 1] >= at_x && y[k - 1] > at_y)); k--) {
            x[k] = x[k - 1];
            y[k] = y[k - 1];
        }
        x[k] = at_x;
        y[k] = at_y;
    }
}

static bool fill_columns(columns *c, const ney_curve *curve)
{
    const size_t n = (size_t)curve->n_points;

    c->x = calloc(6 * n, sizeof *c->x);
    if (!c->x) {
        return false;
    }
    c->y = c->x + n;
    c->low = c->x + 2 * n;
    c->high = c->x + 3 * n;
    c->test_x = c->x + 4 * n;
    c->test_y = c->x + 5 * n;
    for (size_t k = 0; k < n; k++) {
        const ney_curve_point *p = &curve->point[k];
        c->x[k] = p->choice.fpr;
        c->y[k] = p->choice.tpr;
        c->low[k] = fmax(0, p->choice.tpr - p->tpr_error);
        c->high[k] = fmin(1, p->choice.tpr + p->tpr_error);
        c->test_x[k] = p->test_fpr;
        c->test_y[k] = p->test_tpr;
    }
    sort_points(c->test_x, c->test_y, curve->n_points);
    return true;
}

/* Everything a chart of the curves is made of. */
typedef struct chart {
    columns column[NEY_N_CURVES];
    plot_series seen[2 * NEY_N_CURVES], test[NEY_N_CURVES];
    int n_seen;
} chart;

/* Bands below, lines above. False without memory. */
static bool fill_chart(chart *to, const ney_exploration *e, bool bands)
{
    static const char *const names[NEY_N_CURVES] = {"varying intercept", "varying asymmetry",
                                                    "varying both"};
    static const plot_dash dashes[NEY_N_CURVES] = {PLOT_DOTTED, PLOT_SOLID, PLOT_DASHED};

    for (int k = 0; k < NEY_N_CURVES; k++) {
        const ney_curve *c = ney_exploration_curve(e, (ney_curve_kind)k);
        if (!fill_columns(&to->column[k], c)) {
            return false;
        }
        if (bands) {
            to->seen[to->n_seen++] = (plot_series){.kind = PLOT_BAND,
                                                   .x = to->column[k].x,
                                                   .y = to->column[k].low,
                                                   .y_high = to->column[k].high,
                                                   .n = c->n_points,
                                                   .colour = k};
        }
    }
    for (int k = 0; k < NEY_N_CURVES; k++) {
        const plot_series line = {.kind = PLOT_LINE,
                                  .name = names[k],
                                  .x = to->column[k].x,
                                  .y = to->column[k].y,
                                  .n = ney_exploration_curve(e, (ney_curve_kind)k)->n_points,
                                  .colour = k,
                                  .dash = dashes[k]};
        to->seen[to->n_seen++] = to->test[k] = line;
        to->test[k].x = to->column[k].test_x;
        to->test[k].y = to->column[k].test_y;
    }
    return true;
}

static ney_status draw_chart(session *s, const ney_exploration *e)
{
    const roc_args *args = options_of(s->call, &own_options);
    chart c = {.n_seen = 0};
    ney_status st;

    if (fill_chart(&c, e, !args->valid)) {
        const plot_panel panels[] = {
            {.title = args->valid ? "validation rows, which chose" : "half splits, which chose",
             .x = PLOT_UNIT_AXIS("false-positive rate (FPR)"),
             .y = PLOT_UNIT_AXIS("true-positive rate (TPR)"),
             .diagonal = true,
             .series = c.seen,
             .n_series = c.n_seen},
            {.title = "test rows, which did not",
             .x = PLOT_UNIT_AXIS("false-positive rate (FPR)"),
             .y = PLOT_UNIT_AXIS("true-positive rate (TPR)"),
             .diagonal = true,
             .series = c.test,
             .n_series = NEY_N_CURVES}};
        const plot_figure figure = {.panels = panels, .n_panels = args->test ? 2 : 1};
        st = plotting_write(s, &figure);
    } else {
        st = out_of_memory(&s->err, "the chart");
    }
    for (int k = 0; k < NEY_N_CURVES; k++) {
        free(c.column[k].x);
    }
    return st;
}

/* ------------------------------------------------------------------ running */

static int explore(session *s, const ney_data *train, const ney_data *valid, const ney_data *test)
{
    const roc_args *args = options_of(s->call, &own_options);
    ney_explore_opts opts = *(const ney_explore_opts *)options_of(s->call, &explore_options);
    ney_exploration *e = NULL;

    opts.scaling = learning_scaling(args->scale, train);
    ney_status st = ney_explore_with(&e, &s->env, train, valid, test,
                                     options_of(s->call, &cost_options), &opts, &s->err);

    if (st == NEY_OK && args->save_path) {
        st = ney_path_write(ney_exploration_path(e), args->save_path, &s->err);
    }
    if (st == NEY_OK && args->output) {
        st = write_tsv(s, e, args->output);
    }
    if (st == NEY_OK && plotting_is_asked(s->call)) {
        st = draw_chart(s, e);
    }
    if (st == NEY_OK && !(args->output && output_is_stdout(args->output))) {
        const other_rows rows = {train, valid, test};
        st = report(s, e, &rows);
    }
    const int code = st == NEY_OK ? path_exit(ney_exploration_residual(e)) : session_fail(s, st);
    ney_exploration_free(e);
    return code;
}

static ney_status check_outputs(session *s, const roc_args *args)
{
    ney_status st = NEY_OK;

    if (st == NEY_OK && args->save_path) {
        st = output_check(args->save_path, &s->err);
    }
    return st == NEY_OK && args->output ? output_check(args->output, &s->err) : st;
}

static int run(session *s)
{
    const roc_args *args = options_of(s->call, &own_options);
    ney_data *train = NULL, *valid = NULL, *test = NULL;
    ney_status st;

    if (args->save_path && output_is_stdout(args->save_path)) {
        return session_misused(s, "--save-path needs a file, not standard output");
    }
    int code = args->output ? output_check_json(s, args->output, "a table") : EXIT_OK;
    if (code != EXIT_OK || (code = plotting_check(s)) != EXIT_OK) {
        return code;
    }
    if ((st = check_outputs(s, args)) != NEY_OK) {
        return session_fail(s, st);
    }
    code = path_read_rows(s, s->call->operands[0], &train);
    if (code == EXIT_OK && args->valid) {
        code = read_both_classes(s, args->valid, train, &valid);
    }
    if (code == EXIT_OK && args->test) {
        code = read_both_classes(s, args->test, train, &test);
    }
    if (code == EXIT_OK) {
        code = explore(s, train, valid, test);
    }
    ney_data_free(train);
    ney_data_free(valid);
    ney_data_free(test);
    return code;
}

static bool has_splits(const invocation *call)
{
    return !((const roc_args *)options_of(call, &own_options))->valid;
}

static const option_rule rules[] = {
    {"splits seed", has_splits, "half splits, not to --valid"}, PLOT_RULE, {NULL, NULL, NULL}};

const command command_roc = {
    .name = "roc",
    .operands = "TRAIN...",
    .group = "Trade-off of the two errors",
    .summary = "find the best ROC curve over all costs and thresholds",
    .description =
        "Computes three curves: varying the intercept (one classifier, every threshold: the usual "
        "ROC curve), varying the asymmetry (every C+ and C-, each with its own threshold), and "
        "varying both: the upper convex envelope of all classifiers with all thresholds. "
        "Classifiers are chosen on the rows of --valid or, without them, by random half splits of "
        "TRAIN; rates on the rows of --test are unbiased. --save-path saves all classifiers, and "
        "'neyman pick' extracts the one for any cost or rate.",
    .details =
        "The solutions are followed along C+ and C- in proportion to the sizes of the classes up "
        "to --c-max. From the one with the lowest cost for --cost-fn and --cost-fp, and from "
        "totals C+ + C- a few powers of ten larger and smaller, every asymmetry at constant C+ + "
        "C- is followed. A point between two vertices of the envelope is a random choice between "
        "two classifiers.\n\n"
        "fpr_error and tpr_error are standard errors of the mean over the half splits. On the "
        "rows that choose, the third curve is above the others by construction, and all rates are "
        "optimistic. Scaling is fitted on the training rows alone, in each split separately.",
    .everyday =
        "valid test cost-fn cost-fp kernel save-path output plot label positive scale json help",
    .examples = {{"With validation and test rows, as a chart:",
                  "neyman roc train.svm --valid valid.svm --test test.svm --plot roc.svg"},
                 {"From half splits, with all classifiers saved:",
                  "neyman roc train.csv --label type --save-path all.path -o curves.tsv"},
                 {"Then, for any costs:",
                  "neyman pick all.path --cost-fn 5 --cost-fp 1 -o five.model"}},
    .exits = {EXIT_FAILED, EXIT_USAGE, EXIT_INPUT, EXIT_UNFINISHED, EXIT_INTERRUPTED},
    .sets = {&own_options, &plot_options, &explore_options, &cost_options, &read_options},
    .omit = "decoys",
    .rules = rules,
    .run = run,
};
