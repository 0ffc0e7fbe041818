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

/* Add the sorted sketch of one process to that of all. */
static ney_status add_process(ney_row_sketch *all, const ney_row_sketch *own, const ney_comm *comm,
                              int from, ney_error *err)
{
    struct {
        int64_t rows, n;
        uint64_t checksum, cut;
    } head = {own->rows, own->n, own->checksum, own->cut};
    ney_comm_broadcast(comm, from, &head, (int64_t)sizeof head);
    ney_row_sketch sent = {.env = own->env, .rows = head.rows, .cut = head.cut, .n = head.n};
    sent.entry = ney_alloc(&own->env, head.n, sizeof *sent.entry);
    const ney_status st =
        ney_comm_agree(comm, sent.entry ? NEY_OK : ney_no_memory(err, head.n, "hashes"), err);
    if (st == NEY_OK) {
        if (ney_comm_rank(comm) == from && own->n > 0) {
            memcpy(sent.entry, own->entry, (size_t)own->n * sizeof *own->entry);
        }
        ney_comm_broadcast(comm, from, sent.entry, head.n * (int64_t)sizeof *sent.entry);
        ney_row_sketch_merge(all, &sent);
        all->checksum += head.checksum;
    }
    ney_release(&own->env, sent.entry);
    return st;
}

ney_status ney_row_sketch_join(ney_row_sketch *s, const ney_comm *comm, ney_status st,
                               ney_error *err)
{
    ney_row_sketch all;
    ney_row_sketch_init(&all, &s->env);
    all.checksum = 0;
    st = ney_comm_agree(comm, st, err);
    for (int rank = 0; rank < ney_comm_size(comm) && st == NEY_OK; rank++) {
        st = add_process(&all, s, comm, rank, err);
    }
    if (st == NEY_OK) {
        st = ney_row_sketch_sort(&all, err);
    }
    ney_row_sketch_deinit(s);
    *s = all;
    return st;
}

/* Add rows; *checksum is the one of these rows. */
static ney_status add_rows(ney_model *m, const ney_data *data, uint64_t *checksum, ney_error *err)
{
    ney_row_sketch s;
    ney_row_sketch_init(&s, &m->env);
    if (m->training_rows) {
        ney_row_sketch_merge(&s, m->training_rows);
    }
    ney_row_sketch_add(&s, &data->x);
    ney_status st = ney_row_sketch_sort(&s, err);
    if (data->blocks) {
        st = ney_row_sketch_join(&s, data->blocks->comm, st, err);
    }
    *checksum = s.checksum;
    if (st == NEY_OK) {
        st = ney_model_set_sketch(m, &s, err);
    }
    ney_row_sketch_deinit(&s);
    return st;
}

