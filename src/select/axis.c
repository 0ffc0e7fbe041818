#include "select/axis.h"

#include "base/number.h"
#include "base/text.h"
#include "learn/method.h"
#include "model/family.h"

#include <math.h>
#include <string.h>

/* To 12 digits: so that the square of the root of 10 is 10. */
static double round_to_digits(double x)
{
    const double unit = pow(10, floor(log10(x)) - 11), digits = round(x / unit);
    return unit < 1 ? digits / round(1 / unit) : digits * unit;
}

double ney_axis_value(const ney_axis *a, int place)
{
    return a->is_list ? a->value[place]
                      : round_to_digits(a->base * pow(a->ratio, (double)place / a->parts));
}

void ney_axis_set(const ney_axis *a, int place, ney_train_opts *o)
{
    void *const field = (char *)o + a->param->offset;
    const double value = ney_axis_value(a, place);
    if (a->param->kind == NEY_KIND_INT) {
        *(int64_t *)field = (int64_t)value;
    } else {
        *(double *)field = value;
    }
}

bool ney_axis_can_extend(const ney_axis *a, bool upwards)
{
    if (a->is_list || a->high - a->low + 1 >= NEY_MOST_VALUES) {
        return false;
    }
    const double next = ney_axis_value(a, upwards ? a->high + 1 : a->low - 1);
    return next >= a->param->low && next <= a->param->high;
}

/* ---- what suits a goal */

static const ney_param *find_param(const char *name, size_t length)
{
    int64_t n;
    const ney_param *const p = ney_train_params(&n);
    for (int64_t k = 0; k < n; k++) {
        if (strlen(p[k].name) == length && strncmp(p[k].name, name, length) == 0) {
            return &p[k];
        }
    }
    return NULL;
}

static bool is_one_of(const char *name, const char *const *names)
{
    while (*names && strcmp(*names, name) != 0) {
        names++;
    }
    return *names != NULL;
}

/* These have a column in the table of results. */
static bool may_vary(const char *name)
{
    static const char *const names[] = {"C",      "gamma", "eta",   "cost-fn",       "cost-fp",
                                        "degree", "coef0", "depth", "learning-rate", "min-child",
                                        "at-k",   NULL};
    return is_one_of(name, names);
}

static bool shapes_kernel(const char *name)
{
    static const char *const names[] = {"gamma", "degree", "coef0", NULL};
    return is_one_of(name, names);
}

static ney_axis geometric_axis(const char *name, double low, double ratio, int n)
{
    return (ney_axis){.param = find_param(name, strlen(name)),
                      .of_kernel = shapes_kernel(name),
                      .base = low,
                      .ratio = ratio,
                      .parts = 1,
                      .high = n - 1};
}

static ney_axis tree_axis(const char *name, const double *value, int n)
{
    ney_axis a = {
        .param = find_param(name, strlen(name)), .is_list = true, .high = n - 1, .parts = 1};
    memcpy(a.value, value, (size_t)n * sizeof *value);
    return a;
}

static void add_default(ney_grid *g, const ney_axis *axis)
{
    for (int k = 0; k < g->n; k++) {
        if (g->axis[k].param == axis->param) {
            return;
        }
    }
    g->axis[g->n++] = *axis;
}

/* Of trees: six points, with four folds 24 fits. A fit is long, and most points are level. */
static void add_tree_defaults(ney_grid *g, const ney_train_opts *o)
{
    static const double depth[] = {4, 6, 8}, weight[] = {1, 4}, child[] = {0.05, 1};
    const ney_request r = ney_request_of(o);
    const char *const bounded = r.bounded_class < 0 ? "cost-fp" : "cost-fn";
    const ney_axis axis[2] = {tree_axis("depth", depth, 3), r.kind == NEY_GOAL_RATE
                                                                ? tree_axis(bounded, weight, 2)
                                                                : tree_axis("min-child", child, 2)};
    for (int k = 0; k < 2; k++) {
        if (ney_param_is_default(axis[k].param, o)) {
            add_default(g, &axis[k]);
        }
    }
}

