#include "learn/online/parts.h"

#include "learn/holdout.h"

#include <math.h>
#include <string.h>

enum {
    FEW = 10000,   /* rows of a class up to which none is held out, unless the family can overfit */
    ENOUGH = 5000, /* validation rows of a class */
    SOME_CHECKS = 20 /* fewest rows of a class for a validation */
};

typedef struct counting {
    ney_parts *p;
    ney_selection selection;
    int bounded;
} counting;

static int class_index(int sign)
{
    return sign > 0;
}

static void count_class(void *context, int64_t row, int sign, double weight)
{
    ney_parts *p = context;
    (void)row;
    (void)weight;
    p->all[class_index(sign)]++;
}

static void hold_row(ney_parts *p, int64_t row, int sign)
{
    p->held[row / 8] |= (uint8_t)(1u << (row % 8));
    p->held_of[class_index(sign)]++;
    p->n_held++;
}

static void hold_out(void *context, int64_t row, int sign, double weight)
{
    counting *c = context;
    (void)weight;
    if (sign == c->bounded && ney_selection_next(&c->selection)) {
        hold_row(c->p, row, sign);
    }
}

/* The partition of a fit, of which a row may be held out to certify. */
typedef struct drawn {
    ney_parts *p;
    const uint8_t *part_of;
} drawn;

static void hold_drawn(void *context, int64_t row, int sign, double weight)
{
    const drawn *d = context;
    (void)weight;
    if (d->part_of[row] == NEY_PART_CERTIFY) {
        hold_row(d->p, row, sign);
    }
}

static void keep_sign(void *context, int64_t row, int sign, double weight)
{
    int8_t *label = context;
    (void)weight;
    label[row] = (int8_t)sign;
}

static void count_learned(void *context, int64_t row, int sign, double weight)
{
    ney_parts *p = context;
    if (ney_parts_learn(p, row, sign)) {
        p->own[class_index(sign)]++;
        p->weight[class_index(sign)] += weight;
    }
}

bool ney_parts_held(const ney_parts *p, int64_t row)
{
    return p->held && (p->held[row / 8] >> (row % 8) & 1) != 0;
}

bool ney_parts_draw(const ney_parts *p, int64_t row, double share)
{
    const uint64_t of = p->group ? p->group[row] : (uint64_t)(p->first_row + row);
    ney_rng rng = {p->seed + UINT64_C(0x9e3779b97f4a7c15) * of};
    return ney_rng_unit(&rng) < share;
}

bool ney_parts_aside(const ney_parts *p, int64_t row, int sign)
{
    const double share = p->share[class_index(sign)];
    return share > 0 && !ney_parts_held(p, row) && ney_parts_draw(p, row, share);
}

/* A network can overfit, so validation rows are always held out for it. What is linear in
 * its weights cannot: with few rows, the training rows determine when to stop, and none is held
 * out. */
static double share_of(const ney_train_opts *o, int64_t n)
{
    const bool many = n > FEW, can_overfit = o->network[0] > 0;
    if (!isnan(o->validation)) {
        return o->validation;
    }
    if (n < 5 * (int64_t)SOME_CHECKS || (!many && !can_overfit)) {
        return 0;
    }
    return fmin(can_overfit ? 0.2 : 0.1, (double)ENOUGH / (double)n);
}

static ney_status check_held(const ney_parts *p, const ney_feed *f, ney_error *err)
{
    ney_status st = NEY_OK;
    for (int64_t i = 0; i < f->rows && f->data && st == NEY_OK; i++) {
        st = ney_parts_held(p, i) ? ney_holdout_check(f->data, i, err) : NEY_OK;
    }
    return st;
}

/* As ney_holdout() selects rows of data in memory. */
static ney_status select_rows(ney_parts *p, const ney_feed *f, const ney_request *r, ney_error *err)
{
    static const ney_error_kind kinds[] = {NEY_FALSE_POSITIVES, NEY_FALSE_NEGATIVES};
    ney_status st = NEY_OK;
    for (int k = 0; k < 2 && st == NEY_OK; k++) {
        const int sign = ney_class_of_error(kinds[k]);
        counting c = {.p = p, .bounded = sign};
        c.selection = (ney_selection){.rng = {r->seed}, .left = p->all[class_index(sign)]};
        if (ney_request_bounds(r, kinds[k]) &&
            (st = ney_holdout_count(r, kinds[k], false, c.selection.left, &c.selection.wanted,
                                    err)) == NEY_OK) {
            st = ney_feed_labels(f, hold_out, &c, err);
        }
    }
    return st;
}

