/* neyman path: the solutions for all costs on a line. */
#include <stdlib.h>

#include "commands.h"
#include "labelled.h"
#include "learning.h"
#include "output.h"
#include "path_data.h"
#include "plotting.h"
#include "result.h"
#include "summary.h"

typedef struct path_args {
    const char *from, *to, *output;
    int scale;
} path_args;

/* clang-format off */
static const ney_param own_rows[] = {
#define AT(field) offsetof(path_args, field)
    /* name    flag kind             offset      default low high arg       choices help */
    {"from",   0,   NEY_KIND_TEXT,   AT(from),   0, 0, 0,         "C+ C-", NULL, "start of the line: weight of one positive and of one negative example; default 0 0"},
    {"to",     0,   NEY_KIND_TEXT,   AT(to),     0, 0, 0,         "C+ C-", NULL, "end of the line"},
    {"output", 'o', NEY_KIND_TEXT,   AT(output), 0, 0, 0,         "PATH",  NULL, "file for the path, from which 'neyman pick' extracts models"},
    SCALE_ROW(AT(scale)),
#undef AT
};
/* clang-format on */

static const option_set own_options = {.title = "Line of costs",
                                       .topics = scale_topics,
                                       .rows = own_rows,
                                       .n_rows = COUNT(own_rows),
                                       .bytes = sizeof(path_args)};

static void add_headline(const session *s, ney_result *root, const ney_path *path)
{
    const path_args *args = options_of(s->call, &own_options);
    int64_t n;
    const ney_path_point *point = ney_path_points(path, 0, &n);
    char file[SHELL_WORD];

    if (n > 0) {
        ney_result_headline(root,
                            "Found the solutions for all costs from C+ = %.4g, C- = %.4g to C+ = "
                            "%.4g, C- = %.4g: %lld breakpoints.",
                            point[0].c.plus, point[0].c.minus, point[n - 1].c.plus,
                            point[n - 1].c.minus, (long long)n);
    }
    if (args->output) {
        shell_word(file, args->output);
        summary_next(s, root, "neyman pick %s --at C+ C- -o MODEL  (C+ C-: a point on the line)",
                     file);
    }
}

static void report(const session *s, const ney_path *path)
{
    const path_args *args = options_of(s->call, &own_options);
    const class_counts n = count_classes(ney_path_data(path));
    ney_result *root = result_new();
    int64_t n_points;
    const ney_path_point *point = ney_path_points(path, 0, &n_points);
    int64_t widest = 0;

    for (int64_t k = 0; k < n_points; k++) {
        widest = point[k].margin > widest ? point[k].margin : widest;
    }
    ney_result_add_int(root, "n", n.pos + n.neg);
    ney_result_add_int(root, "n_pos", n.pos);
    ney_result_add_int(root, "n_neg", n.neg);
    ney_result_add_int(root, "n_breakpoints", n_points);
    path_add_residual(root, ney_path_residual(path));
    ney_result_add_int(root, "largest_margin", widest);
    ney_result_add_real(root, "seconds", session_seconds(s));
    if (args->output) {
        ney_result_add_text(root, "path", args->output);
    }
    ney_result *list = ney_result_add_array(root, "breakpoints");
    for (int64_t k = 0; k < n_points; k++) {
        ney_result *row = ney_result_add_object(list, NULL);
        ney_result_add_real(row, "c_plus", point[k].c.plus);
        ney_result_add_real(row, "c_minus", point[k].c.minus);
        ney_result_add_real(row, "objective", point[k].objective);
        ney_result_add_real(row, "intercept", point[k].intercept);
        ney_result_add_int(row, "margin", point[k].margin);
        ney_result_add_int(row, "left", point[k].left);
        ney_result_add_int(row, "right", point[k].right);
        ney_result_add_real(row, "kkt_residual", point[k].kkt_residual);
    }
    add_headline(s, root, path);
    result_print(s, root);
}

/* The sizes of the three sets and the intercept along the path. */
static ney_status draw_chart(session *s, const ney_path *path)
{
    int64_t n;
    const ney_path_point *point = ney_path_points(path, 0, &n);
    double *const block = malloc(5 * ((size_t)n + 1) * sizeof *block);

    if (!block) {
        return out_of_memory(&s->err, "the chart");
    }
    double *const x = block, *const margin = x + n, *const left = margin + n,
                  *const right = left + n, *const intercept = right + n;
    const bool plus = n > 0 && point[0].c.plus != point[n - 1].c.plus;
    bool positive = true;
    for (int64_t k = 0; k < n; k++) {
        x[k] = plus ? point[k].c.plus : point[k].c.minus;
        positive = positive && x[k] > 0;
        margin[k] = (double)point[k].margin;
        left[k] = (double)point[k].left;
        right[k] = (double)point[k].right;
        intercept[k] = point[k].intercept;
    }
    const char *const label =
        plus ? "weight of positives (C+)" : "weight of negatives (C\xE2\x88\x92)";
    const plot_axis costs = {label, positive ? PLOT_LOG : PLOT_LINEAR, (double)NAN, (double)NAN};
    const plot_series sets[] = {
        {.kind = PLOT_STEP,
         .name = "beyond the margin",
         .x = x,
         .y = right,
         .n = n,
         .dash = PLOT_DASHED},
        {.kind = PLOT_STEP, .name = "on the margin", .x = x, .y = margin, .n = n, .colour = 1},
        {.kind = PLOT_STEP,
         .name = "within the margin or misclassified",
         .x = x,
         .y = left,
         .n = n,
         .colour = 2,
         .dash = PLOT_DOTTED}};
    const plot_series offset = {.x = x, .y = intercept, .n = n};
    const plot_panel panels[] = {{.title = "Training rows by their place",
                                  .x = costs,
                                  .y = {"rows", PLOT_LINEAR, 0, (double)NAN},
                                  .series = sets,
                                  .n_series = 3},
                                 {.title = "Intercept",
                                  .x = costs,
                                  .y = PLOT_AXIS("intercept"),
                                  .series = &offset,
                                  .n_series = 1}};
    const ney_status st = plotting_write(s, &(plot_figure){.panels = panels, .n_panels = 2});
    free(block);
    return st;
}

