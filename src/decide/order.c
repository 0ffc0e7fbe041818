/* Merge sort from the bottom up: stable, no recursion, n log n whatever the order it meets. */
#include "decide/order.h"

#include <string.h>

/* Merge the sorted neighbours [low, middle) and [middle, high) of `from` into `to`. */
static void merge(const ney_ranked *from, ney_ranked *to, int64_t low, int64_t middle, int64_t high)
{
    int64_t left = low, right = middle;
    for (int64_t k = low; k < high; k++) {
        const bool take_left =
            left < middle && (right >= high || !(from[right].score < from[left].score));
        to[k] = take_left ? from[left++] : from[right++];
    }
}

/* Runs short enough that moving single items is cheaper than merging. */
enum { SHORT_RUN = 16 };

static void sort_short(ney_ranked *item, int64_t low, int64_t high)
{
    for (int64_t k = low + 1; k < high; k++) {
        const ney_ranked one = item[k];
        int64_t at = k;
        for (; at > low && item[at - 1].score > one.score; at--) {
            item[at] = item[at - 1];
        }
        item[at] = one;
    }
}

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

void ney_order(ney_ranked *item, ney_ranked *spare, int64_t n)
{
    ney_ranked *from = item, *to = spare;
    for (int64_t low = 0; low < n; low += SHORT_RUN) {
        sort_short(item, low, smaller(low + SHORT_RUN, n));
    }
    for (int64_t width = SHORT_RUN; width < n; width *= 2) {
        for (int64_t low = 0; low < n; low += 2 * width) {
            merge(from, to, low, smaller(low + width, n), smaller(low + 2 * width, n));
        }
        ney_ranked *const swap = from;
        from = to;
        to = swap;
    }
    if (from != item) {
        memcpy(item, from, (size_t)n * sizeof *item);
    }
}
