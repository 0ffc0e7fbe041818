/* Notes: the columns of a file that are not features, such as ids; and keys of groups of rows. */
#include "base/little.h"
#include "data/data.h"
#include "data/files.h"
#include "data/identifiers.h"
#include "linalg/rows.h"

#include <neyman/experimental/data.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <xxhash.h>

struct ney_notes {
    ney_env env;
    const ney_data *data; /* borrowed */
    int64_t columns;
    int64_t *begin; /* of each line, and where the last one ends */
};

static int64_t count_tabs(const char *text)
{
    int64_t n = 0;
    for (const char *at = text; at && (at = strchr(at, '\t')); at++) {
        n++;
    }
    return n;
}

ney_status ney_notes_new(ney_notes **out, const ney_data *data, ney_error *err)
{
    NEY_CLEAR(out);
    NEY_REQUIRE(out && data, err);
    const int64_t rows = data->x.rows;
    const char *const names = data->notes ? data->preprocessing->note_columns : NULL;
    ney_notes *n = ney_alloc_zeroed(&data->env, 1, sizeof *n);

    *out = NULL;
    if (!n) {
        return ney_no_memory(err, 1, "index of notes");
    }
    n->env = data->env;
    n->data = data;
    n->columns = names && *names ? count_tabs(names) + 1 : 0;
    if (n->columns > 0) {
        n->begin = ney_alloc(&n->env, rows + 1, sizeof *n->begin);
        if (!n->begin) {
            ney_notes_free(n);
            return ney_no_memory(err, rows, "notes");
        }
        const char *at = data->notes;
        for (int64_t r = 0; r < rows; r++) {
            n->begin[r] = at - data->notes;
            at = (const char *)memchr(at, '\n', (size_t)(data->n_notes - n->begin[r])) + 1;
        }
        n->begin[rows] = data->n_notes;
    }
    *out = n;
    return NEY_OK;
}

void ney_notes_free(ney_notes *n)
{
    if (n) {
        ney_release(&n->env, n->begin);
        ney_release(&n->env, n);
    }
}

static int64_t find_name(const ney_notes *n, const char *name, size_t length)
{
    const char *at = n->data->preprocessing->note_columns;
    for (int64_t c = 0; c < n->columns; c++) {
        const size_t own = strcspn(at, "\t");
        if (own == length && strncasecmp(at, name, length) == 0) {
            return c;
        }
        at += own + 1;
    }
    return -1;
}

int64_t ney_notes_find(const ney_notes *notes, const char *name)
{
    if (!notes || !name) {
        return -1;
    }
    return find_name(notes, name, strlen(name));
}

int64_t ney_notes_kept(const ney_notes *notes, int64_t k)
{
    int64_t length;
    const char *const name = notes ? ney_data_kept_column(notes->data, k, &length) : NULL;
    return name ? find_name(notes, name, (size_t)length) : -1;
}

/* The last column goes on to the end of the line, whatever tabs it holds: proteins are many. */
const char *ney_notes_text(const ney_notes *n, int64_t row, int64_t column, int64_t *length)
{
    if (!n || !length || row < 0 || row >= n->data->x.rows || column < 0 || column >= n->columns) {
        if (length) {
            *length = 0;
        }
        return NULL;
    }
    const char *at = n->data->notes + n->begin[row];
    const char *const end = n->data->notes + n->begin[row + 1] - 1;
    for (int64_t c = 0; c < column; c++) {
        const char *tab = memchr(at, '\t', (size_t)(end - at));
        at = tab ? tab + 1 : end;
    }
    const char *tab = column + 1 < n->columns ? memchr(at, '\t', (size_t)(end - at)) : NULL;
    *length = (tab ? tab : end) - at;
    return at;
}

/* ---------------------------------------------------------------- keys */

/* The key so far, and one more column in it. */
static uint64_t mix(uint64_t key, const void *bytes, size_t n)
{
    return XXH3_64bits_withSeed(bytes, n, key);
}

static void add_note(const ney_notes *n, int64_t column, uint64_t *key)
{
    for (int64_t r = 0; r < n->data->x.rows; r++) {
        int64_t length;
        const char *text = ney_notes_text(n, r, column, &length);
        key[r] = mix(key[r], text, (size_t)length);
    }
}

