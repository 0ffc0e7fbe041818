#include "model/training_rows.h"

#include "base/number.h"
#include "data/data.h"
#include "data/row_hash.h"
#include "decide/reuse.h"

#include <stdlib.h>
#include <string.h>

/* ---------------------------------------------------------------- keeping */

void ney_model_free_sketch(ney_model *m)
{
    if (m->training_rows) {
        ney_row_sketch_deinit(m->training_rows);
        ney_release(&m->env, m->training_rows);
        m->training_rows = NULL;
    }
}

ney_status ney_model_set_sketch(ney_model *m, ney_row_sketch *sketch, ney_error *err)
{
    ney_row_sketch *const own = ney_alloc(&m->env, 1, sizeof *own);
    if (!own) {
        return ney_no_memory(err, 1, "sketch of rows");
    }
    *own = *sketch;
    sketch->entry = NULL;
    ney_model_free_sketch(m);
    m->training_rows = own;
    return NEY_OK;
}

/* Add rows; *checksum is theirs. */
static ney_status add_rows(ney_model *m, const ney_data *data, uint64_t *checksum, ney_error *err)
{
    ney_row_sketch s;
    ney_row_sketch_init(&s, &m->env);
    if (m->training_rows) {
        ney_row_sketch_merge(&s, m->training_rows);
    }
    ney_row_sketch_add(&s, &data->x);
    *checksum = s.checksum;
    ney_status st = ney_row_sketch_sort(&s, err);
    if (st == NEY_OK) {
        st = ney_model_set_sketch(m, &s, err);
    }
    ney_row_sketch_deinit(&s);
    return st;
}

ney_status ney_model_add_training_rows(ney_model *model, const ney_data *data, ney_error *err)
{
    uint64_t checksum;
    return add_rows(model, data, &checksum, err);
}

static const char ROWS_KEY[] = "rows_checksum";

ney_status ney_model_set_rows(ney_model *m, const ney_data *data, ney_error *err)
{
    char text[NEY_HEX_DIGITS + 1];
    uint64_t checksum;
    const ney_status st = add_rows(m, data, &checksum, err);
    ney_hex_format(checksum, text);
    return st == NEY_OK ? ney_model_set_text(m, NEY_METADATA_SUMMARY, ROWS_KEY, text, err) : st;
}

bool ney_model_trained_on(const ney_model *model, const ney_data *data)
{
    const ney_metadata *const list = &model->list[NEY_METADATA_SUMMARY];
    const int64_t at = ney_metadata_find(list, ROWS_KEY);
    char text[NEY_HEX_DIGITS + 1];
    if (at < 0 || !list->item[at].text) {
        return false;
    }
    ney_hex_format(ney_rows_checksum(&data->x), text);
    return strcmp(list->item[at].text, text) == 0;
}

bool ney_model_training_rows(const ney_model *model, int64_t *rows, int64_t *hashes)
{
    const ney_row_sketch *const s = model->training_rows;
    *rows = s ? s->rows : 0;
    *hashes = s ? s->n : 0;
    return s != NULL;
}

/* ---------------------------------------------------------------- in files */

void ney_model_sketch_format(const ney_row_sketch *s, ney_text *t)
{
    ney_text_put(t, "training_rows ");
    ney_text_int(t, s->n);
    ney_text_field_int(t, s->rows);
    ney_text_field_hex(t, s->cut);
    ney_text_put(t, "\n");
    for (int64_t i = 0; i < s->n; i++) {
        ney_text_field_hex(t, s->entry[i].hash);
        if (s->entry[i].count > 1) {
            ney_text_field_int(t, s->entry[i].count);
        }
        ney_text_put(t, "\n");
    }
}

static void parse_entry(ney_fields *f, ney_row_sketch *s, int64_t *rows)
{
    const ney_hash_count *const last = s->n > 0 ? &s->entry[s->n - 1] : NULL;
    ney_hash_count e = {.hash = ney_fields_hex(f), .count = 1};
    if (f->status == NEY_OK && (e.hash >= s->cut || (last && e.hash <= last->hash))) {
        ney_fields_fail(f, "found a hash that is not in ascending order below the cut");
    }
    if (f->status == NEY_OK && !ney_fields_at_end(f)) {
        e.count = ney_fields_int(f, 2, INT64_MAX);
    }
    if (f->status == NEY_OK && e.count > s->rows - *rows) {
        ney_fields_fail(f, "found more rows than the %lld trained on", (long long)s->rows);
    }
    ney_fields_end(f);
    if (f->status == NEY_OK) {
        *rows += e.count;
        s->entry[s->n++] = e;
    }
}

