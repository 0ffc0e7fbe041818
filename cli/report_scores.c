/* A ROC curve in few bytes. Thresholds fall, so that they are stored as differences of the whole
 * numbers that are ordered as doubles are; counts are stored as differences, too. Blocks of 128
 * points, each number of a block in as many bits as the largest of its kind there needs:
 *
 *   "NSC1"  uint32 points  double n_pos  double n_neg  double distinct scores  double gap
 *   uint64 key of the first threshold
 *   per block: three widths in bits (uint8), then the bits of the differences of keys, of true and
 *   of false positives, lowest first, each kind beginning at a whole byte
 *
 * Little-endian. Point 0 of the curve (threshold +inf, no row) is left out. web/wasm/page.c reads
 * it. */
#include "report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK = 128, HEADER = 48, MOST_BLOCK = 3 + 3 * BLOCK * 8 };

/* ------------------------------------------------------------------ which points */

/* The point that decides as a threshold does: the last with one at least as high. */
static int64_t point_of(const ney_roc *roc, double threshold)
{
    int64_t low = 0, high = roc->n_points - 1;

    while (low < high) {
        const int64_t middle = low + (high - low + 1) / 2;
        if (roc->threshold[middle] >= threshold) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    return low;
}

/* The largest change of a rate from point a to point b. */
static double change(const ney_roc *roc, int64_t a, int64_t b)
{
    const double neg = roc->n_neg > 0 ? (double)(roc->fp[b] - roc->fp[a]) / (double)roc->n_neg : 0;
    const double pos = roc->n_pos > 0 ? (double)(roc->tp[b] - roc->tp[a]) / (double)roc->n_pos : 0;
    return fmax(neg, pos);
}

/* Cells of the plane of counts, CELLS of them for each class. A class of n rows has n / CELLS + 1
 * counts per cell. Points of one cell differ by at most n / CELLS rows of a class: 2 / 10^6 of its
 * rate. A curve enters a new cell at most (CELLS - 1) times for each class, as n / (n / CELLS + 1)
 * is below CELLS. So the first point of every cell, the last point of all and the fixed ones are at
 * most REPORT_THRESHOLDS thresholds and a second fixed one. */
enum { CELLS = REPORT_THRESHOLDS / 2 };

static bool begins_cell(const ney_roc *roc, int64_t k)
{
    const int64_t pos = roc->n_pos / CELLS + 1, neg = roc->n_neg / CELLS + 1;
    return roc->tp[k] / pos != roc->tp[k - 1] / pos || roc->fp[k] / neg != roc->fp[k - 1] / neg;
}

/* Points to keep, point 0 not counted. `gap` is the largest change of a rate from a kept point to
 * one that is left out before the next. */
static int64_t choose_points(const ney_roc *roc, double low, double high, int64_t *kept,
                             double *gap)
{
    const int64_t fixed[2] = {point_of(roc, low), point_of(roc, high)};
    const bool all = roc->n_points - 1 <= REPORT_THRESHOLDS;
    int64_t n = 0, last = 0;

    *gap = 0;
    for (int64_t k = 1; k < roc->n_points; k++) {
        if (all || begins_cell(roc, k) || k == fixed[0] || k == fixed[1] ||
            k == roc->n_points - 1) {
            kept[n++] = last = k;
        } else {
            *gap = fmax(*gap, change(roc, last, k));
        }
    }
    return n;
}

/* ------------------------------------------------------------------ bits */

static uint64_t key_of(double score)
{
    uint64_t bits;

    score += 0.0; /* one zero */
    memcpy(&bits, &score, sizeof bits);
    return bits ^ (bits >> 63 ? ~UINT64_C(0) : UINT64_C(1) << 63);
}

static int width_of(const uint64_t *value, int n)
{
    uint64_t all = 0;
    int width = 0;

    for (int i = 0; i < n; i++) {
        all |= value[i];
    }
    while (width < 64 && all >> width) {
        width++;
    }
    return width;
}

static uint8_t *put_little(uint8_t *to, uint64_t value, int n_bytes)
{
    for (int i = 0; i < n_bytes; i++) {
        to[i] = (uint8_t)(value >> (8 * i));
    }
    return to + n_bytes;
}

static uint8_t *put_real(uint8_t *to, double value)
{
    uint64_t bits;

    memcpy(&bits, &value, sizeof bits);
    return put_little(to, bits, 8);
}

static uint8_t *put_bits(uint8_t *to, const uint64_t *value, int n, int width)
{
    int64_t bit = 0;

    memset(to, 0, (size_t)(((int64_t)width * n + 7) / 8));
    for (int i = 0; i < n; i++) {
        for (int put = 0; put < width;) {
            const int at = (int)(bit & 7), room = 8 - at;
            const int take = width - put < room ? width - put : room;
            const uint64_t part = value[i] >> put & ((UINT64_C(1) << take) - 1);
            to[bit >> 3] |= (uint8_t)(part << at);
            put += take;
            bit += take;
        }
    }
    return to + (bit + 7) / 8;
}

/* One block of points from kept[0] on; `before` is the point kept before them. */
static uint8_t *put_block(uint8_t *to, const ney_roc *roc, const int64_t *kept, int n,
                          int64_t before)
{
    uint64_t value[3][BLOCK];
    int width[3];

    for (int i = 0; i < n; i++) {
        const int64_t k = kept[i];
        value[0][i] = before > 0 ? key_of(roc->threshold[before]) - key_of(roc->threshold[k]) : 0;
        value[1][i] = (uint64_t)(roc->tp[k] - roc->tp[before]);
        value[2][i] = (uint64_t)(roc->fp[k] - roc->fp[before]);
        before = k;
    }
    for (int f = 0; f < 3; f++) {
        width[f] = width_of(value[f], n);
        *to++ = (uint8_t)width[f];
    }
    for (int f = 0; f < 3; f++) {
        to = put_bits(to, value[f], n, width[f]);
    }
    return to;
}

static bool pack(packed_curve *out, const ney_roc *roc, const int64_t *kept)
{
    const size_t blocks = (size_t)(out->n_kept + BLOCK - 1) / BLOCK;

    out->bytes = malloc(HEADER + blocks * MOST_BLOCK);
    if (!out->bytes) {
        return false;
    }
    memcpy(out->bytes, "NSC1", 4);
    uint8_t *at = put_little(out->bytes + 4, (uint64_t)out->n_kept, 4);
    at = put_real(at, (double)roc->n_pos);
    at = put_real(at, (double)roc->n_neg);
    at = put_real(at, (double)(roc->n_points - 1));
    at = put_real(at, out->gap);
    at = put_little(at, out->n_kept > 0 ? key_of(roc->threshold[kept[0]]) : 0, 8);
    for (int64_t k = 0; k < out->n_kept; k += BLOCK) {
        const int n = (int)(out->n_kept - k < BLOCK ? out->n_kept - k : BLOCK);
        at = put_block(at, roc, kept + k, n, k > 0 ? kept[k - 1] : 0);
    }
    out->n_bytes = (size_t)(at - out->bytes);
    return true;
}

ney_status curve_pack(packed_curve *out, const ney_roc *roc, double low, double high,
                      ney_error *err)
{
    int64_t *kept = malloc((size_t)roc->n_points * sizeof *kept);
    bool good = false;

    *out = (packed_curve){0};
    if (kept) {
        out->n_kept = choose_points(roc, low, high, kept, &out->gap);
        good = pack(out, roc, kept);
    }
    free(kept);
    if (!good) {
        return out_of_memory(err, "the scores of the page");
    }
    return NEY_OK;
}

void packed_curve_deinit(packed_curve *p)
{
    free(p->bytes);
    *p = (packed_curve){0};
}
