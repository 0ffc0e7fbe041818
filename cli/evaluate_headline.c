#include "evaluate.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "result.h"
#include "summary.h"

/* Out-of-fold scores are those of new rows, but the threshold was chosen on these rows: no
 * intervals. */
void mark_training_rows(ney_result *root, const evidence *in)
{
    if (in->of_model.in_sample) {
        ney_result_add_text(root, "rates_on", "training rows");
        ney_result_warn(root,
                        "the model was trained on these rows: their rates are optimistic, and the "
                        "intervals do not cover those of new data");
        return;
    }
    ney_result_add_int(root, "scored_out_of_fold", in->of_model.out_of_fold);
    ney_result_add_text(root, "rates_on",
                        in->of_model.out_of_fold == in->n
                            ? "training rows, out of fold"
                            : "training rows, out of fold, and others");
    for (const ney_result *item = ney_result_first(root); item; item = ney_result_next(item)) {
        const char *key = ney_result_key(item);
        const size_t length = strlen(key);
        if ((length > 9 && strcmp(key + length - 9, "_interval") == 0) ||
            (length > 6 && strcmp(key + length - 6, "_range") == 0) ||
            strcmp(key, "auc_error") == 0) {
            ney_result_set_null(root, key);
        }
    }
}

/* What the headline says of rows by which the model, or its threshold, was made. */
static const char *rows_note(const evidence *in)
{
    return in->of_model.in_sample         ? ", rows used in training (optimistic)"
           : in->of_model.out_of_fold > 0 ? ", scored out of fold"
           : in->of_model.partly_seen || in->n_seen > 0
               ? ", some rows were used in training (optimistic)"
           : in->group ? ", on average over groups"
                       : "";
}

/* A rate of the result, with its interval where that covers the rate of new rows. */
static void summarise_rate(ney_result *root, const evidence *in, const char *key,
                           ney_class_share of)
{
    char path[64];
    double bounds[2];
    bool covered = !in->of_model.in_sample && !in->of_model.partly_seen && in->n_seen <= 0;

    of.share = (double)NAN;
    (void)ney_result_get_real(root, key, &of.share);
    for (int k = 0; k < 2 && covered; k++) {
        snprintf(path, sizeof path, "%s_interval.%d", key, k);
        covered = ney_result_get_real(root, path, &bounds[k]);
    }
    of.bounds = covered ? bounds : NULL;
    of.rows = rows_note(in);
    ney_result_headline_share(root, &of);
}

/* An option of the command line, to be repeated. */
static void add_option(char text[], size_t n_text, const char *option, const char *value)
{
    char word[SHELL_WORD];
    const size_t used = strlen(text);

    if (value) {
        shell_word(word, value);
        snprintf(text + used, n_text - used, " --%s %s", option, word);
    }
}

/* The scores can be certified; their columns are named as here. */
static void suggest_certificate(ney_result *root, const evidence *in, const session *s)
{
    const ney_read_opts *const read = options_of(s->call, &read_options);
    char path[SHELL_WORD], columns[8 * SHELL_WORD] = "";

    add_option(columns, sizeof columns, "score", read->score);
    add_option(columns, sizeof columns, "label", read->label);
    add_option(columns, sizeof columns, "positive", read->positive);
    add_option(columns, sizeof columns, "negative", read->negative);
    add_option(columns, sizeof columns, "group", read->group);
    add_option(columns, sizeof columns, "delimiter", read->delimiter);
    add_option(columns, sizeof columns, "decimal", read->decimal);
    shell_word(path, in->path);
    summary_next(s, root, "neyman certify %s%s%s --max-fpr 0.01  (a threshold with a guarantee)",
                 path, columns, read->rest ? " --rest" : "");
}

void add_evaluation_headline(ney_result *root, const evidence *in, const session *s, const band *b)
{
    char path[SHELL_WORD];

    summarise_rate(
        root, in, "fpr",
        (ney_class_share){.verb = "Flags", .outcome = " as positive", .name = in->negative});
    summarise_rate(root, in, "tpr",
                   (ney_class_share){
                       .verb = "Detects", .outcome = "", .positive = true, .name = in->positive});
    if (b->low < b->high && in->n > 0) {
        double share = 0;
        (void)ney_result_get_real(root, "reject_rate", &share);
        ney_result_headline(root, "Rejects %.3g %% of rows%s.", 100 * share, rows_note(in));
    }
    if (in->of_model.model && !in->of_model.in_sample) {
        shell_word(path, s->call->operands[0]);
        summary_next(s, root, "neyman predict %s NEW  (NEW: rows to classify)", path);
    } else if (!in->of_model.model && in->n_neg > 0 && in->n_pos > 0) {
        suggest_certificate(root, in, s);
    }
}
