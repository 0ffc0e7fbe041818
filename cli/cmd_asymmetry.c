/* neyman asymmetry: which costs to train with for the costs you have. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "asymmetry.h"
#include "commands.h"
#include "groups.h"
#include "labelled.h"
#include "learning.h"
#include "mixture_json.h"
#include "plot/plot.h"
#include "result.h"
#include "tsv.h"

enum { LOSS_SQUARE, LOSS_ERF, LOSS_HINGE };
#define LOSS_NAMES "square erf hinge"

typedef struct asymmetry_args {
    int loss;
    const char *gamma, *plot, *output, *save;
    double cost_fn, cost_fp;
    sample_opts sample;
    int scale;
} asymmetry_args;

/* clang-format off */
static const ney_param own_rows[] = {
#define AT(field) offsetof(asymmetry_args, field)
    /* name         flag kind             offset          default low    high   arg      choices help */
    {"loss",         0,  NEY_KIND_CHOICE, AT(loss),       0,   0,     0,     "LOSS",  LOSS_NAMES,
        "training loss, evaluated on the densities; hinge on DATA is evaluated on held-out rows"},
    {"gamma",        0,  NEY_KIND_TEXT,   AT(gamma),      0,   0,     0,     "G1,G2,...", NULL,
        "training asymmetries C+ / (C+ + C-) to compute, 0 to 1; default: about 100 values, 31 for hinge on DATA"},
    {"for-cost-fn",  0,  NEY_KIND_REAL,   AT(cost_fn),    NAN, 1e-12, 1e12,  "X",     NULL,
        "test cost of a false negative; default 1 if only one cost is given"},
    {"for-cost-fp",  0,  NEY_KIND_REAL,   AT(cost_fp),    NAN, 1e-12, 1e12,  "Y",     NULL,
        "test cost of a false positive; default 1 if only one cost is given"},
    {"plot",         0,  NEY_KIND_TEXT,   AT(plot),       0,   0,     0,     "FILE",  NULL,
        "chart (.svg, .png or .pdf) of training against test asymmetry and of the ROC curve with its envelope"},
    {"output",      'o', NEY_KIND_TEXT,   AT(output),     0,   0,     0,     "FILE",  NULL,
        "file for the curve as TSV; -: standard output"},
    {"save-mixture", 0,  NEY_KIND_TEXT,   AT(save),       0,   0,     0,     "FILE",  NULL,
        "file for the mixture that was fitted to DATA, as JSON"},
    {"C",           'C', NEY_KIND_REAL,   AT(sample.C),   1,   1e-12, 1e12,  "X",     NULL,
        "weight of the hinge loss: C+ = 2 X gamma, C- = 2 X (1 - gamma)"},
    {"splits",       0,  NEY_KIND_INT,    AT(sample.splits), 10, 1,   1000,  "N",     NULL,
        "number of random halves of DATA to train on; the other halves are for evaluation"},
    SCALE_ROW(AT(scale)),
#undef AT
};
/* clang-format on */

static const option_set own_options = {.title = "Costs and curves",
                                       .topics = scale_topics,
                                       .rows = own_rows,
                                       .n_rows = COUNT(own_rows),
                                       .bytes = sizeof(asymmetry_args)};

static const option_set fit_options = {
    .title = "Densities of DATA", .from = ney_mixture_params, .bytes = sizeof(ney_mixture_opts)};

void findings_deinit(findings *f)
{
    if (f->fine != f->point) {
        free(f->fine);
    }
    free(f->point);
    free(f->w);
    ney_asymmetry_free(f->study);
    ney_mixture_free(f->mixture);
    *f = (findings){0};
}

/* ------------------------------------------------------------------ the gammas */

enum { MOST_GAMMAS = 100000 };

/* Numbers separated by commas. NULL after a report; *n is their number. */
static double *parse_gammas(session *s, const char *text, int64_t *n)
{
    double *list = malloc((strlen(text) / 2 + 1) * sizeof *list);

    *n = 0;
    for (const char *at = text; list; at++) {
        char *end;
        const double value = strtod(at, &end);
        if (end == at || (*end && *end != ',') || !(value >= 0 && value <= 1) ||
            *n == MOST_GAMMAS) {
            session_misused(s, "--gamma = %.60s, expected numbers from 0 to 1 separated by commas",
                            text);
            free(list);
            return NULL;
        }
        list[(*n)++] = value;
        at = end;
        if (!*end) {
            return list;
        }
    }
    s->err = (ney_error){.code = NEY_ENOMEM, .message = "no memory for the list of --gamma"};
    session_fail(s, NEY_ENOMEM);
    return NULL;
}

