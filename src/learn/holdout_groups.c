/* Whole groups are held out, in an order drawn at random [GROUP.1].
 *
 * Groups are independent draws, and so are those that come after a place that depends on the ones
 * before it. A single bound is certified by the first m groups with rows of its class; two by the
 * first L groups, L fixed beforehand; p-values by the next groups. Before all these come the groups
 * that probabilities are fitted to. */
#include "base/grouping.h"
#include "learn/holdout.h"

#include <math.h>
#include <string.h>

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
    const ney_status st = ney_holdout_count(d->r, kind, true, d->n_with[positive], &m, err);
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
    const int64_t first = d->next;
    const double n = (double)(d->groups->n - first);
    double most = 0;
    for (int k = 0; k < 2; k++) {
        int64_t m = 0;
        const ney_status st = ney_holdout_count(d->r, kinds[k], true, d->n_with[k], &m, err);
        if (st != NEY_OK) {
            return st;
        }
        const double share = (double)d->n_with[k] / n;
        most = fmax(most, ((double)m + 2 * sqrt((double)m * (1 - share))) / share);
    }
    for (; d->next < d->groups->n - 1 && (double)(d->next - first) < most; d->next++) {
        use_group(d, d->next, NEY_PART_CERTIFY, part_of);
    }
    return NEY_OK;
}

/* The first groups, whatever rows they have: a random sample of all groups. */
static ney_status deal_probability_groups(deck *d, uint8_t *part_of, ney_error *err)
{
    int64_t m = 0;
    const ney_status st = ney_holdout_for_probabilities(d->r, d->groups->n, &m, err);
    for (; st == NEY_OK && d->next < m; d->next++) {
        use_group(d, d->next, NEY_PART_PROBABILITY, part_of);
        d->n_with[0] -= d->has[d->order[d->next]][0];
        d->n_with[1] -= d->has[d->order[d->next]][1];
    }
    return st;
}

static ney_status deal_parts(deck *d, uint8_t *part_of, ney_error *err)
{
    const ney_request *const r = d->r;
    ney_status st = deal_probability_groups(d, part_of, err);
    if (st == NEY_OK && ney_request_certifies(r)) {
        st = ney_request_bounds_both(r) ? certify_both_classes(d, part_of, err)
                                        : certify_one_class(d, r->bounded, part_of, err);
    }
    if (st == NEY_OK && r->calibrates) {
        const int64_t m = ney_holdout_to_calibrate(r, d->groups->n - d->next);
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
