/* Certifying a rate goal. m rows of the bounded class, drawn at random, take no part in making the
 * score function; the order statistic of their scores [CERT.1] is the threshold. Only a class whose
 * rate is bounded is held out: the proof asks nothing of the other. Where rows come in groups,
 * whole groups are held out, and the mean over groups is certified [GROUP.1]. */
#include "learn/holdout.h"

#include "base/grouping.h"
#include "data/data.h"
#include "learn/goal.h"

#include <math.h>
#include <string.h>

/* The class that may be misclassified. */
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

/* Of one rate. With both bounded, (1 - delta)^2 = confidence: the two samples are independent
 * [CERT.3]. Those of groups are not. */
static double delta_of(const ney_request *r, bool groups)
{
    const double delta = ney_delta_of_confidence(r->confidence);
    return !ney_request_bounds_both(r) ? delta : groups ? delta / 2 : ney_delta_of_each(delta);
}

static const char *unit_of(bool groups)
{
    return groups ? "groups" : "rows";
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
                    ney_tightest_rate(n > 0 ? n - 1 : 0, delta_of(r, groups)), unit_of(groups));
}

/* How many of the n rows of a class, or groups with rows of it, to hold out. */
static ney_status count_held(const ney_request *r, ney_error_kind kind, bool groups, int64_t n,
                             int64_t *m, ney_error *err)
{
    const double rate = r->max_rate[kind], delta = delta_of(r, groups);
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

ney_status ney_holdout_size(const ney_request *r, int64_t n, int64_t *m, ney_error *err)
{
    return count_held(r, r->bounded, false, n, m, err);
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

bool ney_holdout_is_asked(const ney_request *r)
{
    return ney_request_certifies(r) || r->calibrates;
}

/* How many of the n rows of a class that no certificate takes calibrate p-values: one at least, and
 * one is left. --holdout is the share of the certificate where there is one. */
static int64_t rows_to_calibrate(const ney_request *r, int64_t n)
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
    const int sign = sign_of(kind);
    const int64_t n = count_class(data, sign);
    int64_t m = 0;
    if (n == 0) { /* training refuses such data */
        return NEY_OK;
    }
    if (certifies) {
        const ney_status st = count_held(r, kind, false, n, &m, err);
        if (st != NEY_OK) {
            return st;
        }
        draw(data, r->seed, sign, n, m, NEY_PART_CERTIFY, part_of);
    }
    if (certifies && r->calibrates && n - m < 2) {
        return ney_fail(err, NEY_EGOAL,
                        "of %lld %s rows %lld certify %s of %g: that leaves too few for the "
                        "p-values of conformal. Add rows, or set confidence to none",
                        (long long)n, class_of(kind), (long long)m, bound_of(kind),
                        r->max_rate[kind]);
    }
    if (r->calibrates) {
        draw(data, certifies ? r->seed ^ CALIBRATION_STREAM : r->seed, sign, n - m,
             rows_to_calibrate(r, n - m), NEY_PART_CALIBRATE, part_of);
    }
    return NEY_OK;
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

/* ---- whole groups, in an order drawn at random
 *
 * Groups are independent draws, and so are those that come after a place that depends on the ones
 * before it. A single bound is certified by the first m groups with rows of its class; two by the
 * first L groups, L fixed beforehand; p-values by the next groups. */

/* What of either class the groups in their order hold, and what they are used for. */
typedef struct deck {
    const ney_grouping *groups;
    int64_t *order;    /* of the groups */
    bool (*has)[2];    /* rows of negatives, of positives */
    int64_t n_with[2]; /* groups that have some */
    int64_t next;      /* place of the first group that is not drawn */
    const ney_request *r;
} deck;

static void use_group(const deck *d, int64_t place, ney_part part, uint8_t *part_of)
{
    const ney_grouping *const g = d->groups;
    const int64_t k = d->order[place];
    for (int64_t i = g->begin[k]; i < g->begin[k + 1]; i++) {
        part_of[g->row[i]] = (uint8_t)part;
    }
}

/* Groups without rows of the class are passed over, and are learned from. */
static ney_status certify_one_class(deck *d, ney_error_kind kind, uint8_t *part_of, ney_error *err)
{
    const bool positive = kind == NEY_FALSE_NEGATIVES;
    int64_t m = 0;
    const ney_status st = count_held(d->r, kind, true, d->n_with[positive], &m, err);
    for (; st == NEY_OK && m > 0; d->next++) {
        if (d->has[d->order[d->next]][positive]) {
            use_group(d, d->next, NEY_PART_CERTIFY, part_of);
            m--;
        }
    }
    return st;
}

/* As many as are likely to hold enough of either class; two deviations of their number beyond the
 * mean. */
static ney_status certify_both_classes(deck *d, uint8_t *part_of, ney_error *err)
{
    static const ney_error_kind kinds[] = {NEY_FALSE_POSITIVES, NEY_FALSE_NEGATIVES};
    const double n = (double)d->groups->n;
    double most = 0;
    for (int k = 0; k < 2; k++) {
        int64_t m = 0;
        const ney_status st = count_held(d->r, kinds[k], true, d->n_with[k], &m, err);
        if (st != NEY_OK) {
            return st;
        }
        const double share = (double)d->n_with[k] / n;
        most = fmax(most, ((double)m + 2 * sqrt((double)m * (1 - share))) / share);
    }
    for (; d->next < d->groups->n - 1 && (double)d->next < most; d->next++) {
        use_group(d, d->next, NEY_PART_CERTIFY, part_of);
    }
    return NEY_OK;
}

static ney_status deal_parts(deck *d, uint8_t *part_of, ney_error *err)
{
    const ney_request *const r = d->r;
    ney_status st = NEY_OK;
    if (ney_request_certifies(r)) {
        st = ney_request_bounds_both(r) ? certify_both_classes(d, part_of, err)
                                        : certify_one_class(d, r->bounded, part_of, err);
    }
    if (st == NEY_OK && r->calibrates) {
        const int64_t m = rows_to_calibrate(r, d->groups->n - d->next);
        for (int64_t i = 0; i < m; i++, d->next++) {
            use_group(d, d->next, NEY_PART_CALIBRATE, part_of);
        }
    }
    return st;
}

ney_status ney_holdout_groups(const ney_env *env, const ney_request *r, const uint64_t *group,
                              const int8_t *label, int64_t rows, uint8_t *part_of, ney_error *err)
{
    ney_grouping g;
    deck d = {.groups = &g, .r = r};
    ney_rng rng = {r->seed};
    ney_status st = ney_grouping_init(&g, env, group, rows, err);

    memset(part_of, NEY_PART_LEARN, (size_t)rows);
    if (st == NEY_OK) {
        d.order = ney_alloc(env, g.n, sizeof *d.order);
        d.has = ney_alloc_zeroed(env, g.n, sizeof *d.has);
        st = d.order && d.has ? NEY_OK : ney_no_memory(err, g.n, "groups to hold out");
    }
    for (int64_t k = 0; st == NEY_OK && k < g.n; k++) {
        d.order[k] = k;
        for (int64_t i = g.begin[k]; i < g.begin[k + 1]; i++) {
            d.has[k][label[g.row[i]] > 0] = true;
        }
        d.n_with[0] += d.has[k][0];
        d.n_with[1] += d.has[k][1];
    }
    if (st == NEY_OK && d.n_with[0] > 0 && d.n_with[1] > 0) { /* training refuses a single class */
        ney_rng_shuffle(&rng, d.order, g.n);
        st = deal_parts(&d, part_of, err);
    }
    ney_release(env, d.order);
    ney_release(env, d.has);
    ney_grouping_deinit(&g);
    return st;
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
    const ney_status st = draw_class(data, r, NEY_FALSE_POSITIVES, part_of, err);
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

int64_t ney_part_rows(const uint8_t *part_of, int64_t n, ney_part part, int64_t *rows)
{
    int64_t m = 0;
    for (int64_t i = 0; i < n; i++) {
        if (part_of[i] == part) {
            rows[m++] = i;
        }
    }
    return m;
}

static ney_status draw_rows(const ney_data *data, const ney_request *r, bool check, int64_t *rows,
                            int64_t *n_rows, ney_error *err)
{
    const int64_t n = ney_data_matrix(data)->rows;
    uint8_t *part_of = ney_alloc(&data->env, n, sizeof *part_of);

    *n_rows = 0;
    if (!part_of) {
        return ney_no_memory(err, n, "rows to hold out");
    }
    ney_status st = ney_check_groups(data, r, err);
    st = st == NEY_OK ? ney_holdout(data, r, part_of, err) : st;
    for (int64_t i = 0; i < n && check && st == NEY_OK; i++) {
        st = part_of[i] == NEY_PART_LEARN ? NEY_OK : ney_holdout_check(data, i, err);
    }
    if (st == NEY_OK) {
        *n_rows = ney_part_rows(part_of, n, NEY_PART_LEARN, rows);
    }
    ney_release(&data->env, part_of);
    return st;
}

ney_status ney_holdout_rows(const ney_data *data, const ney_request *r, int64_t *rows,
                            int64_t *n_rows, ney_error *err)
{
    return draw_rows(data, r, true, rows, n_rows, err);
}

ney_status ney_train_rows(const ney_data *data, const ney_train_opts *opts, int64_t *rows,
                          int64_t *n_rows, ney_error *err)
{
    ney_train_opts o;
    /* one who tunes draws folds by the seed */
    const ney_status st = ney_request_resolve(&o, opts, "seed", err);

    *n_rows = 0;
    if (st != NEY_OK) {
        return st;
    }
    const ney_request r = ney_request_of(&o);
    return draw_rows(data, &r, false, rows, n_rows, err);
}

void ney_moments_add(ney_moments *m, double value)
{
    const double before = value - m->mean;
    m->n++;
    m->mean += before / (double)m->n;
    m->squares += before * (value - m->mean);
}

/* Learned rows of the bounded class score further from the threshold than held-out rows where the
 * model fits them closely, and so do learned rows of the other class. What two standard errors of
 * the difference explain is not counted. */
double ney_holdout_optimism(const ney_request *r, const ney_train_info *info,
                            const ney_moments *learned)
{
    const ney_counts *const c = &info->held_counts;
    const int sign = r->bounded_class;
    const double n = (double)(sign > 0 ? c->tp + c->fn : c->tn + c->fp);
    const double error = sqrt(info->held_deviation * info->held_deviation / n +
                              learned->squares / (double)learned->n / (double)learned->n);
    return sign * fmax(0, sign * (learned->mean - info->held_mean) - 2 * error);
}

/* Scores of held-out rows, and those of one class among them with their groups. */
typedef struct held_scores {
    double *score, *own;
    uint64_t *group, *own_group; /* NULL: the row is the unit */
} held_scores;

static void held_scores_deinit(held_scores *h, const ney_env *env)
{
    ney_release(env, h->score);
    ney_release(env, h->own);
    ney_release(env, h->group);
    ney_release(env, h->own_group);
}

static ney_status held_scores_init(held_scores *h, const ney_env *env, const ney_data *held_out,
                                   ney_error *err)
{
    const int64_t n = ney_data_matrix(held_out)->rows;
    const bool groups = ney_data_group_column(held_out) != NULL;
    *h = (held_scores){.score = ney_alloc(env, n, sizeof *h->score),
                       .own = ney_alloc(env, n, sizeof *h->own),
                       .group = groups ? ney_alloc(env, n, sizeof *h->group) : NULL,
                       .own_group = groups ? ney_alloc(env, n, sizeof *h->own_group) : NULL};
    if (!h->score || !h->own || (groups && (!h->group || !h->own_group))) {
        return ney_no_memory(err, n, "scores");
    }
    return groups ? ney_data_groups(held_out, h->group, err) : NEY_OK;
}

/* Certify one rate on the held-out rows of its class. */
static ney_status certify_one(ney_certificate *out, const ney_env *env, const ney_data *held_out,
                              const held_scores *h, ney_error_kind kind, const ney_request *r,
                              ney_error *err)
{
    const int8_t *const label = ney_data_label(held_out);
    const double rate = r->max_rate[kind], delta = delta_of(r, h->group != NULL);
    int64_t n = 0;
    for (int64_t i = 0; i < ney_data_matrix(held_out)->rows; i++) {
        if (label[i] == sign_of(kind)) {
            if (h->group) {
                h->own_group[n] = h->group[i];
            }
            h->own[n++] = h->score[i];
        }
    }
    return h->group ? ney_certify_groups(out, env, kind, h->own, h->own_group, n, rate, delta, err)
                    : ney_certify(out, env, kind, h->own, n, rate, delta, err);
}

ney_status ney_holdout_certify(ney_model *m, const ney_env *env, const ney_data *held_out,
                               const ney_request *r, ney_train_info *info, ney_error *err)
{
    const ney_matrix *const x = ney_data_matrix(held_out);
    ney_certified c = {.has_fpr = ney_request_bounds(r, NEY_FALSE_POSITIVES),
                       .has_fnr = ney_request_bounds(r, NEY_FALSE_NEGATIVES)};
    held_scores h;
    ney_status st = held_scores_init(&h, env, held_out, err);
    if (st == NEY_OK) {
        st = ney_model_score(m, env, x, h.score, err);
    }
    if (st == NEY_OK && c.has_fpr) {
        st = certify_one(&c.fpr, env, held_out, &h, NEY_FALSE_POSITIVES, r, err);
    }
    if (st == NEY_OK && c.has_fnr) {
        st = certify_one(&c.fnr, env, held_out, &h, NEY_FALSE_NEGATIVES, r, err);
    }
    if (st == NEY_OK) { /* where the two cross, either threshold keeps both rates */
        c.high = c.has_fpr ? c.fpr.threshold : c.fnr.threshold;
        c.low = c.has_fnr ? fmin(c.fnr.threshold, c.high) : c.high;
        st = ney_model_certify(m, &c, err);
    }
    if (st == NEY_OK) {
        const int8_t *const label = ney_data_label(held_out);
        ney_moments held = {0};
        for (int64_t i = 0; i < x->rows; i++) {
            if (label[i] == r->bounded_class) {
                ney_moments_add(&held, h.score[i]);
            }
        }
        info->held_counts = ney_count(h.score, label, x->rows, c.low, c.high);
        info->held_mean = held.mean;
        info->held_deviation = sqrt(held.squares / (double)held.n);
        info->certified = true;
        info->certificate = c.has_fpr ? c.fpr : c.fnr;
        info->certificate_fnr = c.fnr;
    }
    held_scores_deinit(&h, env);
    return st;
}