static int compute_path(session *s, const ney_data *data, const double from[2], const double to[2])
{
    const path_args *args = options_of(s->call, &own_options);
    const ney_train_opts *opts = options_of(s->call, &path_kernel_options);
    ney_path *path = NULL;
    ney_status st = ney_path_new_with(&path, &s->env, data, opts, &s->err);

    if (st == NEY_OK) {
        st = ney_path_follow(path, (ney_cost_pair){from[0], from[1]}, (ney_cost_pair){to[0], to[1]},
                             NULL, &s->err);
    }
    if (st == NEY_OK && args->output) {
        st = ney_path_write(path, args->output, &s->err);
    }
    if (st == NEY_OK && plotting_is_asked(s->call)) {
        st = draw_chart(s, path);
    }
    if (st == NEY_OK && !(args->output && output_is_stdout(args->output))) {
        report(s, path);
    }
    const int code = st == NEY_OK ? path_exit(ney_path_residual(path)) : session_fail(s, st);
    ney_path_free(path);
    return code;
}

static int run(session *s)
{
    const path_args *args = options_of(s->call, &own_options);
    double from[2] = {0, 0}, to[2];
    ney_data *data = NULL;
    ney_error why;
    ney_status st;

    if ((args->from && !option_pair(args->from, "from", from, &why)) ||
        !option_pair(args->to, "to", to, &why)) {
        return session_misused(s, "%s", why.message);
    }
    if (!(from[0] >= 0 && from[1] >= 0 && to[0] >= 0 && to[1] >= 0)) {
        return session_misused(s, "a cost is below 0; expected C+ and C- of at least 0");
    }
    int code = args->output ? output_check_json(s, args->output, "a path") : EXIT_OK;
    if (code != EXIT_OK || (code = plotting_check(s)) != EXIT_OK) {
        return code;
    }
    if (args->output && (st = output_check(args->output, &s->err)) != NEY_OK) {
        return session_fail(s, st);
    }
    code = path_read_data(s, s->call->operands[0], args->scale, &data);
    if (code == EXIT_OK) {
        code = compute_path(s, data, from, to);
    }
    ney_data_free(data);
    return code;
}

static const option_rule rules[] = {PLOT_RULE, {NULL, NULL, NULL}};

const command command_path = {
    .name = "path",
    .operands = "DATA...",
    .required = "to",
    .group = "Trade-off of the two errors",
    .summary = "compute the exact solution along a line of costs",
    .description =
        "Computes the support vector machine for all costs (C+, C-) on a line. The solution is "
        "piecewise linear; every breakpoint is found, about two per row, in the time of a few "
        "trainings. C+ is the weight of one positive example's loss and C- of one negative's: C "
        "times --cost-fn and C times --cost-fp of 'neyman train'. With -o the path is saved, and "
        "'neyman pick --at C+ C-' extracts the model at any of its points without training.",
    .details =
        "Every breakpoint is checked: kkt_residual is the largest violation of the optimality "
        "conditions, for a margin in units of the scores, for a dual variable relative to the "
        "larger cost. Where double precision leaves more than 1e-6, the line is computed again "
        "with about 33 digits; where more is left even then, the result says so and the exit code "
        "is 5. margin, left and right count the rows on the margin, inside it or misclassified, "
        "and beyond it.\n\n"
        "A line may start and end anywhere, also at 0. The kernel must be positive semidefinite: "
        "linear, rbf or poly.",
    .everyday = "from to output plot kernel gamma label positive scale json help",
    .examples = {{"Equal costs, from 0 to 10:", "neyman path train.svm --to 10 10 -o c.path"},
                 {"All asymmetries at C+ + C- = 2:",
                  "neyman path train.csv --label type --from 2 0 --to 0 2 --kernel rbf --json"}},
    .exits = {EXIT_FAILED, EXIT_USAGE, EXIT_INPUT, EXIT_UNFINISHED, EXIT_INTERRUPTED},
    .sets = {&own_options, &plot_options, &path_kernel_options, &read_options},
    .omit = "decoys",
    .rules = rules,
    .run = run,
};
