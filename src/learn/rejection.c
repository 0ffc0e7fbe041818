#include "learn/rejection.h"

#include <math.h>

/* Of a rejected row, in units of the less costly error, where no cost is given. */
static const double USUAL_COST = 0.2;

bool ney_rejection_is_asked(const ney_train_opts *o)
{
    return !isnan(o->reject_cost) || !isnan(o->reject_cost_fn) || !isnan(o->reject_cost_fp);
}

ney_costs ney_rejection_stated(const ney_train_opts *o)
{
    return (ney_costs){.fn = o->cost_fn,
                       .fp = o->cost_fp,
                       .reject_fn = isnan(o->reject_cost_fn) ? o->reject_cost : o->reject_cost_fn,
                       .reject_fp = isnan(o->reject_cost_fp) ? o->reject_cost : o->reject_cost_fp};
}

ney_costs ney_rejection_costs(const ney_train_opts *o, ney_goal_kind goal)
{
    ney_costs c = ney_rejection_stated(o);
    if (goal == NEY_GOAL_RATES) {
        const double usual = USUAL_COST * fmin(c.fn, c.fp);
        c.reject_fn = isnan(c.reject_fn) ? usual : c.reject_fn;
        c.reject_fp = isnan(c.reject_fp) ? usual : c.reject_fp;
    }
    return c;
}

/* The rule of Bartlett and Wegkamp is made for one cost of errors and one of rejection. */
static ney_status check_rule(const ney_costs *c, const ney_train_opts *o, ney_error *err)
{
    const double r = c->reject_fn / c->fn;
    if (o->rule != NEY_RULE_BARTLETT_WEGKAMP) {
        return NEY_OK;
    }
    if (c->fn != c->fp || c->reject_fn != c->reject_fp) {
        return ney_fail(err, NEY_EINVAL,
                        "the rule bartlett-wegkamp needs equal costs for both classes; "
                        "grandvalet takes any");
    }
    if (r < 0.5 && !isnan(o->delta0) && !(o->delta0 >= r && o->delta0 <= 1 - r)) {
        return ney_fail(err, NEY_EINVAL, "delta0 = %g, expected a number from r = %g to 1 - r = %g",
                        o->delta0, r, 1 - r);
    }
    return NEY_OK;
}

ney_status ney_rejection_check(const ney_request *r, const ney_train_opts *o, ney_error *err)
{
    const ney_costs *const c = &r->costs;
    if (isnan(c->reject_fn) || isnan(c->reject_fp)) {
        return ney_fail(err, NEY_EINVAL,
                        "the cost of rejecting a %s is missing: reject-cost-fn is that of a "
                        "positive, reject-cost-fp of a negative, reject-cost of both",
                        isnan(c->reject_fn) ? "positive" : "negative");
    }
    return check_rule(c, o, err);
}
