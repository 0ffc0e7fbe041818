/* From the best weights of an online run to a model. */
#include "decide/counts.h"
#include "learn/batch/reject.h"
#include "learn/holdout.h"
#include "learn/make.h"
#include "learn/online/score_pass.h"
#include "learn/rejection.h"
#include "learn/shared.h"
#include "model/online.h"
#include "model/training_rows.h"

#include <math.h>
#include <string.h>

ney_status ney_online_model(const ney_online *r, const double *w, const double *b, int sign,
                            ney_model **out, ney_error *err)
{
    const ney_sgd *s = &r->learner.sgd;
    const ney_preprocessing *preprocessing = r->feed->preprocessing;
    double *own = ney_alloc(&r->env, s->n + s->m, sizeof *own);
    ney_status st;

    *out = NULL;
    if (!own) {
        return ney_no_memory(err, s->n, "weights");
    }
    memcpy(own, w, (size_t)s->n * sizeof *own);
    memcpy(own + s->n, b, (size_t)s->m * sizeof *own);
    const int L = ney_network_layers(&s->shape);
    for (int64_t k = ney_network_weight_at(&s->shape, L); k < s->n; k++) {
        own[k] *= sign; /* of a network: the weights of the output alone */
    }
    own[s->n + s->m - 1] *= sign;
    if (L > 0) {
        st = ney_model_new_network(out, &r->env, preprocessing, &s->shape, own, own + s->n, err);
    } else if (r->learner.visits.map.n > 0) {
        st = ney_model_new_features(out, &r->env, preprocessing, &r->learner.visits.map,
                                    r->learner.visits.gamma, own, own[s->n], err);
    } else {
        st = ney_model_new_linear(out, &r->env, preprocessing, own, own[s->n], err);
    }
    ney_release(&r->env, own);
    return st;
}

/* ---------------------------------------------------------------- certificate */

static bool is_held(const void *context, int64_t row, int sign)
{
    (void)sign;
    return ney_parts_held(context, row);
}

/* The groups of the rows held out, which lie in the order of the feed. */
static ney_status copy_groups(ney_data *held, const ney_parts *p, int64_t rows, ney_error *err)
{
    uint64_t *group = ney_alloc(&p->env, p->n_held, sizeof *group);
    int64_t n = 0;
    if (!group) {
        return ney_no_memory(err, p->n_held, "groups held out");
    }
    for (int64_t i = 0; i < rows; i++) {
        if (ney_parts_held(p, i)) {
            group[n++] = p->group[i];
        }
    }
    const ney_status st = ney_data_set_groups(held, group, err);
    ney_release(&p->env, group);
    return st;
}

static ney_status certify_threshold(const ney_online *r, ney_model *m, ney_train_info *info,
                                    ney_error *err)
{
    ney_feed feed = *r->feed;
    ney_env env = r->env;
    ney_data *held = NULL;
    feed.env.poll = env.poll = NULL;
    ney_status st = ney_feed_gather(&held, &feed, is_held, &r->parts, NULL, err);
    if (st == NEY_OK && r->parts.group) {
        st = copy_groups(held, &r->parts, r->feed->rows, err);
    }
    if (st == NEY_OK) {
        st = ney_holdout_certify(m, &env, held, &r->request, info, err);
        info->held_out = r->parts.n_held;
    }
    ney_data_free(held);
    return st;
}

/* ---------------------------------------------------------------- summary */

/* Counts, losses and scores of all rows that were trained on or validated with. */
typedef struct totals {
    const ney_online_problem *problem;
    double low, high; /* thresholds */
    ney_counts counts;
    double loss[2], weight[2];   /* sums of weight * loss and weight, of negatives and positives */
    ney_score_moments scores[2]; /* of negatives and positives */
    double moved;                /* what count_detected() adds to a score: see ney_train_info */
    int64_t detected;
} totals;

static void count_row(void *context, double score, int sign, double weight)
{
    totals *const t = context;
    const ney_counts one = ney_count(&score, &(int8_t){(int8_t)sign}, 1, t->low, t->high);
    ney_counts_add(&t->counts, &one);
    t->weight[sign > 0] += weight;
    ney_score_moments_add(&t->scores[sign > 0], score);
    t->loss[sign > 0] += weight * ney_online_row_loss(t->problem, sign, score);
}

/* Rows of the free class, whose sign is that of the problem. */
static void count_detected(void *context, double score, int sign, double weight)
{
    totals *const t = context;
    (void)weight;
    t->detected += sign == t->problem->sign && (score + t->moved >= t->high) == (sign > 0);
}