/* From 0.01 to 0.99 in hundredths, and the far ends; from data, log odds evenly from -4.6 to 4.6.
 */
static double *default_gammas(session *s, bool from_data, int64_t *n)
{
    static const double ends[] = {1e-12, 1e-9, 1e-6, 1e-4, 1e-3};
    const int64_t n_ends = COUNT(ends), n_data = 31;
    double *list = malloc((size_t)(99 + 2 * n_ends) * sizeof *list);

    if (!list) {
        s->err = (ney_error){.code = NEY_ENOMEM, .message = "no memory for a list of numbers"};
        session_fail(s, NEY_ENOMEM);
        return NULL;
    }
    if (from_data) {
        for (int64_t k = 0; k < n_data; k++) {
            list[k] = 1 / (1 + exp(-log(99) * (2 * (double)k / (double)(n_data - 1) - 1)));
        }
        *n = n_data;
        return list;
    }
    *n = 99 + 2 * n_ends;
    for (int64_t k = 0; k < 99; k++) {
        list[n_ends + k] = (double)(k + 1) / 100;
    }
    for (int64_t k = 0; k < n_ends; k++) {
        list[k] = ends[k];
        list[*n - 1 - k] = 1 - ends[k];
    }
    return list;
}

/* ------------------------------------------------------------------ from densities */

static curve_point point_of(const ney_asymmetry_point *p)
{
    return (curve_point){.gamma = p->gamma,
                         .b = p->b,
                         .fpr = p->fpr,
                         .tpr = p->tpr,
                         .log_slope = p->log_slope,
                         .beta = p->beta,
                         .fpr_error = (double)NAN,
                         .tpr_error = (double)NAN,
                         .consistent = p->consistent};
}

/* The points asked for. */
static ney_status trace(findings *f, session *s, const double *gamma, int64_t n)
{
    ney_status st = NEY_OK;

    f->n_points = n;
    f->point = calloc((size_t)n, sizeof *f->point);
    f->w = malloc((size_t)(n * f->dims) * sizeof *f->w);
    if (!f->point || !f->w) {
        s->err = (ney_error){.code = NEY_ENOMEM, .message = "no memory for the curve"};
        return NEY_ENOMEM;
    }
    for (int64_t k = 0; k < n && st == NEY_OK; k++) {
        ney_asymmetry_point p;
        st = ney_asymmetry_at(f->study, gamma[k], &p, f->w + k * f->dims, &s->err);
        if (st == NEY_OK) {
            f->point[k] = point_of(&p);
        }
    }
    return st;
}

/* As many points as a chart shows, denser towards the ends, which the curve leaves and reaches
 * fast. */
static ney_status trace_fine(findings *f, session *s)
{
    const int64_t n = 400;
    double *w = malloc((size_t)f->dims * sizeof *w);
    ney_status st = NEY_OK;

    f->n_fine = n + 1;
    f->fine = calloc((size_t)f->n_fine, sizeof *f->fine);
    if (!f->fine || !w) {
        free(w);
        s->err = (ney_error){.code = NEY_ENOMEM, .message = "no memory for the chart"};
        return NEY_ENOMEM;
    }
    for (int64_t k = 0; k <= n && st == NEY_OK; k++) {
        const double x = (double)k / (double)n, gamma = x * x * (3 - 2 * x);
        ney_asymmetry_point p;
        st = ney_asymmetry_at(f->study, gamma, &p, w, &s->err);
        f->fine[k] = point_of(&p);
    }
    free(w);
    return st;
}

