/* From the best weights of an online run to a model. */
#include "learn/batch/reject.h"
#include "learn/holdout.h"
#include "learn/make.h"
#include "learn/online/online.h"
#include "learn/threshold.h"
#include "model/online.h"
#include "model/training_rows.h"

#include <math.h>
#include <string.h>

ney_status ney_online_model(const ney_online *r, const double *w, const double *b, int sign,
                            ney_model **out, ney_error *err)
{
    const ney_sgd *s = &r->sgd;
    const ney_recipe *recipe = r->feed->recipe;
    double *own = ney_alloc(&r->env, s->n + s->m, sizeof *own);
    ney_status st;

    *out = NULL;
    if (!own) {
        return ney_no_memory(err, s->n, "weights");
    }
    memcpy(own, w, (size_t)s->n * sizeof *own);
    memcpy(own + s->n, b, (size_t)s->m * sizeof *own);
    for (int64_t k = s->units > 0 ? s->cols * s->units : 0; k < s->n; k++) {
        own[k] *= sign; /* of a network, the output's weights alone */
    }
    own[s->n + s->m - 1] *= sign;
    if (s->units > 0) {
        st = ney_model_new_network(out, &r->env, recipe, s->units, own, own + s->n, err);
    } else if (r->batch.map.n > 0) {
        st = ney_model_new_features(out, &r->env, recipe, &r->batch.map, r->batch.gamma, own,
                                    own[s->n], err);
    } else {
        st = ney_model_new_linear(out, &r->env, recipe, own, own[s->n], err);
    }
    ney_release(&r->env, own);
    return st;
}

/* ---------------------------------------------------------------- passes over the scores */

typedef struct pass {
    const ney_online *run;
    const ney_model *model;
    void (*visit)(struct pass *p, double score, int sign, double weight);
    double *score; /* of one chunk; or else */
    double *all;   /* of all rows, where they are few enough to be kept */
    bool known;    /* and have been made */
    /* what visit() gathers */
    uint64_t prefix;     /* of the keys that count */
    int bits;            /* of the prefix that are known */
    int64_t *bin;        /* 2^16 of them */
    double floor, above; /* above: the smallest score above floor */
    ney_counts counts;
    double loss[2], weight[2]; /* sums of weight * loss and weight, of negatives and positives */
    ney_moments scores[2];     /* of negatives and positives */
    double moved;              /* what count_detected() adds to a score */
    int64_t detected;
} pass;

enum { MOST_KEPT = 1 << 20 }; /* scores: 8 MB */

/* The scores of a chunk, made in the first pass or in each. */
static ney_status score_chunk(pass *p, const ney_env *env, const ney_chunk *c, const double **out,
                              ney_error *err)
{
    double *const to = p->all ? p->all + c->first : p->score;
    *out = to;
    return p->known ? NEY_OK : ney_model_score(p->model, env, &c->x, to, err);
}

static ney_status each_learned(pass *p, ney_error *err)
{
    const ney_online *r = p->run;
    ney_env env = r->env;
    env.poll = NULL; /* a run that was stopped still gets its threshold */
    if (r->sgd.units == 0 && r->batch.map.n == 0) {
        env.threads = 1; /* a chunk is done before another thread wakes */
    }
    for (int64_t k = 0; k < r->feed->n_chunks; k++) {
        ney_chunk c;
        const double *score;
        ney_status st = ney_feed_chunk(r->feed, k, &c, err);
        if (st != NEY_OK) {
            return st;
        }
        st = score_chunk(p, &env, &c, &score, err);
        for (int64_t i = 0; st == NEY_OK && i < c.x.rows; i++) {
            if (!ney_parts_held(&r->parts, c.first + i)) {
                p->visit(p, score[i], c.label[i], c.weight ? (double)c.weight[i] : 1);
            }
        }
        ney_chunk_release(&c);
        if (st != NEY_OK) {
            return st;
        }
    }
    p->known = p->all != NULL;
    return NEY_OK;
}

