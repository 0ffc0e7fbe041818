/* The result of predict. */
#include <neyman/experimental/comm.h>

#include <float.h>
#include <stdio.h>
#include <string.h>

#include "communication.h"
#include "labelled.h"
#include "model_json.h"
#include "predict.h"
#include "result.h"
#include "summary.h"

bool predict_in_parts(const session *s)
{
    const predict_args *args = options_of(s->call, &predict_options);

    return s->env.comm && !output_is_stdout(args->output) && strchr(args->output, '%');
}

/* The lines of this process: in a separate file, or in a spool for the first process. */
static ney_status open_part(tsv *t, const session *s, const predict_args *args, ney_error *err)
{
    if (!predict_in_parts(s)) {
        *t = (tsv){.format = FORMAT_TSV};
        return output_open_spool(&t->out, err);
    }
    char *const name = ney_numbered_name(NULL, args->output, s->env.comm->rank);
    if (!name) {
        *err = (ney_error){.code = NEY_EINVAL};
        snprintf(err->message, sizeof err->message,
                 "-o '%.200s': expected a number such as %%04d in the name, for the rank",
                 args->output);
        return NEY_EINVAL;
    }
    const ney_status st = tsv_open(t, name, "", err);
    ney_free(NULL, name);
    return st;
}

ney_status predict_open(tsv *t, const session *s, const predict_args *args, ney_error *err)
{
    const ney_status st = session_writes() && !predict_in_parts(s)
                              ? tsv_open(t, args->output, "", err)
                              : open_part(t, s, args, err);

    t->format = args->json_lines ? FORMAT_JSON_LINES : table_format_of(args->output);
    t->digits = (int)args->digits;
    return st;
}

ney_result *predict_summarise(const session *s, const line_format *f, const predict_summary *sum)
{
    ney_result *root = result_new();
    const line_counts *n = &sum->counts;

    ney_result_add_int(root, "n", n->n);
    ney_result_add_text(root, "positive", line_name(f, 1));
    ney_result_add_text(root, "negative", line_name(f, -1));
    ney_result_add_int(root, "predicted_pos", n->pos);
    ney_result_add_int(root, "predicted_neg", n->neg);
    ney_result_add_int(root, "rejected", n->n - n->pos - n->neg);
    add_thresholds(root, f->low, f->high);
    if (ney_model_fold_count(f->model) > 0) {
        ney_result_add_int(root, "scored_out_of_fold", sum->out_of_fold);
    }
    if (sum->seen >= 0) {
        ney_result_add_int(root, "rows_seen", sum->seen);
    }
    if (f->probability) {
        int64_t n_pos, n_neg;
        ney_calibration_kind kind;
        if (ney_model_probability_rows(f->model, &n_pos, &n_neg, &kind)) {
            ney_result_add_text(root, "probability_statement", ney_calibration_statement(kind));
        }
    }
    if (sum->found) {
        discoveries_add(root, sum->found);
    }
    ney_result_add_real(root, "seconds", session_seconds(s));
    return root;
}

static void add_headline(const session *s, ney_result *root, const line_format *f,
                         const line_counts *n)
{
    const predict_args *args = options_of(s->call, &predict_options);
    char path[SHELL_WORD], positive[SHELL_WORD] = "";
    const bool is_json = args->json_lines || table_format_of(args->output) == FORMAT_JSON_LINES;
    const bool all = f->scores && f->labelled && f->only == ONLY_ALL && !is_json;

    ney_result_headline(root, "Classifies %lld of %lld rows as positive ('%.100s').",
                        (long long)n->pos, (long long)n->n, line_name(f, 1));
    if (f->low < f->high) {
        ney_result_headline(root, "Rejects %lld rows.", (long long)(n->n - n->pos - n->neg));
    }
    shell_word(path, args->output);
    if (!is_larger_label(line_name(f, 1), line_name(f, -1))) { /* the file does not say */
        shell_word(positive, line_name(f, 1));
    }
    const char *const option = positive[0] ? " --positive " : "";
    if (all && f->low < f->high) {
        summary_next(s, root, "neyman evaluate --from-scores %s%s%s --thresholds %.17g,%.17g", path,
                     option, positive, f->low, f->high);
    } else if (all && !(f->high > 0 && f->high < DBL_MIN)) {
        /* a threshold just above 0 is reported as 0 with a rule, which no option can say */
        summary_next(s, root, "neyman evaluate --from-scores %s%s%s --threshold %.17g", path,
                     option, positive, f->high);
    }
}

void predict_report(const session *s, const line_format *f, const predict_summary *sum)
{
    const predict_args *args = options_of(s->call, &predict_options);
    ney_result *root = predict_summarise(s, f, sum);

    ney_result_add_text(root, "output", args->output);
    communication_add(s, root);
    add_headline(s, root, f, &sum->counts);
    result_print(s, root);
}

void predict_warn_labels(session *s, const ney_error *why, bool column)
{
    if (why->line > 0) {
        session_say(s, NEY_LOG_WARNING, "%s:%lld: %s; %s", why->file, (long long)why->line,
                    why->message,
                    column ? "the column label is empty in this row and others like it"
                           : "the output has no column of labels");
    }
}
