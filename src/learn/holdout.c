/* Certifying a rate goal. m rows of the bounded class, drawn at random, take no part in making the
 * score function; the order statistic of their scores [CERT.1] is the threshold. Only a class whose
 * rate is bounded is held out: the proof asks nothing of the other. */
#include "learn/holdout.h"

#include "data/data.h"
#include "learn/calibration.h"

#include <math.h>
#include <string.h>

int ney_bounded_sign(const ney_train_opts *o)
{
    return isnan(o->max_fnr) ? -1 : 1;
}

double ney_bounded_rate(const ney_train_opts *o)
{
    return isnan(o->max_fnr) ? o->max_fpr : o->max_fnr;
}

static bool is_bounded(const ney_train_opts *o, ney_error_kind kind)
{
    return !isnan(kind == NEY_FALSE_POSITIVES ? o->max_fpr : o->max_fnr);
}

/* The class that may be mistaken. */
static int sign_of(ney_error_kind kind)
{
    return kind == NEY_FALSE_POSITIVES ? -1 : 1;
}

static const char *class_of(ney_error_kind kind)
{
    return kind == NEY_FALSE_POSITIVES ? "negative" : "positive";
}

static const char *bound_of(ney_error_kind kind)
{
    return kind == NEY_FALSE_POSITIVES ? "max-fpr" : "max-fnr";
}

static double max_rate(const ney_train_opts *o, ney_error_kind kind)
{
    return kind == NEY_FALSE_POSITIVES ? o->max_fpr : o->max_fnr;
}

/* Of one rate. With both bounded, (1 - delta)^2 = confidence: the two samples are independent
 * [CERT.3]. */