ney_status ney_model_add_training_rows(ney_model *model, const ney_data *data, ney_error *err)
{
    NEY_REQUIRE(model && data, err);
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

/* Whether the rows that the model was trained on have a checksum. */
static bool is_checksum(const ney_model *model, uint64_t checksum)
{
    const ney_metadata *const list = &model->list[NEY_METADATA_SUMMARY];
    const int64_t at = ney_metadata_find(list, ROWS_KEY);
    char text[NEY_HEX_DIGITS + 1];
    if (at < 0 || !list->item[at].text) {
        return false;
    }
    ney_hex_format(checksum, text);
    return strcmp(list->item[at].text, text) == 0;
}

bool ney_model_trained_on(const ney_model *model, const ney_data *data)
{
    return model && data && is_checksum(model, ney_rows_checksum(&data->x));
}

bool ney_model_training_rows(const ney_model *model, int64_t *rows, int64_t *hashes)
{
    const ney_row_sketch *const s = model ? model->training_rows : NULL;
    if (rows) {
        *rows = s ? s->rows : 0;
    }
    if (hashes) {
        *hashes = s ? s->n : 0;
    }
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

/* Hashes of rows that a sketch can speak of. The cut falls so that at most MOST_HASHES are kept: it
 * is the largest of the sketch's cut over 1, 2, 4, ... with so few, in whatever order rows come. */
typedef struct sample {
    ney_env env;
    uint64_t *hash;
    int64_t n, cap, rows;
    uint64_t cut, checksum; /* as ney_rows_checksum() */
} sample;

#ifdef NEY_FUZZING
enum { MOST_HASHES = 1 << 6 };
#else
enum { MOST_HASHES = 1 << 20 };
#endif

static void lower_cut(sample *s)
{
    while (s->n > MOST_HASHES) {
        int64_t kept = 0;
        s->cut /= 2;
        for (int64_t i = 0; i < s->n; i++) {
            s->hash[kept] = s->hash[i];
            kept += s->hash[i] < s->cut;
        }
        s->n = kept;
    }
}

static ney_status sample_add(sample *s, const ney_matrix *x, ney_error *err)
{
    for (int64_t i = 0; i < x->rows; i++) {
        const uint64_t h = ney_row_hash(x, i);
        s->checksum += h + 1;
        if (h < s->cut) {
            if (s->n == s->cap &&
                !ney_grow(&s->env, &s->hash, &s->cap, s->n + 1, sizeof *s->hash)) {
                return ney_no_memory(err, s->n, "hashes of rows");
            }
            s->hash[s->n++] = h;
            lower_cut(s);
        }
    }
    s->rows += x->rows;
    return NEY_OK;
}

/* Every value of either side below the sample's cut, with the rows that have it. */
static void tabulate(const ney_row_sketch *s, const sample *of, ney_reuse_table *t, ney_reuse *out)
{
    const uint64_t *const hash = of->hash;
    const int64_t n = of->n;
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
    for (; k < s->n && s->entry[k].hash < of->cut; k++) {
        ney_reuse_add(t, s->entry[k].count, 0);
    }
}

/* What the sample says; it is sorted. */
static void judge(const ney_row_sketch *s, sample *of, ney_reuse *out)
{
    ney_reuse_table table = {0};

    *out = (ney_reuse){.rows = of->rows, .training = s->rows, .compared = of->n};
    if (of->n > 0) {
        qsort(of->hash, (size_t)of->n, sizeof *of->hash, by_value);
    }
    tabulate(s, of, &table, out);
    out->log_evidence = ney_reuse_log_evidence(&table);
    out->log_needed = ney_reuse_log_needed(s->rows, of->rows);
    out->reused = out->log_evidence >= out->log_needed;
    out->estimate =
        out->compared > 0 ? (double)out->equal * (double)out->rows / (double)out->compared : 0;
}

static void mark_seen(const ney_row_sketch *s, const ney_matrix *x, bool reused, int8_t *seen)
{
    for (int64_t i = 0; i < x->rows; i++) {
        const uint64_t hash = ney_row_hash(x, i);
        seen[i] = hash >= s->cut ? -1 : reused && ney_row_sketch_count(s, hash) > 0;
    }
}

static ney_status compare(const ney_row_sketch *s, const ney_data *data, int8_t *seen,
                          ney_reuse *out, ney_error *err)
{
    sample of = {.env = data->env, .cut = s->cut};
    const ney_status st = sample_add(&of, &data->x, err);

    *out = (ney_reuse){0};
    if (st == NEY_OK) {
        judge(s, &of, out);
    }
    ney_release(&of.env, of.hash);
    if (st == NEY_OK && seen) {
        mark_seen(s, &data->x, out->reused, seen);
    }
    return st;
}

/* ---- rows in batches */

struct ney_reuse_scan {
    const ney_model *model; /* borrowed */
    sample of;
};

ney_status ney_reuse_scan_new(ney_reuse_scan **out, const ney_env *env, const ney_model *model,
                              ney_error *err)
{
    const ney_env e = ney_env_of(env);
    ney_reuse_scan *const s = *out = ney_alloc_zeroed(&e, 1, sizeof *s);
    if (!s) {
        return ney_no_memory(err, 1, "comparison of rows");
    }
    s->model = model;
    s->of = (sample){.env = e, .cut = model->training_rows ? model->training_rows->cut : 0};
    return NEY_OK;
}

ney_status ney_reuse_scan_add(ney_reuse_scan *s, const ney_data *data, ney_error *err)
{
    return sample_add(&s->of, &data->x, err);
}

/* Hashes of one process, to all. */
static ney_status join_sample(sample *all, const sample *own, int rank, ney_error *err)
{
    const ney_comm *const comm = own->env.comm;
    struct {
        int64_t rows, n;
        uint64_t checksum, cut;
    } head = {own->rows, own->n, own->checksum, own->cut};
    ney_comm_broadcast(comm, rank, &head, (int64_t)sizeof head);
    const bool fine =
        ney_grow(&all->env, &all->hash, &all->cap, all->n + head.n + 1, sizeof *all->hash);
    const ney_status st =
        ney_comm_agree(comm, fine ? NEY_OK : ney_no_memory(err, head.n, "hashes of rows"), err);
    if (st == NEY_OK && head.n > 0) {
        if (rank == ney_comm_rank(comm)) {
            memcpy(all->hash + all->n, own->hash, (size_t)own->n * sizeof *own->hash);
        }
        ney_comm_broadcast(comm, rank, all->hash + all->n, head.n * (int64_t)sizeof *all->hash);
        all->n += head.n;
    }
    all->rows += head.rows;
    all->checksum += head.checksum;
    all->cut = head.cut < all->cut ? head.cut : all->cut;
    return st;
}

ney_status ney_reuse_scan_share(ney_reuse_scan *s, ney_error *err)
{
    sample all = {.env = s->of.env, .cut = s->of.cut};
    ney_status st = NEY_OK;
    for (int rank = 0; rank < ney_comm_size(s->of.env.comm) && st == NEY_OK; rank++) {
        st = join_sample(&all, &s->of, rank, err);
    }
    int64_t kept = 0;
    for (int64_t i = 0; i < all.n; i++) {
        all.hash[kept] = all.hash[i];
        kept += all.hash[i] < all.cut;
    }
    all.n = kept;
    lower_cut(&all);
    ney_release(&s->of.env, s->of.hash);
    s->of = all;
    return st;
}

void ney_reuse_scan_finish(ney_reuse_scan *s, ney_reuse *out, bool *trained_on)
{
    *out = (ney_reuse){0};
    *trained_on = is_checksum(s->model, s->of.checksum);
    if (s->model->training_rows) {
        judge(s->model->training_rows, &s->of, out);
    }
}

void ney_reuse_scan_free(ney_reuse_scan *s)
{
    if (s) {
        const ney_env env = s->of.env;
        ney_release(&env, s->of.hash);
        ney_release(&env, s);
    }
}

ney_status ney_model_find_reuse(const ney_model *model, const ney_data *data, int8_t *seen,
                                ney_reuse *out, ney_error *err)
{
    NEY_REQUIRE(model && data && out, err);
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
    NEY_REQUIRE(training && data && out, err);
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
    return ney_fail(
        err, NEY_EGOAL,
        "%s%.0f of %lld rows were used in training, more than chance repeats explain: training "
        "rows cannot certify the model. Update with rows that are new, or set confidence to none",
        r.compared < r.rows ? "about " : "", r.estimate, (long long)r.rows);
}