/* An order-preserving map of doubles to whole numbers. */
static uint64_t key_of(double score)
{
    const double plain = score + 0.0; /* -0 and 0 are equal */
    uint64_t bits;
    memcpy(&bits, &plain, sizeof bits);
    return bits >> 63 ? ~bits : bits | UINT64_C(1) << 63;
}

static double score_of(uint64_t key)
{
    const uint64_t bits = key >> 63 ? key & ~(UINT64_C(1) << 63) : ~key;
    double score;
    memcpy(&score, &bits, sizeof score);
    return score;
}

/* Bits of a score that find_floor() determines in one pass. */
#ifdef NEY_FUZZING /* a few rows: the passes cost less than the bins */
enum { DIGIT = 8 };
#else
enum { DIGIT = 16 };
#endif
enum { BINS = 1 << DIGIT };

/* Scores of the bounded class, the wrong side up. */
static void count_key(pass *p, double score, int sign, double weight)
{
    (void)weight;
    if (sign == -p->run->sign) {
        const uint64_t key = key_of(p->run->sign * score);
        if (p->bits == 0 || key >> (64 - p->bits) == p->prefix) {
            p->bin[key >> (64 - DIGIT - p->bits) & (BINS - 1)]++;
        }
    }
}

/* The (k + 1)-th largest score of the bounded class in four passes: sixteen bits of it each, in
 * memory that does not grow with the rows. -inf when all may be misclassified. */
static ney_status find_floor(pass *p, int64_t k, ney_error *err)
{
    ney_status st = NEY_OK;
    p->bin = ney_alloc(&p->run->env, BINS, sizeof *p->bin);
    if (!p->bin) {
        return ney_no_memory(err, BINS, "counts of scores");
    }
    p->visit = count_key;
    for (p->bits = 0; p->bits < 64 && st == NEY_OK; p->bits += DIGIT) {
        memset(p->bin, 0, BINS * sizeof *p->bin);
        if ((st = each_learned(p, err)) == NEY_OK) {
            int64_t b = BINS - 1;
            for (; b > 0 && p->bin[b] <= k; b--) {
                k -= p->bin[b];
            }
            p->prefix = p->prefix << DIGIT | (uint64_t)b;
        }
    }
    p->floor = score_of(p->prefix);
    ney_release(&p->run->env, p->bin);
    p->bin = NULL;
    return st;
}

static void find_above(pass *p, double score, int sign, double weight)
{
    const double turned = p->run->sign * score;
    (void)sign;
    (void)weight;
    if (turned > p->floor && turned < p->above) {
        p->above = turned;
    }
}

/* Of all rows that were learned from or checked with, at the model's threshold. */
static void count_rows(pass *p, double score, int sign, double weight)
{
    double low, high;
    ney_model_thresholds(p->model, &low, &high);
    const ney_counts one = ney_count(&score, &(int8_t){(int8_t)sign}, 1, low, high);
    p->counts.tp += one.tp;
    p->counts.fp += one.fp;
    p->counts.tn += one.tn;
    p->counts.fn += one.fn;
    p->counts.rejected_pos += one.rejected_pos;
    p->counts.rejected_neg += one.rejected_neg;
    p->weight[sign > 0] += weight;
    ney_moments_add(&p->scores[sign > 0], score);
    p->loss[sign > 0] += weight * ney_online_row_loss(p->run, sign, score);
}

/* Rows of the class that is not bounded; r->sign is its sign. See ney_train_info. */
static void count_detected(pass *p, double score, int sign, double weight)
{
    double low, high;
    (void)weight;
    ney_model_thresholds(p->model, &low, &high);
    p->detected += sign == p->run->sign && (score + p->moved >= high) == (sign > 0);
}

