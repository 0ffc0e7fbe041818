#include "learn/trees/rate_order.h"

#include "decide/order.h"

#include <math.h>

/* Rows from the end at which those of the bounded class are errors. */
static ney_status order_rows(const ney_task *t, const float *f, int64_t n, ney_ranked **item,
                             ney_error *err)
{
    const double sign = t->request.bounded_class < 0 ? -1 : 1;
    double *const score = ney_alloc(&t->env, n, sizeof *score);
    if (!score) {
        return ney_no_memory(err, n, "scores");
    }
    for (int64_t i = 0; i < n; i++) {
        score[i] = sign * (double)f[i];
    }
    const ney_status st = ney_order_new(item, &t->env, score, n, err);
    ney_release(&t->env, score);
    return st;
}

ney_status ney_rate_threshold(const ney_task *t, const float *f, const int64_t *row, int64_t n,
                              double *threshold, ney_error *err)
{
    ney_ranked *item = NULL;
    const ney_status st = order_rows(t, f, n, &item, err);
    int64_t bounded = 0, seen = 0;
    for (int64_t i = 0; i < n; i++) {
        bounded += t->label[row[i]] == t->request.bounded_class;
    }
    const double allowed = t->request.rate * (double)bounded;
    *threshold = 0;
    for (int64_t k = 0; k < n && st == NEY_OK; k++) {
        if (t->label[row[item[k].row]] == t->request.bounded_class) {
            *threshold = (double)f[item[k].row];
            if ((double)++seen > allowed) {
                break;
            }
        }
    }
    ney_release(&t->env, item);
    return st;
}

ney_status ney_rate_missed(const ney_task *t, const float *f, const int64_t *row, int64_t n,
                           double *mean, ney_error *err)
{
    ney_ranked *item = NULL;
    const ney_status st = order_rows(t, f, n, &item, err);
    int64_t bounded = 0, errors = 0, steps = 0;
    double sum = 0;
    for (int64_t i = 0; i < n; i++) {
        bounded += t->label[row[i]] == t->request.bounded_class;
    }
    const double others = (double)(n - bounded), middle = t->request.rate * (double)bounded;
    double missed = others;
    for (int64_t k = 0; k < n && st == NEY_OK && (steps == 0 || (double)errors <= 2 * middle);
         k++) {
        if (t->label[row[item[k].row]] != t->request.bounded_class) {
            missed--;
            continue;
        }
        if ((double)errors + 1 > middle / 2) {
            sum += missed / others;
            steps++;
        }
        errors++;
    }
    *mean = steps > 0 && others > 0 ? sum / (double)steps : 1;
    ney_release(&t->env, item);
    return st;
}
