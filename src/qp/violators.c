#include "qp/violators.h"

typedef struct candidate {
    double key;
    int64_t row;
} candidate;

/* Larger key, then smaller row. */
static bool is_better(candidate a, candidate b)
{
    return a.key > b.key || (a.key == b.key && a.row < b.row);
}

/* Keep the best `most` of all offered, in a heap with the worst of them first. */
static void offer(candidate *heap, int64_t *n, int64_t most, candidate c)
{
    int64_t at;
    if (*n < most) {
        for (at = (*n)++; at > 0 && is_better(heap[(at - 1) / 2], c); at = (at - 1) / 2) {
            heap[at] = heap[(at - 1) / 2];
        }
        heap[at] = c;
    } else if (most > 0 && is_better(c, heap[0])) {
        at = 0;
        for (int64_t child; (child = 2 * at + 1) < most; at = child) {
            child += child + 1 < most && is_better(heap[child], heap[child + 1]);
            if (is_better(heap[child], c)) {
                break;
            }
            heap[at] = heap[child];
        }
        heap[at] = c;
    }
}

int64_t ney_find_violators(const ney_violator_search *q, double highest, double lowest,
                           int64_t most, int64_t *row)
{
    candidate rise[NEY_MOST_VIOLATORS / 2], fall[NEY_MOST_VIOLATORS / 2];
    int64_t n_rise = 0, n_fall = 0, n = 0;
    const int64_t each = (most < NEY_MOST_VIOLATORS ? most : NEY_MOST_VIOLATORS) / 2;
    for (int64_t i = 0; i < q->n; i++) {
        const double g_up = q->up[i] - q->f[i], g_down = q->down[i] - q->f[i];
        if (g_up > lowest && !q->in_set[i]) {
            offer(rise, &n_rise, each, (candidate){g_up, i});
        }
        if (g_down < highest && !q->in_set[i]) {
            offer(fall, &n_fall, each, (candidate){-g_down, i});
        }
    }
    for (int64_t k = 0; k < n_rise; k++) {
        q->in_set[rise[k].row] = true;
        row[n++] = rise[k].row;
    }
    for (int64_t k = 0; k < n_fall; k++) {
        if (!q->in_set[fall[k].row]) {
            q->in_set[fall[k].row] = true;
            row[n++] = fall[k].row;
        }
    }
    return n;
}
