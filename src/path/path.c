#include "path/path.h"

#include "learn/make.h"
#include "learn/options.h"
#include "learn/request.h"

#include <math.h>
#include <string.h>

/* ---- the object */

void ney_path_line_free(const ney_env *env, ney_path_line *line)
{
    ney_release(env, line->start);
    ney_release(env, line->point);
    ney_release(env, line->turn);
    *line = (ney_path_line){0};
}

ney_status ney_path_around(ney_path **out, const ney_env *env, ney_data *data,
                           const ney_kernel *kernel, double cache, ney_error *err)
{
    ney_path *const p = ney_alloc_zeroed(env, 1, sizeof *p);
    *out = p;
    if (!p) {
        ney_data_free(data);
        return ney_no_memory(err, 1, "paths");
    }
    p->env = *env;
    p->data = data;
    p->kernel = *kernel;
    p->cache = cache;
    return NEY_OK;
}

ney_status ney_path_new(ney_path **out, const ney_env *env, const ney_data *data,
                        const ney_train_opts *opts, ney_error *err)
{
    const ney_env e = ney_env_of(env);
    const int64_t n = ney_data_matrix(data)->rows;
    int64_t n_params;
    ney_train_opts o;
    ney_data *copy = NULL;

    *out = NULL;
    const ney_param *const params = ney_train_params(&n_params);
    ney_params_init(params, n_params, &o);
    if (opts) {
        o = *opts;
    }
    ney_status st = ney_params_check(params, n_params, &o, err);
    if (st == NEY_OK) {
        st = ney_request_check_only(&o, "kernel gamma degree coef0 cache", NULL, "a path", err);
    }
    if (st == NEY_OK && o.kernel == NEY_KERNEL_SIGMOID) {
        st = ney_fail(err, NEY_EINVAL,
                      "kernel sigmoid is not positive semidefinite: the problem is not convex and "
                      "has no path; expected linear, rbf or poly");
    }
    if (st == NEY_OK && !ney_data_label(data)) {
        st = ney_fail(err, NEY_EINVAL, "the data have no labels");
    }
    int64_t *const rows = st == NEY_OK ? ney_alloc(&e, n, sizeof *rows) : NULL;
    if (st == NEY_OK && !rows) {
        st = ney_no_memory(err, n, "rows");
    }
    for (int64_t i = 0; rows && i < n; i++) {
        rows[i] = i;
    }
    if (st == NEY_OK && (st = ney_data_take(&copy, data, rows, n, err)) == NEY_OK) {
        const ney_kernel kernel = ney_task_kernel(&o, ney_data_matrix(copy));
        st = ney_path_around(out, &e, copy, &kernel, 1e6 * ney_task_cache(&o), err);
    }
    ney_release(&e, rows);
    return st;
}

/* After a failure half way the state is nobody's. */
static void stop_tracing(ney_path *p)
{
    if (p->tracing) {
        ney_tracer_deinit(&p->tracer);
    }
    p->tracing = false;
}

void ney_path_free(ney_path *path)
{
    if (!path) {
        return;
    }
    const ney_env env = path->env;
    stop_tracing(path);
    for (int64_t k = 0; k < path->n_lines; k++) {
        ney_path_line_free(&env, &path->line[k]);
    }
    ney_release(&env, path->line);
    ney_release(&env, path->entry);
    ney_release(&env, path->choice);
    ney_data_free(path->data);
    ney_release(&env, path);
}

int64_t ney_path_lines(const ney_path *path)
{
    return path->n_lines;
}

const ney_path_point *ney_path_points(const ney_path *path, int64_t line, int64_t *n_points)
{
    *n_points = path->line[line].n_points;
    return path->line[line].point;
}

const ney_data *ney_path_data(const ney_path *path)
{
    return path->data;
}

/* ---- being somewhere */

static ney_status start_tracing(ney_path *p, ney_error *err)
{
    const ney_matrix *const x = ney_data_matrix(p->data);
    if (p->tracing) {
        return NEY_OK;
    }
    ney_status st = ney_tracer_init(&p->tracer, &p->env, x, ney_data_label(p->data),
                                    ney_data_weight(p->data), &p->kernel, p->cache, err);
    if (st == NEY_OK && !p->entry) {
        p->entry = ney_alloc(&p->env, x->rows, sizeof *p->entry);
        if (p->entry) {
            memcpy(p->entry, p->tracer.side, (size_t)x->rows);
        } else {
            st = ney_no_memory(err, x->rows, "sides");
        }
    }
    p->tracing = st == NEY_OK;
    if (!p->tracing) {
        ney_tracer_deinit(&p->tracer);
    }
    return st;
}

