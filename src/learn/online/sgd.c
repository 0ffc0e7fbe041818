#include "learn/online/sgd.h"

#include "base/rng.h"
#include "linalg/layer.h"
#include "linalg/rows.h"
#include "linalg/vector.h"

#include <math.h>
#include <string.h>

ney_status ney_sgd_init(ney_sgd *s, const ney_env *env, const ney_network *shape, ney_error *err)
{
    const int64_t n = ney_network_weights(shape), m = ney_network_biases(shape);
    const int64_t units = shape->units[0];
    *s = (ney_sgd){.env = *env, .shape = *shape, .n = n, .m = m, .every = 1};
    s->block = ney_alloc_zeroed(env, 2 * n + 2 * m + 2 * units, sizeof *s->block);
    if (!s->block) {
        return ney_no_memory(err, n, "weights");
    }
    s->v = s->block;
    s->u = s->v + n;
    s->b = s->u + n;
    s->b_sum = s->b + m;
    s->hidden = s->b_sum + m;
    s->back = s->hidden + units;
    return NEY_OK;
}

void ney_sgd_deinit(ney_sgd *s)
{
    ney_release(&s->env, s->block);
    s->block = NULL;
}

/* Normal deviates by pairs (Box and Muller). */
static double draw_normal(ney_rng *rng)
{
    const double u = 1 - ney_rng_unit(rng), angle = 6.283185307179586 * ney_rng_unit(rng);
    return sqrt(-2 * log(u)) * cos(angle);
}

void ney_sgd_begin(ney_sgd *s, uint64_t seed, double square)
{
    ney_rng rng = {seed};
    memset(s->block, 0, (size_t)(2 * s->n + 2 * s->m) * sizeof *s->block);
    s->scale = 1;
    s->mass = s->count = 0;
    const int L = ney_network_layers(&s->shape);
    const double gain = s->shape.activation == NEY_ACTIVATION_RELU ? sqrt(2) : 1;
    for (int l = 0; L > 0 && l <= L; l++) {
        const double inputs = (double)ney_network_inputs(&s->shape, l);
        const double deviation = (l < L ? gain : 1) / sqrt(l > 0        ? inputs
                                                           : square > 0 ? square
                                                                        : 1);
        const int64_t end = l < L ? ney_network_weight_at(&s->shape, l + 1) : s->n;
        for (int64_t k = ney_network_weight_at(&s->shape, l); k < end; k++) {
            s->v[k] = draw_normal(&rng) * deviation;
        }
    }
}

bool ney_sgd_takes_rows(const ney_sgd *s)
{
    return s->shape.units[1] == 0 && s->shape.activation == NEY_ACTIVATION_TANH;
}

void ney_sgd_set(ney_sgd *s, const double *w, const double *b)
{
    ney_sgd_begin(s, 0, 0);
    memcpy(s->v, w, (size_t)s->n * sizeof *w);
    memcpy(s->b, b, (size_t)s->m * sizeof *b);
}

/* ---- linear */

/* v += t x; the sum that the average is made of stays as it was. */
static void move_linear(ney_sgd *s, const ney_matrix *x, int64_t row, double t)
{
    if (x->dense) {
        ney_vector_axpy_mixed(t, x->dense + row * x->cols, s->v, x->cols);
        if (s->count > 0) {
            ney_vector_axpy_mixed(-t * s->mass, x->dense + row * x->cols, s->u, x->cols);
        }
        return;
    }
    const int64_t end = x->start[row + 1];
    for (int64_t k = x->start[row]; k < end; k++) {
        s->v[x->index[k]] += t * (double)x->value[k];
    }
    for (int64_t k = x->start[row]; k < end && s->count > 0 && s->every == 1; k++) {
        s->u[x->index[k]] -= s->mass * (t * (double)x->value[k]);
    }
}

/* ---- network */

/* sum += scale * (W'x) for all units at once: columns are rows of units. */
static void add_inputs(const ney_sgd *s, const ney_matrix *x, int64_t row, double *sum)
{
    const int64_t H = s->shape.units[0];
    if (x->dense) {
        const float *at = x->dense + row * x->cols;
        for (int64_t c = 0; c < x->cols; c++) {
            if (at[c] != 0) {
                ney_vector_axpy(s->scale * (double)at[c], s->v + c * H, sum, H);
            }
        }
        return;
    }
    for (int64_t k = x->start[row]; k < x->start[row + 1]; k++) {
        ney_vector_axpy(s->scale * (double)x->value[k], s->v + x->index[k] * H, sum, H);
    }
}

static double network_score(ney_sgd *s, const ney_matrix *x, int64_t row)
{
    const int64_t H = s->shape.units[0];
    const double *top = s->v + s->shape.cols * H;
    double f = s->b[H];
    memcpy(s->hidden, s->b, (size_t)H * sizeof *s->hidden);
    add_inputs(s, x, row, s->hidden);
    ney_layer_tanh(s->hidden, H);
    for (int64_t k = 0; k < H; k++) {
        const double h = s->hidden[k], w = s->scale * top[k];
        s->back[k] = w * (1 - h * h);
        f += w * h;
    }
    return f;
}

