/* The ramp loss at given costs: a nonconvex problem, by convex steps until no example is clipped or
 * unclipped. It is [NP.2] without a bound,
 *
 *     1/2 |w|^2 + C_fn sum of r(z_i) over the positives + C_fp sum of r(z_i) over the negatives
 *
 * with C_fn = C * cost_fn and lambda C_fn W / V = C_fp, where W and V are the weights of the
 * positives and the negatives. The first step is the convex problem in which none is clipped, and
 * every step lowers the objective. */
#include "learn/batch/cost.h"
#include "learn/batch/ramp.h"

enum { MOST_STEPS = 500 }; /* clipped sets rarely change more than a few dozen times */

static ney_status run_convex_steps(ney_ramp *r, double lambda, bool *next, ney_ramp_rates *now,
                                   ney_train_info *info, ney_error *err)
{
    int64_t steps = 0, changed = 1;
    ney_status st = ney_ramp_move(r, lambda, next, err);
    while (st == NEY_OK && changed > 0 && steps < MOST_STEPS) {
        st = ney_ramp_solve(r, r->task->o.tol, now, err);
        steps++;
        if (st != NEY_OK || ney_ramp_was_stopped(r)) {
            break;
        }
        changed = ney_ramp_clip(r, 0, next);
        ney_ramp_report(r, now, steps, changed);
        if (changed > 0 && steps < MOST_STEPS) {
            st = ney_ramp_move(r, lambda, next, err);
        }
    }
    if (st == NEY_OK) {
        ney_ramp_fill_info(r, now, info);
        info->steps = steps;
        info->starts = 1;
        if (changed > 0 && info->stop == NEY_STOP_CONVERGED) {
            info->stop = NEY_STOP_ITERATIONS;
        }
    }
    return st;
}

static ney_status learn(ney_task *t, ney_answer *a, ney_train_info *info, ney_error *err)
{
    const double C = t->o.C;
    ney_ramp r = {0};
    ney_ramp_rates now = {0};
    bool *next = ney_alloc_zeroed(&t->env, t->x->rows, sizeof *next);
    ney_status st = next ? ney_ramp_init(&r, t, 1, 0, 0, err)
                         : ney_no_memory(err, t->x->rows, "clipped examples");
    if (st == NEY_OK) {
        t->o.C = C * t->o.cost_fn;
        st = run_convex_steps(&r, t->o.cost_fp / t->o.cost_fn * r.bounded_weight / r.free_weight,
                              next, &now, info, err);
        t->o.C = C;
    }
    if (st == NEY_OK) {
        st = ney_ramp_take_answer(&r, a, err);
    }
    ney_ramp_deinit(&r);
    ney_release(&t->env, next);
    return st;
}

static ney_status describe(const ney_task *t, const ney_train_info *info, ney_model *m,
                           ney_error *err)
{
    const ney_status st = ney_model_set_number(m, NEY_METADATA_SUMMARY, "eta", t->o.eta, err);
    return st == NEY_OK
               ? ney_model_set_number(m, NEY_METADATA_SUMMARY, "steps", (double)info->steps, err)
               : st;
}

const ney_learner ney_learner_ramp = {.reads = NEY_READS_KERNEL "tol max-iter cost-fn cost-fp eta",
                                      .finds = NEY_FINDS_GAP |
                                               NEY_FINDS_ITERATIONS | NEY_FINDS_EXPANSION,
                                      .learn = learn,
                                      .describe = describe};
