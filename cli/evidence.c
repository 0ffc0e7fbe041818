#include "evidence.h"

#include <neyman/experimental/comm.h>

#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "score_rows.h"

typedef struct source_opts {
    const char *from_scores;
} source_opts;

/* clang-format off */
static const ney_param source_rows[] = {
    {"from-scores", 0, NEY_KIND_TEXT, offsetof(source_opts, from_scores), 0, 0, 0, "FILE", NULL,
     "read labels and scores of any program from FILE instead of MODEL and DATA: TSV or CSV whose header names label and score, or two columns in that order; -: standard input"},
};
/* clang-format on */

const option_set source_options = {.title = "Scores",
                                   .rows = source_rows,
                                   .n_rows = COUNT(source_rows),
                                   .bytes = sizeof(source_opts)};

static int read_scores(evidence *out, session *s)
{
    const ney_read_opts *read = options_of(s->call, &read_options);
    const ney_status st =
        ney_scores_read_by(&out->of_file, &s->env, out->path, read, read->id, &s->err);

    if (st != NEY_OK) {
        return session_fail(s, st);
    }
    out->score = ney_scores_value(out->of_file);
    out->label = ney_scores_label(out->of_file);
    out->group = ney_scores_group(out->of_file);
    out->n = ney_scores_count(out->of_file);
    out->n_seen = ney_scores_seen(out->of_file);
    out->negative = ney_scores_name(out->of_file, -1);
    out->positive = ney_scores_name(out->of_file, 1);
    return EXIT_OK;
}

static int read_groups(evidence *out, session *s, const ney_data *data)
{
    if (!ney_data_group_column(data)) {
        return EXIT_OK;
    }
    out->own_group = malloc(((size_t)out->n + 1) * sizeof *out->own_group);
    if (!out->own_group) {
        return session_fail(s, out_of_memory(&s->err, "the groups"));
    }
    const ney_status st = ney_data_groups(data, out->own_group, &s->err);
    out->group = out->own_group;
    return st == NEY_OK ? EXIT_OK : session_fail(s, st);
}

/* What the scored rows are evidence of. */
static int take_scored(evidence *out, session *s)
{
    const ney_data *data = out->of_model.data;
    const ney_preprocessing *preprocessing = ney_model_preprocessing(out->of_model.model);
    if (!ney_data_label(data)) {
        return refuse_unlabelled(s, out->path, data, false);
    }
    out->score = out->of_model.score;
    out->label = ney_data_label(data);
    out->n = ney_data_matrix(data)->rows;
    out->negative = ney_preprocessing_label(preprocessing, -1);
    out->positive = ney_preprocessing_label(preprocessing, 1);
    out->low = out->of_model.low;
    out->high = out->of_model.high;
    return read_groups(out, s, data);
}

static int read_model(evidence *out, session *s)
{
    const int code = scored_read(&out->of_model, s, s->call->operands[0], out->path);

    return code == EXIT_OK ? take_scored(out, s) : code;
}

static void count_rows(evidence *out)
{
    for (int64_t i = 0; i < out->n; i++) {
        out->n_pos += out->label[i] > 0;
    }
    out->n_neg = out->n - out->n_pos;
}

int evidence_fill(evidence *out, session *s)
{
    int code = scored_fill(&out->of_model, s, out->path);

    if (code == EXIT_OK) {
        code = take_scored(out, s);
    }
    if (code == EXIT_OK) {
        count_rows(out);
    }
    return code;
}

/* ------------------------------------------------------------------ batch by batch */

static int fail_memory(session *s)
{
    return session_fail(s, out_of_memory(&s->err, "the rows"));
}

/* Capacity for n more rows: score and label, and the group where there are groups. */
static bool grow_rows(evidence *out, int64_t n, int64_t *cap, bool grouped)
{
    if (out->n + n > *cap || (grouped && !out->own_group)) {
        const int64_t more = *cap + *cap / 2 > out->n + n ? *cap + *cap / 2 : out->n + n;
        double *const score = realloc(out->own_score, (size_t)more * sizeof *score);
        int8_t *const label = realloc(out->own_label, (size_t)more * sizeof *label);
        uint64_t *const group =
            grouped ? realloc(out->own_group, (size_t)more * sizeof *group) : NULL;
        out->own_score = score ? score : out->own_score;
        out->own_label = label ? label : out->own_label;
        out->own_group = group ? group : out->own_group;
        if (!score || !label || (grouped && !group)) {
            return false;
        }
        *cap = more;
    }
    return true;
}