static int study(findings *f, session *s, const asymmetry_args *args, const double *gamma,
                 int64_t n_gammas)
{
    static const ney_theory_loss losses[] = {NEY_LOSS_SQUARE, NEY_LOSS_ERF, NEY_LOSS_HINGE};
    const ney_theory_loss loss = losses[args->loss];
    ney_status st;

    f->p_pos = ney_mixture_p_pos(f->mixture);
    f->dims = ney_mixture_dims(f->mixture);
    if ((st = ney_asymmetry_new(&f->study, &s->env, f->mixture, loss, &s->err)) != NEY_OK ||
        (st = trace(f, s, gamma, n_gammas)) != NEY_OK ||
        (st = ney_asymmetry_ranges(f->study, f->range, &f->n_ranges, &s->err)) != NEY_OK) {
        return session_fail(s, st);
    }
    f->constant = ney_asymmetry_is_constant(f->study);
    for (int k = 0; k < f->n_advice; k++) {
        training_advice *a = &f->advice[k];
        a->cost_error = a->gain_error = (double)NAN;
        st = ney_asymmetry_for(f->study, a->cost_fn / (a->cost_fn + a->cost_fp), &a->answer,
                               &s->err);
        if (st != NEY_OK) {
            return session_fail(s, st);
        }
    }
    if (args->plot && (st = trace_fine(f, s)) != NEY_OK) {
        return session_fail(s, st);
    }
    return EXIT_OK;
}

/* ------------------------------------------------------------------ the result */

static void add_curve(ney_result *root, const session *s, const findings *f)
{
    ney_result *curve = ney_result_add_array(root, "curve");

    for (int64_t k = 0; k < f->n_points; k++) {
        const curve_point *p = &f->point[k];
        ney_result *row = ney_result_add_object(curve, NULL);
        ney_result_add_real(row, "gamma", p->gamma);
        if (!f->from_data && s->common->json) {
            ney_result *w = ney_result_add_array(row, "w");
            for (int64_t i = 0; i < f->dims; i++) {
                ney_result_add_real(w, NULL, f->w[k * f->dims + i]);
            }
        }
        if (!f->from_data) {
            ney_result_add_real(row, "b", p->b);
        }
        ney_result_add_real(row, "fpr", p->fpr);
        ney_result_add_real(row, "tpr", p->tpr);
        if (f->from_data) {
            ney_result_add_real(row, "fpr_error", p->fpr_error);
            ney_result_add_real(row, "tpr_error", p->tpr_error);
        }
        ney_result_add_real(row, "log_slope", p->log_slope);
        ney_result_add_real(row, "beta", p->beta);
        ney_result_add_bool(row, "consistent", p->consistent);
    }
}

static void add_advice(ney_result *root, const findings *f)
{
    ney_result *list = ney_result_add_array(root, "answers");

    for (int k = 0; k < f->n_advice; k++) {
        const training_advice *a = &f->advice[k];
        ney_result *row = ney_result_add_object(list, NULL);
        ney_result_add_real(row, "cost_fn", a->cost_fn);
        ney_result_add_real(row, "cost_fp", a->cost_fp);
        ney_result_add_real(row, "beta", a->answer.beta);
        ney_result_add_real(row, "gamma", a->answer.gamma);
        ney_result_add_real(row, "fpr", a->answer.fpr);
        ney_result_add_real(row, "tpr", a->answer.tpr);
        ney_result_add_real(row, "cost", a->answer.cost);
        ney_result_add_real(row, "cost_same", a->answer.cost_same);
        ney_result_add_real(row, "cost_constant", a->answer.cost_constant);
        if (f->from_data) {
            ney_result_add_real(row, "cost_error", a->cost_error);
            ney_result_add_real(row, "gain_error", a->gain_error);
        }
    }
}

static void add_limit(ney_result *root, const findings *f, int end)
{
    const ney_asymmetry_limit *limit = ney_asymmetry_limit_at(f->study, end);
    ney_result *object = ney_result_add_object(root, end ? "limit_at_1" : "limit_at_0");

    ney_result_add_real(object, "discriminant", limit->discriminant);
    ney_result *direction = ney_result_add_array(object, "direction"),
               *weight = ney_result_add_array(object, "weights");
    for (int64_t i = 0; i < f->dims; i++) {
        ney_result_add_real(direction, NULL, limit->direction[i]);
    }
    for (int64_t k = 0; k < limit->n_weights; k++) {
        ney_result_add_real(weight, NULL, limit->weight[k]);
    }
    ney_result_add_int(object, "component_pos", limit->component_pos);
    ney_result_add_int(object, "component_neg", limit->component_neg);
}