/* Where on a line a point is: 0 .. 1, NAN when it is not on it. */
static double place_on(const ney_path_line *l, ney_cost_pair c)
{
    const double dx = l->to.plus - l->from.plus, dy = l->to.minus - l->from.minus;
    const double square = dx * dx + dy * dy;
    const double size = fabs(c.plus) + fabs(c.minus);
    double theta =
        square > 0 ? ((c.plus - l->from.plus) * dx + (c.minus - l->from.minus) * dy) / square : 0;
    theta = fmin(fmax(theta, 0), 1);
    const double off =
        fabs(l->from.plus + theta * dx - c.plus) + fabs(l->from.minus + theta * dy - c.minus);
    return off <= 1e-9 * size ? theta : (double)NAN;
}

/* The line through a point, -1 when there is none. */
static int64_t line_through(const ney_path *p, ney_cost_pair c, double *theta)
{
    for (int64_t k = 0; k < p->n_lines; k++) {
        *theta = place_on(&p->line[k], c);
        if (!isnan(*theta)) {
            return k;
        }
    }
    return -1;
}

/* From the entry, first along n+ C+ = n- C- and then at constant C+ + C-. */
static ney_status walk_to(ney_path *p, ney_cost_pair c, ney_error *err)
{
    ney_tracer *const t = &p->tracer;
    const double total = c.plus + c.minus, all = t->class_weight[0] + t->class_weight[1];
    const double even[2] = {total * t->class_weight[1] / all, total * t->class_weight[0] / all};
    const double to[2] = {c.minus, c.plus}, zero[2] = {0, 0};
    ney_status st = ney_tracer_restore(t, p->entry, zero, err);
    if (st == NEY_OK && (st = ney_tracer_follow(t, even, NULL, err)) == NEY_OK) {
        st = ney_tracer_follow(t, to, NULL, err);
    }
    return st;
}

/* Be at a point of a line. Where the rows on the margin are all but dependent, their sides do not
 * tell the solution well enough, and the way there is gone again. */
static ney_status restore(ney_path *p, int64_t line, double theta, ney_cost_pair c, ney_error *err)
{
    const int64_t n = p->tracer.n;
    const double to[2] = {c.minus, c.plus};
    const ney_path_line *const l = &p->line[line];
    int8_t *const side = ney_alloc(&p->env, n, sizeof *side);
    if (!side) {
        return ney_no_memory(err, n, "sides");
    }
    memcpy(side, l->start, (size_t)n);
    for (int64_t k = 0; k < l->n_turns && l->turn[k].theta <= theta; k++) {
        side[l->turn[k].row] = (int8_t)l->turn[k].to;
    }
    ney_status st = ney_tracer_restore(&p->tracer, side, to, err);
    ney_release(&p->env, side);
    if (st == NEY_ENUMERIC || (st == NEY_OK && !(ney_tracer_residual(&p->tracer) < 1e-9))) {
        st = walk_to(p, c, err);
    }
    return st;
}

static ney_status go_to(ney_path *p, ney_cost_pair c, ney_error *err);

/* Be at (0, 0), on the way to `to`. Unless n+ C+ = n- C- on that way, where all rows are left, the
 * sides depend on the direction alone while costs are small: as long as |score| < 1, the class of
 * less weight is left as a whole, and everything else is in proportion. */
static ney_status begin_at_zero(ney_path *p, ney_cost_pair to, ney_error *err)
{
    ney_tracer *const t = &p->tracer;
    const double plus = to.plus * t->class_weight[1], minus = to.minus * t->class_weight[0];
    const double bound = 10 * t->longest * t->longest * (plus + minus), zero[2] = {0, 0};
    ney_status st;
    if (fabs(plus - minus) <= 1e-12 * (plus + minus)) {
        return ney_tracer_restore(t, p->entry, zero, err);
    }
    const double small = bound > 1 ? 1 / bound : 1;
    if ((st = go_to(p, (ney_cost_pair){small * to.plus, small * to.minus}, err)) != NEY_OK) {
        return st;
    }
    int8_t *const side = ney_alloc(&p->env, t->n, sizeof *side);
    if (!side) {
        return ney_no_memory(err, t->n, "sides");
    }
    memcpy(side, t->side, (size_t)t->n);
    st = ney_tracer_restore(t, side, zero, err);
    ney_release(&p->env, side);
    return st;
}

