/* Rows of a score file as a stream. */
#include "data/scores.h"

#include <string.h>

struct ney_score_stream {
    ney_env env;
    ney_score_reader *reader;
    ney_score_piece *piece; /* of the reader's last batch */
    int n_pieces, next;     /* their number, and the one to be given next */
    bool named;             /* with a column of subgroups */
    const char **name;      /* of the rows given last */
    int64_t cap;
};

ney_status ney_score_stream_open_with(ney_score_stream **out, const ney_env *env, const char *path,
                                      const ney_preprocessing *preprocessing,
                                      const ney_score_stream_opts *opts, ney_error *err)
{
    static const ney_score_stream_opts plain = {0};

    NEY_CLEAR(out);
    NEY_REQUIRE(out && path, err);
    const ney_env e = ney_env_of(env);
    ney_score_stream *s = ney_alloc_zeroed(&e, 1, sizeof *s);

    *out = NULL;
    if (!s) {
        return ney_no_memory(err, 1, "score stream");
    }
    s->env = e;
    s->named = opts && opts->by;
    const ney_status st = ney_score_reader_new_flowing(&s->reader, &e, path, preprocessing,
                                                       opts ? opts : &plain, err);
    if (st != NEY_OK) {
        ney_score_stream_close(s);
        return st;
    }
    *out = s;
    return NEY_OK;
}

ney_status ney_score_stream_open(ney_score_stream **out, const ney_env *env, const char *path,
                                 const ney_preprocessing *preprocessing, ney_error *err)
{
    return ney_score_stream_open_with(out, env, path, preprocessing, NULL, err);
}

void ney_score_stream_close(ney_score_stream *s)
{
    if (s) {
        const ney_env env = s->env;
        ney_score_reader_free(s->reader);
        ney_release(&env, s->name);
        ney_release(&env, s);
    }
}

int64_t ney_score_stream_seen(const ney_score_stream *s)
{
    if (!s) {
        return -1;
    }
    return s->reader->seen_column >= 0 ? s->reader->n_seen : -1;
}

const char *const *ney_score_stream_names(const ney_score_stream *s)
{
    return s ? s->name : NULL;
}

/* The notes of a piece, a line each, as strings. */
static ney_status split_names(ney_score_stream *s, ney_rows *rows, ney_error *err)
{
    char *at = rows->notes.bytes;

    if (!ney_grow(&s->env, &s->name, &s->cap, rows->n, sizeof *s->name)) {
        return ney_no_memory(err, rows->n, "subgroups");
    }
    for (int64_t i = 0; i < rows->n; i++) {
        char *const end = strchr(at, '\n');
        *end = '\0';
        s->name[i] = at;
        at = end + 1;
    }
    return NEY_OK;
}

ney_status ney_score_stream_next(ney_score_stream *s, const double **score, const int8_t **label,
                                 int64_t *n, ney_error *err)
{
    NEY_REQUIRE(s && score && label && n, err);
    *n = 0;
    while (*n == 0) { /* a piece may hold empty lines only */
        if (s->next == s->n_pieces) {
            s->next = s->n_pieces = 0;
            const ney_status st = ney_score_reader_next(s->reader, &s->piece, &s->n_pieces, err);
            if (st != NEY_OK || s->n_pieces == 0) {
                s->n_pieces = 0;
                return st;
            }
        }
        ney_score_piece *const p = &s->piece[s->next++];
        for (int64_t i = 0; i < p->rows.n; i++) {
            p->rows.code[i] = p->rows.code[i] > 0 ? 1 : -1;
        }
        if (s->named && p->rows.n > 0) {
            const ney_status st = split_names(s, &p->rows, err);
            if (st != NEY_OK) {
                return st;
            }
        }
        *score = p->score;
        *label = p->rows.code;
        *n = p->rows.n;
    }
    return NEY_OK;
}
