/* A network under [FDR.3] with all rows at once: the same problem that pairs.c visits pair by
 * pair, some hundred numbers to find, by L-BFGS.
 *
 *   warm    targets found so far against all decoys, logistic loss, twice: the second time with the
 *           targets that the first has found. Two of four restarts take all targets instead: where
 * simpler stages find only a part of the targets, networks that start from it stay there sharp all
 * rows, sigmoid loss, four times: before each the threshold of q is put at score 0, and after each
 * lambda follows the rate of decisions there, in steps that are bounded */
#include "base/rng.h"
#include "learn/fdr/fdr.h"
#include "learn/online/sgd.h"
#include "linalg/lbfgs.h"
#include "linalg/rows.h"
#include "linalg/tiles.h"
#include "model/online.h"

#include <math.h>
#include <string.h>

enum { WARM_ROUNDS = 2, SHARP_ROUNDS = 4, WARM_STEPS = 40, SHARP_STEPS = 30 };

static const double STRICT = 5; /* every second restart is regularised more: which is better differs
                                 * from set to set, and the mean of both does well on either */

static const double AT_THRESHOLD = 2; /* of ney_fdr_lambda() */

/* Weights as in ney_sgd: those of column c from c * H on, then the output's; then the intercepts.
 */
typedef struct network {
    ney_task *t;
    int64_t cols, H, n_weights, n;
    double mu, eta, lambda;
    bool warm, alone;  /* in the first rounds; and then learning from all targets */
    float *x;          /* tiles, as of tiles.h */
    float *factor;     /* of each row: y_i a_i, 0 where the last tile is not full */
    float *hidden, *w; /* of one tile; the weights as floats */
    int64_t tiles;
    ney_stop stop;
    ney_lbfgs_info last; /* how L-BFGS ended in the last round */
    int64_t steps;
} network;

/* ---------------------------------------------------------------- value and gradient */

static double network_objective(void *context, const double *w, double *gradient)
{
    const network *const net = context;
    const ney_tiles shape = {.cols = net->cols, .units = net->H, .w = net->w};
    const double eta = net->warm ? 1 : net->eta;
    float f[NEY_TILE];
    double sum = 0;
    memset(gradient, 0, (size_t)net->n * sizeof *gradient);
    for (int64_t i = 0; i < net->n; i++) {
        net->w[i] = (float)w[i];
    }
    for (int64_t k = 0; k < net->tiles; k++) {
        const float *const x = net->x + k * NEY_TILE * net->cols;
        ney_tiles_forward(&shape, x, net->hidden, f);
        sum += ney_tiles_loss(net->factor + k * NEY_TILE, eta, net->warm, f);
        ney_tiles_backward(&shape, x, net->hidden, f, gradient);
    }
    for (int64_t i = 0; i < net->n_weights; i++) { /* intercepts are not regularised */
        sum += 0.5 * net->mu * w[i] * w[i];
        gradient[i] += net->mu * w[i];
    }
    return sum;
}

static bool may_continue(void *context)
{
    network *const net = context;
    const ney_task *t = net->t;
    net->steps++;
    if (!ney_poll(&t->env, "training", (double)net->steps,
                  WARM_ROUNDS * WARM_STEPS + SHARP_ROUNDS * SHARP_STEPS)) {
        net->stop = NEY_STOP_CANCELLED;
    } else if (t->o.max_time > 0 && ney_task_seconds(t) > t->o.max_time) {
        net->stop = NEY_STOP_TIME;
    } else if (t->o.max_iter > 0 && net->steps > t->o.max_iter) {
        net->stop = NEY_STOP_ITERATIONS;
    }
    return net->stop == NEY_STOP_CONVERGED;
}

/* ---------------------------------------------------------------- rows */

/* Put the rows with a factor into the tiles. */
static void fill_tiles(network *net, const double *factor)
{
    const ney_matrix *const m = net->t->x;
    int64_t n = 0;
    for (int64_t i = 0; i < m->rows; i++) {
        if (factor[i] == 0) {
            continue;
        }
        float *const at = net->x + n / NEY_TILE * NEY_TILE * net->cols + n % NEY_TILE;
        for (int64_t c = 0; c < net->cols; c++) {
            at[c * NEY_TILE] = 0;
        }
        const int64_t begin = m->dense ? 0 : m->start[i],
                      end = m->dense ? m->cols : m->start[i + 1];
        for (int64_t k = begin; k < end; k++) {
            const int64_t c = m->dense ? k : m->index[k];
            at[c * NEY_TILE] = m->dense ? m->dense[i * m->cols + k] : m->value[k];
        }
        net->factor[n++] = (float)factor[i];
    }
    net->tiles = (n + NEY_TILE - 1) / NEY_TILE;
    for (; n < net->tiles * NEY_TILE; n++) {
        float *const at = net->x + n / NEY_TILE * NEY_TILE * net->cols + n % NEY_TILE;
        for (int64_t c = 0; c < net->cols; c++) {
            at[c * NEY_TILE] = 0;
        }
        net->factor[n] = 0;
    }
}

