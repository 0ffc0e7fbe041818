/* Learning to reject: the double hinge loss [REJ.4] as one problem [QP.1]. With B_i and D as there,
 * times the example's weight, and v_i = y_i a_i:
 *
 *     positives   0 <= v_i <= B_i + D,     slope  tau+ up to B_i,   rho beyond
 *     negatives   -(B_i + D) <= v_i <= 0,  slope -tau- down to -B_i, rho beyond
 *
 * Where rejecting never pays, the SVM at the costs of the errors is trained. */
#include "learn/batch/reject.h"

#include "learn/batch/cost.h"
#include "learn/batch/double_hinge.h"
#include "learn/goal.h"
#include "learn/make.h"
#include "learn/shared.h"

#include <math.h>

/* The thresholds. The model is trained on the loss W whose scores are log-odds at the two tangent
 * points; in the scale of Bartlett and Wegkamp's loss a score f is f r / H(r) [REJ.6]. */
ney_band ney_reject_band(const ney_request *r, const ney_train_opts *o)
{
    const ney_double_hinge h = ney_double_hinge_of(&r->costs);
    ney_band b = {.low = h.low, .high = h.high, .costs = r->costs};
    if (h.pays && o->rule == NEY_RULE_BARTLETT_WEGKAMP) {
        const double delta0 = isnan(o->delta0) ? 0.5 : o->delta0;
        b.high = delta0 * ney_entropy(h.p_low, h.q_low) / h.p_low;
        b.low = -b.high;
    }
    return b;
}

/* The box and the slopes of every row. */
static void fill_boxes(const ney_task *t, const ney_double_hinge *h, double *const part[5])
{
    for (int64_t i = 0; i < t->x->rows; i++) {
        const double c = t->o.C * ney_task_weight(t, i), both = c * (h->p_high - h->p_low);
        const bool positive = t->label[i] > 0;
        const double first = c * (positive ? h->q_high : h->p_low);
        part[0][i] = positive ? 0 : -(first + both);
        part[1][i] = positive ? first : -first;
        part[2][i] = positive ? first + both : 0;
        part[3][i] = positive ? h->tau_pos : h->rho;
        part[4][i] = positive ? h->rho : -h->tau_neg;
    }
}

static ney_status solve_double_hinge(ney_task *t, const ney_double_hinge *h, ney_answer *a,
                                     ney_train_info *info, ney_error *err)
{
    const int64_t n = t->x->rows;
    double *block = ney_alloc(&t->env, 6 * n, sizeof *block);
    double *part[6];
    ney_status st =
        ney_shared_agree(t->blocks, block ? NEY_OK : ney_no_memory(err, n, "dual variables"), err);
    if (st != NEY_OK || !block) {
        ney_release(&t->env, block);
        return st;
    }
    for (int k = 0; k < 6; k++) {
        part[k] = block + k * n;
    }
    fill_boxes(t, h, part);
    const ney_qp qp = {.n = n,
                       .low = part[0],
                       .middle = part[1],
                       .high = part[2],
                       .slope_low = part[3],
                       .slope_high = part[4]};
    st = ney_answer_solve(a, t, &qp, part[5], info, err);
    ney_release(&t->env, block);
    return st;
}

void ney_reject_warn(const ney_env *env, const ney_costs *c)
{
    if (!ney_double_hinge_of(c).pays) {
        ney_log(env, NEY_LOG_WARNING,
                "rejecting never pays at these costs (%g / %g + %g / %g is not below 1): the model "
                "is trained without rejection",
                c->reject_fn, c->fn, c->reject_fp, c->fp);
    }
}

ney_status ney_reject_learn(ney_task *t, ney_answer *a, ney_train_info *info, ney_error *err)
{
    const ney_double_hinge h = ney_double_hinge_of(&t->request.costs);
    ney_reject_warn(&t->env, &t->request.costs);
    if (!h.pays) {
        return ney_cost_learn(t, a, info, err);
    }
    return solve_double_hinge(t, &h, a, info, err);
}

static ney_status decide(const ney_task *t, ney_model *m, ney_train_info *info, ney_error *err)
{
    const ney_band b = ney_reject_band(&t->request, &t->o);
    (void)info;
    return ney_model_set_thresholds(m, b.low, b.high, err);
}

static ney_status describe(const ney_task *t, ney_model *m, ney_error *err)
{
    const ney_costs c = t->request.costs;
    const bool has_delta0 = t->o.rule == NEY_RULE_BARTLETT_WEGKAMP && !isnan(t->o.delta0);
    const ney_metadata_value items[] = {
        {"cost_fn", NULL, c.fn},
        {"cost_fp", NULL, c.fp},
        {"reject_cost_fn", NULL, c.reject_fn},
        {"reject_cost_fp", NULL, c.reject_fp},
        {"rejection_pays", NULL, ney_double_hinge_of(&c).pays},
        {"rule", t->o.rule == NEY_RULE_GRANDVALET ? "grandvalet" : "bartlett-wegkamp", 0},
        {"delta0", NULL, t->o.delta0}};
    const int64_t n = sizeof items / sizeof *items;
    return ney_set_metadata(m, items, has_delta0 ? n : n - 1, err);
}

const ney_goal ney_goal_reject = {.name = "reject",
                                  .options = "--reject-cost",
                                  .criterion = NEY_CRITERION_COST,
                                  .usual = NEY_METHOD_AUTO,
                                  .learner = &ney_learner_reject,
                                  .is_asked = ney_rejection_is_asked,
                                  .check = ney_rejection_check,
                                  .decide = decide,
                                  .band = ney_reject_band,
                                  .describe = describe};

/* Also of both rates bounded. */
const ney_learner ney_learner_reject = {.reads = NEY_READS_KERNEL "tol max-iter cost-fn cost-fp",
                                        .finds = NEY_FINDS_GAP | NEY_FINDS_ITERATIONS |
                                                 NEY_FINDS_EXPANSION,
                                        .shared = true,
                                        .learn = ney_reject_learn};