/* The totals of all processes. */
static void join_totals(totals *t, const ney_comm *comm)
{
    double sum[4] = {t->loss[0], t->loss[1], t->weight[0], t->weight[1]}, scratch[4];
    ney_shared_add_counts(comm, &t->counts);
    ney_comm_add(comm, sum, 4, scratch);
    memcpy(t->loss, sum, sizeof t->loss);
    memcpy(t->weight, sum + 2, sizeof t->weight);
    for (int c = 0; c < 2; c++) {
        ney_score_moments_join(comm, &t->scores[c]);
    }
}

/* Count the rows at the thresholds of the model. */
static ney_status count_rows(ney_score_pass *p, totals *t, const ney_train_info *info,
                             ney_error *err)
{
    const ney_online *const r = p->run;
    *t = (totals){.problem = &r->problem, .detected = -1};
    ney_model_thresholds(p->model, &t->low, &t->high);
    ney_status st = ney_score_pass_run(p, count_row, t, err);
    join_totals(t, r->rounds.comm);
    if (st == NEY_OK && info->certified && p->keeps_all && !r->problem.is_cost) {
        t->moved = ney_holdout_optimism(&r->request, info, &t->scores[r->problem.sign < 0]);
        t->detected = 0;
        st = ney_score_pass_run(p, count_detected, t, err);
        ney_comm_add_counts(r->rounds.comm, &t->detected, 1);
    }
    return st;
}

static double squared_norm(const double *w, int64_t n)
{
    double sum = 0;
    for (int64_t k = 0; k < n; k++) {
        sum += w[k] * w[k];
    }
    return sum;
}

static void fill_info(const ney_online *r, const totals *t, ney_train_info *info)
{
    const ney_parts *parts = &r->parts;
    const ney_train_info certified = *info;
    const bool is_cost = r->problem.is_cost;
    const int bounded = r->problem.sign < 0;
    const double norm = squared_norm(r->validation.best_w, r->learner.sgd.n);
    const double mean[2] = {t->loss[0] / t->weight[0], t->loss[1] / t->weight[1]};
    const double costs = parts->weight[0] * mean[0] + parts->weight[1] * mean[1];
    const double L = mean[!bounded] + r->state.best_lambda * (mean[bounded] - r->problem.rate);
    *info = (ney_train_info){.stop = r->stop,
                             .iterations = r->state.visits,
                             .support_vectors = -1,
                             .objective = 0.5 * norm +
                                          r->o.C * (is_cost ? costs : parts->weight[!bounded] * L),
                             .convex_objective = (double)NAN,
                             .dual_objective = (double)NAN,
                             .gap = (double)NAN,
                             .constraint = NEY_CONSTRAINT_NONE,
                             .steps = r->state.n_checks,
                             .lambda = is_cost ? (double)NAN : r->state.best_lambda,
                             .ramp_fpr = is_cost ? (double)NAN : mean[0],
                             .ramp_fnr = is_cost ? (double)NAN : mean[1],
                             .counts = t->counts,
                             .held_out = parts->n_held,
                             .held_counts = certified.held_counts,
                             .held_mean = certified.held_mean,
                             .held_deviation = certified.held_deviation,
                             .detected = t->detected,
                             .n_pos = parts->all[1],
                             .n_neg = parts->all[0],
                             .certified = certified.certified,
                             .certificate = certified.certificate,
                             .certificate_fnr = certified.certificate_fnr};
}

static double last_rate(const ney_online *r)
{
    return 1 / (r->problem.mu * (r->state.t0 + (double)r->state.visits));
}

/* With both rates bounded the costs only shape the score function: an update goes on with them.
 * Costs of rejection that were not stated follow from the others, there as here. */
static ney_status summarise_training_costs(const ney_train_opts *o, ney_model *m, ney_error *err)
{
    const ney_costs c = ney_rejection_stated(o);
    ney_metadata_value items[4] = {
        {"training_cost_fn", NULL, c.fn},
        {"training_cost_fp", NULL, c.fp},
    };
    size_t n = 2;
    if (!isnan(c.reject_fn)) {
        items[n++] = (ney_metadata_value){"training_reject_cost_fn", NULL, c.reject_fn};
    }
    if (!isnan(c.reject_fp)) {
        items[n++] = (ney_metadata_value){"training_reject_cost_fp", NULL, c.reject_fp};
    }
    return ney_set_metadata(m, items, n, err);
}

