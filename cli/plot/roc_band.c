#include "roc_band.h"

#include <math.h>
#include <stdlib.h>

enum { THRESHOLDS = 600 };

/* A corner of the region of one threshold. */
typedef struct corner {
    double fpr, tpr;
} corner;

static int compare_corners(const void *a, const void *b)
{
    const double x = ((const corner *)a)->fpr, y = ((const corner *)b)->fpr;

    return (x > y) - (x < y);
}

/* Corners of m thresholds: lower right into `low`, upper left into `high`; ends of the unit square
 * are among them. */
static int64_t find_corners(const ney_roc *roc, double confidence, corner *low, corner *high)
{
    const int64_t stride = roc->n_points / THRESHOLDS + 1;
    const double each = 1 - (1 - confidence) / 2;
    int64_t m = 0;

    for (int64_t i = 0; i < roc->n_points; i += stride, m++) {
        ney_interval_simultaneous(roc->fp[i], roc->n_neg, each, &high[m].fpr, &low[m].fpr);
        ney_interval_simultaneous(roc->tp[i], roc->n_pos, each, &low[m].tpr, &high[m].tpr);
    }
    low[m] = (corner){0, 0};
    high[m++] = (corner){1, 1};
    qsort(low, (size_t)m, sizeof *low, compare_corners);
    qsort(high, (size_t)m, sizeof *high, compare_corners);
    for (int64_t i = 1; i < m; i++) { /* the true curve rises */
        low[i].tpr = fmax(low[i].tpr, low[i - 1].tpr);
        high[m - 1 - i].tpr = fmin(high[m - 1 - i].tpr, high[m - i].tpr);
    }
    return m;
}

/* From corner to corner: until the next one low keeps its level, and high has that of the next. */
static void add_steps(roc_band *b, const corner *low, const corner *high, int64_t m)
{
    double from = 0;

    for (int64_t i = 0, j = 0; from < 1;) {
        while (i + 1 < m && low[i + 1].fpr <= from) {
            i++;
        }
        while (j + 1 < m && high[j].fpr <= from) {
            j++;
        }
        const double to =
            fmin(i + 1 < m ? low[i + 1].fpr : 1, high[j].fpr > from ? high[j].fpr : 1);
        for (int end = 0; end < 2; end++) {
            b->x[b->n] = end ? to : from;
            b->low[b->n] = low[i].tpr;
            b->high[b->n++] = high[j].tpr;
        }
        from = to;
    }
}

bool roc_band_init(roc_band *b, const ney_roc *roc, double confidence)
{
    const size_t most = THRESHOLDS + 2;
    corner *corners = malloc(2 * most * sizeof *corners);

    *b = (roc_band){.x = malloc(3 * 4 * (most + 1) * sizeof *b->x)};
    if (corners && b->x) {
        b->low = b->x + 4 * (most + 1);
        b->high = b->low + 4 * (most + 1);
        const int64_t m = find_corners(roc, confidence, corners, corners + most);
        add_steps(b, corners, corners + most, m);
    }
    const bool fine = corners && b->x;
    free(corners);
    return fine;
}

void roc_band_deinit(roc_band *b)
{
    free(b->x);
    *b = (roc_band){0};
}
