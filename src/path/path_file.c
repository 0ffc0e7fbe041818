/* The path file: lines of text, the same under every locale, that give back the same bits.
 *
 *   neyman-path 1
 *   recipe ...                     as ney_preprocessing_format() writes it
 *   kernel KIND GAMMA COEF0 DEGREE
 *   rows N COLS ENTRIES DENSE      DENSE: 1 where the rows were held dense, else 0; then per row
 *                                  " LABEL WEIGHT", and " COLUMN VALUE" per entry
 *   lines N                        then for each line:
 *   line C+ C- C+ C-               its two ends
 *   start SIDES                    one letter per row: L, R, M, or O for a row without weight
 *   points N                       then " C+ C- OBJECTIVE INTERCEPT RESIDUAL MARGIN LEFT RIGHT"
 *   turns N                        then " THETA ROW SIDE"
 *   choices N SHARE                then " C+ C- THRESHOLD FPR TPR"
 *   end CHECKSUM
 */
#include "base/checksum.h"
#include "base/file.h"
#include "data/sniff.h"
#include "path/path.h"

#include <math.h>
#include <string.h>

enum { VERSION = 1 };

static const int64_t MOST_CELLS = INT64_C(1) << 34;

static const char letters[] = "OLRM"; /* by ney_side */

/* ---------------------------------------------------------------- writing */

static void put_numbers(ney_text *t, const double *value, int n)
{
    for (int k = 0; k < n; k++) {
        ney_text_field_number(t, value[k]);
    }
}

static void put_int(ney_text *t, const char *before, int64_t value)
{
    ney_text_put(t, before);
    ney_text_int(t, value);
}

static void format_row(ney_text *t, const ney_data *d, int64_t i)
{
    const ney_matrix *const x = ney_data_matrix(d);
    put_int(t, " ", ney_data_label(d)[i]);
    ney_text_field_float(t, ney_data_weight(d) ? ney_data_weight(d)[i] : 1);
    const int64_t begin = x->dense ? 0 : x->start[i], end = x->dense ? x->cols : x->start[i + 1];
    for (int64_t k = begin; k < end; k++) {
        const float value = x->dense ? x->dense[i * x->cols + k] : x->value[k];
        if (value != 0) {
            put_int(t, " ", x->dense ? k : x->index[k]);
            ney_text_field_float(t, value);
        }
    }
    ney_text_put(t, "\n");
}

static int64_t count_entries(const ney_matrix *x)
{
    const int64_t stored = x->dense ? x->rows * x->cols : x->start[x->rows];
    int64_t n = 0;
    for (int64_t k = 0; k < stored; k++) {
        n += (x->dense ? x->dense[k] : x->value[k]) != 0;
    }
    return n;
}

static void format_line(ney_text *t, const ney_path_line *l, int64_t n)
{
    ney_text_put(t, "line");
    put_numbers(t, (const double[]){l->from.plus, l->from.minus, l->to.plus, l->to.minus}, 4);
    ney_text_put(t, "\nstart ");
    for (int64_t i = 0; i < n; i++) {
        ney_text_add(t, &letters[l->start[i]], 1);
    }
    put_int(t, "\npoints ", l->n_points);
    ney_text_put(t, "\n");
    for (int64_t k = 0; k < l->n_points; k++) {
        const ney_path_point *const p = &l->point[k];
        put_numbers(
            t, (const double[]){p->c.plus, p->c.minus, p->objective, p->intercept, p->kkt_residual},
            5);
        put_int(t, " ", p->margin);
        put_int(t, " ", p->left);
        put_int(t, " ", p->right);
        ney_text_put(t, "\n");
    }
    put_int(t, "turns ", l->n_events);
    ney_text_put(t, "\n");
    for (int64_t k = 0; k < l->n_events; k++) {
        put_numbers(t, &l->event[k].theta, 1);
        put_int(t, " ", l->event[k].row);
        put_int(t, " ", l->event[k].to);
        ney_text_put(t, "\n");
    }
}

