/* Boosted trees for a bounded FDR: targets found so far against all decoys under the logistic loss,
 * twice: the second time with the targets that the out-of-fold scores of the first find, because a
 * booster fits the rows that it has seen too well for its scores of them to choose. The second
 * restart takes all targets instead, whatever the stages before have found. */
#include "learn/fdr/fdr.h"
#include "learn/trees/boosting.h"

#include <math.h>
#include <string.h>

enum { ROUNDS = 2 };

/* One fit, and memory for its rows. */
typedef struct trees_run {
    ney_task t; /* weighs the rows anew */
    double *score, *q;
    float *weight;
    bool *accepted;
    const float *given; /* weights of the caller, or NULL */
} trees_run;

static ney_status weigh_rows(trees_run *r, const ney_fdr *f, double q, bool takes_all,
                             ney_error *err)
{
    const ney_task *const t = &r->t;
    const ney_fdr_scores rows = ney_fdr_task_scores(t, r->score);
    int64_t found;
    const ney_status st = ney_fdr_choose(f, &t->env, rows, q, r->q, r->accepted, &found, err);
    for (int64_t i = 0; i < rows.n && st == NEY_OK; i++) {
        const bool is_taken = rows.label[i] < 0 || takes_all || r->accepted[i];
        r->weight[i] = is_taken ? r->given ? r->given[i] : 1 : 0;
    }
    return st;
}

/* The mean of boosters under the weights of now, and the out-of-fold scores. */
static ney_status boost(trees_run *r, ney_trees **out, ney_train_info *info, ney_error *err)
{
    static const ney_boost_loss loss = {.weight = {1, 1}};
    ney_boost b;
    ney_committee c = {0};
    ney_status st = ney_boost_init(&b, &r->t, err);
    if (st == NEY_OK && (st = ney_committee_fit_all(&c, &b, &loss, err)) == NEY_OK &&
        (st = ney_committee_mean(out, &c, &b, false, err)) == NEY_OK) {
        memcpy(r->score, c.score, (size_t)r->t.x->rows * sizeof *r->score);
        *info = ney_committee_info(&c, &b);
    }
    ney_committee_deinit(&c, &b);
    ney_boost_deinit(&b);
    return st;
}

static ney_status run_rounds(trees_run *r, ney_model **out, const ney_fdr *f, double q,
                             bool takes_all, ney_train_info *info, ney_error *err)
{
    ney_trees *trees = NULL;
    ney_status st = NEY_OK;
    for (int k = takes_all ? ROUNDS - 1 : 0; k < ROUNDS && st == NEY_OK; k++) {
        ney_trees_free(&r->t.env, trees);
        trees = NULL;
        if ((st = weigh_rows(r, f, q, takes_all, err)) == NEY_OK) {
            st = boost(r, &trees, info, err);
        }
    }
    return st == NEY_OK
               ? ney_model_new_trees(out, &r->t.env, ney_data_preprocessing(r->t.data), trees, err)
               : st;
}

ney_status ney_fdr_trees(ney_model **out, ney_task *t, const ney_fdr *f, double q,
                         const double *start, int restart, ney_train_info *info, ney_error *err)
{
    const int64_t n = t->x->rows;
    const ney_env *const env = &t->env;
    trees_run r = {.t = *t, .given = t->weight};
    ney_status st;
    *out = NULL;
    r.score = ney_alloc(env, 2 * n, sizeof *r.score);
    r.weight = ney_alloc(env, n, sizeof *r.weight);
    r.accepted = ney_alloc(env, n, sizeof *r.accepted);
    if (r.score && r.weight && r.accepted) {
        r.q = r.score + n;
        r.t.weight = r.weight;
        r.t.o.depth = restart > 0 ? (t->o.depth + 1) / 2 : t->o.depth;
        memcpy(r.score, start, (size_t)n * sizeof *start);
        st = run_rounds(&r, out, f, q, restart > 0, info, err);
    } else {
        st = ney_no_memory(err, n, "scores");
    }
    ney_release_all(env, r.accepted, r.weight, r.score);
    return st;
}
