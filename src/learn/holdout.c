/* Certifying a rate goal. m rows of the bounded class, drawn at random, take no part in making the
 * score function; the order statistic of their scores [CERT.1] is the threshold. Only the bounded
 * class is held out: the proof asks nothing of the other. */
#include "learn/holdout.h"

#include "data/data.h"

#include <math.h>

int ney_bounded_sign(const ney_train_opts *o)
{
    return isnan(o->max_fnr) ? -1 : 1;
}

double ney_bounded_rate(const ney_train_opts *o)
{
    return isnan(o->max_fnr) ? o->max_fpr : o->max_fnr;
}

/* 1 - confidence as the decimal fraction that is meant: 0.05 for 0.95, whose difference from 1 is a
 * few bits more. */
static double delta_of(double confidence)
{
    return round((1 - confidence) * 1e15) / 1e15;
}

/* The fewest rows that allow as many mistakes as m rows do: fewer held out, and a rate nearer to
 * the one allowed. Not to the brink: at three quarters of delta, which costs a few rows, repeated
 * runs are seen to keep the promise and not only to keep it on average. */
static int64_t fewest_like(int64_t m, double rate, double delta)
{
    const int64_t r = ney_mistakes_allowed(m, rate, delta);
    int64_t low = 0, high = m; /* low allows fewer mistakes */
    while (high - low > 1) {
        const int64_t middle = low + (high - low) / 2;
        if (ney_mistakes_allowed(middle, rate, 0.75 * delta) < r) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return high;
}

/* How many of n rows to hold out, unless told. Few rows certify a threshold that is stricter than
 * it need be: the rate to expect is (mistakes allowed + 1) / (m + 1). Take about as many as bring
 * that to three quarters of the rate allowed, but no more than half of the rows, unless more are
 * needed to certify anything. */
static int64_t rows_to_hold(int64_t n, double rate, double delta)
{
    const int64_t needed = (int64_t)ney_rows_needed(rate, delta);
    const int64_t most = n / 2 > needed ? n / 2 : needed;
    int64_t low = needed, high = needed;
    while (high < most && ney_plan_at(high, rate, delta, 0.5).expected_rate < 0.75 * rate) {
        low = high;
        high *= 2;
    }
    while (high - low > 1) {
        const int64_t m = low + (high - low) / 2;
        if (ney_plan_at(m, rate, delta, 0.5).expected_rate < 0.75 * rate) {
            low = m;
        } else {
            high = m;
        }
    }
    return fewest_like(high < most ? high : most, rate, delta);
}

static ney_status too_few(const ney_train_opts *o, int64_t n, double needed, double delta,
                          ney_error *err)
{
    return ney_fail(err, NEY_EGOAL,
                    "%lld %s rows cannot certify a rate of %g with confidence %g: at least %.0f "
                    "must be held out, and one be left to learn from; the tightest rate that these "
                    "can certify is %.4g",
                    (long long)n, ney_bounded_sign(o) < 0 ? "negative" : "positive",
                    ney_bounded_rate(o), o->confidence, needed,
                    ney_tightest_rate(n > 0 ? n - 1 : 0, delta));
}

ney_status ney_holdout_size(const ney_train_opts *o, int64_t n, int64_t *m, ney_error *err)
{
    const double rate = ney_bounded_rate(o), delta = delta_of(o->confidence);
    if (!(rate > 0)) {
        return ney_fail(err, NEY_EGOAL,
                        "no number of rows can certify a rate of 0; %lld rows held out could "
                        "certify %.4g with confidence %g",
                        (long long)(n - 1), ney_tightest_rate(n - 1, delta), o->confidence);
    }
    const double needed = rate < 1 ? ney_rows_needed(rate, delta) : 0;
    if (needed > (double)(n - 1)) {
        return too_few(o, n, needed, delta, err);
    }
    *m = isnan(o->holdout) ? rows_to_hold(n, rate, delta)
                           : (int64_t)floor(o->holdout * (double)n + 0.5);
    if ((double)*m < needed || *m >= n) {
        return ney_fail(err, NEY_EGOAL,
                        "a share of %g holds out %lld of %lld %s rows; a rate of %g with "
                        "confidence %g takes at least %.0f, and one must be left to learn from",
                        o->holdout, (long long)*m, (long long)n,
                        ney_bounded_sign(o) < 0 ? "negative" : "positive", rate, o->confidence,
                        needed);
    }
    return NEY_OK;
}

bool ney_selection_next(ney_selection *s)
{
    const bool taken = ney_rng_below(&s->rng, s->left--) < s->wanted;
    s->wanted -= taken;
    return taken;
}

ney_status ney_holdout(const ney_data *data, const ney_train_opts *o, bool *held, int64_t *n_held,
                       ney_error *err)
{
    const int64_t rows = ney_data_matrix(data)->rows;
    const int8_t *const label = ney_data_label(data);
    const int sign = ney_bounded_sign(o);
    int64_t n = 0;

    *n_held = 0;
    for (int64_t i = 0; i < rows; i++) {
        held[i] = false;
        n += label && label[i] == sign;
    }
    if (isnan(o->confidence) || n == 0) { /* a class without rows is refused by who learns */
        return NEY_OK;
    }
    const ney_status st = ney_holdout_size(o, n, n_held, err);
    if (st != NEY_OK) {
        return st;
    }
    ney_selection selection = {.rng = {(uint64_t)o->seed}, .left = n, .wanted = *n_held};
    for (int64_t i = 0; i < rows; i++) {
        held[i] = label[i] == sign && ney_selection_next(&selection);
    }
    return NEY_OK;
}

ney_status ney_holdout_certify(ney_model *m, const ney_env *env, const ney_data *held_out,
                               const ney_train_opts *o, ney_train_info *info, ney_error *err)
{
    const ney_matrix *const x = ney_data_matrix(held_out);
    const bool negatives = ney_bounded_sign(o) < 0;
    ney_certified c = {.has_fpr = negatives, .has_fnr = !negatives};
    ney_certificate *one = negatives ? &c.fpr : &c.fnr;
    double *score = ney_alloc(env, x->rows, sizeof *score);
    if (!score) {
        return ney_no_memory(err, x->rows, "scores");
    }
    ney_status st = ney_model_score(m, env, x, score, err);
    if (st == NEY_OK) {
        st = ney_certify(one, env, negatives ? NEY_FALSE_POSITIVES : NEY_FALSE_NEGATIVES, score,
                         x->rows, ney_bounded_rate(o), delta_of(o->confidence), err);
    }
    if (st == NEY_OK) {
        c.low = c.high = one->threshold;
        st = ney_model_certify(m, &c, err);
    }
    if (st == NEY_OK) {
        info->certified = true;
        info->certificate = *one;
    }
    ney_release(env, score);
    return st;
}
