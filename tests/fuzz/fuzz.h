/* What the fuzz targets share: the claims that hold for any data set, however its bytes came. */
#ifndef TESTS_FUZZ_FUZZ_H
#define TESTS_FUZZ_FUZZ_H

#include <neyman/experimental.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define REQUIRE(cond) ((cond) ? (void)0 : fuzz_fail(#cond, __FILE__, __LINE__))

static inline void fuzz_fail(const char *claim, const char *file, int line)
{
    fprintf(stderr, "%s:%d: does not hold: %s\n", file, line, claim);
    abort();
}

/* A size read from a hostile file must not take the machine's memory: such requests are refused. */
static inline void *fuzz_resize(void *user, void *block, size_t bytes)
{
    (void)user;
    if (bytes == 0) {
        free(block);
        return NULL;
    }
    return bytes <= (size_t)1 << 28 ? realloc(block, bytes) : NULL;
}

static inline ney_env fuzz_env(void)
{
    return (ney_env){.resize = fuzz_resize, .threads = 1};
}

/* Every further column costs time and reaches no new code: 10 times as many executions. */
enum { FUZZ_COLUMNS = 1000 };

/* Options from one byte. The strings fit the seeds. */
static inline ney_read_opts fuzz_opts(uint8_t bits, ney_format format)
{
    int64_t n;
    ney_read_opts o;
    const ney_param *params = ney_read_params(&n);
    ney_params_init(params, n, &o);
    const bool plain = format == NEY_FORMAT_CSV || format == NEY_FORMAT_TSV;
    const bool table = plain || format == NEY_FORMAT_PIN;
    o.format = (ney_format)format;
    o.missing = (bits & 3) % 3;
    o.max_columns = FUZZ_COLUMNS;
    o.positive = bits & 8 ? "1" : NULL;
    o.no_header = plain && bits & 4; /* an option that a format does not read is refused */
    o.zero_based = format == NEY_FORMAT_SVMLIGHT && bits & 4;
    if (table) {
        o.weight = bits & 16 ? "w" : NULL;
        o.label = bits & 32 ? "2" : NULL;
        o.ignore = bits & 64 ? "3" : NULL;
        o.max_categories = 20;
    }
    return o;
}

/* The same for reading with preprocessing, which has settled the rest. */
static inline ney_read_opts fuzz_opts_with_model(const ney_read_opts *opts)
{
    int64_t n;
    ney_read_opts o;
    const ney_param *params = ney_read_params(&n);
    ney_params_init(params, n, &o);
    o.format = opts->format;
    o.positive = opts->positive;
    o.label = opts->label;
    o.weight = opts->weight;
    o.no_header = opts->no_header;
    o.zero_based = opts->zero_based;
    return o;
}

/* A failure gives nothing and says why. */
static inline void require_refusal(ney_status st, const void *out, const ney_error *err)
{
    REQUIRE(out == NULL);
    REQUIRE(err->code == st);
    REQUIRE(err->message[0] != '\0');
    REQUIRE(err->line >= 0 && err->column >= 0);
    REQUIRE(memchr(err->message, '\0', sizeof err->message) != NULL);
}

static inline void require_matrix(const ney_matrix *x, int missing)
{
    REQUIRE(x->rows >= 0 && x->cols >= 0);
    REQUIRE(!x->dense == (x->start != NULL));
    REQUIRE(x->dense || x->start[0] == 0);
    for (int64_t i = 0; i < x->rows; i++) {
        const int64_t begin = x->dense ? i * x->cols : x->start[i];
        const int64_t end = x->dense ? begin + x->cols : x->start[i + 1];
        REQUIRE(begin <= end);
        for (int64_t k = begin; k < end; k++) {
            const float v = x->dense ? x->dense[k] : x->value[k];
            REQUIRE(isfinite(v) || missing == NEY_MISSING_KEEP ||
                    (isnan(v) && missing == NEY_MISSING_MEAN));
            REQUIRE(x->dense || (x->index[k] >= 0 && x->index[k] < x->cols &&
                                 (k == begin || x->index[k] > x->index[k - 1])));
        }
    }
}

static inline void require_data(const ney_data *d, int missing)
{
    const ney_matrix *x = ney_data_matrix(d);
    const int8_t *label = ney_data_label(d);
    const float *weight = ney_data_weight(d);
    ney_error why = {0};

    require_matrix(x, missing);
    REQUIRE(ney_preprocessing_cols(ney_data_preprocessing(d)) == x->cols);
    for (int64_t i = 0; label && i < x->rows; i++) {
        REQUIRE(label[i] == 1 || label[i] == -1);
        REQUIRE(ney_preprocessing_label(ney_data_preprocessing(d), label[i])[0] != '\0');
    }
    for (int64_t i = 0; weight && i < x->rows; i++) {
        REQUIRE(weight[i] >= 0 && isfinite(weight[i]));
    }
    const ney_status st = ney_data_unlabelled(d, &why);
    REQUIRE((st == NEY_OK) == (label != NULL));
    REQUIRE(st == NEY_OK || (why.code == st && why.message[0] != '\0'));
}