static void format_path(ney_text *t, const ney_path *p)
{
    const ney_matrix *const x = ney_data_matrix(p->data);
    put_int(t, NEY_PATH_MAGIC " ", VERSION);
    ney_text_put(t, "\n");
    ney_preprocessing_format(ney_data_preprocessing(p->data), t);
    put_int(t, "kernel ", p->kernel.kind);
    put_numbers(t, (const double[]){p->kernel.gamma, p->kernel.coef0}, 2);
    put_int(t, " ", p->kernel.degree);
    put_int(t, "\nrows ", x->rows);
    put_int(t, " ", x->cols);
    put_int(t, " ", count_entries(x));
    put_int(t, " ", x->dense != NULL);
    ney_text_put(t, "\n");
    for (int64_t i = 0; i < x->rows; i++) {
        format_row(t, p->data, i);
    }
    put_int(t, "lines ", p->n_lines);
    ney_text_put(t, "\n");
    for (int64_t k = 0; k < p->n_lines; k++) {
        format_line(t, &p->line[k], x->rows);
    }
    put_int(t, "choices ", p->n_choices);
    put_numbers(t, &p->share_pos, 1);
    ney_text_put(t, "\n");
    for (int64_t k = 0; k < p->n_choices; k++) {
        const ney_choice *const c = &p->choice[k];
        put_numbers(t, (const double[]){c->c.plus, c->c.minus, c->threshold, c->fpr, c->tpr}, 5);
        ney_text_put(t, "\n");
    }
    ney_checksum_append(t);
}

ney_status ney_path_write(const ney_path *path, const char *file, ney_error *err)
{
    NEY_REQUIRE(path && file, err);
    ney_text t;
    ney_text_init(&t, &path->env);
    format_path(&t, path);
    const ney_status st = t.failed ? ney_no_memory(err, t.length, "bytes of a path")
                                   : ney_file_write(&path->env, file, t.bytes, t.length, err);
    ney_text_deinit(&t);
    return st;
}

/* ---------------------------------------------------------------- reading */

/* How many of something there may be at most: a line, or a byte, each. */
static int64_t at_most(const ney_fields *f)
{
    return f->end - f->at;
}

static double a_number(ney_fields *f)
{
    const double value = ney_fields_number(f);
    if (f->status == NEY_OK && !isfinite(value)) {
        ney_fields_fail(f, "found %g, expected a finite number", value);
    }
    return value;
}

/* An array of `n`; a failure is recorded. */
static void *new_array(ney_fields *f, int64_t n, size_t bytes)
{
    void *const block = f->status == NEY_OK ? ney_alloc_zeroed(f->env, n, bytes) : NULL;
    if (f->status == NEY_OK && !block) {
        f->status = ney_no_memory(f->err, n, "numbers of a path");
    }
    return block;
}

typedef struct table {
    int64_t rows, cols, entries;
    int64_t *start;
    int32_t *index;
    float *value, *weight;
    int8_t *label;
} table;

static void parse_row(ney_fields *f, table *x, int64_t i, int64_t *used)
{
    const int64_t label = ney_fields_int(f, -1, 1);
    if (f->status == NEY_OK && label == 0) {
        ney_fields_fail(f, "found 0, expected the label 1 or -1");
    }
    x->label[i] = (int8_t)label;
    x->weight[i] = (float)a_number(f);
    x->start[i] = *used;
    while (!ney_fields_at_end(f)) {
        if (*used == x->entries) {
            ney_fields_fail(f, "more entries than the %lld announced", (long long)x->entries);
            return;
        }
        x->index[*used] = (int32_t)ney_fields_int(f, 0, x->cols - 1);
        x->value[(*used)++] = (float)a_number(f);
    }
    ney_fields_end(f);
}