/* Zeros of either sign are one number, and not stored where rows are sparse. */
static void add_value(uint64_t *key, int64_t column, float value)
{
    struct {
        int64_t column;
        float value[2]; /* the second is 0: no byte is left to chance */
    } cell = {column, {value, 0}};
    ney_order_bytes(&cell.column, 1, sizeof cell.column);
    ney_order_bytes(cell.value, 1, sizeof *cell.value);
    if (value != 0) {
        *key = mix(*key, &cell, sizeof cell);
    }
}

static float value_at(const ney_matrix *x, int64_t row, int64_t column)
{
    if (x->dense) {
        return x->dense[row * x->cols + column];
    }
    for (int64_t k = x->start[row]; k < x->start[row + 1]; k++) {
        if (x->index[k] == column) {
            return x->value[k];
        }
    }
    return 0;
}

static void add_feature(const ney_matrix *x, int64_t column, uint64_t *key)
{
    for (int64_t r = 0; r < x->rows; r++) {
        add_value(&key[r], column, value_at(x, r, column));
    }
}

static void add_rows(const ney_matrix *x, uint64_t *key)
{
    for (int64_t r = 0; r < x->rows; r++) {
        const int64_t n = x->dense ? x->cols : x->start[r + 1] - x->start[r];
        for (int64_t k = 0; k < n; k++) {
            add_value(&key[r], x->dense ? k : x->index[x->start[r] + k],
                      x->dense ? x->dense[r * x->cols + k] : x->value[x->start[r] + k]);
        }
    }
}

static int64_t find_feature(const ney_preprocessing *preprocessing, const char *name, size_t length)
{
    char own[256];
    for (int64_t c = 0; c < ney_preprocessing_cols(preprocessing); c++) {
        ney_preprocessing_feature(preprocessing, c, own, sizeof own);
        if (strlen(own) == length && memcmp(own, name, length) == 0) {
            return c;
        }
    }
    return -1;
}

/* One name of the list; *used counts the columns found. */
static ney_status add_column(const ney_notes *n, const char *name, size_t length, uint64_t *key,
                             int64_t *used, ney_error *err)
{
    const bool optional = length > 0 && name[length - 1] == '?';
    length -= optional;
    const int64_t note = find_name(n, name, length);
    const int64_t feature = note < 0 ? find_feature(n->data->preprocessing, name, length) : -1;
    if (note < 0 && feature < 0 && !optional) {
        return ney_fail(err, NEY_EINVAL, "the data have no column '%.*s'", (int)length, name);
    }
    if (note >= 0) {
        add_note(n, note, key);
    } else if (feature >= 0) {
        add_feature(&n->data->x, feature, key);
    }
    *used += note >= 0 || feature >= 0;
    return NEY_OK;
}

ney_status ney_data_keys(const ney_data *data, const char *columns, uint64_t *key, int64_t *used,
                         ney_error *err)
{
    NEY_REQUIRE(data && columns && key && used, err);
    ney_notes *n;
    int64_t found = 0;
    ney_status st = ney_notes_new(&n, data, err);
    if (st != NEY_OK) {
        return st;
    }
    for (int64_t r = 0; r < data->x.rows; r++) {
        key[r] = 1;
    }
    for (const char *at = columns; st == NEY_OK && *at;) {
        const size_t length = strcspn(at, ",");
        st = add_column(n, at, length, key, &found, err);
        at += length + (at[length] == ',');
    }
    if (st == NEY_OK && found == 0) {
        add_rows(&data->x, key);
    }
    *used = found;
    ney_notes_free(n);
    return st;
}

ney_status ney_data_spectra(const ney_data *data, const char *columns, uint64_t *key, bool *known,
                            ney_error *err)
{
    NEY_REQUIRE(data && key && known, err);
    int64_t used = 0;
    ney_status st;
    if (columns) {
        st = ney_data_keys(data, columns, key, &used, err);
    } else if ((st = ney_data_keys(data, "ScanNr?", key, &used, err)) == NEY_OK && used > 0) {
        st = ney_data_keys(data, NEY_FILE_COLUMN "?,filename?,ScanNr,ExpMass?", key, &used, err);
    }
    *known = st == NEY_OK && used > 0;
    return st;
}

/* ---------------------------------------------------------------- groups */

