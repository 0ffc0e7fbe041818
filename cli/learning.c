#include "learning.h"

#include <math.h>
#include <stdlib.h>

#include "interrupt.h"
#include "labelled.h"
#include "output.h"
#include "rates.h"
#include "result.h"

/* clang-format off */
static const ney_param own_rows[] = {
#define AT(field) offsetof(model_args, field)
    /* name    flag kind             offset      default low high    arg      choices help */
    {"output", 'o', NEY_KIND_TEXT,   AT(output), 0, 0, 0,            "MODEL", NULL, "file for the model, - for standard output"},
    SCALE_ROW(AT(scale)),
#undef AT
};
/* clang-format on */

const option_set model_options = {
    .title = "Model", .rows = own_rows, .n_rows = COUNT(own_rows), .bytes = sizeof(model_args)};

const option_set learning_options = {.title = "Learning",
                                     .from = ney_train_params,
                                     .bytes = sizeof(ney_train_opts),
                                     .where = ney_train_where};

ney_scaling learning_scaling(int scale, const ney_data *data)
{
    const ney_format format = ney_data_format(data);

    if (scale > 0) {
        return (ney_scaling)(scale - 1);
    }
    return format == NEY_FORMAT_CSV || format == NEY_FORMAT_TSV || format == NEY_FORMAT_PIN
               ? NEY_SCALING_STANDARD
               : NEY_SCALING_NONE;
}

/* Both classes must be there, and the user must see which one is positive. */
int learning_check(session *s, const char *path, const ney_data *data)
{
    const ney_recipe *recipe = ney_data_recipe(data);
    const class_counts n = count_classes(data);
    const char *pos = ney_recipe_label(recipe, 1), *neg = ney_recipe_label(recipe, -1);

    if (ney_data_matrix(data)->rows == 0) {
        return session_bad_input(s, path, "has a header but no rows");
    }
    if (ney_recipe_cols(recipe) == 0 && ney_data_label(data)) {
        return session_bad_input(s, path,
                                 "has no feature: expected a column beside those of label and "
                                 "weight, or entries such as 1:0.5");
    }
    if (!ney_data_label(data)) {
        return refuse_unlabelled(s, path, data, true);
    }
    if (n.pos == 0 || n.neg == 0) {
        return session_bad_input(s, path,
                                 "all %lld rows are of one class, '%s'; expected two (name another "
                                 "column with --label COLUMN, the positive value with --positive)",
                                 (long long)(n.pos + n.neg), n.pos ? pos : neg);
    }
    s->grouped = ney_data_group_column(data) != NULL;
    session_say(s, NEY_LOG_INFO, "positive: %s (%lld rows), negative: %s (%lld rows)", pos,
                (long long)n.pos, neg, (long long)n.neg);
    return EXIT_OK;
}

/* More rows are what helps a certificate; 'plan' tells what they would buy. */
int learning_refuse(session *s, ney_status st)
{
    const ney_train_opts *o = options_of(s->call, &learning_options);
    const bool both = !isnan(o->max_fpr) && !isnan(o->max_fnr);
    const bool fpr = isnan(o->max_fnr) || o->max_fpr < o->max_fnr; /* of both the harder one */
    const double rate = fpr ? o->max_fpr : o->max_fnr;
    const double delta = ney_delta_of_confidence(o->confidence);
    const double of_each = !both ? delta : s->grouped ? delta / 2 : ney_delta_of_each(delta);
    char hint[128];

    if (st != NEY_EGOAL || !(rate > 0) || isnan(o->confidence)) {
        return session_fail(s, st);
    }
    ney_result *facts = result_new();
    ney_result_add_text(facts, "rate", fpr ? "fpr" : "fnr");
    ney_result_add_real(facts, "needed", ney_rows_needed(rate, of_each));
    snprintf(hint, sizeof hint, "neyman plan --max-%s %.6g --confidence %.6g", fpr ? "fpr" : "fnr",
             rate, both ? 1 - of_each : o->confidence);
    return report_error_with(&s->err, EXIT_GOAL, s->common->json, hint, facts);
}

int learning_exit(session *s, ney_stop stop, const char *path)
{
    if (ney_stop_is_complete(stop)) {
        if (interrupted()) {
            session_say(s, NEY_LOG_INFO,
                        "interrupted after the end of training: the model is complete");
        }
        return EXIT_OK;
    }
    session_say(s, NEY_LOG_WARNING, "not converged (%s); the best model so far is in %s",
                ney_stop_text(stop), output_is_stdout(path) ? "the output" : path);
    return stop == NEY_STOP_CANCELLED ? EXIT_INTERRUPTED : EXIT_UNFINISHED;
}

/* Scaling is fitted on the rows that are learned from: what is held out must not shape the score
 * function. */
static ney_status prepare(session *s, ney_data *data)
{
    const model_args *args = options_of(s->call, &model_options);
    const ney_train_opts *opts = options_of(s->call, &learning_options);
    int64_t n, *rows = malloc((size_t)ney_data_matrix(data)->rows * sizeof *rows);
    ney_status st;

    if (!rows) {
        s->err = (ney_error){.code = NEY_ENOMEM, .message = "no memory for the rows"};
        return NEY_ENOMEM;
    }
    if ((st = ney_train_rows(data, opts, rows, &n, &s->err)) == NEY_OK) {
        const bool all = n == ney_data_matrix(data)->rows;
        st = ney_data_prepare(data, learning_scaling(args->scale, data), all ? NULL : rows,
                              all ? 0 : n, &s->err);
    }
    free(rows);
    return st;
}

int learning_begin(session *s)
{
    const model_args *args = options_of(s->call, &model_options);
    const ney_read_opts *read = options_of(s->call, &read_options);

    if (output_is_stdout(args->output) && s->common->json) {
        return session_misused(
            s, "--json and a model cannot share standard output; name a file with -o");
    }
    if (read->missing == NEY_MISSING_KEEP) {
        return session_misused(
            s, "--missing keep is for looking, not learning; expected error or mean");
    }
    const ney_status st = output_check(args->output, &s->err);
    return st == NEY_OK ? EXIT_OK : session_fail(s, st);
}

int learning_read(session *s, ney_data **data)
{
    const char *path = s->call->operands[0];
    ney_status st;
    int code = learning_begin(s);

    *data = NULL;
    if (code != EXIT_OK) {
        return code;
    }
    st = ney_data_read(data, &s->env, path, options_of(s->call, &read_options), NULL, &s->err);
    if (st != NEY_OK) {
        return learning_refuse(s, st);
    }
    if ((code = learning_check(s, path, *data)) != EXIT_OK) {
        return code;
    }
    st = prepare(s, *data);
    return st == NEY_OK ? EXIT_OK : learning_refuse(s, st);
}