static ney_data *parse_rows(ney_fields *f, ney_preprocessing *preprocessing)
{
    table x = {0};
    ney_data *data = NULL;
    int64_t used = 0;
    ney_fields_key(f, "rows");
    x.rows = ney_fields_int(f, 1, at_most(f));
    x.cols = ney_fields_int(f, 0, INT32_MAX);
    x.entries = ney_fields_int(f, 0, at_most(f));
    const bool dense = ney_fields_int(f, 0, 1) == 1;
    ney_fields_end(f);
    if (dense && f->status == NEY_OK && x.cols > 0 && x.rows > MOST_CELLS / x.cols) {
        ney_fields_fail(f, "%lld rows of %lld columns are too many to be dense", (long long)x.rows,
                        (long long)x.cols);
    }
    x.start = new_array(f, x.rows + 1, sizeof *x.start);
    x.index = new_array(f, x.entries, sizeof *x.index);
    x.value = new_array(f, x.entries, sizeof *x.value);
    x.weight = new_array(f, x.rows, sizeof *x.weight);
    x.label = new_array(f, x.rows, sizeof *x.label);
    for (int64_t i = 0; i < x.rows && f->status == NEY_OK; i++) {
        parse_row(f, &x, i, &used);
    }
    if (f->status == NEY_OK && preprocessing && x.cols != ney_preprocessing_cols(preprocessing)) {
        ney_fields_fail(f, "rows of %lld columns under preprocessing of %lld", (long long)x.cols,
                        (long long)ney_preprocessing_cols(preprocessing));
    }
    if (f->status == NEY_OK) {
        x.start[x.rows] = used;
        const ney_matrix m = {
            .rows = x.rows, .cols = x.cols, .start = x.start, .index = x.index, .value = x.value};
        f->status = ney_data_new(&data, f->env, &m, x.label, x.weight, f->err);
    }
    if (data) { /* the same features as when the path was made */
        ney_preprocessing_free(data->preprocessing);
        data->preprocessing = preprocessing;
        if (dense && !ney_data_to_dense(data)) {
            f->status = ney_no_memory(f->err, x.rows, "rows");
            ney_data_free(data);
            data = NULL;
        }
    } else {
        ney_preprocessing_free(preprocessing);
    }
    ney_release(f->env, x.start);
    ney_release(f->env, x.index);
    ney_release(f->env, x.value);
    ney_release(f->env, x.weight);
    ney_release(f->env, x.label);
    return data;
}

static void parse_sides(ney_fields *f, ney_path_line *l, int64_t n)
{
    ney_fields_key(f, "start");
    char *const word = ney_fields_word(f);
    ney_fields_end(f);
    l->start = new_array(f, n, sizeof *l->start);
    if (word && l->start && (int64_t)strlen(word) != n) {
        ney_fields_fail(f, "sides of %lld rows, expected %lld", (long long)strlen(word),
                        (long long)n);
    }
    for (int64_t i = 0; word && l->start && i < n && f->status == NEY_OK; i++) {
        const char *const at = strchr(letters, word[i]);
        if (!at) {
            ney_fields_fail(f, "side '%c', expected one of %s", word[i], letters);
            break;
        }
        l->start[i] = (int8_t)(at - letters);
    }
    ney_release(f->env, word);
}

static void parse_points(ney_fields *f, ney_path_line *l, int64_t n)
{
    ney_fields_key(f, "points");
    l->n_points = ney_fields_int(f, 0, at_most(f));
    ney_fields_end(f);
    l->point = new_array(f, l->n_points, sizeof *l->point);
    for (int64_t k = 0; k < l->n_points && f->status == NEY_OK; k++) {
        ney_path_point *const p = &l->point[k];
        p->c.plus = a_number(f);
        p->c.minus = a_number(f);
        p->objective = a_number(f);
        p->intercept = a_number(f);
        p->kkt_residual = a_number(f);
        p->margin = ney_fields_int(f, 0, n);
        p->left = ney_fields_int(f, 0, n);
        p->right = ney_fields_int(f, 0, n);
        ney_fields_end(f);
    }
}

static void parse_turns(ney_fields *f, ney_path_line *l, int64_t n)
{
    ney_fields_key(f, "turns");
    l->n_events = ney_fields_int(f, 0, at_most(f));
    ney_fields_end(f);
    l->event = new_array(f, l->n_events, sizeof *l->event);
    for (int64_t k = 0; k < l->n_events && f->status == NEY_OK; k++) {
        l->event[k].theta = a_number(f);
        l->event[k].row = ney_fields_int(f, 0, n - 1);
        l->event[k].to = ney_fields_int(f, NEY_SIDE_LEFT, NEY_SIDE_MARGIN);
        ney_fields_end(f);
    }
}