/* Take the tracer to a pair of costs: to a point of a line that was followed before, or along new
 * ones. */
static ney_status go_to(ney_path *p, ney_cost_pair c, ney_error *err)
{
    const ney_tracer *const t = &p->tracer;
    double theta;
    if (t->c[1] == c.plus && t->c[0] == c.minus) {
        return NEY_OK;
    }
    const int64_t line = line_through(p, c, &theta);
    return line >= 0 ? restore(p, line, theta, c, err) : walk_to(p, c, err);
}

/* ---- following */

typedef struct recording {
    ney_path *path;
    ney_path_line line;
} recording;

static ney_status record_point(void *user, const ney_tracer *t, double theta, ney_error *err)
{
    recording *const r = user;
    ney_path_line *const l = &r->line;
    if (!ney_grow(&r->path->env, &l->point, &l->points_cap, l->n_points + 1, sizeof *l->point)) {
        return ney_no_memory(err, l->n_points, "breakpoints");
    }
    (void)theta;
    l->point[l->n_points++] = (ney_path_point){.c = {t->c[1], t->c[0]},
                                               .objective = ney_tracer_objective(t),
                                               .intercept = t->b,
                                               .kkt_residual = ney_tracer_residual(t),
                                               .margin = t->margin.m,
                                               .left = t->count[NEY_SIDE_LEFT],
                                               .right = t->count[NEY_SIDE_RIGHT]};
    return NEY_OK;
}

static ney_status record_turn(void *user, double theta, int64_t row, ney_side to, ney_error *err)
{
    recording *const r = user;
    ney_path_line *const l = &r->line;
    if (!ney_grow(&r->path->env, &l->turn, &l->turns_cap, l->n_turns + 1, sizeof *l->turn)) {
        return ney_no_memory(err, l->n_turns, "turns");
    }
    l->turn[l->n_turns++] = (ney_path_turn){.theta = theta, .row = row, .to = to};
    return NEY_OK;
}

static bool is_cost(double c)
{
    return c >= 0 && c <= 1e15;
}

ney_status ney_path_follow(ney_path *path, ney_cost_pair from, ney_cost_pair to, int64_t *line,
                           ney_error *err)
{
    recording r = {.path = path, .line = {.from = from, .to = to}};
    const ney_recorder recorder = {&r, record_point, record_turn};
    const double end[2] = {to.minus, to.plus};
    const int64_t n = ney_data_matrix(path->data)->rows;
    ney_status st;

    if (!is_cost(from.plus) || !is_cost(from.minus) || !is_cost(to.plus) || !is_cost(to.minus)) {
        return ney_fail(err, NEY_EINVAL, "a line from (%g, %g) to (%g, %g), expected costs from 0",
                        from.plus, from.minus, to.plus, to.minus);
    }
    if (!ney_grow(&path->env, &path->line, &path->lines_cap, path->n_lines + 1,
                  sizeof *path->line)) {
        return ney_no_memory(err, path->n_lines, "lines");
    }
    const bool at_zero = from.plus + from.minus <= 0;
    if ((st = start_tracing(path, err)) == NEY_OK &&
        (st = at_zero ? begin_at_zero(path, to, err) : go_to(path, from, err)) == NEY_OK) {
        r.line.start = ney_alloc(&path->env, n, sizeof *r.line.start);
        if (r.line.start) {
            memcpy(r.line.start, path->tracer.side, (size_t)n);
            st = ney_tracer_follow(&path->tracer, end, &recorder, err);
        } else {
            st = ney_no_memory(err, n, "sides");
        }
    }
    if (st != NEY_OK) {
        ney_path_line_free(&path->env, &r.line);
        stop_tracing(path);
        return st;
    }
    if (line) {
        *line = path->n_lines;
    }
    path->line[path->n_lines++] = r.line;
    return NEY_OK;
}

/* ---- classifiers */

