#include "trees_look.h"

#include <math.h>
#include <stdlib.h>

#include "interrupt.h"
#include "learning.h"

enum { LEAST_POSITIVES = 50, LEAST_ABOVE = 5 }; /* test rows; negatives above the threshold */

/* The rows of a trial: to train on, and to test on. */
typedef struct trial {
    ney_env env;
    ney_data *part[2];
    bool is_rate;
    int lost; /* class whose errors count: +1, -1 where the FNR is bounded; 0 with costs: both */
    double rate;
    double *score, *loss[2]; /* of the test rows: of the linear model and of trees */
} trial;

/* ------------------------------------------------------------------ whether to look */

static bool is_worth_a_look(const session *s, const ney_data *data, const ney_train_opts *o)
{
    static const char *const families[] = {"kernel", "network", "features", "trees",
                                           "method", "C",       "max-time"};
    const ney_goal_kind goal = ney_train_goal(o);

    if (s->common->quiet || (goal != NEY_GOAL_RATE && goal != NEY_GOAL_COST) ||
        ney_preprocessing_inputs(ney_data_preprocessing(data)) == 0 ||
        ney_data_matrix(data)->cols > LOOK_COLUMNS) {
        return false;
    }
    for (size_t k = 0; k < COUNT(families); k++) {
        if (option_given(s->call, families[k])) {
            return false;
        }
    }
    return true;
}

static bool has_enough(const trial *t)
{
    const int8_t *label = ney_data_label(t->part[1]);
    int64_t n = ney_data_matrix(t->part[1])->rows, counted = 0;

    for (int64_t i = 0; i < n; i++) {
        counted += label[i] == (t->lost ? t->lost : 1);
    }
    return counted >= LEAST_POSITIVES &&
           (!t->is_rate || t->rate * (double)(n - counted) >= LEAST_ABOVE);
}

/* ------------------------------------------------------------------ rows */

static ney_status draw_parts(trial *t, const ney_data *data, uint64_t seed, ney_error *err)
{
    const int64_t n = ney_data_matrix(data)->rows;
    const double own = fmin(0.5, (double)LOOK_ROWS / (double)n);
    const double share[3] = {own, own, fmax(1 - 2 * own, 1e-9)};
    int *part_of = malloc(((size_t)n + 1) * sizeof *part_of);
    int64_t *rows = malloc(((size_t)n + 1) * sizeof *rows);
    ney_status st = part_of && rows
                        ? ney_data_split(data, share, n > 2 * LOOK_ROWS ? 3 : 2, seed, part_of, err)
                        : out_of_memory(err, "the rows");

    for (int k = 0; k < 2 && st == NEY_OK; k++) {
        int64_t m = 0;
        for (int64_t i = 0; i < n; i++) {
            if (part_of[i] == k) {
                rows[m++] = i;
            }
        }
        st = ney_data_take(&t->part[k], data, rows, m, err);
    }
    free(rows);
    free(part_of);
    return st;
}

/* ------------------------------------------------------------------ losses */

static int descending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x < y) - (x > y);
}

/* Misses at the threshold where the rate of the test rows is the bound. */
static void rate_losses(const trial *t, double *loss)
{
    const int8_t *label = ney_data_label(t->part[1]);
    const int64_t n = ney_data_matrix(t->part[1])->rows;
    int64_t m = 0;

    for (int64_t i = 0; i < n; i++) { /* scores of the bounded class, the wrong ones first */
        if (label[i] != t->lost) {
            loss[m++] = t->lost * t->score[i];
        }
    }
    qsort(loss, (size_t)m, sizeof *loss, descending);
    const int64_t k = (int64_t)(t->rate * (double)m);
    const double threshold = loss[k < m ? k : m - 1];
    for (int64_t i = 0; i < n; i++) {
        loss[i] = label[i] == t->lost && t->lost * t->score[i] <= threshold;
    }
}

static void cost_losses(const trial *t, const ney_train_opts *o, double *loss)
{
    const int8_t *label = ney_data_label(t->part[1]);

    for (int64_t i = 0; i < ney_data_matrix(t->part[1])->rows; i++) {
        const bool wrong = (t->score[i] >= 0) != (label[i] > 0);
        loss[i] = !wrong ? 0 : label[i] > 0 ? o->cost_fn : o->cost_fp;
    }
}

