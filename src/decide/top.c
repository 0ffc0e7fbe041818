#include "decide/top.h"

bool ney_top_init(ney_top *t, const ney_env *env, int64_t room)
{
    *t = (ney_top){.room = room, .heap = ney_alloc(env, room, sizeof *t->heap)};
    return t->heap != NULL;
}

void ney_top_deinit(ney_top *t, const ney_env *env)
{
    ney_release(env, t->heap);
    t->heap = NULL;
}

static void sift_up(double *heap, int64_t at, double value)
{
    for (; at > 0 && heap[(at - 1) / 2] > value; at = (at - 1) / 2) {
        heap[at] = heap[(at - 1) / 2];
    }
    heap[at] = value;
}

static void sift_down(double *heap, int64_t n, double value)
{
    int64_t at = 0;
    for (int64_t child; (child = 2 * at + 1) < n; at = child) {
        child += child + 1 < n && heap[child + 1] < heap[child];
        if (heap[child] >= value) {
            break;
        }
        heap[at] = heap[child];
    }
    heap[at] = value;
}

void ney_top_add(ney_top *t, double value)
{
    if (t->n < t->room) {
        sift_up(t->heap, t->n++, value);
    } else if (t->room > 0 && value > t->heap[0]) {
        sift_down(t->heap, t->n, value);
    }
}

double ney_top_least(const ney_top *t)
{
    return t->heap[0];
}

int64_t ney_top_above(const ney_top *t, double value)
{
    int64_t n = 0;
    for (int64_t i = 0; i < t->n; i++) {
        n += t->heap[i] > value;
    }
    return n;
}
