#include "labelled.h"

#include <stdio.h>
#include <stdlib.h>

class_counts count_classes(const ney_data *data)
{
    const int8_t *label = ney_data_label(data);
    const int64_t rows = ney_data_matrix(data)->rows;
    class_counts n = {0, 0};

    for (int64_t i = 0; label && i < rows; i++) {
        n.pos += label[i] > 0;
        n.neg += label[i] < 0;
    }
    return n;
}

/* The first column names, as many as a message should hold. */
static void list_columns(const ney_recipe *recipe, char *text, size_t n_text)
{
    const int64_t cols = ney_recipe_cols(recipe);
    size_t used = 0;

    text[0] = '\0';
    for (int64_t c = 0; c < cols; c++) {
        char name[64];
        ney_recipe_feature(recipe, c, name, sizeof name);
        if (used + 80 > n_text) {
            snprintf(text + used, n_text - used, ", ...");
            return;
        }
        used += (size_t)snprintf(text + used, n_text - used, "%s%s", c ? ", " : "", name);
    }
}

int refuse_unlabelled(session *s, const char *path, const ney_data *data, bool own_columns)
{
    const ney_format format = ney_data_format(data);
    const bool table = format == NEY_FORMAT_CSV || format == NEY_FORMAT_TSV;
    char names[320];

    if (table && own_columns) {
        list_columns(ney_data_recipe(data), names, sizeof names);
        return session_bad_input(
            s, path, "no column of labels is known, expected --label COLUMN, one of: %s", names);
    }
    return session_fail(s, ney_data_unlabelled(data, &s->err));
}

ney_status scored_read(scored *out, session *s, const char *model, const char *data)
{
    const ney_read_opts *read = options_of(s->call, &read_options);
    ney_status st;

    *out = (scored){0};
    if ((st = ney_model_read(&out->model, &s->env, model, &s->err)) != NEY_OK ||
        (st = ney_data_read(&out->data, &s->env, data, read, ney_model_recipe(out->model),
                            &s->err)) != NEY_OK) {
        return st;
    }
    const ney_matrix *x = ney_data_matrix(out->data);
    ney_model_thresholds(out->model, &out->low, &out->high);
    out->score = malloc(((size_t)x->rows + 1) * sizeof *out->score);
    if (!out->score) {
        s->err = (ney_error){.code = NEY_ENOMEM, .message = "no memory for the scores"};
        return NEY_ENOMEM;
    }
    return ney_model_score(out->model, &s->env, x, out->score, &s->err);
}

void scored_deinit(scored *s)
{
    free(s->score);
    ney_data_free(s->data);
    ney_model_free(s->model);
    *s = (scored){0};
}