static double delta_of(const ney_train_opts *o)
{
    const double delta = ney_delta_of_confidence(o->confidence);
    const bool both = is_bounded(o, NEY_FALSE_POSITIVES) && is_bounded(o, NEY_FALSE_NEGATIVES);
    return both ? ney_delta_of_each(delta) : delta;
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

static ney_status too_few(const ney_train_opts *o, ney_error_kind kind, int64_t n, double needed,
                          ney_error *err)
{
    return ney_fail(err, NEY_EGOAL,
                    "%lld %s rows cannot certify %s of %g with confidence %g: at least %.0f "
                    "must be held out, and one be left to learn from; the tightest bound that "
                    "these can certify is %.4g. Add rows, loosen the bound or lower the "
                    "confidence; or set confidence to none: the bound then holds on the training "
                    "rows only",
                    (long long)n, class_of(kind), bound_of(kind), max_rate(o, kind), o->confidence,
                    needed, ney_tightest_rate(n > 0 ? n - 1 : 0, delta_of(o)));
}

/* How many of the n rows of a class to hold out. */
static ney_status count_held(const ney_train_opts *o, ney_error_kind kind, int64_t n, int64_t *m,
                             ney_error *err)
{
    const double rate = max_rate(o, kind), delta = delta_of(o);
    if (!(rate > 0)) {
        return ney_fail(err, NEY_EGOAL,
                        "no number of rows can certify %s of 0; %lld rows held out could certify "
                        "%.4g with confidence %g. With confidence none the bound holds on the "
                        "training rows only, and may be 0",
                        bound_of(kind), (long long)(n - 1), ney_tightest_rate(n - 1, delta),
                        o->confidence);
    }
    const double needed = ney_rows_needed(rate, delta);
    if (needed > (double)(n - 1)) {
        return too_few(o, kind, n, needed, err);
    }
    *m = isnan(o->holdout) ? rows_to_hold(n, rate, delta)
                           : (int64_t)floor(o->holdout * (double)n + 0.5);
    if ((double)*m < needed || *m >= n) {
        return ney_fail(err, NEY_EGOAL,
                        "a share of %g holds out %lld of %lld %s rows; %s of %g with confidence "
                        "%g needs at least %.0f, and one must be left to learn from",
                        o->holdout, (long long)*m, (long long)n, class_of(kind), bound_of(kind),
                        rate, o->confidence, needed);
    }
    return NEY_OK;
}

ney_status ney_holdout_size(const ney_train_opts *o, int64_t n, int64_t *m, ney_error *err)
{
    return count_held(o, isnan(o->max_fnr) ? NEY_FALSE_POSITIVES : NEY_FALSE_NEGATIVES, n, m, err);
}

bool ney_selection_next(ney_selection *s)
{
    const bool taken = ney_rng_below(&s->rng, s->left--) < s->wanted;
    s->wanted -= taken;
    return taken;
}

/* Of the rows of a class that are still to be learned from, of which there are n, m drawn at random
 * become part of the hold-out `part`. */
static void draw(const ney_data *data, uint64_t seed, int sign, int64_t n, int64_t m, ney_part part,
                 uint8_t *part_of)
{
    const int8_t *const label = ney_data_label(data);
    ney_selection selection = {.rng = {seed}, .left = n, .wanted = m};
    for (int64_t i = 0; i < ney_data_matrix(data)->rows; i++) {
        if (label[i] == sign && part_of[i] == NEY_PART_LEARN && ney_selection_next(&selection)) {
            part_of[i] = (uint8_t)part;
        }
    }
}

static int64_t count_class(const ney_data *data, int sign)
{
    const int8_t *const label = ney_data_label(data);
    int64_t n = 0;
    for (int64_t i = 0; label && i < ney_data_matrix(data)->rows; i++) {
        n += label[i] == sign;
    }
    return n;
}

bool ney_holdout_is_asked(const ney_train_opts *o)
{
    return !isnan(o->confidence) || ney_calibration_holds_out(o);
}

/* How many of the n rows of a class that no certificate takes calibrate p-values: one at least, and
 * one is left. --holdout is the share of the certificate where there is one. */
static int64_t rows_to_calibrate(const ney_train_opts *o, int64_t n)
{
    const double share = isnan(o->confidence) && !isnan(o->holdout) ? o->holdout : 0.25;
    const int64_t m = (int64_t)floor(share * (double)n + 0.5);
    return n < 2 ? 0 : m < 1 ? 1 : m < n ? m : n - 1;
}

/* Draw the rows of one class: first those that certify its rate, then of the others those that
 * calibrate. */
static ney_status draw_class(const ney_data *data, const ney_train_opts *o, ney_error_kind kind,
                             uint8_t *part_of, ney_error *err)
{
    enum { CALIBRATION_STREAM = 0x5eed };
    const uint64_t seed = (uint64_t)o->seed;
    const bool certifies = !isnan(o->confidence) && is_bounded(o, kind);
    const int sign = sign_of(kind);
    const int64_t n = count_class(data, sign);
    int64_t m = 0;
    if (n == 0) { /* training refuses such data */
        return NEY_OK;
    }
    if (certifies) {
        const ney_status st = count_held(o, kind, n, &m, err);
        if (st != NEY_OK) {
            return st;
        }
        draw(data, seed, sign, n, m, NEY_PART_CERTIFY, part_of);
    }
    if (certifies && ney_calibration_holds_out(o) && n - m < 2) {
        return ney_fail(err, NEY_EGOAL,
                        "of %lld %s rows %lld certify %s of %g: that leaves too few for the "
                        "p-values of conformal. Add rows, or set confidence to none",
                        (long long)n, class_of(kind), (long long)m, bound_of(kind),
                        max_rate(o, kind));
    }
    if (ney_calibration_holds_out(o)) {
        draw(data, certifies ? seed ^ CALIBRATION_STREAM : seed, sign, n - m,
             rows_to_calibrate(o, n - m), NEY_PART_CALIBRATE, part_of);
    }
    return NEY_OK;
}

ney_status ney_holdout(const ney_data *data, const ney_train_opts *o, uint8_t *part_of,
                       ney_error *err)
{
    memset(part_of, NEY_PART_LEARN, (size_t)ney_data_matrix(data)->rows);
    const ney_status st = draw_class(data, o, NEY_FALSE_POSITIVES, part_of, err);
    return st == NEY_OK ? draw_class(data, o, NEY_FALSE_NEGATIVES, part_of, err) : st;
}

/* Certify one rate on the held-out rows of its class; `room` is for their scores. */
static ney_status certify_one(ney_certificate *out, const ney_env *env, const ney_data *held_out,
                              const double *score, double *room, ney_error_kind kind,
                              const ney_train_opts *o, ney_error *err)
{
    const int8_t *const label = ney_data_label(held_out);
    int64_t n = 0;
    for (int64_t i = 0; i < ney_data_matrix(held_out)->rows; i++) {
        if (label[i] == sign_of(kind)) {
            room[n++] = score[i];
        }
    }
    return ney_certify(out, env, kind, room, n, max_rate(o, kind), delta_of(o), err);
}

ney_status ney_holdout_certify(ney_model *m, const ney_env *env, const ney_data *held_out,
                               const ney_train_opts *o, ney_train_info *info, ney_error *err)
{
    const ney_matrix *const x = ney_data_matrix(held_out);
    ney_certified c = {.has_fpr = is_bounded(o, NEY_FALSE_POSITIVES),
                       .has_fnr = is_bounded(o, NEY_FALSE_NEGATIVES)};
    double *score = ney_alloc(env, 2 * x->rows, sizeof *score);
    if (!score) {
        return ney_no_memory(err, x->rows, "scores");
    }
    double *const room = score + x->rows;
    ney_status st = ney_model_score(m, env, x, score, err);
    if (st == NEY_OK && c.has_fpr) {
        st = certify_one(&c.fpr, env, held_out, score, room, NEY_FALSE_POSITIVES, o, err);
    }
    if (st == NEY_OK && c.has_fnr) {
        st = certify_one(&c.fnr, env, held_out, score, room, NEY_FALSE_NEGATIVES, o, err);
    }
    if (st == NEY_OK) { /* where the two cross, either threshold keeps both rates */
        c.high = c.has_fpr ? c.fpr.threshold : c.fnr.threshold;
        c.low = c.has_fnr ? fmin(c.fnr.threshold, c.high) : c.high;
        st = ney_model_certify(m, &c, err);
    }
    if (st == NEY_OK) {
        info->certified = true;
        info->certificate = c.has_fpr ? c.fpr : c.fnr;
        info->certificate_fnr = c.fnr;
    }
    ney_release(env, score);
    return st;
}
