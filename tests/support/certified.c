#include "support/certified.h"

#include "support/claim.h"
#include "support/cmocka_all.h"
#include "support/share.h"

#include <math.h>

ney_train_opts certified_defaults(void)
{
    ney_train_opts o;
    int64_t n;
    const ney_param *p = ney_train_params(&n);
    ney_params_init(p, n, &o);
    return o;
}

static bool exceeds(const ney_train_opts *o, const true_rates *rate)
{
    return (!isnan(o->max_fpr) && rate->fpr > o->max_fpr) ||
           (!isnan(o->max_fnr) && rate->fnr > o->max_fnr);
}

void certified_check(const certified_claim *c, uint64_t stream,
                     ney_model *(*train)(const ney_env *env, const population *p, rnd *r,
                                         const ney_data *d, const ney_train_opts *o))
{
    ney_env env = ney_env_default();
    rnd r = rnd_new(stream);
    const population p = population_new(&r, c->points, 1.5);
    const int64_t runs = test_share(c->runs);
    ney_train_opts o = certified_defaults();
    int64_t errors = 0;
    double power = 0;
    env.threads = 1;
    c->choose(&o);
    for (int64_t k = 0; k < runs; k++) {
        ney_data *d = population_draw(&p, &r, c->n_neg, c->n_pos, c->weighted);
        ney_model *m = NULL;
        o.seed = 1 + k;
        if (train) {
            m = train(&env, &p, &r, d, &o);
        } else {
            ney_train_info info = {0};
            assert_int_equal(ney_train(&m, &env, d, &o, &info, NULL), NEY_OK);
            assert_true(info.certified);
        }
        const true_rates rate = population_rates(&p, m);
        errors += exceeds(&o, &rate);
        power += isnan(o.max_fpr) ? 1 - rate.fpr : 1 - rate.fnr - rate.rejected_pos;
        ney_model_free(m);
        ney_data_free(d);
    }
    claim_check(c->claim, errors, runs, 1 - o.confidence);
    if (!(power / (double)runs >= c->least_power)) {
        fail_msg("%s: mean power %.3f, expected %.3f", c->claim, power / (double)runs,
                 c->least_power);
    }
}
