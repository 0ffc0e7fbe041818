/* Prediction of a stream of rows, in memory that does not grow with their number. */
#include "base/options.h"
#include "data/data.h"
#include "data/limits.h"
#include "data/lines.h"
#include "data/reader.h"
#include "data/sniff.h"
#include "model/predict.h"

#include <string.h>

struct ney_predictor {
    ney_env env;
    const ney_model *model; /* borrowed */
    ney_read_opts opts;
    bool begun;           /* the format is known */
    bool ended;           /* the text has ended */
    ney_status failed;    /* of an earlier call: nothing more is taken */
    ney_format format;    /* of the text */
    char delimiter;       /* of fields that may be quoted; 0: none may */
    int64_t header;       /* bytes at the beginning of `text` that are the header line; 0: none */
    int64_t header_lines; /* and how many lines these are */
    int64_t lines;        /* of text that were taken before, the header not counted */
    int64_t rows;         /* that were scored before the last call */
    char *text;           /* the header, and lines that are not complete */
    int64_t length, text_cap;
    double *score; /* of the last call */
    int8_t *decision;
    int64_t n, score_cap, decision_cap;
};

ney_status ney_predictor_new(ney_predictor **out, const ney_env *env, const ney_model *model,
                             const ney_options *options, ney_error *err)
{
    NEY_CLEAR(out);
    NEY_REQUIRE(out, err);
    const ney_env e = ney_env_of(env);
    const ney_read_opts opts =
        ney_read_opts_or_default(ney_options_values(options, ney_read_params));
    ney_status st = NEY_OK;

    *out = NULL;
    if (options) {
        st = ney_options_check_groups(options, "data", "ney_predictor_new()", err);
    }
    if (st == NEY_OK && !model) {
        st = ney_fail(err, NEY_EINVAL, "no model to predict with");
    }
    if (st == NEY_OK && opts.format >= NEY_FORMAT_CACHE) {
        st = ney_fail(err, NEY_EINVAL,
                      "a cache or an array is not text: read it with ney_data_read_with()");
    }
    if (st != NEY_OK) {
        return st;
    }
    ney_predictor *const p = ney_alloc_zeroed(&e, 1, sizeof *p);
    if (!p) {
        return ney_no_memory(err, 1, "predictor");
    }
    *p = (ney_predictor){.env = e, .model = model, .opts = opts};
    *out = p;
    return NEY_OK;
}

void ney_predictor_free(ney_predictor *p)
{
    if (p) {
        const ney_env env = p->env;
        ney_release_all(&env, p->text, p->score, p->decision, p);
    }
}

/* Reserve memory for the results of `n` more rows. */
static ney_status reserve(ney_predictor *p, int64_t n, ney_error *err)
{
    return ney_grow(&p->env, &p->score, &p->score_cap, p->n + n, sizeof *p->score) &&
                   ney_grow(&p->env, &p->decision, &p->decision_cap, p->n + n, sizeof *p->decision)
               ? NEY_OK
               : ney_no_memory(err, n, "scores");
}

/* The results of the last call are replaced by those of this one. */
static ney_status begin_call(ney_predictor *p, ney_error *err)
{
    p->rows += p->n;
    p->n = 0;
    return p->failed == NEY_OK
               ? NEY_OK
               : ney_fail(err, NEY_EINVAL, "the predictor failed before: begin with a new one");
}

static ney_status end_call(ney_predictor *p, ney_status st)
{
    if (st != NEY_OK) {
        p->failed = st;
        p->n = 0;
    }
    return st;
}

ney_status ney_predictor_feed_rows(ney_predictor *p, const ney_array *x, ney_error *err)
{
    NEY_REQUIRE(p, err);
    ney_status st = begin_call(p, err);
    if (st != NEY_OK) {
        return st;
    }
    if ((st = reserve(p, x && x->rows > 0 ? x->rows : 0, err)) == NEY_OK &&
        (st = ney_predict(p->model, &p->env, x, p->score, p->decision, err)) == NEY_OK) {
        p->n = x->rows;
    }
    return end_call(p, st);
}

/* ------------------------------------------------------------------ text */

static int64_t count_lines(const char *text, int64_t n)
{
    int64_t lines = 0;
    for (const char *at = text; (at = memchr(at, '\n', (size_t)(text + n - at))); at++) {
        lines++;
    }
    return lines;
}

/* The end of the last line that is complete, or of all text at its end; 0: there is none. */
static int64_t complete(const ney_predictor *p)
{
    const char *const end = p->text + p->length;
    const char *at = p->text + p->header, *last = NULL, *newline;
    while (at < end && (newline = ney_line_end(at, end, p->delimiter))) {
        last = at = newline + 1;
    }
    return p->ended ? p->length : last ? last - p->text : 0;
}