const char *ney_data_group_column(const ney_data *data)
{
    if (!data) {
        return NULL;
    }
    return data->notes ? data->preprocessing->group_column : NULL;
}

const char *ney_data_id_column(const ney_data *data)
{
    if (!data) {
        return NULL;
    }
    return data->notes ? data->preprocessing->id_column : NULL;
}

const char *ney_data_kept_column(const ney_data *data, int64_t k, int64_t *length)
{
    const char *at = data && data->notes ? data->preprocessing->kept_columns : NULL;
    while (at && *at && k-- > 0) {
        at += strcspn(at, "\t");
        at += *at == '\t';
    }
    const bool has = at && *at;
    if (length) {
        *length = has ? (int64_t)strcspn(at, "\t") : 0;
    }
    return has ? at : NULL;
}

const char *ney_data_repeated_column(const ney_data *data)
{
    if (!data) {
        return NULL;
    }
    return data->repeated;
}

ney_status ney_data_groups(const ney_data *data, uint64_t *group, ney_error *err)
{
    NEY_REQUIRE(data && group, err);
    const char *const column = ney_data_group_column(data);
    ney_notes *n;
    if (!column) {
        for (int64_t r = 0; r < data->x.rows; r++) {
            group[r] = (uint64_t)r;
        }
        return NEY_OK;
    }
    const ney_status st = ney_notes_new(&n, data, err);
    if (st != NEY_OK) {
        return st;
    }
    for (int64_t r = 0; r < data->x.rows; r++) {
        group[r] = 1;
    }
    add_note(n, ney_notes_find(n, column), group);
    ney_notes_free(n);
    return NEY_OK;
}

ney_status ney_data_set_groups(ney_data *data, const uint64_t *group, ney_error *err)
{
    NEY_REQUIRE(data && group, err);
    ney_preprocessing *const r = data->preprocessing;
    char *names[2] = {ney_strdup(&r->env, "group", 5), ney_strdup(&r->env, "group", 5)};
    ney_text text;

    ney_text_init(&text, &data->env);
    for (int64_t i = 0; i < data->x.rows; i++) {
        char word[32];
        snprintf(word, sizeof word, "%llu\n", (unsigned long long)group[i]);
        ney_text_put(&text, word);
    }
    if (!names[0] || !names[1] || text.failed) {
        ney_release(&r->env, names[0]);
        ney_release(&r->env, names[1]);
        ney_text_deinit(&text);
        return ney_no_memory(err, data->x.rows, "groups of rows");
    }
    ney_release(&data->env, data->notes);
    ney_release(&r->env, r->note_columns);
    ney_release(&r->env, r->group_column);
    ney_release(&r->env, r->id_column);
    data->notes = text.bytes;
    data->n_notes = text.length;
    r->note_columns = names[0];
    r->group_column = names[1];
    r->id_column = NULL;
    return NEY_OK;
}

static int by_key(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

ney_status ney_data_count_groups(const ney_data *data, int label, int64_t *n, ney_error *err)
{
    NEY_REQUIRE(data && n, err);
    const int64_t rows = data->label ? data->x.rows : 0;
    uint64_t *group = ney_alloc(&data->env, data->x.rows, sizeof *group);
    int64_t m = 0;

    *n = 0;
    if (!group) {
        return ney_no_memory(err, rows, "groups of rows");
    }
    const ney_status st = ney_data_groups(data, group, err);
    for (int64_t i = 0; i < rows && st == NEY_OK; i++) {
        group[m] = group[i];
        m += data->label[i] == label;
    }
    qsort(group, (size_t)m, sizeof *group, by_key);
    for (int64_t i = 0; i < m; i++) {
        *n += i == 0 || group[i] != group[i - 1];
    }
    ney_release(&data->env, group);
    return st;
}

void ney_data_warn_groups(const ney_data *data, ney_result *root)
{
    if (data && data->repeated) {
        const bool plain = !data->repeated[strcspn(data->repeated, NEY_SHELL_CHARS)];
        ney_result_warn(root,
                        "column '%.60s' repeats its values: rows that share one may not be "
                        "independent, and certificates and intervals assume that they are; name it "
                        "with --group %s%.60s%s",
                        data->repeated, plain ? "" : "'", data->repeated, plain ? "" : "'");
    }
}