static ney_status network_init(network *net, ney_task *t, ney_error *err)
{
    const int64_t H = t->o.network[0], cols = t->x->cols, capacity = t->x->rows + NEY_TILE;
    *net = (network){.t = t,
                     .cols = cols,
                     .H = H,
                     .n_weights = (cols + 1) * H,
                     .n = (cols + 2) * H + 1,
                     .mu = 1 / (t->o.C * (double)t->n_pos),
                     .eta = t->o.eta};
    net->x = ney_alloc(&t->env, capacity * (cols + 1) + H * NEY_TILE + net->n, sizeof *net->x);
    if (!net->x) {
        return ney_no_memory(err, capacity, "rows");
    }
    net->factor = net->x + capacity * cols;
    net->hidden = net->factor + capacity;
    net->w = net->hidden + H * NEY_TILE;
    return NEY_OK;
}

/* ---------------------------------------------------------------- the run */

typedef struct stage_rows {
    double *factor, *score, *q; /* of all rows */
} stage_rows;

/* Targets found against decoys; both sides weigh the same. All targets where none is found, or
 * where the network begins by itself. */
static ney_status weigh_warm(network *net, const ney_fdr *f, double q, stage_rows *s,
                             ney_error *err)
{
    const ney_task *t = net->t;
    int64_t found;
    const ney_status st =
        ney_fdr_accept(f, &t->env, ney_fdr_task_scores(t, s->score), q, s->q, NULL, &found, err);
    const bool all = found == 0 || net->alone;
    for (int64_t i = 0; i < t->x->rows && st == NEY_OK; i++) {
        const double weight = ney_task_weight(t, i);
        const bool taken = all || s->q[i] <= q;
        s->factor[i] = t->label[i] < 0 ? -weight / (double)t->n_neg
                       : taken         ? weight / (double)(all ? t->n_pos : found)
                                       : 0;
    }
    return st;
}

static void weigh_sharp(network *net, const ney_fdr *f, double q, stage_rows *s)
{
    const ney_task *t = net->t;
    const double per_target = ney_fdr_decoys_per_target(f, q);
    const double pos = (1 + net->lambda * per_target) / (double)t->n_pos;
    const double neg = net->lambda * ney_fdr_ratio(f, t->n_pos, t->n_neg) / (double)t->n_neg;
    for (int64_t i = 0; i < t->x->rows; i++) {
        s->factor[i] = ney_task_weight(t, i) * (t->label[i] > 0 ? pos : -neg);
    }
}

/* lambda rises where more decoys are accepted than q allows, and falls where fewer are: twofold at
 * most, and never far from where it began. The sigmoid loss counts every row a little, so that the
 * rate of decisions is used, not the loss. */
static void update_multiplier(network *net, const ney_fdr *f, double q, const double *score)
{
    const ney_task *t = net->t;
    const double per_target = ney_fdr_decoys_per_target(f, q),
                 first = ney_fdr_lambda(per_target, AT_THRESHOLD);
    double accepted[2] = {0.5, 0}; /* half a decoy: none is a small rate, not none at all */
    for (int64_t i = 0; i < t->x->rows; i++) {
        accepted[t->label[i] > 0] += score[i] >= 0;
    }
    const double size = f->estimate.compete ? 1 : (double)t->n_pos / (double)t->n_neg;
    const double over = size * accepted[0] / fmax(accepted[1], 1) / per_target;
    net->lambda *= fmin(fmax(over, 0.5), 2);
    net->lambda = fmin(fmax(net->lambda, first / 4), 4 * first);
}

static ney_status model_of(const network *net, const double *w, ney_model **out, ney_error *err)
{
    const ney_network shape = {.cols = net->t->x->cols, .units = {net->H}};
    return ney_model_new_network(out, &net->t->env, ney_data_preprocessing(net->t->data), &shape, w,
                                 w + net->n_weights, err);
}

static ney_status score_rows(const network *net, const double *w, double *score, ney_error *err)
{
    ney_env env = net->t->env;
    ney_model *m;
    ney_status st = model_of(net, w, &m, err);
    env.poll = NULL; /* a stop is seen elsewhere */
    if (st == NEY_OK) {
        st = ney_model_score(m, &env, net->t->x, score, err);
        ney_model_free(m);
    }
    return st;
}

