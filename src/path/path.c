#include "path/path.h"

#include "learn/make.h"
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
    p->kind = &ney_trace_double;
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
    p->kind->destroy(p->tracer);
    p->tracer = NULL;
}

void ney_path_free(ney_path *path)
{
    if (!path) {
        return;
    }
    const ney_env env = path->env;
    stop_tracing(path);
    ney_offset_deinit(&path->offset);
    ney_release(&env, path->spare);
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

/* The point where the tracer is. */
static ney_trace_point here(const ney_path *p)
{
    ney_trace_point point;
    p->kind->point(p->tracer, &point);
    return point;
}

/* A polynomial kernel is not the same on shifted rows. */
static ney_status start_shift(ney_path *p, ney_error *err)
{
    const ney_matrix *const x = ney_data_matrix(p->data);
    const int64_t n = x->rows > x->cols ? x->rows : x->cols;
    ney_status st = ney_offset_init(&p->offset, &p->env, x, p->kernel.kind == NEY_KERNEL_POLY, err);
    p->spare = st == NEY_OK ? ney_alloc(&p->env, n, sizeof *p->spare) : NULL;
    if (st == NEY_OK && !p->spare) {
        st = ney_no_memory(err, n, "dual variables");
    }
    if (st != NEY_OK) {
        ney_offset_deinit(&p->offset);
    }
    return st;
}

/* What the tracer's intercept is too large by. Where double is not enough for it, the dual
 * variables rounded to double are not either. */
static ney_status shift_of_intercept(const ney_path *p, double *by, ney_error *err)
{
    ney_status st = NEY_OK;
    *by = 0;
    if (!p->offset.value || p->kernel.kind != NEY_KERNEL_LINEAR) {
        return NEY_OK;
    }
    if (p->kind == &ney_trace_double) {
        p->kind->duals(p->tracer, p->spare);
        *by = ney_offset_of_duals(&p->offset, p->spare);
    } else if ((st = p->kind->weights(p->tracer, p->spare, err)) == NEY_OK) {
        *by = ney_offset_of_weights(&p->offset, p->spare);
    }
    return st;
}

static ney_status start_tracing(ney_path *p, ney_error *err)
{
    const ney_matrix *const x = ney_data_matrix(p->data);
    ney_status st = p->offset.of ? NEY_OK : start_shift(p, err);
    const ney_trace_problem problem = {&p->offset.x, ney_data_label(p->data),
                                       ney_data_weight(p->data), &p->kernel, p->cache};
    if (st != NEY_OK || p->tracer) {
        return st;
    }
    st = p->kind->create(&p->tracer, &p->env, &problem, err);
    if (st == NEY_OK && !p->entry) {
        p->entry = ney_alloc(&p->env, x->rows, sizeof *p->entry);
        if (p->entry) {
            memcpy(p->entry, here(p).side, (size_t)x->rows);
        } else {
            st = ney_no_memory(err, x->rows, "sides");
            stop_tracing(p);
        }
    }
    return st;
}

/* From here on with more digits; false where there are none. */
static bool widen(ney_path *p)
{
    if (p->kind == &ney_trace_wide) {
        return false;
    }
    stop_tracing(p);
    p->kind = &ney_trace_wide;
    ney_log(&p->env, NEY_LOG_INFO, "double precision is not enough: going on with more digits");
    return true;
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
    const ney_trace_point now = here(p);
    const double minus = now.class_weight[0], plus = now.class_weight[1];
    const double total = c.plus + c.minus;
    const double even[2] = {total * plus / (plus + minus), total * minus / (plus + minus)};
    const double to[2] = {c.minus, c.plus}, zero[2] = {0, 0};
    ney_status st = p->kind->restore(p->tracer, p->entry, zero, err);
    if (st == NEY_OK && (st = p->kind->follow(p->tracer, even, NULL, err)) == NEY_OK) {
        st = p->kind->follow(p->tracer, to, NULL, err);
    }
    return st;
}

/* Be at a point of a line. Where the rows on the margin are all but dependent, their sides do not
 * tell the solution well enough, and the way there is gone again. */
static ney_status restore(ney_path *p, int64_t line, double theta, ney_cost_pair c, ney_error *err)
{
    const int64_t n = ney_data_matrix(p->data)->rows;
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
    ney_status st = p->kind->restore(p->tracer, side, to, err);
    ney_release(&p->env, side);
    if (st == NEY_ENUMERIC || (st == NEY_OK && !(here(p).residual <= NEY_PATH_RESIDUAL / 10))) {
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
    const int64_t n = ney_data_matrix(p->data)->rows;
    const ney_trace_point now = here(p);
    const double plus = to.plus * now.class_weight[1], minus = to.minus * now.class_weight[0];
    const double bound = 10 * now.longest * now.longest * (plus + minus), zero[2] = {0, 0};
    ney_status st;
    if (fabs(plus - minus) <= 1e-12 * (plus + minus)) {
        return p->kind->restore(p->tracer, p->entry, zero, err);
    }
    const double small = bound > 1 ? 1 / bound : 1;
    if ((st = go_to(p, (ney_cost_pair){small * to.plus, small * to.minus}, err)) != NEY_OK) {
        return st;
    }
    int8_t *const side = ney_alloc(&p->env, n, sizeof *side);
    if (!side) {
        return ney_no_memory(err, n, "sides");
    }
    memcpy(side, now.side, (size_t)n);
    st = p->kind->restore(p->tracer, side, zero, err);
    ney_release(&p->env, side);
    return st;
}

/* Take the tracer to a pair of costs: to a point of a line that was followed before, or along new
 * ones. */
static ney_status go_to(ney_path *p, ney_cost_pair c, ney_error *err)
{
    const ney_trace_point now = here(p);
    double theta;
    if (now.c[1] == c.plus && now.c[0] == c.minus) {
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

/* Whether what was found is not good enough. */
static bool is_rough(ney_status st, double residual)
{
    return st == NEY_ENUMERIC || (st == NEY_OK && !(residual <= NEY_PATH_RESIDUAL));
}

static ney_status record_point(void *user, const ney_trace_point *t, ney_error *err)
{
    recording *const r = user;
    ney_path_line *const l = &r->line;
    double shift;
    const ney_status st = shift_of_intercept(r->path, &shift, err);
    if (st != NEY_OK) {
        return st;
    }
    if (is_rough(NEY_OK, t->residual) && r->path->kind == &ney_trace_double) {
        return ney_fail(err, NEY_ENUMERIC, "residual %g at C+ %g, C- %g", t->residual, t->c[1],
                        t->c[0]); /* there are more digits */
    }
    if (!ney_grow(&r->path->env, &l->point, &l->points_cap, l->n_points + 1, sizeof *l->point)) {
        return ney_no_memory(err, l->n_points, "breakpoints");
    }
    l->point[l->n_points++] = (ney_path_point){.c = {t->c[1], t->c[0]},
                                               .objective = t->objective,
                                               .intercept = t->intercept - shift,
                                               .kkt_residual = t->residual,
                                               .margin = t->margin,
                                               .left = t->left,
                                               .right = t->right};
    return NEY_OK;
}

static ney_status record_turn(void *user, double theta, int64_t row, int64_t to, ney_error *err)
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

static double worst_of(const ney_path_line *l)
{
    double worst = 0;
    for (int64_t k = 0; k < l->n_points; k++) { /* NAN is worst */
        worst = l->point[k].kkt_residual <= worst ? worst : l->point[k].kkt_residual;
    }
    return worst;
}

double ney_path_residual(const ney_path *path)
{
    double worst = 0;
    for (int64_t k = 0; k < path->n_lines; k++) {
        const double own = worst_of(&path->line[k]);
        worst = own <= worst ? worst : own;
    }
    return worst;
}

/* Follow a line with the digits that there are now. */
static ney_status record_line(ney_path *path, ney_cost_pair from, ney_cost_pair to,
                              ney_path_line *line, ney_error *err)
{
    recording r = {.path = path, .line = {.from = from, .to = to}};
    const ney_trace_recorder recorder = {&r, record_point, record_turn};
    const double end[2] = {to.minus, to.plus};
    const int64_t n = ney_data_matrix(path->data)->rows;
    const bool at_zero = from.plus + from.minus <= 0;
    ney_status st;
    if ((st = start_tracing(path, err)) == NEY_OK &&
        (st = at_zero ? begin_at_zero(path, to, err) : go_to(path, from, err)) == NEY_OK) {
        r.line.start = ney_alloc(&path->env, n, sizeof *r.line.start);
        if (r.line.start) {
            memcpy(r.line.start, here(path).side, (size_t)n);
            st = path->kind->follow(path->tracer, end, &recorder, err);
        } else {
            st = ney_no_memory(err, n, "sides");
        }
    }
    if (st != NEY_OK) {
        ney_path_line_free(&path->env, &r.line);
        stop_tracing(path);
    }
    *line = r.line;
    return st;
}

ney_status ney_path_follow(ney_path *path, ney_cost_pair from, ney_cost_pair to, int64_t *line,
                           ney_error *err)
{
    ney_path_line found;
    if (!is_cost(from.plus) || !is_cost(from.minus) || !is_cost(to.plus) || !is_cost(to.minus)) {
        return ney_fail(err, NEY_EINVAL, "a line from (%g, %g) to (%g, %g), expected costs from 0",
                        from.plus, from.minus, to.plus, to.minus);
    }
    if (!ney_grow(&path->env, &path->line, &path->lines_cap, path->n_lines + 1,
                  sizeof *path->line)) {
        return ney_no_memory(err, path->n_lines, "lines");
    }
    ney_status st = record_line(path, from, to, &found, err);
    if (is_rough(st, worst_of(&found)) && widen(path)) {
        ney_path_line_free(&path->env, &found);
        st = record_line(path, from, to, &found, err);
    }
    if (st != NEY_OK) {
        return st;
    }
    if (line) {
        *line = path->n_lines;
    }
    path->line[path->n_lines++] = found;
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
    const ney_trace_point t = here(p);
    const struct {
        const char *key;
        double value;
    } facts[] = {{"n", (double)ney_data_matrix(p->data)->rows},
                 {"c_plus", c.plus},
                 {"c_minus", c.minus},
                 {"objective", t.objective},
                 {"kkt_residual", t.residual},
                 {"converged", t.residual <= NEY_PATH_RESIDUAL}};
    ney_status st = ney_model_set_text(m, NEY_LIST_SUMMARY, "goal", "cost", err);
    if (st == NEY_OK) {
        st = ney_model_set_text(m, NEY_LIST_SUMMARY, "method", "path", err);
    }
    for (size_t k = 0; k < sizeof facts / sizeof *facts && st == NEY_OK; k++) {
        st = ney_model_set_number(m, NEY_LIST_SUMMARY, facts[k].key, facts[k].value, err);
    }
    return st;
}

/* Go to a point of a line, with more digits where double is not enough. */
static ney_status reach_point(ney_path *p, int64_t line, double theta, ney_cost_pair c,
                              ney_error *err)
{
    ney_status st = start_tracing(p, err);
    if (st == NEY_OK) {
        st = restore(p, line, theta, c, err);
    }
    if (is_rough(st, st == NEY_OK ? here(p).residual : 0) && widen(p) &&
        (st = start_tracing(p, err)) == NEY_OK) {
        st = restore(p, line, theta, c, err);
    }
    if (st != NEY_OK) {
        stop_tracing(p);
    }
    return st;
}

/* The answer at the present point; the caller releases v and w. */
static ney_status take_answer(const ney_path *p, ney_answer *answer, ney_error *err)
{
    const ney_matrix *const x = ney_data_matrix(p->data);
    *answer = (ney_answer){.intercept = here(p).intercept};
    answer->v = ney_alloc(&p->env, x->rows, sizeof *answer->v);
    if (!answer->v) {
        return ney_no_memory(err, x->rows, "dual variables");
    }
    p->kind->duals(p->tracer, answer->v);
    if (p->kernel.kind != NEY_KERNEL_LINEAR) {
        return NEY_OK;
    }
    answer->w = ney_alloc(&p->env, x->cols, sizeof *answer->w);
    const ney_status st = answer->w ? p->kind->weights(p->tracer, answer->w, err)
                                    : ney_no_memory(err, x->cols, "weights");
    if (st == NEY_OK) {
        answer->intercept -= ney_offset_of_weights(&p->offset, answer->w);
    }
    return st;
}

ney_status ney_path_model(ney_model **out, ney_path *path, ney_cost_pair c, ney_error *err)
{
    double theta;
    const int64_t line = line_through(path, c, &theta);
    ney_answer answer;
    ney_status st;

    *out = NULL;
    if (line < 0) {
        return refuse_point(path, c, err);
    }
    if ((st = reach_point(path, line, theta, c, err)) != NEY_OK) {
        return st;
    }
    const ney_task task = {.env = path->env,
                           .data = path->data,
                           .x = ney_data_matrix(path->data),
                           .kernel = path->kernel};
    if ((st = take_answer(path, &answer, err)) == NEY_OK &&
        (st = ney_make_model(out, &task, &answer, err)) == NEY_OK &&
        (st = set_facts(*out, path, c, err)) != NEY_OK) {
        ney_model_free(*out);
        *out = NULL;
    }
    ney_release(&path->env, answer.v);
    ney_release(&path->env, answer.w);
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
