#include "support/same.h"

#include "data/data.h"
#include "support/cmocka_all.h"

#include <stdio.h>
#include <string.h>

ney_read_opts read_defaults(void)
{
    ney_read_opts o;
    int64_t n;
    const ney_param *p = ney_read_params(&n);
    ney_params_init(p, n, &o);
    return o;
}

ney_data *parse_with(const char *words, const ney_read_opts *opts,
                     const ney_preprocessing *preprocessing)
{
    ney_data *d = NULL;
    ney_error err = {0};
    if (ney_data_parse_with(&d, NULL, "text", words, strlen(words), opts, preprocessing, &err) !=
        NEY_OK) {
        fail_msg("line %lld: %s\n%.2000s", (long long)err.line, err.message, words);
    }
    assert_non_null(d);
    return d;
}

ney_data *parse(const char *words, const ney_read_opts *opts)
{
    return parse_with(words, opts, NULL);
}

void refuse(const char *words, const ney_read_opts *opts, ney_status status, int64_t line,
            const char *part)
{
    ney_data *d = NULL;
    ney_error err = {0};
    const ney_status st =
        ney_data_parse_with(&d, NULL, "text", words, strlen(words), opts, NULL, &err);
    if (st != status || err.line != line || !strstr(err.message, part)) {
        fail_msg("status %d line %lld '%s', expected status %d line %lld '...%s...'", (int)st,
                 (long long)err.line, err.message, (int)status, (long long)line, part);
    }
    assert_null(d);
    assert_int_equal(err.code, status);
    assert_string_equal(err.file, "text");
}

ney_data *read_file(const char *path, const ney_read_opts *opts, int threads)
{
    ney_env env = ney_env_default();
    ney_data *d = NULL;
    ney_error err = {0};
    env.threads = threads;
    if (ney_data_read_with(&d, &env, path, opts, NULL, &err) != NEY_OK) {
        fail_msg("%s:%lld: %s", err.file, (long long)err.line, err.message);
    }
    return d;
}

float cell(const ney_data *d, int64_t i, int64_t c)
{
    const ney_matrix *x = ney_data_matrix(d);
    if (x->dense) {
        return x->dense[i * x->cols + c];
    }
    for (int64_t k = x->start[i]; k < x->start[i + 1]; k++) {
        if (x->index[k] == c) {
            return x->value[k];
        }
    }
    return 0;
}

static void same_bytes(const void *a, const void *b, int64_t n, size_t bytes, const char *what)
{
    if (!a != !b || (a && n > 0 && memcmp(a, b, (size_t)n * bytes) != 0)) {
        fail_msg("%s differ", what);
    }
}

void assert_same_data(const ney_data *a, const ney_data *b)
{
    const ney_matrix *x = ney_data_matrix(a), *y = ney_data_matrix(b);
    assert_int_equal(x->rows, y->rows);
    assert_int_equal(x->cols, y->cols);
    same_bytes(x->dense, y->dense, x->rows * x->cols, sizeof *x->dense, "dense features");
    same_bytes(x->start, y->start, x->rows + 1, sizeof *x->start, "row starts");
    if (x->start) {
        const int64_t n = x->start[x->rows];
        same_bytes(x->index, y->index, n, sizeof *x->index, "column indices");
        same_bytes(x->value, y->value, n, sizeof *x->value, "sparse values");
    }
    same_bytes(ney_data_label(a), ney_data_label(b), x->rows, 1, "labels");
    same_bytes(ney_data_weight(a), ney_data_weight(b), x->rows, sizeof(float), "weights");
    same_bytes(a->notes, b->notes, a->n_notes, 1, "notes");
}

void assert_same_preprocessing(const ney_preprocessing *a, const ney_preprocessing *b)
{
    const ney_env env = ney_env_of(NULL);
    ney_text s, t;
    ney_text_init(&s, &env);
    ney_text_init(&t, &env);
    ney_preprocessing_format(a, &s);
    ney_preprocessing_format(b, &t);
    assert_string_equal(s.bytes, t.bytes);
    ney_text_deinit(&s);
    ney_text_deinit(&t);
}
