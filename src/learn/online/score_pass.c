#include "learn/online/score_pass.h"

#include "decide/order.h"
#include "learn/threshold.h"

#include <math.h>
#include <string.h>

enum { MAX_KEPT = 1 << 20 }; /* scores: 8 MB */

ney_status ney_score_pass_init(ney_score_pass *p, const ney_online *run, ney_error *err)
{
    const bool is_small = run->feed->all_rows <= MAX_KEPT;
    const int64_t n = is_small ? run->feed->rows : run->feed->chunk_rows;
    *p = (ney_score_pass){.run = run, .keeps_all = is_small};
    p->score = ney_alloc(&run->env, n, sizeof *p->score);
    return p->score ? NEY_OK : ney_no_memory(err, n, "scores");
}

void ney_score_pass_deinit(ney_score_pass *p)
{
    ney_release(&p->run->env, p->score);
}

static ney_status score_chunk(const ney_score_pass *p, const ney_env *env, const ney_chunk *c,
                              const double **out, ney_error *err)
{
    double *const to = p->keeps_all ? p->score + c->first : p->score;
    *out = to;
    return p->is_scored ? NEY_OK : ney_model_score(p->model, env, &c->x, to, err);
}

static ney_status visit_chunk(const ney_score_pass *p, const ney_env *env, int64_t k,
                              ney_score_visitor *visit, void *context, ney_error *err)
{
    const ney_online *const r = p->run;
    const double *score;
    ney_chunk c;
    ney_status st = ney_feed_chunk(r->feed, k, &c, err);
    if (st != NEY_OK) {
        return st;
    }
    st = score_chunk(p, env, &c, &score, err);
    for (int64_t i = 0; st == NEY_OK && i < c.x.rows; i++) {
        if (!ney_parts_held(&r->parts, c.first + i)) {
            visit(context, score[i], c.label[i], c.weight ? (double)c.weight[i] : 1);
        }
    }
    ney_chunk_release(&c);
    return st;
}

ney_status ney_score_pass_run(ney_score_pass *p, ney_score_visitor *visit, void *context,
                              ney_error *err)
{
    const ney_online *const r = p->run;
    ney_env env = r->env;
    ney_status st = NEY_OK;
    env.poll = NULL; /* a run that was stopped still gets its threshold */
    if (r->learner.sgd.shape.units[0] == 0 && r->learner.visits.map.n == 0) {
        env.threads = 1; /* a chunk is done before another thread wakes */
    }
    for (int64_t k = 0; k < r->feed->n_chunks && st == NEY_OK; k++) {
        st = visit_chunk(p, &env, k, visit, context, err);
    }
    p->is_scored = st == NEY_OK && p->keeps_all;
    return st;
}

/* ---------------------------------------------------------------- the threshold */

/* Bits of a score that find_floor() determines in one pass. */
#ifdef NEY_FUZZING /* a few rows: the passes cost less than the bins */
enum { DIGIT = 8 };
#else
enum { DIGIT = 16 };
#endif
enum { BINS = 1 << DIGIT };

/* Scores times the sign: those of the bounded class are to be low. */
typedef struct search {
    int sign;
    uint64_t prefix;     /* of the keys that count */
    int bits;            /* of the prefix that are known */
    int64_t *bin;        /* BINS counts */
    double floor, above; /* above: the smallest score above floor */
} search;

static void count_key(void *context, double score, int sign, double weight)
{
    search *const s = context;
    (void)weight;
    if (sign == -s->sign) {
        const uint64_t key = ney_score_key(s->sign * score);
        if (s->bits == 0 || key >> (64 - s->bits) == s->prefix) {
            s->bin[key >> (64 - DIGIT - s->bits) & (BINS - 1)]++;
        }
    }
}

/* The (k + 1)-th largest score of the bounded class in passes that determine DIGIT bits of it each.
 */
static ney_status find_floor(ney_score_pass *p, search *s, int64_t k, ney_error *err)
{
    ney_status st = NEY_OK;
    s->bin = ney_alloc(&p->run->env, BINS, sizeof *s->bin);
    if (!s->bin) {
        return ney_no_memory(err, BINS, "counts of scores");
    }
    for (s->bits = 0; s->bits < 64 && st == NEY_OK; s->bits += DIGIT) {
        memset(s->bin, 0, BINS * sizeof *s->bin);
        if ((st = ney_score_pass_run(p, count_key, s, err)) == NEY_OK) {
            ney_comm_add_counts(p->run->rounds.comm, s->bin, BINS);
            int64_t b = BINS - 1;
            for (; b > 0 && s->bin[b] <= k; b--) {
                k -= s->bin[b];
            }
            s->prefix = s->prefix << DIGIT | (uint64_t)b;
        }
    }
    s->floor = ney_score_of_key(s->prefix);
    ney_release(&p->run->env, s->bin);
    return st;
}

static void find_above(void *context, double score, int sign, double weight)
{
    search *const s = context;
    const double signed_score = s->sign * score;
    (void)sign;
    (void)weight;
    if (signed_score > s->floor && signed_score < s->above) {
        s->above = signed_score;
    }
}

ney_status ney_score_pass_threshold(ney_score_pass *p, double *threshold, ney_error *err)
{
    const ney_online *const r = p->run;
    const int sign = r->problem.sign;
    const int64_t n = r->parts.all[sign < 0] - r->parts.held_of[sign < 0];
    const int64_t k = ney_threshold_allowed(n, r->request.rate);
    search s = {.sign = sign, .floor = -(double)INFINITY, .above = (double)INFINITY};
    ney_status st = k < n ? find_floor(p, &s, k, err) : NEY_OK;
    if (st == NEY_OK && (st = ney_score_pass_run(p, find_above, &s, err)) == NEY_OK) {
        ney_comm_minimum(r->rounds.comm, &s.above, 1);
        *threshold = ney_threshold_between(sign, s.floor, s.above);
    }
    return st;
}