static ney_status refuse_point(const ney_path *p, ney_cost_pair c, ney_error *err)
{
    if (p->n_lines == 0) {
        return ney_fail(err, NEY_EINVAL, "the path has no line");
    }
    const ney_path_line *const l = &p->line[0];
    return ney_fail(
        err, NEY_EINVAL,
        "none of the %lld lines goes through C+ %.9g, C- %.9g; the first is from (%.9g, "
        "%.9g) to (%.9g, %.9g)",
        (long long)p->n_lines, c.plus, c.minus, l->from.plus, l->from.minus, l->to.plus,
        l->to.minus);
}

static ney_status set_facts(ney_model *m, const ney_path *p, ney_cost_pair c, ney_error *err)
{
    const ney_tracer *const t = &p->tracer;
    const struct {
        const char *key;
        double value;
    } facts[] = {{"n", (double)t->n},
                 {"c_plus", c.plus},
                 {"c_minus", c.minus},
                 {"objective", ney_tracer_objective(t)},
                 {"kkt_residual", ney_tracer_residual(t)},
                 {"converged", 1}};
    ney_status st = ney_model_set_text(m, NEY_LIST_SUMMARY, "goal", "cost", err);
    if (st == NEY_OK) {
        st = ney_model_set_text(m, NEY_LIST_SUMMARY, "method", "path", err);
    }
    for (size_t k = 0; k < sizeof facts / sizeof *facts && st == NEY_OK; k++) {
        st = ney_model_set_number(m, NEY_LIST_SUMMARY, facts[k].key, facts[k].value, err);
    }
    return st;
}

ney_status ney_path_model(ney_model **out, ney_path *path, ney_cost_pair c, ney_error *err)
{
    double theta;
    const int64_t line = line_through(path, c, &theta);
    ney_status st;

    *out = NULL;
    if (line < 0) {
        return refuse_point(path, c, err);
    }
    if ((st = start_tracing(path, err)) != NEY_OK ||
        (st = restore(path, line, theta, c, err)) != NEY_OK) {
        stop_tracing(path);
        return st;
    }
    const ney_task task = {.env = path->env,
                           .data = path->data,
                           .x = ney_data_matrix(path->data),
                           .kernel = path->kernel};
    ney_answer answer = {.v = ney_alloc(&path->env, path->tracer.n, sizeof *answer.v),
                         .intercept = path->tracer.b};
    if (!answer.v) {
        return ney_no_memory(err, path->tracer.n, "dual variables");
    }
    ney_tracer_duals(&path->tracer, answer.v);
    if ((st = ney_make_model(out, &task, &answer, err)) == NEY_OK &&
        (st = set_facts(*out, path, c, err)) != NEY_OK) {
        ney_model_free(*out);
        *out = NULL;
    }
    ney_release(&path->env, answer.v);
    return st;
}

/* ---- choices */

const ney_choice *ney_path_choices(const ney_path *path, int64_t *n_choices, double *share_pos)
{
    *n_choices = path->n_choices;
    *share_pos = path->share_pos;
    return path->choice;
}

ney_status ney_path_set_choices(ney_path *path, const ney_choice *choices, int64_t n_choices,
                                double share_pos, ney_error *err)
{
    ney_choice *const copy = ney_alloc(&path->env, n_choices, sizeof *copy);
    if (!copy) {
        return ney_no_memory(err, n_choices, "choices");
    }
    for (int64_t k = 0; k < n_choices; k++) {
        copy[k] = choices[k];
    }
    ney_release(&path->env, path->choice);
    path->choice = copy;
    path->n_choices = n_choices;
    path->share_pos = share_pos;
    return NEY_OK;
}

int64_t ney_path_cheapest(const ney_path *path, double cost_fn, double cost_fp)
{
    int64_t best = -1;
    double least = (double)INFINITY;
    for (int64_t k = 0; k < path->n_choices; k++) {
        const double cost = path->share_pos * cost_fn * (1 - path->choice[k].tpr) +
                            (1 - path->share_pos) * cost_fp * path->choice[k].fpr;
        if (cost < least) {
            least = cost;
            best = k;
        }
    }
    return best;
}

int64_t ney_path_within(const ney_path *path, double max_fpr)
{
    int64_t best = -1;
    for (int64_t k = 0; k < path->n_choices; k++) {
        if (path->choice[k].fpr <= max_fpr &&
            (best < 0 || path->choice[k].tpr >= path->choice[best].tpr)) {
            best = k;
        }
    }
    return best;
}
