/* predict with all rows in memory: q-values, rows seen in training, one JSON object. */
#include <stdlib.h>

#include "labelled.h"
#include "predict.h"
#include "result.h"

static int find_qvalues(session *s, const scored *in, line_rows *rows, discoveries *found)
{
    const discovery_rows of = {.model = in->model,
                               .score = in->score,
                               .label = rows->label,
                               .n = rows->n,
                               .data = in->data,
                               .in_sample = in->in_sample || in->partly_seen,
                               .out_of_fold = in->out_of_fold};

    if (!rows->label) {
        return refuse_unlabelled(s, s->call->operands[1], in->data, false);
    }
    const ney_status st = discoveries_init(found, s, &of, NULL, NULL, NULL);
    if (st != NEY_OK) {
        return session_fail(s, st);
    }
    discoveries_say(s, found);
    rows->q = found->q;
    return EXIT_OK;
}

/* Which rows were used in training; *seen is to be freed in any case. */
static int find_seen(session *s, const scored *in, line_rows *rows, int8_t **seen)
{
    ney_reuse reuse;

    if (!in->has_reuse) {
        return session_misused(s,
                               "--seen applies to models with a fingerprint of their training "
                               "rows; %s has none",
                               s->call->operands[0]);
    }
    if (!(*seen = malloc((size_t)rows->n + 1))) {
        return session_fail(s, out_of_memory(&s->err, "the marks of training rows"));
    }
    rows->seen = *seen;
    const ney_status st = ney_model_find_reuse(in->model, in->data, *seen, &reuse, &s->err);
    return st == NEY_OK ? EXIT_OK : session_fail(s, st);
}

static int write_rows(session *s, const line_format *f, line_rows *rows, predict_summary *sum)
{
    const predict_args *args = options_of(s->call, &predict_options);
    tsv t;
    ney_status st = predict_open(&t, s, args, &s->err);

    if (st != NEY_OK) {
        return session_fail(s, st);
    }
    lines_write_header(f, &t);
    (void)lines_write(f, rows, &t, &sum->counts); /* failures are reported by this: */
    st = tsv_close(&t, &s->err);
    return st == NEY_OK ? EXIT_OK : session_fail(s, st);
}

static int write_results(session *s, const line_format *f, line_rows *rows, predict_summary *sum)
{
    const predict_args *args = options_of(s->call, &predict_options);
    const bool to_stdout = output_is_stdout(args->output), json = s->common->json;

    if (to_stdout && json) { /* the predictions are part of the object */
        lines_count(f, rows, &sum->counts);
        ney_result *root = predict_summarise(s, f, sum);
        lines_add(f, rows, root);
        result_print(s, root);
        return EXIT_OK;
    }
    const int code = write_rows(s, f, rows, sum);
    if (code == EXIT_OK && !to_stdout) {
        predict_report(s, f, sum);
    }
    return code;
}

/* Compute the columns and write the rows. */
static int predict_rows(session *s, line_format *f, const scored *in)
{
    line_rows rows = {.n = ney_data_matrix(in->data)->rows,
                      .score = in->score,
                      .label = ney_data_label(in->data)};
    discoveries found = {0};
    predict_summary sum = {.out_of_fold = in->out_of_fold,
                           .seen = f->seen ? count_reused(&in->reuse) : -1,
                           .found = f->qvalues ? &found : NULL};
    int8_t *seen = NULL;
    ney_error why = {0};

    f->labelled = rows.label != NULL;
    ney_status st = line_format_name_notes(f, in->data, &s->err);
    if (st == NEY_OK) {
        st = line_rows_open(&rows, f, in->data, &s->err);
    }
    int code = st == NEY_OK ? EXIT_OK : session_fail(s, st);
    if (code == EXIT_OK && f->qvalues) {
        code = find_qvalues(s, in, &rows, &found);
    }
    if (code == EXIT_OK && f->seen) {
        code = find_seen(s, in, &rows, &seen);
    }
    if (code == EXIT_OK) {
        if (f->scores && ney_data_unlabelled(in->data, &why) != NEY_OK) {
            predict_warn_labels(s, &why, false);
        }
        code = write_results(s, f, &rows, &sum);
    }
    free(seen);
    discoveries_deinit(&found);
    line_rows_close(&rows);
    return code;
}

int predict_at_once(session *s)
{
    scored in;
    line_format f = {0};
    int code = scored_read(&in, s, s->call->operands[0], s->call->operands[1]);

    if (code == EXIT_OK) {
        code = predict_format(s, in.model, &f);
    }
    if (code == EXIT_OK) {
        code = predict_rows(s, &f, &in);
    }
    line_format_deinit(&f);
    scored_deinit(&in);
    return code;
}
