#include "contest.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "progress.h"
#include "result.h"

/* ------------------------------------------------------------------ the entries */

typedef struct method_row {
    const char *name;
    const char *grid; /* added to the user's, or NULL */
    int method;       /* ney_method; -1: that of the options */
} method_row;

typedef struct method_list {
    method_row row[MOST_ENTRIES];
    int n;
} method_list;

static void list_add(method_list *list, const char *name, const char *grid, int method)
{
    if (list->n < MOST_ENTRIES) {
        list->row[list->n++] = (method_row){name, grid, method};
    }
}

/* The method of the options against the baselines of the method table. One that reads costs takes
 * part twice: with tuned costs, and with equal costs. Trees are compared with the usual method too.
 */
static void list_for_rate(method_list *list, const ney_train_opts *o)
{
    ney_method_info m;

    if (o->trees != 0) {
        list_add(list, "trees", NULL, -1);
    }
    list_add(list, "np", NULL, o->trees != 0 ? NEY_METHOD_ANNEALED : -1);
    for (int k = 0; ney_method_get(k, &m, sizeof m); k++) {
        if (!m.is_baseline || !m.serves[NEY_GOAL_RATE] ||
            (m.linear_only && o->kernel != NEY_KERNEL_LINEAR)) {
            continue;
        }
        if (m.reads_costs[NEY_GOAL_RATE]) {
            list_add(list, "cost-weighted", NULL, k);
            list_add(list, "threshold-moved", "cost-fp=1", k);
        } else {
            list_add(list, m.name, NULL, k);
        }
    }
}

static void list_for_costs(method_list *list)
{
    list_add(list, "cost", NULL, -1);
    list_add(list, "threshold-moved", NULL, -1);
    list_add(list, "plain", NULL, -1);
}

static ney_status no_memory(session *s)
{
    return out_of_memory(&s->err, "the comparison of methods");
}

/* ------------------------------------------------------------------ training */

/* Tune, or only check the options. */
static ney_status tune_or_check(contest_entry *e, session *s, const contest *c,
                                const ney_data *train, const ney_data *valid,
                                const ney_train_opts *o, const ney_tune_opts *t)
{
    if (c->checking) {
        return ney_tune_check(train, valid != NULL, o, t, &s->err);
    }
    session_say(s, NEY_LOG_INFO, "tuning %s", e->name);
    return ney_tune(&e->model, &s->env, train, valid, o, t, &e->info, &s->err);
}

/* Whether a method reads an option, by its name: an option that it does not read is reset. */
static bool reads_option(const ney_train_opts *o, const char *name, size_t length)
{
    int64_t n;
    const ney_param *const row = ney_train_params(&n);
    ney_train_opts own = *o;

    for (int64_t k = 0; k < n; k++) {
        if (strlen(row[k].name) == length && memcmp(row[k].name, name, length) == 0) {
            char *const at = (char *)&own + row[k].offset;
            if (row[k].kind == NEY_KIND_INT) {
                *(int64_t *)at = (int64_t)row[k].initial + 1;
            } else {
                *(double *)at = row[k].initial + 1;
            }
            ney_train_trim(&own);
            return !ney_param_is_default(&row[k], &own);
        }
    }
    return true; /* tuning refuses it */
}

/* Of a grid, what the method reads. */
static void trim_grid(char *text, const ney_train_opts *o)
{
    const char *const blank = " ;\t\n";

    for (char *at = text + strspn(text, blank); *at; at += strspn(at, blank)) {
        const size_t length = strcspn(at, blank), name = strcspn(at, "=");
        if (name < length && !reads_option(o, at, name)) {
            memset(at, ' ', length);
        }
        at += length;
    }
}

static ney_status tune_one(contest_entry *e, session *s, const contest *c, const ney_train_opts *o,
                           const ney_tune_opts *tune, const char *grid)
{
    ney_tune_opts t = *tune;
    char text[512];

    snprintf(text, sizeof text, "%s %s", tune->grid ? tune->grid : "", grid ? grid : "");
    if (e != c->entry) { /* the method of the request reads all of it */
        trim_grid(text, o);
    }
    t.grid = text;
    return tune_or_check(e, s, c, c->train, NULL, o, &t);
}

/* Hold out 25 % of the rows, on which the threshold is set. */
static ney_status split_for_threshold(session *s, const ney_data *train, uint64_t seed,
                                      ney_data *part[2])
{
    const int64_t n = ney_data_matrix(train)->rows;
    const double share[2] = {3, 1};
    int *part_of = malloc((size_t)(n + 1) * sizeof *part_of);
    int64_t *rows = malloc((size_t)(n + 1) * sizeof *rows);
    ney_status st =
        part_of && rows ? ney_data_split(train, share, 2, seed, part_of, &s->err) : no_memory(s);

    for (int k = 0; k < 2 && st == NEY_OK; k++) {
        int64_t m = 0;
        for (int64_t i = 0; i < n; i++) {
            if (part_of[i] == k) {
                rows[m++] = i;
            }
        }
        st = ney_data_take(&part[k], train, rows, m, &s->err);
    }
    free(part_of);
    free(rows);
    return st;
}