/* As ney_threshold_set(), without all scores in memory. */
static ney_status set_threshold(pass *p, ney_model *m, ney_error *err)
{
    const ney_online *r = p->run;
    const int64_t n = r->parts.all[r->sign < 0] - r->parts.held_of[r->sign < 0];
    const int64_t k = ney_threshold_allowed(n, r->request.rate);
    ney_status st = NEY_OK;
    p->floor = -(double)INFINITY;
    p->above = (double)INFINITY;
    if (k < n) {
        st = find_floor(p, k, err);
    }
    p->visit = find_above;
    if (st != NEY_OK || (st = each_learned(p, err)) != NEY_OK) {
        return st;
    }
    const double threshold = ney_threshold_between(r->sign, p->floor, p->above);
    return ney_model_set_thresholds(m, threshold, threshold, err);
}

/* ---------------------------------------------------------------- certificate and summary */

static bool is_held(const void *context, int64_t row, int sign)
{
    (void)sign;
    return ney_parts_held(context, row);
}

/* The groups of the rows held out, which lie in the order of the feed. */
static ney_status name_groups(ney_data *held, const ney_parts *p, int64_t rows, ney_error *err)
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

static ney_status certify(const ney_online *r, ney_model *m, ney_train_info *info, ney_error *err)
{
    ney_feed feed = *r->feed;
    ney_env env = r->env;
    ney_data *held = NULL;
    feed.env.poll = env.poll = NULL;
    ney_status st = ney_feed_gather(&held, &feed, is_held, &r->parts, NULL, err);
    if (st == NEY_OK && r->parts.group) {
        st = name_groups(held, &r->parts, r->feed->rows, err);
    }
    if (st == NEY_OK) {
        st = ney_holdout_certify(m, &env, held, &r->request, info, err);
        info->held_out = r->parts.n_held;
    }
    ney_data_free(held);
    return st;
}

static void fill_info(const ney_online *r, const pass *p, ney_train_info *info)
{
    const ney_parts *parts = &r->parts;
    const ney_train_info certified = *info;
    const int bounded = r->sign < 0;
    double mean[2], norm = 0;
    for (int c = 0; c < 2; c++) {
        mean[c] = p->loss[c] / p->weight[c];
    }
    for (int64_t k = 0; k < r->sgd.n; k++) {
        norm += r->best_w[k] * r->best_w[k];
    }
    const double costs = parts->weight[0] * mean[0] + parts->weight[1] * mean[1];
    const double L = mean[!bounded] + r->at.best_lambda * (mean[bounded] - r->rate);
    *info = (ney_train_info){
        .stop = r->stop,
        .iterations = r->at.visits,
        .support_vectors = -1,
        .objective = 0.5 * norm + r->o.C * (r->by_cost ? costs : parts->weight[!bounded] * L),
        .convex_objective = (double)NAN,
        .dual_objective = (double)NAN,
        .gap = (double)NAN,
        .end = NEY_END_NONE,
        .steps = r->at.checks,
        .lambda = r->by_cost ? (double)NAN : r->at.best_lambda,
        .ramp_fpr = r->by_cost ? (double)NAN : mean[0],
        .ramp_fnr = r->by_cost ? (double)NAN : mean[1],
        .counts = p->counts,
        .held_out = parts->n_held,
        .held_counts = certified.held_counts,
        .held_mean = certified.held_mean,
        .held_deviation = certified.held_deviation,
        .detected = certified.certified && p->all ? p->detected : -1,
        .n_pos = parts->all[1],
        .n_neg = parts->all[0],
        .certified = certified.certified,
        .certificate = certified.certificate};
}

/* What a run with costs tells; the rest is as below. */
static ney_status summarise_costs(const ney_online *r, ney_model *m, const ney_train_info *info,
                                  ney_error *err)
{
    const ney_parts *p = &r->parts;
    const ney_costs c = r->request.costs;
    const ney_fact_of facts[] = {
        {"goal", "reject", 0},
        {"method", "online", 0},
        {"n", NULL, (double)(p->all[0] + p->all[1])},
        {"n_pos", NULL, (double)p->all[1]},
        {"n_neg", NULL, (double)p->all[0]},
        {"c", NULL, r->o.C},
        {"cost_fn", NULL, c.fn},
        {"cost_fp", NULL, c.fp},
        {"reject_cost_fn", NULL, c.reject_fn},
        {"reject_cost_fp", NULL, c.reject_fp},
        {"rejection_pays", NULL, ney_rejection_pays(&c)},
        {"last_rate", NULL, 1 / (r->mu * (r->at.t0 + (double)r->at.visits))},
        {"epochs", NULL, (double)r->at.checks},
        {"objective", NULL, info->objective},
        {"converged", NULL, info->stop == NEY_STOP_CONVERGED},
        {"stop", ney_stop_text(info->stop), 0},
        {"iterations", NULL, (double)info->iterations},
    };
    return ney_set_facts(m, facts, sizeof facts / sizeof *facts, err);
}