static bool has_header(const ney_predictor *p)
{
    return p->format == NEY_FORMAT_PIN || (p->format != NEY_FORMAT_SVMLIGHT && !p->opts.no_header);
}

/* Know the format, and keep the header, as soon as there are two lines, or all. */
static ney_status begin_text(ney_predictor *p, ney_error *err)
{
    const char *const end = p->text + p->length;
    const char *const first = p->length > 0 ? memchr(p->text, '\n', (size_t)p->length) : NULL;
    if (p->length == 0 ||
        (!p->ended && !(first && memchr(first + 1, '\n', (size_t)(end - first - 1))))) {
        return NEY_OK;
    }
    const ney_format wanted = p->opts.format;
    ney_status st = ney_sniff("text", p->text, p->length, wanted, &p->format, err);
    if (st != NEY_OK) {
        return st;
    }
    p->format = wanted != NEY_FORMAT_AUTO ? wanted : p->format;
    p->opts.format = p->format;
    p->delimiter = p->format == NEY_FORMAT_CSV ? ',' : p->format == NEY_FORMAT_TSV ? '\t' : '\0';
    if (has_header(p)) {
        const char *at = p->text;
        while (at < end && (*at == '\n' || *at == '\r')) {
            at++;
        }
        const char *const newline = ney_line_end(at, end, p->delimiter);
        if (!newline && !p->ended) {
            return NEY_OK;
        }
        p->header = newline ? newline + 1 - p->text : p->length;
        p->header_lines = count_lines(p->text, p->header);
    }
    p->begun = true;
    return NEY_OK;
}

/* Score the first `n` bytes of the text, whole lines, and keep the header and what follows them. */
static ney_status score_lines(ney_predictor *p, int64_t n, ney_error *err)
{
    ney_data *data = NULL;
    int64_t known, rows = 0;
    ney_status st = ney_data_parse_with(&data, &p->env, "text", p->text, (size_t)n, &p->opts,
                                        p->model->preprocessing, err);
    if (st != NEY_OK && err && err->line > p->header_lines) {
        err->line += p->lines;
    }
    if (st == NEY_OK) {
        rows = data->x.rows;
        st = reserve(p, rows, err);
    }
    if (st == NEY_OK &&
        (st = ney_model_score_data(p->model, &p->env, data, p->score, &known, err)) == NEY_OK &&
        (st = ney_model_decide(p->model, p->score, rows, p->rows, p->decision, err)) == NEY_OK) {
        p->n = rows;
    }
    ney_data_free(data);
    p->lines += count_lines(p->text + p->header, n - p->header);
    memmove(p->text + p->header, p->text + n, (size_t)(p->length - n));
    p->length -= n - p->header;
    return st;
}

static ney_status take_text(ney_predictor *p, ney_error *err)
{
    ney_status st = p->begun ? NEY_OK : begin_text(p, err);
    if (st != NEY_OK || !p->begun) {
        return st;
    }
    const int64_t n = complete(p);
    if (n > p->header) {
        return score_lines(p, n, err);
    }
    if (p->length - p->header > ney_max_line(&p->opts)) {
        return ney_fail_at(err, NEY_EPARSE, (ney_place){.line = p->header_lines + p->lines + 1},
                           "a line of more than %lld megabytes; a longer one needs a larger "
                           "max-line",
                           (long long)p->opts.max_line);
    }
    return NEY_OK;
}

ney_status ney_predictor_feed(ney_predictor *p, const void *bytes, size_t n_bytes, ney_error *err)
{
    NEY_REQUIRE(p && (bytes || n_bytes == 0), err);
    const int64_t n = (int64_t)n_bytes;
    ney_status st = begin_call(p, err);
    if (st != NEY_OK) {
        return st;
    }
    if (p->ended) {
        return end_call(p, ney_fail(err, NEY_EINVAL, "text after its end"));
    }
    if (!ney_grow(&p->env, &p->text, &p->text_cap, p->length + n + 1, 1)) {
        return end_call(p, ney_no_memory(err, n, "bytes of text"));
    }
    if (n > 0) {
        memcpy(p->text + p->length, bytes, n_bytes);
    }
    p->length += n;
    return end_call(p, take_text(p, err));
}

ney_status ney_predictor_end(ney_predictor *p, ney_error *err)
{
    NEY_REQUIRE(p, err);
    const ney_status st = begin_call(p, err);
    p->ended = true;
    return st == NEY_OK && p->length > p->header ? end_call(p, take_text(p, err)) : st;
}

int64_t ney_predictor_result(const ney_predictor *p, const double **score, const int8_t **decision)
{
    if (!p) {
        return 0;
    }
    if (score) {
        *score = p->score;
    }
    if (decision) {
        *decision = p->decision;
    }
    return p->n;
}