/* The next entry of row i that is not zero, from *k on (0 at first); -1 at the row's end. */
static inline int64_t next_entry(const ney_matrix *x, int64_t i, int64_t *k, float *v)
{
    const int64_t begin = x->dense ? i * x->cols : x->start[i];
    const int64_t n = x->dense ? x->cols : x->start[i + 1] - begin;
    while (*k < n) {
        const int64_t at = (*k)++;
        *v = x->dense ? x->dense[begin + at] : x->value[begin + at];
        if (*v != 0) {
            return x->dense ? at : x->index[begin + at];
        }
    }
    return -1;
}

/* The same entries, to the bit; zeros, and columns of nothing else at the end, do not count. */
static inline void require_same_entries(const ney_matrix *a, const ney_matrix *b)
{
    REQUIRE(a->rows == b->rows);
    for (int64_t i = 0; i < a->rows; i++) {
        int64_t ka = 0, kb = 0, ca, cb;
        do {
            float va = 0, vb = 0;
            ca = next_entry(a, i, &ka, &va);
            cb = next_entry(b, i, &kb, &vb);
            REQUIRE(ca == cb);
            REQUIRE(va == vb || (isnan(va) && isnan(vb)));
        } while (ca >= 0);
    }
}

static inline void require_same_rows(const ney_data *a, const ney_data *b)
{
    const int64_t rows = ney_data_matrix(a)->rows;
    const int8_t *p = ney_data_label(a), *q = ney_data_label(b);
    const float *v = ney_data_weight(a), *w = ney_data_weight(b);
    REQUIRE(rows == ney_data_matrix(b)->rows);
    REQUIRE(!p == !q);
    REQUIRE(!p || memcmp(p, q, (size_t)rows) == 0);
    for (int64_t i = 0; i < rows; i++) {
        REQUIRE((v ? v[i] : 1) == (w ? w[i] : 1));
    }
}

/* The path of a scratch file in a folder of this process, gone at its end. */
static char fuzz_folder[64];

static inline void fuzz_leave(void)
{
    static const char *const names[] = {"a.ney", "a.txt"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char path[128];
        snprintf(path, sizeof path, "%s/%s", fuzz_folder, names[i]);
        unlink(path);
    }
    rmdir(fuzz_folder);
}

static inline const char *fuzz_path(char path[128], const char *name)
{
    if (!fuzz_folder[0]) {
        const char *base = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
        snprintf(fuzz_folder, sizeof fuzz_folder, "%s/neyman-fuzz-XXXXXX", base);
        REQUIRE(mkdtemp(fuzz_folder) != NULL);
        REQUIRE(atexit(fuzz_leave) == 0);
    }
    snprintf(path, 128, "%s/%s", fuzz_folder, name);
    return path;
}

/* Whether a file begins in ASCII: a name that begins with the bytes of a mark (gzip, zstd, UTF-16)
 * makes a file that is taken for what it says it is. */
static inline bool starts_plainly(const char *path)
{
    FILE *f = fopen(path, "rb");
    bool plain = true;
    REQUIRE(f != NULL);
    for (int i = 0, c; i < 4 && (c = getc(f)) != EOF; i++) {
        plain = plain && c < 128;
    }
    fclose(f);
    return plain;
}

/* Write as `format` and read that: the same rows, labels and weights come back. NULL when memory
 * was refused, or where the format cannot hold the data and said so. */
static inline ney_data *fuzz_round_trip(const ney_data *d, ney_format format,
                                        const ney_read_opts *opts)
{
    char path[128];
    const ney_env env = fuzz_env();
    ney_data *back = NULL;
    ney_error err = {0};

    fuzz_path(path, format == NEY_FORMAT_CACHE ? "a.ney" : "a.txt");
    ney_status st = ney_data_write(d, &env, path, format, &err);
    REQUIRE(st == NEY_OK || st == NEY_ENOMEM || st == NEY_EINVAL);
    if (st != NEY_OK) {
        require_refusal(st, NULL, &err);
        return NULL;
    }
    if (format != NEY_FORMAT_CACHE && !starts_plainly(path)) {
        return NULL;
    }
    st = ney_data_read_with(&back, &env, path, opts, NULL, &err);
    if (st != NEY_OK && st != NEY_ENOMEM) {
        fprintf(stderr, "reading back: line %lld: %s\n", (long long)err.line, err.message);
    }
    REQUIRE(st == NEY_OK || st == NEY_ENOMEM);
    if (back) {
        require_same_rows(d, back);
    }
    return back;
}