static void parse_line(ney_fields *f, ney_path_line *l, int64_t n)
{
    ney_fields_key(f, "line");
    l->from.plus = a_number(f);
    l->from.minus = a_number(f);
    l->to.plus = a_number(f);
    l->to.minus = a_number(f);
    ney_fields_end(f);
    parse_sides(f, l, n);
    parse_points(f, l, n);
    parse_turns(f, l, n);
}

static void parse_choices(ney_fields *f, ney_path *p)
{
    ney_fields_key(f, "choices");
    const int64_t n = ney_fields_int(f, 0, at_most(f));
    p->share_pos = a_number(f);
    ney_fields_end(f);
    p->choice = new_array(f, n, sizeof *p->choice);
    for (int64_t k = 0; k < n && f->status == NEY_OK; k++) {
        ney_choice *const c = &p->choice[k];
        c->c.plus = a_number(f);
        c->c.minus = a_number(f);
        c->threshold = ney_fields_number(f); /* of the last one, infinite */
        c->fpr = a_number(f);
        c->tpr = a_number(f);
        ney_fields_end(f);
    }
    p->n_choices = n;
}

static ney_kernel parse_kernel(ney_fields *f)
{
    ney_kernel k = {0};
    ney_fields_key(f, "kernel");
    k.kind = (ney_kernel_kind)ney_fields_int(f, NEY_KERNEL_LINEAR, NEY_KERNEL_POLY);
    k.gamma = a_number(f);
    k.coef0 = a_number(f);
    k.degree = ney_fields_int(f, 0, INT32_MAX);
    ney_fields_end(f);
    return k;
}

static ney_path *parse_body(ney_fields *f)
{
    ney_path *p = NULL;
    ney_preprocessing *const preprocessing = ney_preprocessing_parse(f);
    const ney_kernel kernel = parse_kernel(f);
    ney_data *const data = parse_rows(f, preprocessing);
    if (!data) {
        return NULL;
    }
    const int64_t n = ney_data_matrix(data)->rows;
    const double everything = 1e9;
    f->status = ney_path_around(&p, f->env, data, &kernel, everything, f->err);
    ney_fields_key(f, "lines");
    const int64_t n_lines = ney_fields_int(f, 0, at_most(f));
    ney_fields_end(f);
    if (p) {
        p->line = new_array(f, n_lines, sizeof *p->line);
        for (; p->n_lines < n_lines && f->status == NEY_OK; p->n_lines++) {
            parse_line(f, &p->line[p->n_lines], n);
        }
        p->lines_cap = p->n_lines;
        parse_choices(f, p);
    }
    ney_fields_finish(f, "a path");
    if (f->status != NEY_OK) {
        ney_path_free(p);
        return NULL;
    }
    return p;
}

ney_status ney_path_parse(ney_path **out, const ney_env *env, const char *name, const char *text,
                          int64_t n_text, ney_error *err)
{
    const ney_env e = ney_env_of(env);
    ney_fields f;

    *out = NULL;
    ney_fields_init(&f, &e, name, text, n_text, err);
    ney_checksum_begin(&f, NEY_PATH_MAGIC, "a path", VERSION);
    if (f.status == NEY_OK) {
        *out = parse_body(&f);
    }
    return f.status;
}

ney_status ney_path_read(ney_path **out, const ney_env *env, const char *file, ney_error *err)
{
    NEY_CLEAR(out);
    NEY_REQUIRE(out && file, err);
    static const char *const begins[] = {NEY_PATH_MAGIC, NULL};
    const ney_env e = ney_env_of(env);
    char *text = NULL;
    int64_t n_text;

    *out = NULL;
    ney_status st = ney_file_read(&text, &n_text, &e, file, begins, err);
    if (st == NEY_OK) {
        st = ney_path_parse(out, &e, file, text, n_text, err);
    }
    ney_release(&e, text);
    return st;
}