static ney_status select_groups(ney_parts *p, const ney_feed *f, const ney_request *r,
                                ney_error *err)
{
    int8_t *label = ney_alloc(&p->env, f->rows, sizeof *label);
    uint8_t *part_of = ney_alloc(&p->env, f->rows, sizeof *part_of);
    ney_status st = NEY_OK;
    if (!label || !part_of) {
        st = ney_no_memory(err, f->rows, "groups to hold out");
    } else if ((st = ney_feed_labels(f, keep_sign, label, err)) == NEY_OK) {
        st = ney_holdout_groups(&p->env, r, p->group, label, f->rows, part_of, err);
    }
    if (st == NEY_OK) {
        st = ney_feed_labels(f, hold_drawn, &(drawn){p, part_of}, err);
    }
    ney_release(&p->env, label);
    ney_release(&p->env, part_of);
    return st;
}

static ney_status select_held(ney_parts *p, const ney_feed *f, const uint8_t *part_of,
                              const ney_request *r, ney_error *err)
{
    p->held = ney_alloc_zeroed(&p->env, f->rows / 8 + 1, 1);
    if (!p->held) {
        return ney_no_memory(err, f->rows, "rows to hold out");
    }
    ney_status st = part_of    ? ney_feed_labels(f, hold_drawn, &(drawn){p, part_of}, err)
                    : p->group ? select_groups(p, f, r, err)
                               : select_rows(p, f, r, err);
    st = st == NEY_OK ? check_held(p, f, err) : st;
    ney_comm_add_counts(ney_blocks_comm(f->blocks), p->held_of, 2);
    ney_comm_add_counts(ney_blocks_comm(f->blocks), &p->n_held, 1);
    return st;
}

/* The rows to train on, of this process and of all. */
static ney_status count_learned_rows(ney_parts *p, const ney_feed *f, ney_error *err)
{
    const ney_comm *const comm = ney_blocks_comm(f->blocks);
    double scratch[2];
    const ney_status st = ney_feed_labels(f, count_learned, p, err);
    memcpy(p->learn, p->own, sizeof p->learn);
    ney_comm_add_counts(comm, p->learn, 2);
    ney_comm_add(comm, p->weight, 2, scratch);
    return st;
}

ney_status ney_parts_init(ney_parts *p, const ney_feed *f, const uint8_t *part_of,
                          const ney_request *r, const ney_train_opts *o, ney_error *err)
{
    ney_status st;
    *p = (ney_parts){
        .env = f->env, .seed = r->seed ^ UINT64_C(0xa5a5a5a5a5a5a5a5), .first_row = f->first_row};
    if (!f->labelled) {
        return ney_fail(err, NEY_EINVAL, "the data have no labels");
    }
    if ((st = ney_feed_labels(f, count_class, p, err)) != NEY_OK) {
        return st;
    }
    ney_comm_add_counts(ney_blocks_comm(f->blocks), p->all, 2);
    if (p->all[0] == 0 || p->all[1] == 0) {
        return ney_fail(err, NEY_EINVAL, "%lld rows and none of them %s, expected both classes",
                        (long long)f->all_rows, p->all[1] == 0 ? "positive" : "negative");
    }
    if ((st = ney_feed_groups(f, &p->group, err)) != NEY_OK ||
        (ney_request_certifies(r) && (st = select_held(p, f, part_of, r, err)) != NEY_OK)) {
        return st;
    }
    for (int c = 0; c < 2; c++) {
        p->share[c] = share_of(o, p->all[c] - p->held_of[c]);
    }
    if (p->group) { /* the rows of a group are held out together */
        p->share[0] = p->share[1] = fmax(p->share[0], p->share[1]);
    }
    if ((st = count_learned_rows(p, f, err)) != NEY_OK) {
        return st;
    }
    if (p->learn[0] == 0 || p->learn[1] == 0) {
        return ney_fail(err, NEY_EINVAL,
                        "what is held out, %lld rows%s, leaves a class without rows to learn from",
                        (long long)p->n_held, p->share[0] > 0 ? " and a share for validation" : "");
    }
    if (!(p->weight[0] > 0) || !(p->weight[1] > 0)) {
        return ney_fail(err, NEY_EINVAL,
                        "all %s rows have weight 0: the rate of that class is undefined",
                        p->weight[0] > 0 ? "positive" : "negative");
    }
    return NEY_OK;
}

void ney_parts_deinit(ney_parts *p)
{
    ney_release(&p->env, p->held);
    ney_release(&p->env, p->group);
    p->held = NULL;
    p->group = NULL;
}
