/* neyman plan: how many rows a certificate needs, and what it costs. */
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "commands.h"
#include "plotting.h"
#include "rates.h"
#include "result.h"
#include "summary.h"

typedef struct plan_args {
    double power, train_loss;
    int64_t negatives, positives;
} plan_args;

/* The most rows that are computed: beyond, the binomial tails take seconds. */
#define MOST_ROWS 1e11

/* clang-format off */
static const ney_param own_rows[] = {
#define AT(field) offsetof(plan_args, field)
    /* name        flag kind          offset          default low high       arg     choices help */
    {"power",      0, NEY_KIND_REAL, AT(power),      0.9,  DBL_MIN, 1,      "RATE", NULL, "detection rate that a threshold with exactly the allowed error rate would have"},
    {"negatives",  0, NEY_KIND_INT,  AT(negatives),  0,    0, MOST_ROWS,    "N",    NULL, "number of negatives to split between training and certification; 0: no split"},
    {"positives",  0, NEY_KIND_INT,  AT(positives),  0,    0, MOST_ROWS,    "N",    NULL, "number of positives to split between training and certification; 0: no split"},
    {"train-loss", 0, NEY_KIND_REAL, AT(train_loss), 0.01, 0, 1,            "LOSS", NULL, "detection rate that is lost because training has only N rows; assumed to grow as N / (rows left for training)"},
#undef AT
};
/* clang-format on */

static const option_set own_options = {
    .title = "Plan", .rows = own_rows, .n_rows = COUNT(own_rows), .bytes = sizeof(plan_args)};

/* The bound that is planned for. */
typedef struct goal {
    double rate, delta, power, train_loss;
    int64_t total;  /* rows to split, 0 for none */
    const char *of; /* "negative" or "positive" rows */
} goal;

static ney_plan_point point_at(const goal *g, int64_t n)
{
    return ney_plan_at(n, g->rate, g->delta, g->power);
}

/* ------------------------------------------------------------------ the best split */

/* The fewest rows that allow r errors. */
static int64_t rows_for(const goal *g, int64_t r, int64_t low, int64_t high)
{
    while (low < high) {
        const int64_t n = low + (high - low) / 2;
        if (ney_mistakes_allowed(n, g->rate, g->delta) >= r) {
            high = n;
        } else {
            low = n + 1;
        }
    }
    return low;
}

/* A split of the rows, and the detection it loses. */
typedef struct share {
    int64_t mistakes, held;
    double certification, training, total;
} share;

/* For a given number of errors, more rows only make the threshold stricter: the best split has the
 * fewest rows for its number of errors. */
static share share_for(const goal *g, int64_t mistakes)
{
    const int64_t held = rows_for(g, mistakes, 1, g->total - 1);
    share s = {.mistakes = mistakes, .held = held};

    s.certification = g->power - point_at(g, held).expected_power;
    s.training = g->train_loss * (double)g->total / (double)(g->total - held);
    s.total = s.certification + s.training;
    return s;
}

/* Search the number of errors: evaluate a few numbers from 0 to the largest, then between the
 * neighbours of the best one, until none is left. The first numbers are spaced geometrically,
 * because one error more matters most among small numbers. */
static share best_share(const goal *g)
{
    enum { STEPS = 24 };
    int64_t low = 0, high = ney_mistakes_allowed(g->total - 1, g->rate, g->delta);

    for (bool first = true;; first = false) {
        const double span = (double)(high - low);
        share split[STEPS + 1];
        int best = 0;
        for (int i = 0; i <= STEPS; i++) {
            const double at = (double)i / STEPS;
            const double step = first && span > STEPS ? expm1(at * log1p(span)) : at * span;
            split[i] = share_for(g, low + (int64_t)llround(step));
            best = split[i].total < split[best].total ? i : best;
        }
        if (span <= STEPS) { /* every number was evaluated */
            return split[best];
        }
        low = split[best > 0 ? best - 1 : 0].mistakes;
        high = split[best < STEPS ? best + 1 : STEPS].mistakes;
    }
}

/* ------------------------------------------------------------------ the result */

static void add_points(ney_result *root, const goal *g, double needed)
{
    static const int times[] = {1, 2, 5, 10, 100};
    ney_result *list = ney_result_add_array(root, "points");

    for (int i = 0; i < (int)COUNT(times) && needed * times[i] <= MOST_ROWS; i++) {
        const ney_plan_point p = point_at(g, (int64_t)needed * times[i]);
        ney_result *row = ney_result_add_object(list, NULL);
        ney_result_add_int(row, "n", p.n);
        ney_result_add_int(row, "rank", p.rank);
        ney_result_add_int(row, "mistakes", p.n - p.rank);
        ney_result_add_real(row, "expected_rate", p.expected_rate);
        ney_result_add_real(row, "expected_power", p.expected_power);
        ney_result_add_real(row, "loss", g->power - p.expected_power);
    }
}

