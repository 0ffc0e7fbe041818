/* predict batch by batch, as rows arrive. */
#include "communication.h"
#include "predict.h"
#include "score_rows.h"

#include <neyman/experimental/comm.h>

static int write_batch(session *s, const line_format *f, const score_rows *in, tsv *t,
                       line_counts *counts, bool *go_on)
{
    const predict_args *args = options_of(s->call, &predict_options);
    line_rows rows = {.n = in->n, .score = in->score, .label = ney_data_label(in->data)};
    const ney_status st = line_rows_open(&rows, f, in->data, &s->err);
    int code = st == NEY_OK ? EXIT_OK : session_fail(s, st);

    if (code == EXIT_OK) {
        const bool at_once = args->line_buffered || ney_row_stream_is_live(in->rows);
        *go_on = lines_write(f, &rows, t, counts) && (!at_once || output_flush(&t->out));
    }
    line_rows_close(&rows);
    return code;
}

/* The lowest rank that has rows; 0 where none has. */
static int first_with_rows(const session *s, const score_rows *in)
{
    const ney_comm *const comm = s->env.comm;
    double lowest = 0;

    if (comm) {
        lowest = in->n > 0 ? -(double)comm->rank : -(double)comm->size;
        comm->maximum(comm->state, &lowest, 1);
    }
    return comm && -lowest < comm->size ? (int)-lowest : 0;
}

/* The first row determines the columns, so that lines can be written as rows arrive. Of several
 * processes it is that of all. */
static int begin_lines(session *s, line_format *f, const score_rows *in, tsv *t)
{
    const ney_comm *const comm = s->env.comm;
    const int8_t *label = in->n > 0 ? ney_data_label(in->data) : NULL;
    const int first = first_with_rows(s, in);

    f->labelled = label && label[0] != 0;
    if (comm) {
        comm->broadcast(comm->state, first, &f->labelled, (int64_t)sizeof f->labelled);
    }
    if (in->n > 0 && line_format_name_notes(f, in->data, &s->err) != NEY_OK) {
        return session_fail(s, s->err.code);
    }
    if (!comm || comm->rank == first || t->format == FORMAT_JSON_LINES || predict_in_parts(s)) {
        lines_write_header(f, t);
    }
    return EXIT_OK;
}

static int write_batches(session *s, line_format *f, score_rows *in, tsv *t, predict_summary *sum)
{
    bool go_on = true;
    int code = session_agree(s, score_rows_next(in, s));

    if (code == EXIT_OK) {
        code = begin_lines(s, f, in, t);
    }
    while (code == EXIT_OK && in->n > 0 && go_on) {
        code = write_batch(s, f, in, t, &sum->counts, &go_on);
        if (code == EXIT_OK && go_on) {
            code = score_rows_next(in, s);
        }
    }
    sum->out_of_fold = in->out_of_fold;
    return code;
}

/* Of several processes: whether all have written their lines; these in one place, and the counts of
 * all. */
static int join_processes(session *s, int code, tsv *t, predict_summary *sum)
{
    const ney_comm *const comm = s->env.comm;

    if (code == EXIT_OK && !output_flush(&t->out) && t->out.status != NEY_OK) {
        s->err = t->out.err;
        code = session_fail(s, t->out.status);
    }
    if ((code = session_agree(s, code)) != EXIT_OK) {
        return code;
    }
    int64_t n[4] = {sum->counts.n, sum->counts.pos, sum->counts.neg, sum->out_of_fold};
    comm->add_counts(comm->state, n, 4);
    sum->counts = (line_counts){.n = n[0], .pos = n[1], .neg = n[2]};
    sum->out_of_fold = n[3];
    if (!predict_in_parts(s)) {
        output_join(&t->out);
    }
    return EXIT_OK;
}

static int close_lines(session *s, tsv *t)
{
    const ney_status st = tsv_close(t, &s->err);

    return session_agree(s, st == NEY_OK ? EXIT_OK : session_fail(s, st));
}

static int predict_batches(session *s, line_format *f, score_rows *in)
{
    const predict_args *args = options_of(s->call, &predict_options);
    predict_summary sum = {.seen = -1};
    ney_error why = {0};
    tsv t;
    const ney_status st = predict_open(&t, s, args, &s->err);
    int code = session_agree(s, st == NEY_OK ? EXIT_OK : session_fail(s, st));

    if (code == EXIT_OK) {
        code = write_batches(s, f, in, &t, &sum);
        if (s->env.comm) {
            code = join_processes(s, code, &t, &sum);
        }
    }
    if (code != EXIT_OK) {
        if (st == NEY_OK) {
            tsv_break_off(&t);
        }
        return code;
    }
    if ((code = close_lines(s, &t)) != EXIT_OK) {
        return code;
    }
    if (f->scores && ney_row_stream_unlabelled(in->rows, &why) != NEY_OK) {
        predict_warn_labels(s, &why, f->labelled);
    }
    score_rows_say_folds(in, s);
    communication_count(s);
    if (!output_is_stdout(args->output)) {
        predict_report(s, f, &sum);
    }
    return EXIT_OK;
}

int predict_streamed(session *s)
{
    const predict_args *args = options_of(s->call, &predict_options);
    score_rows in;
    line_format f = {0};
    int code =
        score_rows_open(&in, s, s->call->operands[0], s->call->operands[1], args->line_buffered);

    if (code == EXIT_OK) {
        code = predict_format(s, in.model, &f);
    }
    if (code == EXIT_OK) {
        code = predict_batches(s, &f, &in);
    }
    line_format_deinit(&f);
    score_rows_close(&in);
    return code;
}