/* Keep what is needed of a batch. */
static int keep_batch(evidence *out, session *s, const score_rows *r, ney_reuse_scan *scan,
                      int64_t *cap)
{
    const bool grouped = ney_data_group_column(r->data) != NULL;
    const int8_t *label = ney_data_label(r->data);

    if (!grow_rows(out, r->n, cap, grouped)) {
        return fail_memory(s);
    }
    memcpy(out->own_score + out->n, r->score, (size_t)r->n * sizeof *r->score);
    for (int64_t i = 0; i < r->n; i++) {
        out->own_label[out->n + i] = (int8_t)(label ? label[i] : 0);
    }
    ney_status st = grouped ? ney_data_groups(r->data, out->own_group + out->n, &s->err) : NEY_OK;
    if (st == NEY_OK) {
        st = ney_reuse_scan_add(scan, r->data, &s->err);
    }
    out->n += r->n;
    return st == NEY_OK ? EXIT_OK : session_fail(s, st);
}

/* The arrays of all processes, in the order of ranks, on the first. */
static void gather(const ney_comm *comm, char *of_all, const void *own, const int64_t *n,
                   int64_t bytes_of_one)
{
    for (int from = 1; comm->rank == 0 && from < comm->size; from++) {
        of_all += n[from - 1] * bytes_of_one;
        comm->receive(comm->state, from, of_all, n[from] * bytes_of_one);
    }
    if (comm->rank > 0) {
        comm->send(comm->state, 0, own, n[comm->rank] * bytes_of_one);
    }
}

/* Of several processes: the rows of all on the first, which then goes on alone; the others keep
 * their own. `n`: the rows of each. */
static int gather_rows(evidence *out, session *s, const int64_t *n, int64_t *cap)
{
    const ney_comm *const comm = s->env.comm;
    double grouped = out->own_group != NULL;
    int64_t rows = 0;

    comm->maximum(comm->state, &grouped, 1);
    for (int rank = 0; rank < comm->size; rank++) {
        rows += n[rank];
    }
    const bool fine = grow_rows(out, comm->rank == 0 ? rows - out->n : 1, cap, grouped > 0);
    const int code = session_agree(s, fine ? EXIT_OK : fail_memory(s));
    if (code != EXIT_OK) {
        return code;
    }
    gather(comm, (char *)out->own_score, out->own_score, n, (int64_t)sizeof *out->own_score);
    gather(comm, (char *)out->own_label, out->own_label, n, (int64_t)sizeof *out->own_label);
    if (grouped > 0) {
        gather(comm, (char *)out->own_group, out->own_group, n, (int64_t)sizeof *out->own_group);
    }
    out->n = comm->rank == 0 ? rows : out->n;
    return EXIT_OK;
}

/* After the last batch, with whether that went well: what is known of the rows of all processes. */
static int join_processes(evidence *out, session *s, int code, ney_reuse_scan *scan, score_rows *r,
                          int64_t *cap)
{
    const ney_comm *const comm = s->env.comm;

    if (!comm || (code = session_agree(s, code)) != EXIT_OK) {
        return code;
    }
    int64_t *const n = calloc((size_t)comm->size, sizeof *n);
    if ((code = session_agree(s, n ? EXIT_OK : fail_memory(s))) == EXIT_OK) {
        n[comm->rank] = out->n;
        comm->add_counts(comm->state, n, comm->size);
        comm->add_counts(comm->state, &r->out_of_fold, 1);
        const ney_status st = ney_reuse_scan_share(scan, &s->err);
        code = st == NEY_OK ? gather_rows(out, s, n, cap) : session_fail(s, st);
    }
    free(n);
    return code;
}