static void add_best(ney_result *root, const goal *g)
{
    const share best = best_share(g);

    ney_result_add_text(root, "training_assumption",
                        "training on n of the N rows loses train_loss * N / n of the detection");
    ney_result_add_real(root, "train_loss", g->train_loss);
    ney_result_add_int(root, "rows", g->total);
    ney_result_add_real(root, "best_share", (double)best.held / (double)g->total);
    ney_result_add_int(root, "best_holdout", best.held);
    ney_result_add_int(root, "best_mistakes", best.mistakes);
    ney_result_add_real(root, "certification_loss", best.certification);
    ney_result_add_real(root, "training_loss", best.training);
    ney_result_add_real(root, "total_loss", best.total);
}

/* The expected rates over the number of rows, from the fewest that certify on. */
static ney_status draw_chart(session *s, const goal *g, double needed)
{
    enum { POINTS = 400, SPAN = 1000 };
    const bool fpr = !isnan(((const rate_opts *)options_of(s->call, &rate_options))->max_fpr);
    const double most = fmin(SPAN * needed, MOST_ROWS);
    double n[POINTS], rate[POINTS], power[POINTS];

    for (int k = 0; k < POINTS; k++) {
        const ney_plan_point p =
            point_at(g, (int64_t)(needed * pow(most / needed, (double)k / (POINTS - 1)) + 0.5));
        n[k] = (double)p.n;
        rate[k] = p.expected_rate;
        power[k] = p.expected_power;
    }
    const double bound[4] = {needed, most, g->rate, g->rate},
                 whole[4] = {needed, most, g->power, g->power};
    const plot_series rates[] = {
        {.name = "expected with a certificate", .x = n, .y = rate, .n = POINTS},
        plotting_line("bound", bound)};
    const plot_series powers[] = {
        {.name = "expected with a certificate", .x = n, .y = power, .n = POINTS},
        plotting_line("with a known threshold", whole)};
    const plot_axis rows = PLOT_LOG_AXIS(fpr ? "held-out negatives" : "held-out positives");
    const plot_panel panels[] = {
        {.title = fpr ? "False-positive rate" : "False-negative rate",
         .x = rows,
         .y = {fpr ? "false-positive rate (FPR)" : "false-negative rate (FNR)", PLOT_LINEAR, 0,
               (double)NAN},
         .series = rates,
         .n_series = 2},
        {.title = "Detection",
         .x = rows,
         .y = PLOT_AXIS(fpr ? "true-positive rate (TPR)" : "true-negative rate (TNR)"),
         .series = powers,
         .n_series = 2}};
    return plotting_write(s, &(plot_figure){.panels = panels, .n_panels = 2});
}

static void add_headline(const session *s, ney_result *root, const goal *g, double needed)
{
    const rate_opts *rate = options_of(s->call, &rate_options);
    const bool fpr = !isnan(rate->max_fpr);
    const char *const rows = fpr ? "negatives" : "positives";
    char holdout[64] = "";

    ney_result_headline(root,
                        "To certify an %s of at most %.4g %% with %.4g %% confidence, hold out at "
                        "least %.0f %s.",
                        fpr ? "FPR" : "FNR", 100 * g->rate, 100 * rate->confidence, needed, rows);
    if (10 * needed <= MOST_ROWS) {
        ney_result_headline(
            root,
            "Of a detection rate of %.3g %%, this loses about %.2g points with %.0f "
            "%s and %.2g points with %.0f.",
            100 * g->power, 100 * (g->power - point_at(g, (int64_t)needed).expected_power), needed,
            rows, 100 * (g->power - point_at(g, 10 * (int64_t)needed).expected_power), 10 * needed);
    }
    if (g->total > 0) {
        const share best = best_share(g);
        const double part = (double)best.held / (double)g->total;
        ney_result_headline(root, "Of %" PRId64 " %s, hold out about %" PRId64 " (%.3g %%).",
                            g->total, rows, best.held, 100 * part);
        snprintf(holdout, sizeof holdout, " --holdout %.3g", part);
    }
    summary_next(s, root, "neyman train --max-%s %.6g --confidence %.6g%s DATA -o MODEL",
                 fpr ? "fpr" : "fnr", g->rate, rate->confidence, holdout);
}

static void report(const session *s, const goal *g, double needed)
{
    const rate_opts *rate = options_of(s->call, &rate_options);
    const bool fpr = !isnan(rate->max_fpr);
    ney_result *root = result_new();

    ney_result_add_text(root, "goal", "np");
    ney_result_add_real(root, fpr ? "max_fpr" : "max_fnr", g->rate);
    ney_result_add_real(root, "confidence", rate->confidence);
    ney_result_add_real(root, "delta", g->delta);
    ney_result_add_text(root, "rows_of", fpr ? "negatives" : "positives");
    if (needed <= 0x1p53) {
        ney_result_add_int(root, "needed", (int64_t)needed);
    } else {
        ney_result_add_real(root, "needed", needed);
    }
    ney_result_add_real(root, "power", g->power);
    ney_result_add_text(root, "power_assumption",
                        "two normal score distributions of equal variance, through (rate, power)");
    if (g->total > 0) {
        add_best(root, g);
    }
    if (needed <= MOST_ROWS) {
        add_points(root, g, needed);
    }
    add_headline(s, root, g, needed);
    result_print(s, root);
}

