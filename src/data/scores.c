/* All rows of a score file. */
#include "data/scores.h"

#include "base/options.h"
#include "data/reader.h"

#include <string.h>

/* The text that a piece has of each row. */
static bool gather_by(ney_scores *s, int64_t *cap, const ney_rows *rows)
{
    if (!ney_grow(&s->env, &s->by_begin, cap, s->n + rows->n + 1, sizeof *s->by_begin)) {
        return false;
    }
    const char *at = rows->notes.bytes;
    for (int64_t i = 0; i < rows->n; i++) {
        s->by_begin[s->n + i] = s->by.length + (at - rows->notes.bytes);
        at = strchr(at, '\n') + 1;
    }
    ney_text_add(&s->by, rows->notes.bytes, rows->notes.length);
    s->by_begin[s->n + rows->n] = s->by.length;
    return !s->by.failed;
}

static ney_status gather_rows(ney_scores *s, ney_score_reader *r, ney_error *err)
{
    int64_t score_cap = 0, label_cap = 0, group_cap = 0, by_cap = 0;
    for (;;) {
        ney_score_piece *pieces = NULL;
        int n = 0;
        const ney_status st = ney_score_reader_next(r, &pieces, &n, err);
        if (st != NEY_OK || n == 0 || !pieces) {
            return st;
        }
        for (int i = 0; i < n; i++) {
            const int64_t rows = pieces[i].rows.n;
            if (!ney_grow(&s->env, &s->score, &score_cap, s->n + rows, sizeof *s->score) ||
                !ney_grow(&s->env, &s->label, &label_cap, s->n + rows, sizeof *s->label) ||
                (r->group_column >= 0 &&
                 !ney_grow(&s->env, &s->group, &group_cap, s->n + rows, sizeof *s->group))) {
                return ney_no_memory(err, s->n + rows, "scores");
            }
            if (rows > 0) {
                memcpy(s->score + s->n, pieces[i].score, (size_t)rows * sizeof *s->score);
                memcpy(s->label + s->n, pieces[i].rows.code, (size_t)rows * sizeof *s->label);
            }
            if (rows > 0 && r->group_column >= 0) {
                memcpy(s->group + s->n, pieces[i].group, (size_t)rows * sizeof *s->group);
            }
            if (rows > 0 && r->by_column >= 0 && !gather_by(s, &by_cap, &pieces[i].rows)) {
                return ney_no_memory(err, s->n + rows, "subgroups");
            }
            s->n += rows;
        }
    }
}

ney_status ney_scores_gather(ney_scores **out, ney_score_reader *r, ney_error *err)
{
    ney_scores *s = ney_alloc_zeroed(&r->env, 1, sizeof *s);
    int8_t sign[2];
    ney_status st;

    *out = NULL;
    if (!s) {
        return ney_no_memory(err, 1, "scores");
    }
    s->env = r->env;
    ney_text_init(&s->by, &s->env);
    if ((st = gather_rows(s, r, err)) != NEY_OK ||
        (st = ney_score_reader_finish(r, sign, s->name, err)) != NEY_OK) {
        ney_scores_free(s);
        return st;
    }
    for (int64_t i = 0; i < s->n; i++) {
        s->label[i] = sign[s->label[i]];
    }
    s->n_seen = r->seen_column >= 0 ? r->n_seen : -1;
    *out = s;
    return NEY_OK;
}

ney_status ney_scores_read_by(ney_scores **out, const ney_env *env, const char *path,
                              const ney_read_opts *opts, const char *by, ney_error *err)
{
    NEY_CLEAR(out);
    NEY_REQUIRE(out && path, err);
    const ney_env e = ney_env_of(env);
    const ney_read_opts o = ney_read_opts_or_default(opts);
    ney_score_reader *r;
    ney_status st = ney_score_reader_new(&r, &e, path, &o, by, err);

    if (st == NEY_OK) {
        st = ney_scores_gather(out, r, err);
        ney_score_reader_free(r);
    }
    return st;
}

ney_status ney_scores_read_with(ney_scores **out, const ney_env *env, const char *path,
                                const ney_read_opts *opts, ney_error *err)
{
    return ney_scores_read_by(out, env, path, opts, NULL, err);
}

ney_status ney_scores_read(ney_scores **out, const ney_env *env, const char *path,
                           const ney_options *options, ney_error *err)
{
    NEY_CLEAR(out);
    NEY_REQUIRE(out && path, err);
    return ney_scores_read_with(out, env, path, ney_options_values(options, ney_read_params), err);
}

void ney_scores_free(ney_scores *s)
{
    if (!s) {
        return;
    }
    const ney_env env = s->env;
    ney_text_deinit(&s->by);
    ney_release_all(&env, s->score, s->label, s->group, s->by_begin, s->name[0], s->name[1], s);
}

int64_t ney_scores_count(const ney_scores *scores)
{
    if (!scores) {
        return 0;
    }
    return scores->n;
}

const double *ney_scores_value(const ney_scores *scores)
{
    if (!scores) {
        return NULL;
    }
    return scores->score;
}

const int8_t *ney_scores_label(const ney_scores *scores)
{
    if (!scores) {
        return NULL;
    }
    return scores->label;
}

const uint64_t *ney_scores_group(const ney_scores *scores)
{
    if (!scores) {
        return NULL;
    }
    return scores->group;
}

int64_t ney_scores_seen(const ney_scores *scores)
{
    if (!scores) {
        return -1;
    }
    return scores->n_seen;
}

const char *ney_scores_name(const ney_scores *scores, int sign)
{
    if (!scores) {
        return "";
    }
    const char *name = scores->name[sign > 0];
    return name ? name : "";
}

const char *ney_scores_by(const ney_scores *s, int64_t row, int64_t *length)
{
    const bool has = s && length && s->by_begin && row >= 0 && row < s->n;

    if (length) {
        *length = has ? s->by_begin[row + 1] - s->by_begin[row] - 1 : 0;
    }
    return has ? s->by.bytes + s->by_begin[row] : NULL;
}
