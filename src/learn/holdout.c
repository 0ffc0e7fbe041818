/* How many rows are held out, and which. m rows of the bounded class, drawn at random, take no part
 * in training; they certify the threshold (holdout_certify.c). Only a class whose rate is bounded
 * is held out: the proof needs nothing of the other. */
#include "learn/holdout.h"

#include "data/data.h"
#include "learn/goal.h"

#include <math.h>
#include <string.h>

int ney_class_of_error(ney_error_kind kind)
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

double ney_holdout_delta(const ney_request *r, bool groups)
{
    const double delta = ney_delta_of_confidence(r->confidence);
    return !ney_request_bounds_both(r) ? delta : groups ? delta / 2 : ney_delta_of_each(delta);
}

static const char *unit_of(bool groups)
{
    return groups ? "groups" : "rows";
}

/* The fewest rows that allow as many errors as m rows do: fewer held out, and a rate nearer to
 * the one allowed. At three quarters of delta, which costs a few rows, the share of repeated runs
 * that exceed the bound stays visibly below delta, not only at it. */
static int64_t fewest_like(int64_t m, double rate, double delta)
{
    const int64_t r = ney_mistakes_allowed(m, rate, delta);
    int64_t low = 0, high = m; /* low allows fewer errors */
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

/* How many of n rows to hold out by default. Few rows certify a threshold that is stricter than
 * it need be: the rate to expect is (errors allowed + 1) / (m + 1). Take about as many as bring
 * that to three quarters of the rate allowed, but no more than half of the rows, unless more are
 * needed to certify anything. Of many rows take a third: what the threshold gives away and what is
 * lost by learning from fewer rows both fall with the root of a number of rows, so that the best
 * share does not depend on n (doc/adr/0094-size-of-the-hold-out.md). */
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
    const int64_t least = high < most ? high : most;
    return fewest_like(least > n / 3 ? least : n / 3, rate, delta);
}

static ney_status too_few(const ney_request *r, ney_error_kind kind, bool groups, int64_t n,
                          double needed, ney_error *err)
{
    return ney_fail(err, NEY_EGOAL,
                    "%lld %s%s rows cannot certify %s of %g with confidence %g: at least %.0f "
                    "must be held out, and one be left to learn from; the tightest bound that "
                    "these can certify is %.4g. Add %s, loosen the bound or lower the "
                    "confidence; or set confidence to none: the bound then holds on the training "
                    "rows only",
                    (long long)n, groups ? "groups with " : "", class_of(kind), bound_of(kind),
                    r->max_rate[kind], r->confidence, needed,
                    ney_tightest_rate(n > 0 ? n - 1 : 0, ney_holdout_delta(r, groups)),
                    unit_of(groups));
}

ney_status ney_holdout_count(const ney_request *r, ney_error_kind kind, bool groups, int64_t n,
                             int64_t *m, ney_error *err)
{
    const double rate = r->max_rate[kind], delta = ney_holdout_delta(r, groups);
    if (!(rate > 0)) {
        return ney_fail(err, NEY_EGOAL,
                        "no number of %s can certify %s of 0; %lld %s held out could certify "
                        "%.4g with confidence %g. With confidence none the bound holds on the "
                        "training rows only, and may be 0",
                        unit_of(groups), bound_of(kind), (long long)(n - 1), unit_of(groups),
                        ney_tightest_rate(n - 1, delta), r->confidence);
    }
    const double needed = ney_rows_needed(rate, delta);
    if (needed > (double)(n - 1)) {
        return too_few(r, kind, groups, n, needed, err);
    }
    *m = isnan(r->holdout) ? rows_to_hold(n, rate, delta)
                           : (int64_t)floor(r->holdout * (double)n + 0.5);
    if ((double)*m < needed || *m >= n) {
        return ney_fail(err, NEY_EGOAL,
                        "a share of %g holds out %lld of %lld %s%s rows; %s of %g with confidence "
                        "%g needs at least %.0f, and one must be left to learn from",
                        r->holdout, (long long)*m, (long long)n, groups ? "groups with " : "",
                        class_of(kind), bound_of(kind), rate, r->confidence, needed);
    }
    return NEY_OK;
}

