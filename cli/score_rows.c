#include "score_rows.h"

#include <math.h>
#include <stdlib.h>

#include "commands.h"
#include "labelled.h"

int score_rows_open(score_rows *r, session *s, const char *model, const char *path, bool single)
{
    const ney_read_opts *read = options_of(s->call, &read_options);

    *r = (score_rows){.path = path};
    ney_status st = ney_model_read(&r->model, &s->env, model, &s->err);
    const int code =
        session_agree(s, st == NEY_OK ? check_positive(s, r->model) : session_fail(s, st));
    if (code != EXIT_OK) {
        return code;
    }
    ney_model_thresholds(r->model, &r->low, &r->high);
    st = ney_row_stream_open(&r->rows, &s->env, path, read, ney_model_preprocessing(r->model),
                             single, &s->err);
    return st == NEY_OK ? EXIT_OK : session_fail(s, st);
}

static ney_status score_batch(score_rows *r, session *s)
{
    int64_t known = 0;

    r->n = ney_data_matrix(r->data)->rows;
    if (r->n > r->cap) {
        const int64_t cap = r->n + r->n / 2;
        free(r->score);
        r->score = malloc((size_t)cap * sizeof *r->score);
        r->cap = r->score ? cap : 0;
    }
    if (!r->score) {
        return out_of_memory(&s->err, "the scores");
    }
    const ney_status st =
        ney_model_score_data(r->model, &s->env, r->data, r->score, &known, &s->err);
    r->out_of_fold += known;
    return st;
}

int score_rows_next(score_rows *r, session *s)
{
    r->before += r->n;
    r->n = 0;
    ney_status st = ney_row_stream_next(r->rows, &r->data, &s->err);
    if (st == NEY_OK && r->data) {
        st = score_batch(r, s);
    }
    return st != NEY_OK ? session_fail(s, st)
                        : refuse_infinite(s, r->score, r->n, r->before, r->path);
}

void score_rows_say_folds(const score_rows *r, session *s)
{
    say_folds(s, r->out_of_fold, r->before + r->n);
}

void score_rows_close(score_rows *r)
{
    ney_row_stream_close(r->rows);
    ney_model_free(r->model);
    free(r->score);
    *r = (score_rows){0};
}
