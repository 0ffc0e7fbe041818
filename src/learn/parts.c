#include "learn/parts.h"

#include "learn/holdout.h"

#include <math.h>

enum {
    FEW = 10000,     /* rows of a class too few to keep some out, unless the family can overfit */
    ENOUGH = 5000,   /* rows of a class to check with */
    SOME_CHECKS = 20 /* rows of a class below which checks mean nothing */
};

typedef struct counting {
    ney_parts *p;
    ney_selection selection;
    int bounded;
} counting;

static int side(int sign)
{
    return sign > 0;
}

static void count_class(void *context, int64_t row, int sign, double weight)
{
    ney_parts *p = context;
    (void)row;
    (void)weight;
    p->all[side(sign)]++;
}

static void hold_out(void *context, int64_t row, int sign, double weight)
{
    counting *c = context;
    (void)weight;
    if (sign == c->bounded && ney_selection_next(&c->selection)) {
        c->p->held[row / 8] |= (uint8_t)(1u << (row % 8));
    }
}

static void count_learned(void *context, int64_t row, int sign, double weight)
{
    ney_parts *p = context;
    if (ney_parts_learn(p, row, sign)) {
        p->learn[side(sign)]++;
        p->weight[side(sign)] += weight;
    }
}

bool ney_parts_held(const ney_parts *p, int64_t row)
{
    return p->held && (p->held[row / 8] >> (row % 8) & 1) != 0;
}

bool ney_parts_draw(const ney_parts *p, int64_t row, double share)
{
    ney_rng rng = {p->seed + UINT64_C(0x9e3779b97f4a7c15) * (uint64_t)row};
    return ney_rng_unit(&rng) < share;
}

bool ney_parts_aside(const ney_parts *p, int64_t row, int sign)
{
    const double share = p->share[side(sign)];
    return share > 0 && !ney_parts_held(p, row) && ney_parts_draw(p, row, share);
}

/* A network can learn its rows by heart, so some are always kept out for it. What is linear in
 * its weights cannot: with few rows, those learned from tell when to stop, and none is lost. */
static double share_of(const ney_train_opts *o, int64_t n)
{
    const bool many = n > FEW, can_overfit = o->network > 0;
    if (!isnan(o->validation)) {
        return o->validation;
    }
    if (n < 5 * (int64_t)SOME_CHECKS || (!many && !can_overfit)) {
        return 0;
    }
    return fmin(can_overfit ? 0.2 : 0.1, (double)ENOUGH / (double)n);
}

static ney_status select_held(ney_parts *p, const ney_feed *f, const ney_train_opts *o,
                              ney_error *err)
{
    const int sign = ney_bounded_sign(o);
    const int64_t n = p->all[side(sign)];
    counting c = {.p = p, .bounded = sign};
    const ney_status st = ney_holdout_size(o, n, &p->n_held, err);
    if (st != NEY_OK) {
        return st;
    }
    p->held = ney_alloc_zeroed(&p->env, f->rows / 8 + 1, 1);
    if (!p->held) {
        return ney_no_memory(err, f->rows, "rows to hold out");
    }
    c.selection = (ney_selection){.rng = {(uint64_t)o->seed}, .left = n, .wanted = p->n_held};
    ney_feed_labels(f, hold_out, &c);
    return NEY_OK;
}

ney_status ney_parts_init(ney_parts *p, const ney_feed *f, const ney_train_opts *o, ney_error *err)
{
    ney_status st;
    *p = (ney_parts){.env = f->env, .seed = (uint64_t)o->seed ^ UINT64_C(0xa5a5a5a5a5a5a5a5)};
    if (!f->labelled) {
        return ney_fail(err, NEY_EINVAL, "the data have no labels");
    }
    ney_feed_labels(f, count_class, p);
    if (p->all[0] == 0 || p->all[1] == 0) {
        return ney_fail(err, NEY_EINVAL, "%lld rows and none of them %s, expected both classes",
                        (long long)f->rows, p->all[1] == 0 ? "positive" : "negative");
    }
    if (!isnan(o->confidence) && (st = select_held(p, f, o, err)) != NEY_OK) {
        return st;
    }
    for (int c = 0; c < 2; c++) {
        p->share[c] = share_of(o, p->all[c] - (c == side(ney_bounded_sign(o)) ? p->n_held : 0));
    }
    ney_feed_labels(f, count_learned, p);
    if (p->learn[0] == 0 || p->learn[1] == 0) {
        return ney_fail(err, NEY_EINVAL,
                        "a share of %g for validation leaves a class without rows to learn from",
                        o->validation);
    }
    return NEY_OK;
}

void ney_parts_deinit(ney_parts *p)
{
    ney_release(&p->env, p->held);
    p->held = NULL;
}
