/* predict batch by batch, as rows arrive. */
#include "predict.h"
#include "score_rows.h"

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

/* The first row determines the columns, so that lines can be written as rows arrive. */
static int begin_lines(session *s, line_format *f, const score_rows *in, tsv *t)
{
    const int8_t *label = in->n > 0 ? ney_data_label(in->data) : NULL;

    f->labelled = label && label[0] != 0;
    if (in->n > 0 && line_format_name_notes(f, in->data, &s->err) != NEY_OK) {
        return session_fail(s, s->err.code);
    }
    lines_write_header(f, t);
    return EXIT_OK;
}

static int write_batches(session *s, line_format *f, score_rows *in, tsv *t, predict_summary *sum)
{
    bool go_on = true;
    int code = score_rows_next(in, s);

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

static int predict_batches(session *s, line_format *f, score_rows *in)
{
    const predict_args *args = options_of(s->call, &predict_options);
    predict_summary sum = {.seen = -1};
    ney_error why = {0};
    tsv t;
    ney_status st = predict_open(&t, args, &s->err);

    if (st != NEY_OK) {
        return session_fail(s, st);
    }
    const int code = write_batches(s, f, in, &t, &sum);
    if (code != EXIT_OK) {
        tsv_break_off(&t);
        return code;
    }
    if ((st = tsv_close(&t, &s->err)) != NEY_OK) {
        return session_fail(s, st);
    }
    if (f->scores && ney_row_stream_unlabelled(in->rows, &why) != NEY_OK) {
        predict_warn_labels(s, &why, f->labelled);
    }
    score_rows_say_folds(in, s);
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