bool ney_selection_next(ney_selection *s)
{
    const bool taken = ney_rng_below(&s->rng, s->left--) < s->wanted;
    s->wanted -= taken;
    return taken;
}

/* Rows of a class that are still to be learned from, of this process. */
static int64_t count_own(const ney_data *data, int sign, const uint8_t *part_of)
{
    const int8_t *const label = ney_data_label(data);
    int64_t n = 0;
    for (int64_t i = 0; label && i < ney_data_matrix(data)->rows; i++) {
        n += label[i] == sign && part_of[i] == NEY_PART_LEARN;
    }
    return n;
}

/* The rows of processes before this one come first: the draw is that of one process with all
 * rows. */
static void skip_others(ney_selection *s, const ney_data *data, int64_t own)
{
    int64_t before = 0;
    for (int rank = 0; data->blocks && rank < ney_comm_size(data->blocks->comm); rank++) {
        int64_t n = own;
        ney_comm_broadcast(data->blocks->comm, rank, &n, (int64_t)sizeof n);
        before += rank < ney_comm_rank(data->blocks->comm) ? n : 0;
    }
    for (; before > 0; before--) {
        (void)ney_selection_next(s);
    }
}

/* Of the rows of a class that are still to be learned from, of which there are n, m drawn at random
 * become part of the hold-out `part`. */
static void draw_rows(const ney_data *data, uint64_t seed, int sign, int64_t n, int64_t m,
                      ney_part part, uint8_t *part_of)
{
    const int8_t *const label = ney_data_label(data);
    ney_selection selection = {.rng = {seed}, .left = n, .wanted = m};
    skip_others(&selection, data, count_own(data, sign, part_of));
    for (int64_t i = 0; i < ney_data_matrix(data)->rows; i++) {
        if (label[i] == sign && part_of[i] == NEY_PART_LEARN && ney_selection_next(&selection)) {
            part_of[i] = (uint8_t)part;
        }
    }
}

/* The same of all processes. */
static int64_t count_class(const ney_data *data, int sign, const uint8_t *part_of)
{
    int64_t n = count_own(data, sign, part_of);
    ney_comm_add_counts(ney_blocks_comm(data->blocks), &n, 1);
    return n;
}

bool ney_holdout_is_asked(const ney_request *r)
{
    return ney_request_certifies(r) || r->calibrates || !isnan(r->calibrate);
}

int64_t ney_holdout_to_calibrate(const ney_request *r, int64_t n)
{
    const double share = !ney_request_certifies(r) && !isnan(r->holdout) ? r->holdout : 0.25;
    const int64_t m = (int64_t)floor(share * (double)n + 0.5);
    return n < 2 ? 0 : m < 1 ? 1 : m < n ? m : n - 1;
}

/* Draw the rows of one class: first those that certify its rate, then of the others those that
 * calibrate. */
static ney_status draw_class(const ney_data *data, const ney_request *r, ney_error_kind kind,
                             uint8_t *part_of, ney_error *err)
{
    enum { CALIBRATION_STREAM = 0x5eed };
    const bool certifies = ney_request_certifies(r) && ney_request_bounds(r, kind);
    const int sign = ney_class_of_error(kind);
    const int64_t n = count_class(data, sign, part_of);
    int64_t m = 0;
    if (n == 0) { /* training refuses such data */
        return NEY_OK;
    }
    if (certifies) {
        const ney_status st = ney_holdout_count(r, kind, false, n, &m, err);
        if (st != NEY_OK) {
            return st;
        }
        draw_rows(data, r->seed, sign, n, m, NEY_PART_CERTIFY, part_of);
    }
    if (certifies && r->calibrates && n - m < 2) {
        return ney_fail(err, NEY_EGOAL,
                        "of %lld %s rows %lld certify %s of %g: that leaves too few for the "
                        "p-values of conformal. Add rows, or set confidence to none",
                        (long long)n, class_of(kind), (long long)m, bound_of(kind),
                        r->max_rate[kind]);
    }
    if (r->calibrates) {
        draw_rows(data, certifies ? r->seed ^ CALIBRATION_STREAM : r->seed, sign, n - m,
                  ney_holdout_to_calibrate(r, n - m), NEY_PART_CALIBRATE, part_of);
    }
    return NEY_OK;
}