/* ------------------------------------------------------------------ running */

static int check_goal(session *s, const rate_opts *rate, const plan_args *args)
{
    const bool fpr = !isnan(rate->max_fpr);

    if (fpr && !isnan(rate->max_fnr)) {
        return session_misused(s,
                               "expected one of --max-fpr and --max-fnr; for both bounds plan each "
                               "with --confidence %.6g, the square root",
                               sqrt(rate->confidence));
    }
    const double max_rate = fpr ? rate->max_fpr : rate->max_fnr;
    if (!(args->power > max_rate && args->power < 1)) {
        return session_misused(s,
                               "--power = %g, expected a detection rate above the allowed rate "
                               "%g and below 1",
                               args->power, max_rate);
    }
    return EXIT_OK;
}

static int run(session *s)
{
    const rate_opts *rate = options_of(s->call, &rate_options);
    const plan_args *args = options_of(s->call, &own_options);
    int code;

    if ((code = plotting_check(s)) != EXIT_OK || (code = rates_check(s)) != EXIT_OK ||
        (code = check_goal(s, rate, args)) != EXIT_OK) {
        return code;
    }
    const bool fpr = !isnan(rate->max_fpr);
    const goal g = {.rate = fpr ? rate->max_fpr : rate->max_fnr,
                    .delta = ney_delta_of_confidence(rate->confidence),
                    .power = args->power,
                    .train_loss = args->train_loss,
                    .total = fpr ? args->negatives : args->positives,
                    .of = fpr ? "negative" : "positive"};
    const double needed = ney_rows_needed(g.rate, g.delta);
    if (g.total > 0 && (double)g.total < needed + 1) {
        s->err = (ney_error){.code = NEY_EGOAL};
        snprintf(s->err.message, sizeof s->err.message,
                 "%" PRId64 " %s rows cannot certify a rate of %g with confidence %g and leave one "
                 "to train on: at least %.0f are needed; the tightest rate that all of them could "
                 "certify is %.4g",
                 g.total, g.of, g.rate, rate->confidence, needed + 1,
                 ney_tightest_rate(g.total, g.delta));
        return session_fail(s, NEY_EGOAL);
    }
    if (plotting_is_asked(s->call)) {
        const ney_status st = draw_chart(s, &g, needed);
        if (st != NEY_OK) {
            return session_fail(s, st);
        }
    }
    report(s, &g, needed);
    return EXIT_OK;
}

static bool has_rows(const invocation *call)
{
    const plan_args *args = options_of(call, &own_options);

    return args->negatives > 0 || args->positives > 0;
}

static bool has_fpr(const invocation *call)
{
    return !isnan(((const rate_opts *)options_of(call, &rate_options))->max_fpr);
}

static bool has_fnr(const invocation *call)
{
    return !isnan(((const rate_opts *)options_of(call, &rate_options))->max_fnr);
}

static const option_rule rules[] = {PLOT_RULE,
                                    {"negatives", has_fpr, "--max-fpr"},
                                    {"positives", has_fnr, "--max-fnr"},
                                    {"train-loss", has_rows, "--negatives or --positives"},
                                    {NULL, NULL, NULL}};

const command command_plan = {
    .name = "plan",
    .operands = "",
    .group = "Thresholds and q-values from scores",
    .summary = "compute how many rows a certificate needs, and what it costs",
    .description =
        "Certifying a rate takes held-out rows of the bounded class. 'needed' is the smallest "
        "number with which any threshold can be certified; the table shows how much detection is "
        "lost with that and with more rows. With --negatives N (for --max-fnr: --positives N) the "
        "result also has the best split of N rows between training and certification.",
    .details =
        "With the smallest number of rows the threshold must lie above all of their scores, and "
        "much detection is lost. 'expected rate' is the mean error rate of the certified "
        "threshold, 'loss' is --power minus the expected detection rate; both are estimates under "
        "the assumption that the scores of each class are normal with equal variance. The best "
        "split has the smallest sum of the losses by certification and by training, under the "
        "assumption that training on n of the N rows loses --train-loss times N / n of the "
        "detection rate.",
    .everyday = "max-fpr max-fnr confidence negatives positives power plot json help",
    .examples = {{"How many negatives certify an FPR of 1 % with 95 % confidence:",
                  "neyman plan --max-fpr 0.01 --confidence 0.95 --plot plan.svg"},
                 {"How to split 20000 negatives:",
                  "neyman plan --max-fpr 0.01 --power 0.8 --negatives 20000"}},
    .exits = {EXIT_FAILED, EXIT_USAGE, EXIT_GOAL},
    .sets = {&rate_options, &own_options, &plot_options},
    .rules = rules,
    .run = run,
};