/* eta is no axis: the problem with (C, eta) is the one with (C / eta^2, 1), its scores times eta. A
 * third axis is paid for by coarser steps on the other two; so is a method that is slow. */
static void add_defaults(ney_grid *g, const ney_train_opts *o, double gamma)
{
    const double root = sqrt(10);
    const ney_request r = ney_request_of(o);
    const bool linear = !ney_request_reads(o, "gamma");
    const bool costs = r.kind == NEY_GOAL_RATE && ney_is_listed(r.learner->reads, "cost-fp");
    const bool coarse = (r.method->traits & NEY_METHOD_IS_COARSE) != 0;
    ney_axis axis[3];
    int n = 0;
    if (r.family == &ney_family_trees) {
        add_tree_defaults(g, o);
        return;
    }
    if (!linear && !(o->gamma > 0)) {
        axis[n++] = coarse ? geometric_axis("gamma", gamma / 16, 4, 5)
                           : geometric_axis("gamma", gamma / 64, 2, 10);
    }
    if (costs) {
        axis[n++] = geometric_axis("cost-fp", 1 / root, root, 7);
    }
    axis[n++] = linear   ? geometric_axis("C", 1e-5, coarse ? 10 : root, coarse ? 7 : 13)
                : coarse ? geometric_axis("C", 0.01, 10, 5)
                         : geometric_axis("C", 0.01, root, 10);
    for (int k = 0; k < n; k++) {
        add_default(g, &axis[k]);
    }
}

/* ---- what the user says */

static ney_status bad_axis(ney_error *err, const char *word, size_t length, const char *expected)
{
    return ney_fail(err, NEY_EINVAL, "grid = %.*s, expected %s", (int)length, word, expected);
}

static bool number_until(const char **at, const char *end, char stop, double *value)
{
    const char *p = *at;
    while (p < end && *p != stop) {
        p++;
    }
    const bool ok = ney_number_parse(*at, (size_t)(p - *at), value);
    *at = p < end ? p + 1 : p;
    return ok;
}

/* LOW:HIGH:N */
static bool parse_range(ney_axis *a, const char *at, const char *end)
{
    double low, high, n;
    if (!number_until(&at, end, ':', &low) || !number_until(&at, end, ':', &high) ||
        !number_until(&at, end, ':', &n) || at != end) {
        return false;
    }
    if (!(low > 0) || !(high > low) || n != floor(n) || !(n >= 2) || n > NEY_MOST_VALUES) {
        return false;
    }
    a->base = low;
    a->ratio = pow(high / low, 1 / (n - 1));
    a->high = (int)n - 1;
    return true;
}

static bool parse_list(ney_axis *a, const char *at, const char *end)
{
    int n = 0;
    a->is_list = true;
    while (at < end && n < NEY_MOST_VALUES) {
        if (!number_until(&at, end, ',', &a->value[n++])) {
            return false;
        }
    }
    a->high = n - 1;
    return n > 0 && at == end && end[-1] != ',';
}

static bool within_bounds(const ney_axis *a)
{
    for (int k = a->low; k <= a->high; k++) {
        const double v = ney_axis_value(a, k);
        const bool is_penalty = strcmp(a->param->name, "C") == 0; /* 0 would be auto */
        if (!(v >= a->param->low && v <= a->param->high) || (is_penalty && !(v > 0)) ||
            (a->param->kind == NEY_KIND_INT && v != floor(v))) {
            return false;
        }
    }
    return true;
}