/* w, b and log_slope by the propositions, at the gammas asked for: the nearer end's. */
static void add_expansions(ney_result *root, const findings *f)
{
    ney_result *list = ney_result_add_array(root, "expansions");
    double *w = malloc((size_t)f->dims * sizeof *w);

    for (int64_t k = 0; w && k < f->n_points; k++) {
        const double gamma = f->point[k].gamma;
        const int end = gamma > 0.5;
        ney_asymmetry_point p;
        if (gamma > 0 && gamma < 1) {
            ney_asymmetry_expand(f->study, end, gamma, &p, w);
            ney_result *row = ney_result_add_object(list, NULL);
            ney_result_add_real(row, "gamma", gamma);
            ney_result_add_int(row, "end", end);
            ney_result *array = ney_result_add_array(row, "w");
            for (int64_t i = 0; i < f->dims; i++) {
                ney_result_add_real(array, NULL, w[i]);
            }
            ney_result_add_real(row, "b", p.b);
            ney_result_add_real(row, "log_slope", p.log_slope);
        }
    }
    free(w);
}

static void add_densities(ney_result *root, const findings *f)
{
    int64_t n_pos, n_neg;

    ney_mixture_class_of(f->mixture, 1, &n_pos);
    ney_mixture_class_of(f->mixture, -1, &n_neg);
    ney_result_add_int(root, "components_pos", n_pos);
    ney_result_add_int(root, "components_neg", n_neg);
    ney_result_add_text(root, "regime_at_0",
                        ney_regime_text(ney_asymmetry_limit_at(f->study, 0)->regime));
    ney_result_add_text(root, "regime_at_1",
                        ney_regime_text(ney_asymmetry_limit_at(f->study, 1)->regime));
}

/* In full as JSON; for reading, the curve only where its points were asked for one by one. */
static void tell(session *s, const findings *f, const asymmetry_args *args, const class_counts *n)
{
    char verdict[VERDICT_TEXT];
    ney_result *root = result_new();

    ney_result_add_text(root, "loss", f->loss);
    ney_result_add_text(root, "judged_by", f->from_data ? "held-out rows" : "densities");
    if (n->pos + n->neg > 0) {
        ney_result_add_int(root, "n", n->pos + n->neg);
        ney_result_add_int(root, "n_pos", n->pos);
        ney_result_add_int(root, "n_neg", n->neg);
    }
    ney_result_add_real(root, "p_pos", f->p_pos);
    ney_result_add_int(root, "dims", f->dims);
    if (!f->from_data) {
        add_densities(root, f);
    }
    ney_result *ranges = ney_result_add_array(root, "consistent");
    for (int64_t k = 0; k < f->n_ranges; k++) {
        ney_result *range = ney_result_add_object(ranges, NULL);
        ney_result_add_real(range, "from_gamma", f->range[2 * k]);
        ney_result_add_real(range, "to_gamma", f->range[2 * k + 1]);
    }
    add_advice(root, f);
    if (!f->from_data && s->common->json) {
        add_limit(root, f, 0);
        add_limit(root, f, 1);
        add_expansions(root, f);
    }
    if (s->common->json || args->gamma) {
        add_curve(root, s, f);
    }
    verdict_text(f, verdict);
    if (s->common->json) {
        ney_result_add_text(root, "verdict", verdict);
        result_print(s, root);
    } else { /* longer than a table's cell */
        result_print(s, root);
        printf("%s\n", verdict);
    }
}

static ney_status write_curve(const findings *f, const char *path, ney_error *err)
{
    tsv t;
    const ney_status st = tsv_open(&t, path, "gamma fpr tpr log_slope beta consistent", err);

    if (st != NEY_OK) {
        return st;
    }
    for (int64_t k = 0; k < f->n_points; k++) {
        const curve_point *p = &f->point[k];
        tsv_real(&t, p->gamma);
        tsv_real(&t, p->fpr);
        tsv_real(&t, p->tpr);
        tsv_real(&t, p->log_slope);
        tsv_real(&t, p->beta);
        tsv_int(&t, p->consistent);
        if (!tsv_end(&t)) {
            break;
        }
    }
    return tsv_close(&t, err);
}

static ney_status save_mixture(const ney_mixture *mixture, const char *path, ney_error *err)
{
    output out;
    ney_status st = output_open(&out, path, err);

    if (st != NEY_OK) {
        return st;
    }
    ney_result *root = result_new();
    mixture_add(root, mixture);
    char *text;
    size_t n_text;
    if ((st = ney_result_format(root, &text, &n_text, err)) == NEY_OK) {
        output_put(&out, text, n_text);
        output_put(&out, "\n", 1);
        st = output_commit(&out, err);
    } else {
        output_give_up(&out);
    }
    ney_free(NULL, text);
    ney_result_free(root);
    return st;
}

