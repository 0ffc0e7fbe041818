/* A summary of a data set and of its columns. */
#include "base/grouping.h"
#include "data/data.h"

#include <math.h>
#include <string.h>

#include <xxhash.h>

/* ---- columns */

/* `stored` is what is summed: v, which may be held less a shift, would cost it digits. */
static void add_cell(ney_column_summary *c, double v, float stored)
{
    if (isnan(v)) {
        c->missing++;
    } else if (isinf(v)) {
        c->infinite++;
    } else {
        c->low = isnan(c->low) || v < c->low ? v : c->low;
        c->high = isnan(c->high) || v > c->high ? v : c->high;
        c->mean += (double)stored;
    }
}

static void describe_columns(const ney_data *d, ney_column_summary *columns, int64_t *seen)
{
    const ney_matrix *x = &d->x;
    for (int64_t c = 0; c < x->cols; c++) {
        columns[c] = (ney_column_summary){.low = (double)NAN, .high = (double)NAN};
        seen[c] = 0;
    }
    for (int64_t i = 0; i < x->rows; i++) {
        const int64_t begin = x->dense ? i * x->cols : x->start[i];
        const int64_t end = x->dense ? begin + x->cols : x->start[i + 1];
        for (int64_t k = begin; k < end; k++) {
            const int64_t c = x->dense ? k - begin : x->index[k];
            const double v = ney_data_number(d, c, d->value[k]);
            seen[c]++;
            columns[c].nonzero += v != 0; /* a missing cell is not a zero */
            add_cell(&columns[c], v, d->value[k]);
        }
    }
    for (int64_t c = 0; c < x->cols; c++) {
        ney_column_summary *s = &columns[c];
        const double zero = ney_data_number(d, c, 0); /* what the cells that are not stored hold */
        const int64_t absent = x->rows - seen[c];
        if (absent > 0) {
            s->low = isnan(s->low) || zero < s->low ? zero : s->low;
            s->high = isnan(s->high) || zero > s->high ? zero : s->high;
            s->nonzero += zero != 0 ? absent : 0;
        }
        const int64_t n = x->rows - s->missing - s->infinite;
        s->mean = n > 0 ? s->mean / (double)n : (double)NAN; /* of what is stored, so far */
        s->deviation = n > 0 ? (double)absent * s->mean * s->mean : (double)NAN;
    }
    for (int64_t i = 0; i < x->rows; i++) {
        const int64_t begin = x->dense ? i * x->cols : x->start[i];
        const int64_t end = x->dense ? begin + x->cols : x->start[i + 1];
        for (int64_t k = begin; k < end; k++) {
            const int64_t c = x->dense ? k - begin : x->index[k];
            const double apart = (double)d->value[k] - columns[c].mean;
            columns[c].deviation += isfinite(apart) ? apart * apart : 0;
        }
    }
    for (int64_t c = 0; c < x->cols; c++) {
        const int64_t n = x->rows - columns[c].missing - columns[c].infinite;
        columns[c].deviation = n > 0 ? sqrt(columns[c].deviation / (double)n) : (double)NAN;
        columns[c].mean += ney_data_number(d, c, 0);
    }
}

/* ---- rows */

static uint64_t hash_row(const ney_matrix *x, int64_t r)
{
    if (x->dense) {
        return XXH3_64bits(x->dense + r * x->cols, (size_t)x->cols * sizeof *x->dense);
    }
    const size_t n = (size_t)(x->start[r + 1] - x->start[r]);
    return XXH3_64bits_withSeed(x->index + x->start[r], n * sizeof *x->index,
                                XXH3_64bits(x->value + x->start[r], n * sizeof *x->value));
}

static bool same_row(const ney_matrix *x, int64_t a, int64_t b)
{
    if (x->dense) {
        return memcmp(x->dense + a * x->cols, x->dense + b * x->cols,
                      (size_t)x->cols * sizeof *x->dense) == 0;
    }
    const int64_t n = x->start[a + 1] - x->start[a];
    return n == x->start[b + 1] - x->start[b] &&
           memcmp(x->index + x->start[a], x->index + x->start[b], (size_t)n * sizeof *x->index) ==
               0 &&
           memcmp(x->value + x->start[a], x->value + x->start[b], (size_t)n * sizeof *x->value) ==
               0;
}

/* Rows of equal hash are equal but for a chance of 2^-64 a pair; runs that are not are passed over.
 */
static void describe_run(const ney_data *d, const int64_t *run, int64_t n, ney_data_summary *s)
{
    int64_t same = 1, positives = d->label && d->label[run[0]] > 0;
    for (int64_t i = 1; i < n; i++) {
        if (same_row(&d->x, run[0], run[i])) {
            same++;
            positives += d->label && d->label[run[i]] > 0;
        }
    }
    s->duplicate_rows += same - 1;
    if (d->label && positives > 0 && positives < same) {
        s->contradictory_rows++;
    }
}

static ney_status describe_rows(const ney_data *d, ney_data_summary *s, ney_error *err)
{
    const int64_t n = d->x.rows;
    ney_grouping same = {0};
    uint64_t *hash = ney_alloc(&d->env, n, sizeof *hash);
    if (!hash) {
        return ney_no_memory(err, n, "rows to compare");
    }
    for (int64_t i = 0; i < n; i++) {
        hash[i] = hash_row(&d->x, i);
    }
    const ney_status st = ney_grouping_init(&same, &d->env, hash, n, err);
    for (int64_t k = 0; st == NEY_OK && k < same.n; k++) {
        describe_run(d, same.row + same.begin[k], ney_grouping_size(&same, k), s);
    }
    ney_grouping_deinit(&same);
    ney_release(&d->env, hash);
    return st;
}

ney_status ney_data_describe(const ney_data *d, ney_data_summary *summary,
                             ney_column_summary *columns, ney_error *err)
{
    NEY_REQUIRE(d && summary, err);
    const int64_t cols = d->x.cols;
    ney_data_summary s = {.rows = d->x.rows, .cols = cols, .low = (double)NAN, .high = (double)NAN};
    ney_column_summary *own = columns ? columns : ney_alloc(&d->env, cols, sizeof *own);
    int64_t *seen = ney_alloc(&d->env, cols, sizeof *seen);
    ney_status st;

    if (!own || !seen) {
        st = ney_no_memory(err, cols, "columns");
        goto done;
    }
    describe_columns(d, own, seen);
    for (int64_t c = 0; c < cols; c++) {
        s.stored += own[c].nonzero;
        s.missing += own[c].missing;
        s.infinite += own[c].infinite;
        s.constant_columns +=
            d->x.rows > 0 && own[c].missing + own[c].infinite == 0 && own[c].low == own[c].high;
        s.low = isnan(s.low) || own[c].low < s.low ? own[c].low : s.low;
        s.high = isnan(s.high) || own[c].high > s.high ? own[c].high : s.high;
    }
    for (int64_t i = 0; d->label && i < d->x.rows; i++) {
        s.positives += d->label[i] > 0;
        s.negatives += d->label[i] < 0;
    }
    if ((st = describe_rows(d, &s, err)) == NEY_OK) {
        *summary = s;
    }

done:
    ney_release(&d->env, seen);
    if (own != columns) {
        ney_release(&d->env, own);
    }
    return st;
}
