/* The state file of a test of drift: lines of text that give back the same test, to the last bit.
 *
 *   neyman-drift 1
 *   model HASH                  the caller's fingerprint of what is watched
 *   reference HASH N            of the reference scores in order, and their number
 *   delta DELTA SEED            the seed as 16 hexadecimal digits
 *   rows N ALARM                rows in all, row of the alarm or 0
 *   evidence X                  when it was last evaluated
 *   counts C...                 rows in each bin
 *   before C...                 the same at each start, the first left out
 *   end CHECKSUM */
#include "decide/drift.h"

#include "base/checksum.h"

#include <math.h>
#include <string.h>

static const char MAGIC[] = "neyman-drift";

enum { VERSION = 1 };

/* More rows than a stream can have, and few enough to be added up. */
static const int64_t MOST_ROWS = INT64_C(1) << 56;

static void format_identity(const ney_drift *d, ney_text *t)
{
    ney_text_put(t, "model");
    ney_text_field_hex(t, d->opts.fingerprint);
    ney_text_put(t, "\nreference");
    ney_text_field_hex(t, d->reference);
    ney_text_field_int(t, d->n_reference);
    ney_text_put(t, "\ndelta");
    ney_text_field_number(t, d->opts.delta);
    ney_text_field_hex(t, d->opts.seed);
    ney_text_put(t, "\n");
}

static void format_counts(const ney_drift *d, const char *key, const int64_t *count, ney_text *t)
{
    ney_text_put(t, key);
    for (int j = 0; j < d->n_bins; j++) {
        ney_text_field_int(t, count[j]);
    }
    ney_text_put(t, "\n");
}

ney_status ney_drift_save(const ney_drift *d, ney_error *err)
{
    NEY_REQUIRE(d, err);
    ney_text t;

    ney_text_init(&t, &d->env);
    ney_text_line_int(&t, MAGIC, VERSION);
    format_identity(d, &t);
    ney_text_put(&t, "rows");
    ney_text_field_int(&t, d->n);
    ney_text_field_int(&t, d->alarm_row);
    ney_text_put(&t, "\n");
    ney_text_line_number(&t, "evidence", d->log_evidence);
    format_counts(d, "counts", d->count, &t);
    for (int k = 1; k < d->n_starts; k++) {
        format_counts(d, "before", d->before[k], &t);
    }
    ney_checksum_append(&t);
    const ney_status st = ney_state_file_write(&d->state, &d->env, &t, err);
    ney_text_deinit(&t);
    return st;
}

/* Counts of n rows, none below `least`. */
static void parse_counts(ney_fields *f, const ney_drift *d, const char *key, int64_t n,
                         const int64_t *least, int64_t *count)
{
    int64_t sum = 0;

    ney_fields_key(f, key);
    for (int j = 0; j < d->n_bins; j++) {
        count[j] = ney_fields_int(f, least[j], n);
        sum += f->status == NEY_OK ? count[j] : 0;
    }
    if (f->status == NEY_OK && sum != n) {
        ney_fields_fail(f, "%lld rows in all intervals, expected %lld", (long long)sum,
                        (long long)n);
    }
    ney_fields_end(f);
}

static void parse_rows(ney_fields *f, ney_drift *d)
{
    static const int64_t none[NEY_DRIFT_BINS] = {0};

    ney_fields_key(f, "rows");
    d->n = ney_fields_int(f, 0, MOST_ROWS);
    d->alarm_row = ney_fields_int(f, 0, d->n);
    ney_fields_end(f);
    ney_fields_key(f, "evidence");
    d->log_evidence = ney_fields_number(f);
    if (f->status == NEY_OK && !isfinite(d->log_evidence)) {
        ney_fields_fail(f, "found evidence that is not finite");
    }
    ney_fields_end(f);
    parse_counts(f, d, "counts", d->n, none, d->count);
    d->n_starts = ney_martingale_starts(d->n);
    for (int k = 1; k < d->n_starts && f->status == NEY_OK; k++) {
        parse_counts(f, d, "before", ney_martingale_start(k), d->before[k - 1], d->before[k]);
    }
    for (int j = 0; j < d->n_bins && f->status == NEY_OK; j++) {
        if (d->before[d->n_starts - 1][j] > d->count[j]) {
            ney_fields_fail(f, "an interval has fewer rows in all than before");
        }
    }
}

ney_status ney_drift_parse(ney_drift *d, const char *name, const char *text, int64_t n_text,
                           ney_error *err)
{
    static const char *const what[] = {"of another model", "of other reference scores",
                                       "of another confidence or seed"};
    ney_text t;
    ney_fields f;

    ney_fields_init(&f, &d->env, name, text, n_text, err);
    ney_checksum_begin(&f, MAGIC, "the state of a test of drift", VERSION);
    ney_text_init(&t, &d->env);
    format_identity(d, &t);
    ney_state_file_match(&f, &t, what);
    ney_text_deinit(&t);
    if (f.status == NEY_OK) {
        parse_rows(&f, d);
    }
    ney_fields_finish(&f, "the state of a test of drift");
    if (f.status != NEY_OK) { /* as if nothing had been read */
        d->n = d->alarm_row = 0;
        d->log_evidence = 0;
        d->n_starts = 1;
        memset(d->count, 0, sizeof d->count);
        memset(d->before, 0, sizeof d->before);
    }
    return f.status;
}

ney_status ney_drift_open(ney_drift *d, const char *path, ney_error *err)
{
    NEY_REQUIRE(d && path && *path, err);
    char *text = NULL;
    int64_t n;

    if (d->state.path || d->n > 0) {
        return ney_fail(err, NEY_EINVAL, "the test is in use, expected a new one");
    }
    ney_status st = ney_state_file_open(&d->state, &d->env, path, MAGIC, &text, &n, err);
    if (st == NEY_OK) { /* fail before the run starts if the file cannot be written */
        st = text ? ney_drift_parse(d, path, text, n, err) : ney_drift_save(d, err);
    }
    ney_release(&d->env, text);
    return st;
}