/* Set the threshold with the lowest cost on some rows. */
static ney_status move_threshold(session *s, ney_model *m, const ney_data *rows,
                                 const ney_train_opts *o)
{
    const ney_matrix *x = ney_data_matrix(rows);
    double *score = malloc((size_t)(x->rows + 1) * sizeof *score), least = INFINITY, at = 0;
    ney_roc *roc = NULL;
    ney_status st = score ? ney_model_score(m, &s->env, x, score, &s->err) : no_memory(s);

    if (st == NEY_OK && (st = ney_roc_new(&roc, &s->env, score, ney_data_label(rows), x->rows,
                                          &s->err)) == NEY_OK) {
        for (int64_t k = 0; k < roc->n_points; k++) {
            const double cost =
                o->cost_fn * (double)(roc->n_pos - roc->tp[k]) + o->cost_fp * (double)roc->fp[k];
            if (cost < least) {
                least = cost;
                at = k > 0 ? roc->threshold[k] : nextafter(roc->threshold[1], INFINITY);
            }
        }
        st = ney_model_set_thresholds(m, at, at, &s->err);
    }
    ney_roc_free(roc);
    free(score);
    return st;
}

static ney_status tune_moved_threshold(contest_entry *e, session *s, const contest *c,
                                       const ney_train_opts *o, const ney_tune_opts *tune)
{
    ney_train_opts equal = *o;
    ney_tune_opts t = *tune;
    int64_t n_params;
    const ney_param *const params = ney_tune_params(&n_params);
    ney_data *part[2] = {NULL, NULL};
    ney_status st = split_for_threshold(s, c->train, (uint64_t)o->seed, part);

    equal.cost_fn = equal.cost_fp = 1;
    t.criterion = NEY_CRITERION_AUC; /* the threshold is not known yet */
    equal.seed = 1;                  /* part[1] takes the place of folds */
    for (int64_t k = 0; k < n_params; k++) {
        if (strcmp(params[k].name, "folds") == 0 || strcmp(params[k].name, "at") == 0) {
            ney_params_init(&params[k], 1, &t);
        }
    }
    if (st == NEY_OK && (st = tune_or_check(e, s, c, part[0], part[1], &equal, &t)) == NEY_OK &&
        !c->checking) {
        st = move_threshold(s, e->model, part[1], o);
    }
    ney_data_free(part[0]);
    ney_data_free(part[1]);
    return st;
}

static ney_status tune_method(contest_entry *e, session *s, const contest *c, const method_row *row,
                              const ney_train_opts *o, const ney_tune_opts *tune)
{
    const double begin = clock_seconds();
    ney_train_opts own = *o;
    ney_status st;

    e->name = row->name;
    if (row->method >= 0) {
        own.method = (ney_method)row->method;
        ney_train_trim(&own); /* options that only the first method reads */
        own.seed = o->seed;
    } else if (c->bounds && own.method == NEY_METHOD_AUTO && own.trees == 0) {
        own.method = NEY_METHOD_ANNEALED; /* tuning must not choose another method */
    }
    if (!c->bounds && strcmp(row->name, "threshold-moved") == 0) {
        st = tune_moved_threshold(e, s, c, o, tune);
    } else {
        if (!c->bounds && strcmp(row->name, "plain") == 0) {
            own.cost_fn = own.cost_fp = 1;
        }
        st = tune_one(e, s, c, &own, tune, row->grid);
    }
    e->seconds = clock_seconds() - begin;
    return st;
}

/* ------------------------------------------------------------------ testing */

static ney_status score_test_rows(const contest *c, contest_entry *e, session *s)
{
    const ney_matrix *x = ney_data_matrix(c->test);
    const int8_t *label = ney_data_label(c->test);
    double low, high;
    ney_status st;

    e->score = malloc((size_t)x->rows * sizeof *e->score);
    st = e->score ? ney_model_score(e->model, &s->env, x, e->score, &s->err) : no_memory(s);
    if (st == NEY_OK &&
        (st = ney_roc_new(&e->roc, &s->env, e->score, label, x->rows, &s->err)) == NEY_OK) {
        ney_model_thresholds(e->model, &low, &high);
        e->counts = ney_count(e->score, label, x->rows, low, high);
        e->certified = e->info.train.certified;
    }
    return st;
}

double contest_loss(const contest *c, const ney_train_opts *o, int8_t label, bool positive)
{
    if (positive == (label > 0)) {
        return 0;
    }
    return c->bounds ? 1 : label > 0 ? o->cost_fn : o->cost_fp;
}

