/* The certificate that held-out rows give: the order statistic of their scores [CERT.1] is the
 * threshold; where rows come in groups, the mean over groups is certified [GROUP.1]. */
#include "data/data.h"
#include "learn/holdout.h"
#include "learn/shared.h"

#include <math.h>

void ney_score_moments_add(ney_score_moments *m, double value)
{
    const double before = value - m->mean;
    m->n++;
    m->mean += before / (double)m->n;
    m->squares += before * (value - m->mean);
}

ney_score_moments ney_score_moments_of(const ney_row_blocks *b, const double *score,
                                       const int8_t *label, int64_t n, int of_class)
{
    ney_score_moments m = {0};
    for (int64_t i = 0; !b && i < n; i++) {
        if (label[i] == of_class) {
            ney_score_moments_add(&m, score[i]);
        }
    }
    return b ? ney_shared_moments(b, score, label, n, of_class) : m;
}

/* Learned rows of the bounded class score further from the threshold than held-out rows where the
 * model fits them closely, and so do learned rows of the other class. What two standard errors of
 * the difference explain is not counted. */
double ney_holdout_optimism(const ney_request *r, const ney_train_info *info,
                            const ney_score_moments *learned)
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
    const double rate = r->max_rate[kind], delta = ney_holdout_delta(r, h->group != NULL);
    int64_t n = 0;
    if (held_out->blocks) {
        return ney_shared_certify(out, held_out->blocks, kind, h->score, label, held_out->x.rows,
                                  rate, delta, err);
    }
    for (int64_t i = 0; i < ney_data_matrix(held_out)->rows; i++) {
        if (label[i] == ney_class_of_error(kind)) {
            if (h->group) {
                h->own_group[n] = h->group[i];
            }
            h->own[n++] = h->score[i];
        }
    }
    const ney_labelled_scores rows = {.score = h->own, .group = h->own_group, .n = n};
    return h->group ? ney_certify_groups(out, env, kind, &rows, rate, delta, err)
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
    st = ney_shared_agree(held_out->blocks, st, err);
    if (st == NEY_OK && c.has_fpr) {
        st = certify_one(&c.fpr, env, held_out, &h, NEY_FALSE_POSITIVES, r, err);
    }
    if (st == NEY_OK && c.has_fnr) {
        st = certify_one(&c.fnr, env, held_out, &h, NEY_FALSE_NEGATIVES, r, err);
    }
    if (st == NEY_OK) { /* where the two cross, either threshold keeps both rates */
        c.high = c.has_fpr ? c.fpr.threshold : c.fnr.threshold;
        c.low = c.has_fnr ? fmin(c.fnr.threshold, c.high) : c.high;
        st = ney_shared_agree(held_out->blocks, ney_model_certify(m, &c, err), err);
    }
    if (st == NEY_OK) {
        const int8_t *const label = ney_data_label(held_out);
        const ney_score_moments held =
            ney_score_moments_of(held_out->blocks, h.score, label, x->rows, r->bounded_class);
        info->held_counts = ney_count(h.score, label, x->rows, c.low, c.high);
        ney_shared_counts(held_out->blocks, &info->held_counts);
        info->held_mean = held.mean;
        info->held_deviation = sqrt(held.squares / (double)held.n);
        info->certified = true;
        info->certificate = c.has_fpr ? c.fpr : c.fnr;
        info->certificate_fnr = c.fnr;
    }
    held_scores_deinit(&h, env);
    return st;
}