/* All batches of an open file. */
static int keep_batches(evidence *out, session *s, score_rows *r)
{
    ney_reuse_scan *scan;
    int64_t cap = 0, rows, hashes;
    const ney_status st = ney_reuse_scan_new(&scan, &s->env, r->model, &s->err);
    int code = st == NEY_OK ? score_rows_next(r, s) : session_fail(s, st);

    if (code == EXIT_OK && !grow_rows(out, 1, &cap, false)) { /* no rows have arrays too */
        code = fail_memory(s);
    }
    while (code == EXIT_OK && r->n > 0) {
        code = keep_batch(out, s, r, scan, &cap);
        code = code == EXIT_OK ? score_rows_next(r, s) : code;
    }
    code = join_processes(out, s, code, scan, r, &cap);
    if (code == EXIT_OK) {
        scored *const of = &out->of_model;
        bool trained_on;
        score_rows_say_folds(r, s);
        ney_reuse_scan_finish(scan, &of->reuse, &trained_on);
        of->out_of_fold = r->out_of_fold;
        of->has_reuse = ney_model_training_rows(r->model, &rows, &hashes);
        of->in_sample = ney_model_fold_count(r->model) == 0 && trained_on;
        of->partly_seen = of->reuse.reused && of->out_of_fold == 0 && !of->in_sample;
    }
    ney_reuse_scan_free(scan);
    return code;
}

static int stream_model(evidence *out, session *s)
{
    score_rows r;
    int code = score_rows_open(&r, s, s->call->operands[0], out->path, false);

    if (code == EXIT_OK) {
        code = keep_batches(out, s, &r);
    }
    if (code == EXIT_OK) {
        const ney_status st = ney_row_stream_unlabelled(r.rows, &s->err);
        code = session_agree(s, st == NEY_OK ? EXIT_OK : session_fail(s, st));
    }
    if (code == EXIT_OK) {
        const ney_preprocessing *names = ney_model_preprocessing(r.model);
        out->score = out->own_score;
        out->label = out->own_label;
        out->group = out->own_group;
        out->negative = ney_preprocessing_label(names, -1);
        out->positive = ney_preprocessing_label(names, 1);
        out->low = out->of_model.low = r.low;
        out->high = out->of_model.high = r.high;
        out->of_model.model = r.model;
        r.model = NULL;
    }
    score_rows_close(&r);
    return code;
}

int evidence_read(evidence *out, session *s, bool keep_rows)
{
    const char *file = ((const source_opts *)options_of(s->call, &source_options))->from_scores;

    *out = (evidence){.path = file ? file : s->call->operands[1]};
    if (file && s->call->n_operands > 0) {
        return session_misused(s,
                               "'%.200s' and --from-scores exclude each other; expected MODEL "
                               "DATA or --from-scores FILE",
                               s->call->operands[0]);
    }
    if (s->env.comm && (file || keep_rows)) {
        return session_misused(s, "%s needs the rows in one process: run it with neyman",
                               file ? "--from-scores" : "--by");
    }
    if (!out->path) {
        return session_misused(s, "%s needs MODEL DATA, or --from-scores FILE",
                               s->call->command->name);
    }
    const int code = file        ? read_scores(out, s)
                     : keep_rows ? read_model(out, s)
                                 : stream_model(out, s);
    if (code == EXIT_OK) {
        count_rows(out);
    }
    return code;
}

void evidence_deinit(evidence *e)
{
    ney_scores_free(e->of_file);
    free(e->own_score);
    free(e->own_label);
    free(e->own_group);
    scored_deinit(&e->of_model);
    *e = (evidence){0};
}

int refuse_one_class(session *s, const evidence *e)
{
    const ney_data *const data = e->of_model.data;
    const bool is_pin = data && ney_data_format(data) == NEY_FORMAT_PIN;

    return session_bad_input(s, e->path, "all %lld rows are %s, expected rows of both classes (%s)",
                             (long long)e->n, e->n_pos > 0 ? "positive" : "negative",
                             is_pin ? "files of decoys alone are named by --decoys"
                                    : "--positive VALUE selects the positive label");
}