ney_status ney_holdout_for_probabilities(const ney_request *r, int64_t n, int64_t *m,
                                         ney_error *err)
{
    const int64_t share = isnan(r->calibrate) ? 0 : (int64_t)floor(r->calibrate * (double)n + 0.5);
    *m = share;
    if (!isnan(r->calibrate) && (share < 1 || share > n - 2)) {
        return ney_fail(err, NEY_EGOAL,
                        "calibrate = %g holds out %lld of %lld, expected at least 1, with 2 left "
                        "to learn from",
                        r->calibrate, (long long)share, (long long)n);
    }
    return NEY_OK;
}

/* Rows for probabilities are drawn first and regardless of their class: they are a random sample of
 * all rows, in the classes' natural proportion. */
static ney_status draw_probability_rows(const ney_data *data, const ney_request *r,
                                        uint8_t *part_of, ney_error *err)
{
    enum { PROBABILITY_STREAM = 0xab0de };
    const int64_t n = ney_data_matrix(data)->rows;
    ney_selection selection = {.rng = {r->seed ^ PROBABILITY_STREAM}, .left = n};
    const ney_status st = ney_holdout_for_probabilities(r, n, &selection.wanted, err);
    for (int64_t i = 0; st == NEY_OK && selection.wanted > 0 && i < n; i++) {
        if (ney_selection_next(&selection)) {
            part_of[i] = NEY_PART_PROBABILITY;
        }
    }
    return st;
}

ney_status ney_check_groups(const ney_data *data, const ney_request *r, ney_error *err)
{
    if (r->goal->groups && ney_data_group_column(data)) {
        return ney_fail(err, NEY_EINVAL,
                        "group does not apply to max-fdr, whose folds keep the rows of a spectrum "
                        "together: name its columns under spectrum");
    }
    return NEY_OK;
}

static ney_status holdout_grouped(const ney_data *data, const ney_request *r, uint8_t *part_of,
                                  ney_error *err)
{
    const int64_t n = ney_data_matrix(data)->rows;
    uint64_t *group = ney_alloc(&data->env, n, sizeof *group);
    ney_status st =
        group ? ney_data_groups(data, group, err) : ney_no_memory(err, n, "groups to hold out");
    if (st == NEY_OK) {
        st = ney_holdout_groups(&data->env, r, group, ney_data_label(data), n, part_of, err);
    }
    ney_release(&data->env, group);
    return st;
}

ney_status ney_holdout(const ney_data *data, const ney_request *r, uint8_t *part_of, ney_error *err)
{
    if (ney_data_group_column(data) && ney_data_label(data)) {
        return holdout_grouped(data, r, part_of, err);
    }
    memset(part_of, NEY_PART_LEARN, (size_t)ney_data_matrix(data)->rows);
    ney_status st = draw_probability_rows(data, r, part_of, err);
    if (st == NEY_OK) {
        st = draw_class(data, r, NEY_FALSE_POSITIVES, part_of, err);
    }
    return st == NEY_OK ? draw_class(data, r, NEY_FALSE_NEGATIVES, part_of, err) : st;
}

ney_status ney_holdout_check(const ney_data *data, int64_t row, ney_error *err)
{
    if (data->fitted_on && data->fitted_on[row]) {
        return ney_fail(err, NEY_EINVAL,
                        "scaling, filling or categories were fitted on row %lld, which is held out "
                        "to certify or calibrate: fit them with ney_data_prepare() on the rows of "
                        "ney_train_rows() alone",
                        (long long)row);
    }
    return NEY_OK;
}