/* v += t * gradient at one column, in v and against it in u. */
static void move_column(ney_sgd *s, int64_t column, double t)
{
    const int64_t H = s->shape.units[0];
    ney_vector_axpy(t, s->back, s->v + column * H, H);
    if (s->count > 0) {
        ney_vector_axpy(-t * s->mass, s->back, s->u + column * H, H);
    }
}

static void move_network(ney_sgd *s, const ney_matrix *x, int64_t row, double t)
{
    const int64_t H = s->shape.units[0];
    const double delta = t * s->scale;
    for (int64_t c = 0; x->dense && c < x->cols; c++) {
        const double value = (double)x->dense[row * x->cols + c];
        if (value != 0) {
            move_column(s, c, t * value);
        }
    }
    for (int64_t k = x->dense ? 0 : x->start[row]; !x->dense && k < x->start[row + 1]; k++) {
        move_column(s, x->index[k], t * (double)x->value[k]);
    }
    ney_vector_axpy(t, s->hidden, s->v + s->shape.cols * H, H);
    if (s->count > 0) {
        ney_vector_axpy(-t * s->mass, s->hidden, s->u + s->shape.cols * H, H);
    }
    ney_vector_axpy(delta, s->back, s->b, H);
    s->b[H] += delta;
}

/* ---- both */

double ney_sgd_score(ney_sgd *s, const ney_matrix *x, int64_t row)
{
    if (s->shape.units[0] > 0) {
        return network_score(s, x, row);
    }
    const double sum = x->dense ? ney_vector_dot_mixed(x->dense + row * x->cols, s->v, x->cols)
                                : ney_sparse_dot(x->index + x->start[row], x->value + x->start[row],
                                                 x->start[row + 1] - x->start[row], s->v);
    return s->scale * sum + s->b[0];
}

double ney_sgd_square(const ney_sgd *s, const ney_matrix *x, int64_t row)
{
    const double square =
        x->dense ? ney_row_square(x, row)
                 : ney_sparse_square(x->value + x->start[row], x->start[row + 1] - x->start[row]);
    double top = 1, back = 0;
    if (s->shape.units[0] == 0) {
        return square + 1;
    }
    for (int64_t k = 0; k < s->shape.units[0]; k++) {
        top += s->hidden[k] * s->hidden[k];
        back += s->back[k] * s->back[k];
    }
    return top + back * (square + 1);
}

/* The smaller the scale, the larger v, and the more digits u + mass * v loses: before that, v takes
 * the scale over and u the sum. */
void ney_sgd_take_over(ney_sgd *s)
{
    for (int64_t k = 0; k < s->n; k++) {
        s->u[k] += s->mass * s->v[k];
        s->v[k] *= s->scale;
    }
    s->mass = 0;
    s->scale = 1;
}

void ney_sgd_shrink(ney_sgd *s, double shrink)
{
    s->scale *= 1 - shrink;
    if (s->scale < 1e-3) {
        ney_sgd_take_over(s);
    }
}

void ney_sgd_average_lazily(ney_sgd *s, double entries, double visits)
{
    /* a sum taken over costs an eighth of the scores since the last one; sums of an epoch */
    static const double rare = 8, fewest = 128;
    const double most = rare * (double)s->n / fmax(1, entries);
    for (s->every = 1; 2 * (double)s->every <= most && visits >= fewest * most;) {
        s->every *= 2;
    }
}

static void take_sum(ney_sgd *s)
{
    ney_vector_axpy(s->mass, s->v, s->u, s->n);
    s->mass = 0;
}

void ney_sgd_count(ney_sgd *s)
{
    s->mass += s->scale;
    s->count += 1;
    if (s->every > 1 && ((int64_t)s->count & (s->every - 1)) == 0) {
        take_sum(s);
    }
    for (int64_t k = 0; k < s->m; k++) {
        s->b_sum[k] += s->b[k];
    }
}

void ney_sgd_step(ney_sgd *s, const ney_matrix *x, int64_t row, double shrink, double delta)
{
    ney_sgd_shrink(s, shrink);
    if (delta != 0) {
        const double t = delta / s->scale;
        if (s->shape.units[0] > 0) {
            move_network(s, x, row, t);
        } else {
            move_linear(s, x, row, t);
            s->b[0] += delta;
        }
    }
    ney_sgd_count(s);
}

void ney_sgd_restart(ney_sgd *s)
{
    memset(s->u, 0, (size_t)s->n * sizeof *s->u);
    memset(s->b_sum, 0, (size_t)s->m * sizeof *s->b_sum);
    s->mass = s->count = 0;
}

void ney_sgd_average(const ney_sgd *s, double *w, double *b)
{
    const bool none = s->count == 0;
    for (int64_t k = 0; k < s->n; k++) {
        w[k] = none ? s->scale * s->v[k] : (s->u[k] + s->mass * s->v[k]) / s->count;
    }
    for (int64_t k = 0; k < s->m; k++) {
        b[k] = none ? s->b[k] : s->b_sum[k] / s->count;
    }
}

double ney_sgd_norm(const ney_sgd *s)
{
    double sum = 0;
    for (int64_t k = 0; k < s->n; k++) {
        sum += s->v[k] * s->v[k];
    }
    return s->scale * s->scale * sum;
}
