/* Methods compared by cross-validation: for few rows, each of which is then tested once. */
#include <math.h>
#include <stdlib.h>

#include "band.h"
#include "contest.h"
#include "folds.h"

/* A comparison that runs. */
typedef struct validation {
    contest *all;
    session *s;
    const ney_data *raw;
    const ney_train_opts *o;
    const int *fold_of;
    int64_t *rows;  /* workspace: of one fold */
    int64_t *place; /* of a row among those compared; -1: it is not one */
    int64_t n, n_compared;
} validation;

/* Whether the losses of a class are compared: with a bounded rate, those of the other class. */
static bool is_compared(const contest *c, int8_t label)
{
    return !c->bounds || (label > 0) != c->fnr_bounded;
}

static ney_status no_memory(session *s)
{
    return out_of_memory(&s->err, "the comparison of methods");
}

/* Find the rows whose losses are compared. */
static ney_status list_rows(validation *v)
{
    const int8_t *const label = ney_data_label(v->raw);

    v->rows = malloc((size_t)(v->n + 1) * sizeof *v->rows);
    v->place = malloc((size_t)(v->n + 1) * sizeof *v->place);
    if (!v->rows || !v->place) {
        return no_memory(v->s);
    }
    for (int64_t i = 0; i < v->n; i++) {
        v->place[i] = is_compared(v->all, label[i]) ? v->n_compared++ : -1;
    }
    return NEY_OK;
}

/* Groups of the rows that are compared, if the data have some. */
static ney_status list_groups(validation *v)
{
    contest *const c = v->all;

    if (!ney_data_group_column(v->raw)) {
        return NEY_OK;
    }
    if (!(c->group = malloc((size_t)(v->n + 1) * sizeof *c->group))) {
        return no_memory(v->s);
    }
    const ney_status st = ney_data_groups(v->raw, c->group, &v->s->err);
    for (int64_t i = 0; i < v->n; i++) {
        if (v->place[i] >= 0) {
            c->group[v->place[i]] = c->group[i]; /* place[i] <= i */
        }
    }
    return st;
}

/* Add what one method did in a fold; `first`: the first fold. */
static ney_status add_entry(validation *v, int k, const contest *fold, bool first)
{
    const int8_t *const label = ney_data_label(fold->test);
    const int64_t m = ney_data_matrix(fold->test)->rows;
    const contest_entry *const from = &fold->entry[k];
    contest_entry *const to = &v->all->entry[k];
    double low, high;

    if (first) {
        to->name = from->name;
        to->certified = true;
        to->loss = calloc((size_t)v->n_compared + 1, sizeof *to->loss);
    }
    if (!to->loss) {
        return no_memory(v->s);
    }
    to->certified = to->certified && from->certified;
    to->seconds += from->seconds;
    counts_add(&to->counts, &from->counts);
    ney_model_thresholds(from->model, &low, &high);
    for (int64_t i = 0; i < m; i++) {
        const int64_t place = v->place[v->rows[i]];
        if (place >= 0) {
            to->loss[place] = contest_loss(v->all, v->o, label[i], from->score[i] >= high);
        }
    }
    return NEY_OK;
}

static ney_status run_fold(validation *v, const ney_tune_opts *tune, int scale, int fold)
{
    contest c = {0};
    ney_status st = fold_take(v->s, v->raw, v->fold_of, fold, v->o, scale, &c.train, &c.test);

    session_say(v->s, NEY_LOG_INFO, "fold %d of %d", fold + 1, v->all->folds);
    if (st == NEY_OK && fold == 0) {
        st = contest_check(&c, v->s, v->o, tune);
    }
    if (st == NEY_OK && (st = contest_try(&c, v->s, v->o, tune)) == NEY_OK) {
        (void)fold_rows(v->fold_of, v->n, fold, true, v->rows);
        v->all->n = c.n;
    }
    v->all->out_of_time = st != NEY_OK && contest_out_of_time(&c);
    for (int k = 0; k < c.n && st == NEY_OK; k++) {
        st = add_entry(v, k, &c, fold == 0);
    }
    contest_deinit(&c);
    return st;
}

/* Differences of the mean losses of the rows. Their distribution is that of independent losses in
 * the limit of many rows (Bayle, Bayle, Janson and Mackey 2020). */
static ney_status compare(const validation *v)
{
    contest *const c = v->all;
    const ney_compare_opts opts = contest_opts(v->o);
    const double *loss[MOST_ENTRIES];
    ney_difference out[MOST_ENTRIES];

    for (int k = 0; k < c->n; k++) {
        loss[k] = c->entry[k].loss;
    }
    const ney_methods methods = {
        .value = loss, .n_methods = c->n, .group = c->group, .n = v->n_compared};
    const double largest = c->bounds ? 1 : fmax(v->o->cost_fn, v->o->cost_fp);
    const ney_status st = ney_compare_losses(out, &v->s->env, &methods, largest, &opts, &v->s->err);
    for (int k = 0; k < c->n && st == NEY_OK; k++) {
        c->entry[k].difference = out[k];
    }
    return st;
}

ney_status contest_cross_validate(contest *c, session *s, const ney_data *raw, const int *fold_of,
                                  const ney_train_opts *o, const ney_tune_opts *tune, int scale)
{
    validation v = {
        .all = c, .s = s, .raw = raw, .o = o, .fold_of = fold_of, .n = ney_data_matrix(raw)->rows};

    c->bounds = ney_train_goal(o) == NEY_GOAL_RATE;
    c->fnr_bounded = ney_train_bounds(o, NEY_FALSE_NEGATIVES);
    ney_status st = list_rows(&v);
    if (st == NEY_OK) {
        st = list_groups(&v);
    }
    for (int k = 0; k < c->folds && st == NEY_OK; k++) {
        st = run_fold(&v, tune, scale, k);
    }
    if (st == NEY_OK) {
        st = compare(&v);
    }
    free(v.rows);
    free(v.place);
    return st;
}