static ney_status train_rounds(network *net, const ney_fdr *f, double q, stage_rows *s, double *w,
                               ney_error *err)
{
    const ney_env *const env = &net->t->env;
    ney_lbfgs p = {.n = net->n,
                   .value = network_objective,
                   .may_continue = may_continue,
                   .context = net,
                   .tol = 1e-4};
    ney_lbfgs_info found;
    ney_status st = NEY_OK;
    for (int round = 0;
         round < WARM_ROUNDS + SHARP_ROUNDS && st == NEY_OK && net->stop == NEY_STOP_CONVERGED;
         round++) {
        double scale, shift;
        net->warm = round < WARM_ROUNDS;
        p.max_steps = net->warm ? WARM_STEPS : SHARP_STEPS;
        if (net->warm) {
            st = weigh_warm(net, f, q, s, err);
        } else if ((st = ney_fdr_norm(f, env, ney_fdr_task_scores(net->t, s->score), q, &scale,
                                      &shift, err)) == NEY_OK) {
            w[net->n - 1] += shift / scale;
            weigh_sharp(net, f, q, s);
        }
        if (st == NEY_OK) {
            fill_tiles(net, s->factor);
            st = ney_lbfgs_run(&p, env, w, &found, err);
            net->last = found;
        }
        if (st == NEY_OK) {
            st = score_rows(net, w, s->score, err);
        }
        if (st == NEY_OK && !net->warm) {
            update_multiplier(net, f, q, s->score);
        }
    }
    return st;
}

/* Weights at random, as ney_sgd draws them. */
static ney_status draw_weights(const network *net, int restart, double *w, ney_error *err)
{
    const ney_task *t = net->t;
    ney_sgd s;
    double square = 0;
    const ney_network shape = {.cols = net->cols, .units = {net->H}};
    const ney_status st = ney_sgd_init(&s, &t->env, &shape, err);
    for (int64_t i = 0; i < t->x->rows; i++) {
        square += ney_row_square(t->x, i) / (double)t->x->rows;
    }
    if (st == NEY_OK) {
        ney_sgd_begin(&s, (uint64_t)t->o.seed * 1000003 + (uint64_t)restart, square);
        ney_sgd_average(&s, w, w + s.n);
    }
    ney_sgd_deinit(&s);
    return st;
}

/* A fixed number of rounds says nothing about the optimum, so that no fit is called converged. A
 * line search fails where single precision shows no descent any more: near a stationary point this
 * ends the round, elsewhere it is a failure. */
static ney_stop network_stop(const network *net)
{
    static const double STATIONARY = 1e-3; /* |g| against the value: 100 roundings, measured */
    const ney_lbfgs_info *const last = &net->last;
    const bool is_far = !(last->gradient <= STATIONARY * fmax(1, fabs(last->value)));
    if (net->stop != NEY_STOP_CONVERGED) {
        return net->stop;
    }
    ney_log(&net->t->env, NEY_LOG_DETAIL, "network: last round: %s after %lld steps, gradient %.3g",
            ney_lbfgs_stop_text(last->stop), (long long)last->steps, last->gradient);
    return last->stop == NEY_LBFGS_NOT_FINITE || (last->stop == NEY_LBFGS_LINE_SEARCH && is_far)
               ? NEY_STOP_PRECISION
               : NEY_STOP_EPOCHS;
}

ney_status ney_fdr_network(ney_model **out, ney_task *t, const ney_fdr *f, double q,
                           const double *start, int restart, ney_train_info *info, ney_error *err)
{
    const int64_t n = t->x->rows;
    network net = {0};
    double *w = NULL, *block = ney_alloc(&t->env, 3 * n, sizeof *block);
    *out = NULL;
    if (!block) {
        return ney_no_memory(err, n, "scores");
    }
    ney_status st = network_init(&net, t, err);
    if (st == NEY_OK && !(w = ney_alloc(&t->env, net.n, sizeof *w))) {
        st = ney_no_memory(err, net.n, "weights");
    }
    if (w) {
        stage_rows s = {block, block + n, block + 2 * n};
        memcpy(s.score, start, (size_t)n * sizeof *start);
        net.mu *= restart % 2 ? STRICT : 1;
        net.alone = restart / 2 % 2;
        net.lambda = ney_fdr_lambda(ney_fdr_decoys_per_target(f, q), AT_THRESHOLD);
        if ((st = draw_weights(&net, restart, w, err)) == NEY_OK &&
            (st = train_rounds(&net, f, q, &s, w, err)) == NEY_OK &&
            (st = model_of(&net, w, out, err)) == NEY_OK) {
            *info = (ney_train_info){.stop = network_stop(&net),
                                     .iterations = net.steps,
                                     .objective = (double)NAN,
                                     .convex_objective = (double)NAN,
                                     .dual_objective = (double)NAN,
                                     .gap = (double)NAN,
                                     .lambda = net.lambda};
        }
    }
    ney_release(&t->env, w);
    ney_release(&t->env, net.x);
    ney_release(&t->env, block);
    return st;
}