/* The part of the summary that only a run with costs has. */
static ney_status summarise_costs(const ney_online *r, ney_model *m, ney_error *err)
{
    const ney_task task = {.env = r->env, .request = r->request, .o = r->o};
    ney_status st = r->request.goal->describe(&task, m, err);
    if (st == NEY_OK && r->request.kind == NEY_GOAL_RATES) {
        st = summarise_training_costs(&r->o, m, err);
    }
    return st == NEY_OK
               ? ney_model_set_number(m, NEY_METADATA_SUMMARY, "last_rate", last_rate(r), err)
               : st;
}

static ney_status summarise_rate(const ney_online *r, ney_model *m, const ney_train_info *info,
                                 ney_error *err)
{
    const ney_metadata_value items[] = {
        {r->problem.sign > 0 ? "max_fpr" : "max_fnr", NULL, r->request.rate},
        {"eta", NULL, r->o.eta},
        {"loss", r->o.loss == NEY_LOSS_RAMP ? "ramp" : "sigmoid", 0},
        {"lambda", NULL, info->lambda},
        {"last_rate", NULL, last_rate(r)},
        {"ramp_fpr", NULL, info->ramp_fpr},
        {"ramp_fnr", NULL, info->ramp_fnr},
    };
    return ney_set_metadata(m, items, sizeof items / sizeof *items, err);
}

static ney_status describe_run(const ney_online *r, ney_model *m, const ney_train_info *info,
                               ney_error *err)
{
    const ney_parts *p = &r->parts;
    const ney_metadata_value request[] = {
        {"goal", r->request.goal->name, 0},
        {"method", "online", 0},
        {"n", NULL, (double)(p->all[0] + p->all[1] - p->n_held)},
        {"n_pos", NULL, (double)(p->all[1] - p->held_of[1])},
        {"n_neg", NULL, (double)(p->all[0] - p->held_of[0])},
        {"c", NULL, r->o.C},
    };
    const ney_metadata_value result[] = {
        {"epochs", NULL, (double)r->state.n_checks},
        {"objective", NULL, info->objective},
        {"converged", NULL, info->stop == NEY_STOP_CONVERGED},
        {"stop", ney_stop_text(info->stop), 0},
        {"iterations", NULL, (double)info->iterations},
    };
    ney_status st = ney_set_metadata(m, request, sizeof request / sizeof *request, err);
    if (st == NEY_OK) {
        st = r->problem.is_cost ? summarise_costs(r, m, err) : summarise_rate(r, m, info, err);
    }
    return st == NEY_OK ? ney_set_metadata(m, result, sizeof result / sizeof *result, err) : st;
}

/* ---------------------------------------------------------------- the model */

/* By rows held out, by the costs, or by the rate on the rows trained on. */
static ney_status set_thresholds(ney_score_pass *p, ney_model *m, ney_train_info *info,
                                 ney_error *err)
{
    const ney_online *const r = p->run;
    if (ney_request_certifies(&r->request)) {
        return certify_threshold(r, m, info, err);
    }
    if (r->problem.is_cost) {
        const ney_band band = ney_reject_band(&r->request, &r->o);
        return ney_model_set_thresholds(m, band.low, band.high, err);
    }
    double threshold;
    const ney_status st = ney_score_pass_threshold(p, &threshold, err);
    return st == NEY_OK ? ney_model_set_thresholds(m, threshold, threshold, err) : st;
}

ney_status ney_online_finish(ney_online *r, ney_model **out, ney_train_info *info, ney_error *err)
{
    ney_score_pass pass;
    ney_model *m = NULL;
    totals t;
    ney_status st = ney_score_pass_init(&pass, r, err);

    *out = NULL;
    if (st != NEY_OK) {
        return st;
    }
    if ((st = ney_online_model(r, r->validation.best_w, r->validation.best_b, r->problem.sign, &m,
                               err)) == NEY_OK) {
        pass.model = m;
        if ((st = set_thresholds(&pass, m, info, err)) == NEY_OK &&
            (st = count_rows(&pass, &t, info, err)) == NEY_OK) {
            fill_info(r, &t, info);
            st = describe_run(r, m, info, err);
        }
    }
    if (st == NEY_OK && r->fingerprint.is_kept) {
        st = ney_model_set_sketch(m, &r->fingerprint.rows, err);
    }
    if (st == NEY_OK) {
        *out = m;
        m = NULL;
    }
    ney_model_free(m);
    ney_score_pass_deinit(&pass);
    return st;
}