static ney_status summarise(const ney_online *r, ney_model *m, const ney_train_info *info,
                            ney_error *err)
{
    const ney_parts *p = &r->parts;
    const ney_fact_of facts[] = {
        {"goal", "np", 0},
        {"method", "online", 0},
        {"n", NULL, (double)(p->all[0] + p->all[1] - p->n_held)},
        {"n_pos", NULL, (double)(p->all[1] - p->held_of[1])},
        {"n_neg", NULL, (double)(p->all[0] - p->held_of[0])},
        {"c", NULL, r->o.C},
        {r->sign > 0 ? "max_fpr" : "max_fnr", NULL, r->request.rate},
        {"eta", NULL, r->o.eta},
        {"loss", r->o.loss == NEY_LOSS_RAMP ? "ramp" : "sigmoid", 0},
        {"lambda", NULL, info->lambda},
        {"last_rate", NULL, 1 / (r->mu * (r->at.t0 + (double)r->at.visits))},
        {"ramp_fpr", NULL, info->ramp_fpr},
        {"ramp_fnr", NULL, info->ramp_fnr},
        {"epochs", NULL, (double)r->at.checks},
        {"objective", NULL, info->objective},
        {"converged", NULL, info->stop == NEY_STOP_CONVERGED},
        {"stop", ney_stop_text(info->stop), 0},
        {"iterations", NULL, (double)info->iterations},
    };
    return ney_set_facts(m, facts, sizeof facts / sizeof *facts, err);
}

ney_status ney_online_finish(ney_online *r, ney_model **out, ney_train_info *info, ney_error *err)
{
    ney_model *m = NULL;
    const bool few = r->feed->rows <= MOST_KEPT;
    const int64_t n = few ? r->feed->rows : r->feed->chunk_rows;
    double *const score = ney_alloc(&r->env, n, sizeof *score);
    pass p = {.run = r, .score = score, .all = few ? score : NULL};
    ney_status st;

    *out = NULL;
    if (!score) {
        return ney_no_memory(err, n, "scores");
    }
    if ((st = ney_online_model(r, r->best_w, r->best_b, r->sign, &m, err)) != NEY_OK) {
        goto done;
    }
    p.model = m;
    const ney_band band = r->by_cost ? ney_reject_band(&r->request, &r->o) : (ney_band){0};
    st = r->by_cost ? ney_model_set_thresholds(m, band.low, band.high, err)
         : !ney_request_certifies(&r->request) ? set_threshold(&p, m, err)
                                               : certify(r, m, info, err);
    p.visit = count_rows;
    if (st == NEY_OK && (st = each_learned(&p, err)) == NEY_OK && info->certified && p.all) {
        p.moved = ney_holdout_optimism(&r->request, info, &p.scores[r->sign < 0]);
        p.visit = count_detected;
        st = each_learned(&p, err);
    }
    if (st == NEY_OK) {
        fill_info(r, &p, info);
        st = r->by_cost ? summarise_costs(r, m, info, err) : summarise(r, m, info, err);
    }
    if (st == NEY_OK && r->keeps_rows) {
        st = ney_model_set_sketch(m, &r->rows, err);
    }
    if (st == NEY_OK) {
        *out = m;
        m = NULL;
    }

done:
    ney_model_free(m);
    ney_release(&r->env, score);
    return st;
}