/* The rows of `part` are those of `all` from `first` on. */
static inline void require_same_part(const ney_data *all, int64_t first, const ney_data *part)
{
    const ney_matrix *x = ney_data_matrix(all), *y = ney_data_matrix(part);
    const int8_t *p = ney_data_label(all), *q = ney_data_label(part);
    REQUIRE(first + y->rows <= x->rows);
    for (int64_t i = 0; i < y->rows; i++) {
        int64_t ka = 0, kb = 0, ca, cb;
        do {
            float va = 0, vb = 0;
            ca = next_entry(x, first + i, &ka, &va);
            cb = next_entry(y, i, &kb, &vb);
            REQUIRE(ca == cb);
            REQUIRE(va == vb || (isnan(va) && isnan(vb)));
        } while (ca >= 0);
        REQUIRE(!p || (q && p[first + i] == q[i]));
    }
}

/* Rows that are read batch by batch are those of a reading at once. */
static inline void check_stream(const uint8_t *bytes, size_t len, const ney_read_opts *opts,
                                const ney_data *all, bool single)
{
    const ney_env env = fuzz_env();
    char path[128];
    const ney_data *rows = NULL;
    ney_row_stream *s = NULL;
    ney_error err = {0};
    FILE *f = fopen(fuzz_path(path, "a.txt"), "wb");
    REQUIRE(f != NULL);
    REQUIRE(fwrite(bytes, 1, len, f) == len);
    REQUIRE(fclose(f) == 0);
    ney_status st =
        ney_row_stream_open(&s, &env, path, opts, ney_data_preprocessing(all), single, &err);
    int64_t n = 0;
    for (; st == NEY_OK && (st = ney_row_stream_next(s, &rows, &err)) == NEY_OK && rows;
         n += ney_data_matrix(rows)->rows) {
        require_same_part(all, n, rows);
    }
    REQUIRE(st == NEY_ENOMEM || (st == NEY_OK && n == ney_data_matrix(all)->rows));
    ney_row_stream_close(s);
}

/* A description of the same bytes, which are data or refused: it ends, counts no row twice, and
 * agrees with the data. */
static inline void check_profile(const uint8_t *bytes, size_t len, const ney_read_opts *opts,
                                 const ney_data *data)
{
    const ney_env env = fuzz_env();
    const ney_profile_input in = {.path = "fuzz",
                                  .bytes = bytes,
                                  .n_bytes = len,
                                  .read = opts,
                                  .data = data,
                                  .most_columns = 10,
                                  .detailed = len % 2};
    ney_result *root = NULL;
    ney_error err = {0};
    int64_t n = 0, faulty = 0;
    REQUIRE(ney_result_new(&root, NULL, &err) == NEY_OK);
    const ney_status st = ney_profile(root, &env, &in, &err);
    if (st != NEY_OK) {
        require_refusal(st, NULL, &err);
        REQUIRE(!data || st == NEY_ENOMEM);
    } else if (!data) {
        REQUIRE(ney_result_get_int(root, "n", &n) && n >= 0);
        REQUIRE(ney_result_get_int(root, "faulty_rows", &faulty) && faulty >= 0);
        REQUIRE(n + faulty <= (int64_t)len + 1);
    }
    ney_result_free(root);
}

/* Training rows and the same rows read for prediction have the same features, to the bit. */
static inline void check_again(const uint8_t *bytes, size_t len, const ney_read_opts *opts,
                               ney_data *d, ney_scaling scaling)
{
    const ney_env env = fuzz_env();
    ney_data *again = NULL;
    ney_error err = {0};

    ney_status st = ney_data_prepare(d, scaling, NULL, 0, &err);
    if (st != NEY_OK) {
        require_refusal(st, NULL, &err);
        return;
    }
    const ney_read_opts with_model = fuzz_opts_with_model(opts);
    st = ney_data_parse_with(&again, &env, "fuzz", bytes, len, &with_model,
                             ney_data_preprocessing(d), &err);
    if (st != NEY_OK && st != NEY_ENOMEM) {
        fprintf(stderr, "through the preprocessing: line %lld: %s\n", (long long)err.line,
                err.message);
    }
    REQUIRE(st == NEY_OK || st == NEY_ENOMEM);
    if (again) {
        require_same_entries(ney_data_matrix(d), ney_data_matrix(again));
        require_same_rows(d, again);
        check_stream(bytes, len, &with_model, again, len % 2);
        ney_data_free(again);
    }
}

#endif
