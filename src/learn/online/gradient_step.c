/* The steps of visits [ONLINE.2]. */
#include "learn/online/online.h"

#include <math.h>

/* As in the batch methods no row is clipped at first: a row that a poor score function
 * misclassifies by far would never be unclipped. Rows of the bounded class are not clipped while
 * its rate exceeds A. */
static bool is_unclipped(const ney_online *r, int y)
{
    const double first =
        r->from ? 0 : (r->schedule.max_epochs > 1 ? 1 : 0.5) * r->schedule.epoch_visits;
    return (double)r->state.visits < first || (y < 0 && r->state.bounded_loss > r->problem.rate);
}

static inline ney_row_step row_step(const ney_online *r, const ney_visit *v, double score)
{
    const ney_online_state *state = &r->state;
    const int y = r->problem.sign * v->label; /* +1 in the free class */
    const double z = y * score, root = r->multiplier.root;
    const ney_hinges *const hinges = &r->problem.hinges[v->label > 0];
    ney_row_step step = {.sign = y,
                         .shrink =
                             1 / ((state->t0 + (double)state->visits) * (root > 1 ? root : 1)),
                         .reach = r->problem.is_cost           ? hinges->tau - z
                                  : r->o.loss == NEY_LOSS_RAMP ? r->o.eta - z
                                                               : 2 * r->o.eta};
    double slope;
    step.loss = r->problem.is_cost ? ney_hinges_loss(hinges, z, &slope)
                                   : ney_online_loss(&r->problem, z, is_unclipped(r, y), &slope);
    const double a = r->problem.factor[v->label > 0] * v->weight * (y < 0 ? root * root : 1);
    step.delta = step.shrink / r->problem.mu * a * slope;
    return step;
}

ney_row_step ney_online_row_step(const ney_online *r, const ney_visit *v, double score)
{
    return row_step(r, v, score);
}

static inline void count_visit(ney_online *r, const ney_visit *v, const ney_row_step *step)
{
    r->state.visits++;
    if (step->sign < 0 && !r->problem.is_cost) {
        ney_multiplier_update(r, step->loss, v->weight);
    }
}

void ney_online_count_visit(ney_online *r, const ney_visit *v, const ney_row_step *step)
{
    count_visit(r, v, step);
}

/* Train on one row. */
static inline void visit_row(ney_online *r, const ney_visit *v)
{
    ney_sgd *const s = &r->learner.sgd;
    const ney_row_step step = row_step(r, v, ney_sgd_score(s, v->x, v->row));
    double delta = step.delta;
    if (delta > 0) {
        const double square = /* mapped rows are of length 1, and so is the intercept's */
            r->learner.visits.map.n > 0 ? 2 : ney_sgd_square(s, v->x, v->row);
        const double most = step.reach / square;
        delta = most < delta ? most : delta;
    }
    ney_sgd_step(s, v->x, v->row, step.shrink, step.sign * delta);
    count_visit(r, v, &step);
}

void ney_online_train_visits(ney_online *r, const ney_window *w, int64_t first, int64_t n)
{
    ney_online_state *state = &r->state;
    ney_multiplier_begin(r);
    if (r->learner.batch.most > 0) {
        ney_online_train_batches(r, w, first, n);
        return;
    }
    for (int64_t i = 0; i < n; i++) {
        const ney_visit v = ney_visits_at(&r->learner.visits, w, first, i);
        if (state->visits == state->average_restart && !r->rounds.comm) {
            ney_sgd_restart(&r->learner.sgd);
            state->average_restart *= 2;
        }
        visit_row(r, &v);
    }
}