static ney_status try_family(trial *t, const ney_train_opts *o, int64_t trees, ney_error *err)
{
    ney_train_opts own = *o;
    ney_model *model = NULL;

    own.trees = trees;
    own.learning_rate = trees != 0 ? 0.2 : own.learning_rate; /* few rounds */
    own.confidence = (double)NAN;
    own.conformal = false;
    own.conformal_folds = own.calibrate_folds = 0;
    own.calibrate = own.holdout = (double)NAN;
    ney_train_trim(&own);
    ney_status st = ney_train(&model, &t->env, t->part[0], &own, NULL, err);
    if (st == NEY_OK) {
        st = ney_model_score(model, &t->env, ney_data_matrix(t->part[1]), t->score, err);
    }
    if (st == NEY_OK) {
        double *const loss = t->loss[trees != 0];
        if (t->is_rate) {
            rate_losses(t, loss);
        } else {
            cost_losses(t, o, loss);
        }
    }
    ney_model_free(model);
    return st;
}

/* ------------------------------------------------------------------ the line */

/* Much better: a quarter less is lost, and the difference is more than three of its standard
 * deviations. */
static void say(session *s, const trial *t)
{
    const int8_t *label = ney_data_label(t->part[1]);
    const int64_t n = ney_data_matrix(t->part[1])->rows;
    double sum[2] = {0, 0}, square = 0;
    int64_t counted = 0;

    for (int64_t i = 0; i < n; i++) {
        const double difference = t->loss[0][i] - t->loss[1][i];
        sum[0] += t->loss[0][i];
        sum[1] += t->loss[1][i];
        square += difference * difference;
        counted += t->lost == 0 || label[i] == t->lost;
    }
    if (!(sum[1] <= 0.75 * sum[0] && sum[0] - sum[1] > 3 * sqrt(square))) {
        return;
    }
    if (t->is_rate) {
        session_say(s, NEY_LOG_INFO,
                    "in a quick comparison on %lld rows trees detect %.0f %% at this bound, a "
                    "linear model (C = 1) %.0f %%: add --trees auto",
                    (long long)n, 100 * (1 - sum[1] / (double)counted),
                    100 * (1 - sum[0] / (double)counted));
    } else {
        session_say(s, NEY_LOG_INFO,
                    "in a quick comparison on %lld rows the mean cost of trees is %.3g, that of a "
                    "linear model (C = 1) %.3g: add --trees auto",
                    (long long)n, sum[1] / (double)counted, sum[0] / (double)counted);
    }
}

static bool keep_going(void *user, const ney_progress *progress)
{
    (void)user;
    (void)progress;
    return !interrupted();
}

void look_at_trees(session *s, const ney_data *data)
{
    const ney_train_opts *o = options_of(s->call, &learning_options);
    trial t = {.env = {.threads = s->env.threads, .poll = keep_going}};
    ney_error ignored = {0};

    if (!is_worth_a_look(s, data, o)) {
        return;
    }
    t.is_rate = ney_train_goal(o) == NEY_GOAL_RATE;
    t.rate = isnan(o->max_fpr) ? o->max_fnr : o->max_fpr;
    t.lost = !t.is_rate ? 0 : isnan(o->max_fpr) ? -1 : 1;
    if (draw_parts(&t, data, (uint64_t)o->seed, &ignored) == NEY_OK && has_enough(&t)) {
        const size_t n = (size_t)ney_data_matrix(t.part[1])->rows;
        t.score = malloc((3 * n + 1) * sizeof *t.score);
        if (t.score) {
            t.loss[0] = t.score + n;
            t.loss[1] = t.loss[0] + n;
            if (try_family(&t, o, LOOK_TREES, &ignored) == NEY_OK && !interrupted() &&
                try_family(&t, o, 0, &ignored) == NEY_OK && !interrupted()) {
                say(s, &t);
            }
        }
    }
    free(t.score);
    ney_data_free(t.part[0]);
    ney_data_free(t.part[1]);
}
