#include "learn/online/loss.h"

#include "learn/batch/reject.h"

void ney_online_problem_init(ney_online_problem *p, const ney_request *r, const ney_train_opts *o)
{
    const bool is_cost = r->kind != NEY_GOAL_RATE;
    *p = (ney_online_problem){.sign = is_cost ? 1 : -r->bounded_class,
                              .is_cost = is_cost,
                              .loss = o->loss,
                              .eta = o->eta};
    if (p->is_cost) {
        ney_hinges_of(&r->costs, p->hinges);
    }
}

void ney_online_problem_weigh(ney_online_problem *p, const ney_request *r, double C,
                              const ney_shuffle *shuffle)
{
    const ney_parts *const parts = shuffle->parts;
    const double all = parts->weight[0] + parts->weight[1];
    const double visits = ney_shuffle_visits(shuffle);
    for (int c = 0; c < 2; c++) {
        p->factor[c] =
            visits / ((double)shuffle->visits[c] * (p->is_cost ? all : parts->weight[c]));
    }
    p->mu = 1 / (C * (p->is_cost ? all : parts->weight[p->sign > 0]));
    p->rate = fmax(r->rate, 0.5 / (double)parts->learn[p->sign < 0]);
}

double ney_online_row_loss(const ney_online_problem *p, int label, double score)
{
    double slope;
    return p->is_cost ? ney_hinges_loss(&p->hinges[label > 0], label * score, &slope)
                      : ney_online_loss(p, label * score, false, &slope);
}