void ney_model_sketch_parse(ney_fields *f, ney_model *m)
{
    ney_row_sketch s;
    int64_t rows = 0;
    if (f->status != NEY_OK || !ney_fields_is(f, "training_rows")) {
        return;
    }
    ney_row_sketch_init(&s, &m->env);
    ney_fields_key(f, "training_rows");
    const int64_t n = ney_fields_int(f, 0, NEY_SKETCH_MOST);
    s.rows = ney_fields_int(f, 1, INT64_MAX);
    s.cut = ney_fields_hex(f);
    ney_fields_end(f);
    if (f->status == NEY_OK && !ney_grow(&m->env, &s.entry, &s.cap, n + 1, sizeof *s.entry)) {
        f->status = ney_no_memory(f->err, n, "hashes of rows");
    }
    while (f->status == NEY_OK && s.n < n) {
        parse_entry(f, &s, &rows);
    }
    if (f->status == NEY_OK && s.cut == NEY_SKETCH_ALL && rows != s.rows) {
        ney_fields_fail(f, "found %lld rows, expected all %lld trained on", (long long)rows,
                        (long long)s.rows);
    }
    if (f->status == NEY_OK) {
        f->status = ney_model_set_sketch(m, &s, f->err);
    }
    ney_row_sketch_deinit(&s);
}

/* ---------------------------------------------------------------- comparing */

static int by_value(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* The hashes of data that the sketch can speak of, ascending; returns their number. */
static int64_t hashes_below(const ney_matrix *x, uint64_t cut, uint64_t *hash)
{
    int64_t n = 0;
    for (int64_t i = 0; i < x->rows; i++) {
        const uint64_t h = ney_row_hash(x, i);
        if (h < cut) {
            hash[n++] = h;
        }
    }
    qsort(hash, (size_t)n, sizeof *hash, by_value);
    return n;
}

/* Every value of either side, with the rows that have it. */
static void tabulate(const ney_row_sketch *s, const uint64_t *hash, int64_t n, ney_reuse_table *t,
                     ney_reuse *out)
{
    int64_t k = 0;
    for (int64_t i = 0, end; i < n; i = end) {
        for (end = i + 1; end < n && hash[end] == hash[i]; end++) {
        }
        for (; k < s->n && s->entry[k].hash < hash[i]; k++) {
            ney_reuse_add(t, s->entry[k].count, 0);
        }
        const bool known = k < s->n && s->entry[k].hash == hash[i];
        ney_reuse_add(t, known ? s->entry[k].count : 0, end - i);
        out->equal += known ? end - i : 0;
        k += known;
    }
    for (; k < s->n; k++) {
        ney_reuse_add(t, s->entry[k].count, 0);
    }
}

static void mark(const ney_row_sketch *s, const ney_matrix *x, bool reused, int8_t *seen)
{
    for (int64_t i = 0; i < x->rows; i++) {
        const uint64_t hash = ney_row_hash(x, i);
        seen[i] = hash >= s->cut ? -1 : reused && ney_row_sketch_count(s, hash) > 0;
    }
}

static ney_status compare(const ney_row_sketch *s, const ney_data *data, int8_t *seen,
                          ney_reuse *out, ney_error *err)
{
    const ney_env *const env = &data->env;
    uint64_t *const hash = ney_alloc(env, data->x.rows, sizeof *hash);
    ney_reuse_table table = {0};

    *out = (ney_reuse){.rows = data->x.rows, .training = s->rows};
    if (!hash) {
        return ney_no_memory(err, data->x.rows, "hashes of rows");
    }
    out->compared = hashes_below(&data->x, s->cut, hash);
    tabulate(s, hash, out->compared, &table, out);
    ney_release(env, hash);
    out->log_evidence = ney_reuse_log_evidence(&table);
    out->log_needed = ney_reuse_log_needed(s->rows, data->x.rows);
    out->reused = out->log_evidence >= out->log_needed;
    out->estimate =
        out->compared > 0 ? (double)out->equal * (double)out->rows / (double)out->compared : 0;
    if (seen) {
        mark(s, &data->x, out->reused, seen);
    }
    return NEY_OK;
}

ney_status ney_model_find_reuse(const ney_model *model, const ney_data *data, int8_t *seen,
                                ney_reuse *out, ney_error *err)
{
    if (!model->training_rows) {
        *out = (ney_reuse){0};
        return ney_fail(err, NEY_EINVAL,
                        "the model has no fingerprint of its training rows: it was trained with "
                        "no-fingerprint, or by another program or version");
    }
    return compare(model->training_rows, data, seen, out, err);
}

ney_status ney_data_find_reuse(const ney_data *training, const ney_data *data, ney_reuse *out,
                               ney_error *err)
{
    ney_row_sketch s;
    *out = (ney_reuse){0};
    ney_row_sketch_init(&s, &data->env);
    ney_row_sketch_add(&s, &training->x);
    ney_status st = ney_row_sketch_sort(&s, err);
    if (st == NEY_OK) {
        st = compare(&s, data, NULL, out, err);
    }
    ney_row_sketch_deinit(&s);
    return st;
}

ney_status ney_model_refuse_reuse(const ney_model *m, const ney_data *data, ney_error *err)
{
    ney_reuse r;
    if (!m->training_rows) {
        return NEY_OK;
    }
    const ney_status st = compare(m->training_rows, data, NULL, &r, err);
    if (st != NEY_OK || !r.reused) {
        return st;
    }
    return ney_fail(err, NEY_EGOAL,
                    "%s%.0f of %lld rows were used in training, more than chance repeats explain: "
                    "rows that the model has learned from cannot certify it. Update with rows that "
                    "are new, or set confidence to none",
                    r.compared < r.rows ? "about " : "", r.estimate, (long long)r.rows);
}