/* ------------------------------------------------------------------ running */

static int check_args(session *s, const asymmetry_args *args)
{
    const bool out_stdout = args->output && output_is_stdout(args->output);
    ney_status st = NEY_OK;

    if (out_stdout && s->common->json) {
        return session_misused(s, "--json and the curve cannot share standard output");
    }
    if ((args->plot && ((st = plot_check(args->plot, &s->err)) != NEY_OK ||
                        (st = output_check(args->plot, &s->err)) != NEY_OK)) ||
        (args->output && (st = output_check(args->output, &s->err)) != NEY_OK) ||
        (args->save && (st = output_check(args->save, &s->err)) != NEY_OK)) {
        return session_fail(s, st);
    }
    return EXIT_OK;
}

/* One to nine and nine to one, unless costs are named. */
static void set_questions(findings *f, const asymmetry_args *args)
{
    if (isnan(args->cost_fn) && isnan(args->cost_fp)) {
        f->advice[0] = (training_advice){.cost_fn = 1, .cost_fp = 9};
        f->advice[1] = (training_advice){.cost_fn = 9, .cost_fp = 1};
        f->n_advice = 2;
        return;
    }
    f->advice[0] = (training_advice){.cost_fn = isnan(args->cost_fn) ? 1 : args->cost_fn,
                                     .cost_fp = isnan(args->cost_fp) ? 1 : args->cost_fp};
    f->n_advice = 1;
}

static int read_data(session *s, const asymmetry_args *args, ney_data **data)
{
    const ney_read_opts *read = options_of(s->call, &read_options);
    const char *path = s->call->operands[0];

    if (read->missing == NEY_MISSING_KEEP) {
        return session_misused(
            s, "--missing keep is for looking, not learning; expected error or mean");
    }
    ney_status st = ney_data_read_with(data, &s->env, path, read, NULL, &s->err);
    if (st != NEY_OK) {
        return session_fail(s, st);
    }
    int code = groups_refuse(s, *data, "its halves are drawn row by row");
    if (code != EXIT_OK || (code = learning_check(s, path, *data)) != EXIT_OK) {
        return code;
    }
    if (args->loss != LOSS_HINGE) { /* whose halves are prepared one by one */
        st = ney_data_prepare(*data, learning_scaling(args->scale, *data), NULL, 0, &s->err);
    }
    return st == NEY_OK ? EXIT_OK : session_fail(s, st);
}

/* Options have been looked at: what is still invalid is in the data. */
int findings_refuse(session *s, ney_status st)
{
    char why[sizeof s->err.message];

    if (st != NEY_EINVAL) {
        return session_fail(s, st);
    }
    snprintf(why, sizeof why, "%s", s->err.message);
    return session_bad_input(s, s->call->operands[0], "%s", why);
}

static int find(findings *f, session *s, const asymmetry_args *args, const ney_data *data,
                const double *gamma, int64_t n_gammas)
{
    const ney_mixture_opts *fit = options_of(s->call, &fit_options);
    ney_status st;

    if (data && args->loss == LOSS_HINGE) {
        return findings_sample(f, s, data, &args->sample, learning_scaling(args->scale, data),
                               fit->seed, gamma, n_gammas);
    }
    if (data) {
        if ((st = ney_mixture_fit_with(&f->mixture, &s->env, data, fit, &s->err)) != NEY_OK) {
            return findings_refuse(s, st);
        }
        if (args->save && (st = save_mixture(f->mixture, args->save, &s->err)) != NEY_OK) {
            return session_fail(s, st);
        }
    }
    return study(f, s, args, gamma, n_gammas);
}

/* What was found goes to the files asked for, then to standard output. */
static int deliver(session *s, const findings *f, const asymmetry_args *args, const ney_data *data)
{
    const class_counts n = data ? count_classes(data) : (class_counts){0, 0};
    ney_status st = NEY_OK;

    if ((args->plot && (st = findings_plot(f, args->plot, &s->err)) != NEY_OK) ||
        (args->output && (st = write_curve(f, args->output, &s->err)) != NEY_OK)) {
        return session_fail(s, st);
    }
    if (!args->output || !output_is_stdout(args->output)) {
        tell(s, f, args, &n);
    }
    return EXIT_OK;
}