static ney_status parse_axis(ney_grid *g, const char *word, size_t length, ney_error *err)
{
    const char *const equals = memchr(word, '=', length), *const end = word + length;
    const ney_param *const p = equals ? find_param(word, (size_t)(equals - word)) : NULL;
    if (!p || !may_vary(p->name)) {
        return bad_axis(
            err, word, length,
            "one of C, gamma, eta, cost-fn, cost-fp, degree, coef0, depth, learning-rate, "
            "min-child, at-k and its values, "
            "such as C=0.1:1000:9");
    }
    for (int k = 0; k < g->n; k++) {
        if (g->axis[k].param == p) {
            return bad_axis(err, word, length, "each option once");
        }
    }
    if (g->n == NEY_MOST_AXES - 3) { /* three axes are reserved for the defaults */
        return bad_axis(err, word, length, "three options at most");
    }
    ney_axis *const a = &g->axis[g->n];
    *a = (ney_axis){.param = p, .of_kernel = shapes_kernel(p->name), .parts = 1};
    const bool range = memchr(word, ':', length) != NULL;
    if (!(range ? parse_range(a, equals + 1, end) : parse_list(a, equals + 1, end))) {
        return bad_axis(err, word, length,
                        "LOW:HIGH:N with 0 < LOW < HIGH and N from 2 to 100, or values "
                        "separated by commas");
    }
    if (!within_bounds(a)) {
        return ney_fail(err, NEY_EINVAL, "grid = %.*s, expected values of %s from %g to %g",
                        (int)length, word, p->name, p->low, p->high);
    }
    g->n++;
    return NEY_OK;
}

/* Kernel axes first, C last, otherwise in the order given. */
static int place_of(const ney_axis *a)
{
    return a->of_kernel ? 0 : strcmp(a->param->name, "C") != 0 ? 1 : 2;
}

static void sort_axes(ney_grid *g)
{
    for (int i = 1; i < g->n; i++) {
        for (int k = i; k > 0 && place_of(&g->axis[k]) < place_of(&g->axis[k - 1]); k--) {
            const ney_axis t = g->axis[k];
            g->axis[k] = g->axis[k - 1];
            g->axis[k - 1] = t;
        }
    }
}

static ney_axis list_axis(const char *name, const double *values, int n, double unit)
{
    ney_axis a = {.param = find_param(name, strlen(name)),
                  .of_kernel = shapes_kernel(name),
                  .is_list = true,
                  .parts = 1,
                  .high = n - 1};
    for (int k = 0; k < n; k++) {
        a.value[k] = unit * values[k];
    }
    return a;
}

/* The grid "quick": about as much work as four fits of the annealed method, which is tried at one
 * point only; an SVM at many costs takes a small part of its time. Lists: nothing grows. */
static void add_quick(ney_grid *g, const ney_train_opts *o, double gamma)
{
    static const double one[] = {1}, gammas[] = {0.25, 1, 4}, weights[] = {0.3, 3, 30},
                        linear[] = {0.01, 0.1, 1}, kernel[] = {1, 10};
    const ney_request r = ney_request_of(o);
    const bool has_gamma = ney_request_reads(o, "gamma");
    const bool costs = r.kind == NEY_GOAL_RATE && ney_is_listed(r.learner->reads, "cost-fp");
    if (has_gamma && !(o->gamma > 0)) {
        g->axis[g->n++] =
            costs ? list_axis("gamma", gammas, 3, gamma) : list_axis("gamma", one, 1, gamma);
    }
    if (costs) {
        g->axis[g->n++] = list_axis("cost-fp", weights, 3, 1);
    }
    g->axis[g->n++] = !costs      ? list_axis("C", one, 1, 1)
                      : has_gamma ? list_axis("C", kernel, 2, 1)
                                  : list_axis("C", linear, 3, 1);
}

ney_status ney_grid_init(ney_grid *g, const char *text, const ney_train_opts *o, double gamma,
                         ney_error *err)
{
    const char *const blank = " ;\t\n";
    *g = (ney_grid){0};
    if (text && strcmp(text, NEY_GRID_QUICK) == 0) {
        add_quick(g, o, gamma);
        return NEY_OK;
    }
    for (const char *at = text ? text + strspn(text, blank) : ""; *at;) {
        const size_t length = strcspn(at, blank);
        const ney_status st = parse_axis(g, at, length, err);
        if (st != NEY_OK) {
            return st;
        }
        at += length;
        at += strspn(at, blank);
    }
    add_defaults(g, o, gamma);
    sort_axes(g);
    return NEY_OK;
}