ney_compare_opts contest_opts(const ney_train_opts *o)
{
    return (ney_compare_opts){.confidence = 0.95, .resamples = 2999, .seed = (uint64_t)o->seed};
}

/* Differences at the matched rate. */
static ney_status compare_rates(contest *c, session *s, const ney_train_opts *o,
                                ney_difference out[MOST_ENTRIES])
{
    const ney_error_kind kind = c->fnr_bounded ? NEY_FALSE_NEGATIVES : NEY_FALSE_POSITIVES;
    const ney_compare_opts opts = contest_opts(o);
    const double *score[MOST_ENTRIES];

    for (int k = 0; k < c->n; k++) {
        score[k] = c->entry[k].score;
    }
    const ney_methods methods = {.value = score,
                                 .n_methods = c->n,
                                 .label = ney_data_label(c->test),
                                 .group = c->group,
                                 .n = ney_data_matrix(c->test)->rows};
    return ney_compare_rates(out, &s->env, &methods, kind,
                             kind == NEY_FALSE_POSITIVES ? o->max_fpr : o->max_fnr, &opts, &s->err);
}

/* Differences of the mean cost of decisions at the models' own thresholds. */
static ney_status compare_costs(contest *c, session *s, const ney_train_opts *o,
                                ney_difference out[MOST_ENTRIES])
{
    const int8_t *label = ney_data_label(c->test);
    const int64_t n = ney_data_matrix(c->test)->rows;
    const ney_compare_opts opts = contest_opts(o);
    const double *loss[MOST_ENTRIES];
    double *all = malloc((size_t)(c->n * n + 1) * sizeof *all), low, high;

    if (!all) {
        return no_memory(s);
    }
    for (int k = 0; k < c->n; k++) {
        const contest_entry *e = &c->entry[k];
        double *of_method = all + k * n;
        ney_model_thresholds(e->model, &low, &high);
        for (int64_t i = 0; i < n; i++) {
            of_method[i] = contest_loss(c, o, label[i], e->score[i] >= high);
        }
        loss[k] = of_method;
    }
    const ney_methods methods = {.value = loss, .n_methods = c->n, .group = c->group, .n = n};
    const ney_status st =
        ney_compare_losses(out, &s->env, &methods, fmax(o->cost_fn, o->cost_fp), &opts, &s->err);
    free(all);
    return st;
}

/* The groups of the test rows, if they have some. */
static ney_status find_groups(contest *c, session *s)
{
    if (!ney_data_group_column(c->test)) {
        return NEY_OK;
    }
    c->group = malloc(((size_t)ney_data_matrix(c->test)->rows + 1) * sizeof *c->group);
    return c->group ? ney_data_groups(c->test, c->group, &s->err) : no_memory(s);
}

ney_status contest_try(contest *c, session *s, const ney_train_opts *o, const ney_tune_opts *tune)
{
    method_list list = {.n = 0};

    c->bounds = ney_train_goal(o) == NEY_GOAL_RATE;
    c->fnr_bounded = ney_train_bounds(o, NEY_FALSE_NEGATIVES);
    if (c->bounds) {
        list_for_rate(&list, o);
    } else {
        list_for_costs(&list);
    }
    for (int k = 0; k < list.n; k++) {
        contest_entry *e = &c->entry[c->n++];
        ney_status st = tune_method(e, s, c, &list.row[k], o, tune);
        if (st == NEY_OK && !c->checking) {
            st = score_test_rows(c, e, s);
        }
        if (st != NEY_OK) {
            return st;
        }
    }
    return NEY_OK;
}

ney_status contest_check(contest *c, session *s, const ney_train_opts *o, const ney_tune_opts *tune)
{
    c->checking = true;
    const ney_status st = contest_try(c, s, o, tune);
    c->checking = false;
    c->n = 0;
    return st;
}

bool contest_out_of_time(const contest *c)
{
    return c->out_of_time || (c->n > 0 && c->entry[c->n - 1].info.stop == NEY_STOP_TIME);
}

ney_status contest_run(contest *c, session *s, const ney_train_opts *o, const ney_tune_opts *tune)
{
    ney_difference difference[MOST_ENTRIES];
    ney_status st = contest_try(c, s, o, tune);
    if (st == NEY_OK) {
        st = find_groups(c, s);
    }
    if (st == NEY_OK) {
        st = c->bounds ? compare_rates(c, s, o, difference) : compare_costs(c, s, o, difference);
    }
    for (int k = 0; k < c->n && st == NEY_OK; k++) {
        c->entry[k].difference = difference[k];
    }
    return st;
}

void contest_deinit(contest *c)
{
    for (int k = 0; k < c->n; k++) {
        ney_model_free(c->entry[k].model);
        ney_roc_free(c->entry[k].roc);
        free(c->entry[k].score);
        free(c->entry[k].loss);
    }
    free(c->group);
    ney_data_free(c->train);
    ney_data_free(c->test);
}