static int run(session *s)
{
    static const char *const names[] = {"square", "erf", "hinge"};
    const asymmetry_args *args = options_of(s->call, &own_options);
    const char *path = s->call->operands[0];
    const bool is_mixture = is_json_file(path);
    findings f = {.loss = names[args->loss]};
    ney_data *data = NULL;
    double *gamma = NULL;
    int64_t n_gammas;
    int code = check_args(s, args);

    if (code != EXIT_OK) {
        return code;
    }
    gamma = args->gamma ? parse_gammas(s, args->gamma, &n_gammas)
                        : default_gammas(s, !is_mixture && args->loss == LOSS_HINGE, &n_gammas);
    if (!gamma) {
        return s->err.code == NEY_ENOMEM ? EXIT_FAILED : EXIT_USAGE;
    }
    set_questions(&f, args);
    code = is_mixture ? mixture_read(&f.mixture, s, path) : read_data(s, args, &data);
    if (code == EXIT_OK) {
        code = find(&f, s, args, data, gamma, n_gammas);
    }
    if (code == EXIT_OK) {
        code = deliver(s, &f, args, data);
    }
    free(gamma);
    findings_deinit(&f);
    ney_data_free(data);
    return code;
}

static bool has_data(const invocation *call)
{
    return !is_json_file(call->operands[0]);
}

static bool has_hinge(const invocation *call)
{
    return ((const asymmetry_args *)options_of(call, &own_options))->loss == LOSS_HINGE;
}

static bool has_halves(const invocation *call)
{
    return has_data(call) && has_hinge(call);
}

static bool has_fit(const invocation *call)
{
    return has_data(call) && !has_hinge(call);
}

static bool has_choice(const invocation *call)
{
    return has_fit(call) &&
           ((const ney_mixture_opts *)options_of(call, &fit_options))->components == 0;
}

static const option_rule rules[] = {
    {"C splits", has_halves, "--loss hinge on DATA"},
    {"save-mixture components ridge max-rows", has_fit, "DATA with --loss square or erf"},
    {"max-components", has_choice,
     "DATA with --loss square or erf, where --components leaves the number open"},
    {"scale seed format label positive weight id ignore words missing no-header zero-based "
     "max-categories max-columns max-line",
     has_data, "DATA, not to MIXTURE.json"},
    {NULL, NULL, NULL}};

const command command_asymmetry = {
    .name = "asymmetry",
    .operands = "MIXTURE.json|DATA",
    .group = "Trade-off of the two errors",
    .summary = "find the training costs that are best for given test costs",
    .description =
        "A classifier that is trained with the costs of the test is not always the best one for "
        "them: training minimises a convex loss, the test counts errors. For extreme costs the "
        "difference can be large. This command computes the training costs that are best for "
        "given test costs, and the training costs whose classifiers are optimal for no test "
        "costs. Costs are written as false negative : false positive.",
    .details =
        "gamma = C+ / (C+ + C-) stands for the training costs, and beta for the test costs in the "
        "same form. The curve has, for each gamma, the beta for which its classifier is "
        "optimal.\n\n"
        "MIXTURE.json holds the densities of both classes, mixtures of Gaussians: {\"p_pos\": "
        "0.5, \"positive\": [{\"weight\": 1, \"mean\": [0, 0], \"cov\": [[1, 0], [0, 1]]}], "
        "\"negative\": [...]}. From DATA they are fitted by expectation-maximisation, the number "
        "of components chosen by the Bayesian information criterion. Curves and answers are exact "
        "for the densities, down to gamma = 1e-12.\n\n"
        "With --loss hinge on DATA no density is assumed: support vector machines are trained at "
        "every gamma on random halves of DATA and evaluated on the other halves.",
    .everyday = "for-cost-fn for-cost-fp loss plot output label positive scale json help",
    .examples = {{"A false positive costs nine times a false negative:",
                  "neyman asymmetry mixture.json --for-cost-fn 1 --for-cost-fp 9"},
                 {"From data, with a chart:",
                  "neyman asymmetry train.svm --loss erf --plot roc.svg"},
                 {"From held-out rows, without densities:",
                  "neyman asymmetry train.svm --loss hinge"}},
    .exits = {EXIT_FAILED, EXIT_USAGE, EXIT_INPUT, EXIT_INTERRUPTED},
    .sets = {&own_options, &fit_options, &read_options},
    .rules = rules,
    .run = run,
};
