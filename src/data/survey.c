/* Finding out what the columns of a table hold: a first reading finds numbers, a second one the
 * categories of the other columns. */
#include "data/survey.h"

#include "base/number.h"
#include "data/column_survey.h"
#include "data/identifiers.h"
#include "data/word_set.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct survey {
    const ney_table *table;
    int64_t max_categories;
    ney_column_survey *columns;                   /* of all rows so far, one per column */
    ney_column_survey *piece_columns[NEY_PIECES]; /* as many, once a piece is there */
    int64_t *categorical;                         /* the columns that are not numbers */
    int64_t n_categorical;
    ney_word_set *words, *piece_words[NEY_PIECES]; /* one per categorical column, likewise */
    ney_rows *rows;      /* NEY_PIECES of them, for line numbers and failures */
    int64_t *identifier; /* columns named like identifiers */
    int64_t n_identifiers;
    int64_t n_rows, piece_n_rows[NEY_PIECES];
    int64_t first_line, piece_first_line[NEY_PIECES]; /* of the first row */
    ney_keys *keys, *piece_keys; /* of their cells: one per column; NEY_PIECES times as many */
} survey;

/* ---- first reading: numbers or not */

/* What a piece finds of each column: made when the first piece of its slot comes, since a table of
 * many columns has few pieces. NULL when memory is refused. */
static void *piece_array(const survey *s, void *array, int64_t n, size_t size, ney_rows *rows)
{
    ney_rows_clear(rows);
    if (!array && !(array = ney_alloc_zeroed(&s->table->env, n, size))) {
        rows->status = ney_no_memory(&rows->error, n, "columns");
    }
    return array;
}

static void survey_piece(void *context, ney_piece piece, int slot)
{
    survey *s = context;
    ney_rows *rows = &s->rows[slot];
    ney_column_survey *const column =
        piece_array(s, s->piece_columns[slot], s->table->n_columns, sizeof *column, rows);
    ney_record r;

    s->piece_columns[slot] = column;
    if (!column) {
        return;
    }
    for (int64_t c = 0; c < s->table->n_columns; c++) {
        column[c] = (ney_column_survey){.forms = ~0u};
    }
    for (int64_t k = 0; k < s->n_identifiers; k++) {
        s->piece_keys[slot * s->n_identifiers + k].n = 0;
    }
    s->piece_n_rows[slot] = 0;
    if (!ney_record_refuse_nul(piece, rows)) {
        return;
    }
    ney_record_init(&r, s->table, piece);
    while (ney_record_next(&r, rows)) {
        if (s->piece_n_rows[slot]++ == 0) {
            s->piece_first_line[slot] = rows->n_lines + 1;
        }
        for (int64_t c = 0; c < s->table->n_columns; c++) {
            if (s->table->column[c].role == NEY_ROLE_FEATURE) {
                ney_column_survey_add(&column[c], s->table, c, &r.field[c], rows->n_lines + 1);
            }
        }
        for (int64_t k = 0; k < s->n_identifiers; k++) {
            const ney_field *f = &r.field[s->identifier[k]];
            ney_keys_add(&s->piece_keys[slot * s->n_identifiers + k], f->text, f->length);
        }
        rows->n_lines += r.lines;
    }
    ney_record_deinit(&r);
}

/* ---- second reading: categories */

/* List the columns that are not numbers, and make their sets. */
static bool list_categorical(survey *s)
{
    const ney_table *t = s->table;
    s->categorical = ney_alloc(&t->env, t->n_columns, sizeof *s->categorical);
    for (int64_t c = 0; s->categorical && c < t->n_columns; c++) {
        if (s->columns[c].is_category) {
            s->categorical[s->n_categorical++] = c;
        }
    }
    const int64_t n = s->n_categorical;
    s->words = ney_alloc_zeroed(&t->env, n, sizeof *s->words);
    for (int64_t k = 0; s->words && k < n; k++) {
        s->words[k] = (ney_word_set){.env = t->env, .owns = true};
    }
    return s->categorical && s->words;
}

static void collect_categories(void *context, ney_piece piece, int slot)
{
    survey *s = context;
    ney_rows *rows = &s->rows[slot];
    ney_word_set *const words =
        piece_array(s, s->piece_words[slot], s->n_categorical, sizeof *words, rows);
    ney_record r;

    s->piece_words[slot] = words;
    for (int64_t k = 0; words && k < s->n_categorical; k++) {
        words[k].env = s->table->env;
    }
    if (!words) {
        return;
    }
    ney_record_init(&r, s->table, piece);
    while (ney_record_next(&r, rows)) {
        for (int64_t k = 0; k < s->n_categorical; k++) {
            const ney_field *f = &r.field[s->categorical[k]];
            if (ney_feature_missing(s->table, f) || words[k].n > s->max_categories) {
                continue;
            }
            if (!ney_word_set_add(&words[k], f->text, f->length)) {
                rows->status = ney_no_memory(&rows->error, words[k].n, "categories");
                break;
            }
        }
        rows->n_lines += r.lines;
    }
    ney_record_deinit(&r);
}

static ney_status merge_words(survey *s, int slot, ney_error *err)
{
    for (int64_t k = 0; k < s->n_categorical; k++) {
        ney_word_set *from = &s->piece_words[slot][k];
        for (int64_t i = 0; i < from->slots && s->words[k].n <= s->max_categories; i++) {
            if (from->word[i] && !ney_word_set_add(&s->words[k], from->word[i], from->length[i])) {
                return ney_no_memory(err, s->words[k].n, "categories");
            }
        }
        ney_word_set_clear(from);
    }
    return NEY_OK;
}

/* ---- both readings */

/* Walk over all pieces; merge them in order. */
static ney_status read_pieces(survey *s, ney_lines *lines, ney_files *files, bool words,
                              ney_error *err)
{
    int64_t lines_before = 0;
    for (;;) {
        int n = 0;
        const ney_status filled =
            ney_lines_step(lines, words ? collect_categories : survey_piece, s, &n, err);
        lines_before = lines->opens ? 0 : lines_before;
        for (int i = 0; i < n; i++) {
            ney_rows *rows = &s->rows[i];
            if (rows->status != NEY_OK) {
                const ney_place place = {ney_lines_file(lines), rows->error.line + lines_before,
                                         rows->error.column};
                return ney_fail_at(err, rows->status, place, "%s", rows->error.message);
            }
            for (int64_t c = 0; !words && c < s->table->n_columns; c++) {
                ney_column_survey_merge(&s->columns[c], &s->piece_columns[i][c],
                                        (ney_place){ney_lines_file(lines), lines_before, 0});
            }
            for (int64_t k = 0; !words && k < s->n_identifiers; k++) {
                ney_keys_join(&s->keys[k], &s->piece_keys[i * s->n_identifiers + k]);
            }
            if (!words && s->n_rows == 0) {
                s->first_line = lines_before + s->piece_first_line[i];
            }
            s->n_rows += words ? 0 : s->piece_n_rows[i];
            const ney_status st = words ? merge_words(s, i, err) : NEY_OK;
            if (st != NEY_OK) {
                return st;
            }
            lines_before += rows->n_lines;
        }
        if (filled != NEY_OK && lines->too_long && err) {
            err->line = ney_lines_too_long(lines, lines_before);
        }
        if (filled != NEY_OK || n == 0) {
            return filled;
        }
        if (!ney_poll(&lines->env, "reading columns", (double)ney_files_done(files),
                      (double)ney_files_total(files))) {
            return ney_fail(err, NEY_ECANCELLED, "cancelled while reading");
        }
    }
}

static int by_bytes(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static ney_status make_categories(survey *s, int64_t c, ney_word_set *words, ney_input *in,
                                  ney_error *err)
{
    const ney_column_survey *column = &s->columns[c];
    if (words->n > s->max_categories) {
        return ney_fail_at(err, NEY_EPARSE, column->word_place,
                           "column '%.60s' holds '%s'%s, and more than %lld different values, too "
                           "many for categories: name it with --id if it identifies rows, leave it "
                           "out with --ignore, correct it, or raise --max-categories",
                           s->table->column[c].name, column->word,
                           s->table->column[c].words ? "" : ", which is not a number",
                           (long long)s->max_categories);
    }
    in->category = ney_alloc(&s->table->env, words->n, sizeof *in->category);
    if (!in->category) {
        return ney_no_memory(err, words->n, "categories");
    }
    for (int64_t i = 0; i < words->slots; i++) {
        if (words->word[i]) {
            in->category[in->n_category++] = (char *)(uintptr_t)words->word[i];
            words->word[i] = NULL; /* the preprocessing owns it now */
        }
    }
    qsort(in->category, (size_t)in->n_category, sizeof *in->category, by_bytes);
    return NEY_OK;
}

static ney_status fill_preprocessing(survey *s, ney_preprocessing *preprocessing, ney_error *err)
{
    const ney_table *t = s->table;
    preprocessing->input =
        ney_alloc_zeroed(&preprocessing->env, t->n_columns, sizeof *preprocessing->input);
    if (!preprocessing->input) {
        return ney_no_memory(err, t->n_columns, "columns");
    }
    bool shifted = false;
    for (int64_t c = 0, k = 0; c < t->n_columns; c++) {
        if (t->column[c].role != NEY_ROLE_FEATURE) {
            continue;
        }
        ney_input *in = &preprocessing->input[preprocessing->n_input++];
        in->first = preprocessing->cols;
        in->name = ney_strdup(&preprocessing->env, t->column[c].name, strlen(t->column[c].name));
        if (!in->name) {
            return ney_no_memory(err, t->n_columns, "columns");
        }
        if (s->columns[c].is_category) {
            const ney_status st = make_categories(s, c, &s->words[k++], in, err);
            if (st != NEY_OK) {
                return st;
            }
        }
        in->form = s->columns[c].form;
        preprocessing->cols += in->category ? in->n_category : 1;
        shifted = shifted || (!in->category && ney_column_shift(&s->columns[c].numbers) != 0);
    }
    if (!shifted) {
        return NEY_OK;
    }
    preprocessing->shift =
        ney_alloc_zeroed(&preprocessing->env, preprocessing->cols, sizeof *preprocessing->shift);
    if (!preprocessing->shift) {
        return ney_no_memory(err, preprocessing->cols, "columns");
    }
    for (int64_t c = 0, i = 0; c < t->n_columns; c++) {
        if (t->column[c].role == NEY_ROLE_FEATURE) {
            const ney_input *in = &preprocessing->input[i++];
            preprocessing->shift[in->first] =
                in->category ? 0 : ney_column_shift(&s->columns[c].numbers);
        }
    }
    return NEY_OK;
}

/* Columns named like identifiers, where no group is named and none is a note of a PIN file. */
static bool list_identifiers(survey *s)
{
    const ney_table *const t = s->table;
    s->identifier = ney_alloc(&t->env, t->n_columns, sizeof *s->identifier);
    if (!s->identifier) {
        return false;
    }
    for (int64_t c = 0; t->group < 0 && t->format != NEY_FORMAT_PIN && c < t->n_columns; c++) {
        if (c != t->label && c != t->weight && ney_names_identifier(t->column[c].name)) {
            s->identifier[s->n_identifiers++] = c;
        }
    }
    const int64_t all = s->n_identifiers * NEY_PIECES;
    s->keys = ney_alloc_zeroed(&t->env, s->n_identifiers, sizeof *s->keys);
    s->piece_keys = ney_alloc_zeroed(&t->env, all, sizeof *s->piece_keys);
    for (int64_t k = 0; s->keys && k < s->n_identifiers; k++) {
        s->keys[k].env = t->env;
    }
    for (int64_t k = 0; s->piece_keys && k < all; k++) {
        s->piece_keys[k].env = t->env;
    }
    return s->keys && s->piece_keys;
}

/* The first identifier that repeats its values; -1: none. */
static ney_status find_repeated(survey *s, int64_t *repeated, ney_error *err)
{
    for (int64_t k = 0; k < s->n_identifiers; k++) {
        if (s->keys[k].failed) {
            return ney_no_memory(err, s->keys[k].n, "identifiers");
        }
        if (*repeated < 0 && ney_keys_repeat(&s->keys[k])) {
            *repeated = s->identifier[k];
        }
    }
    return NEY_OK;
}

/* ---- what the user may want to know */

/* Features that name the rows. Words are counted by ney_reader_warn_of_words(). */
static void warn_of_identifiers(survey *s, const char *file)
{
    const ney_table *const t = s->table;
    for (int64_t c = 0; c < t->n_columns; c++) {
        if (t->column[c].role == NEY_ROLE_FEATURE && ney_column_survey_counts(&s->columns[c])) {
            ney_log(&t->env, NEY_LOG_WARNING,
                    "%s: column '%.60s' counts the rows (from %.17g to %.17g), and is a feature: "
                    "leave it out with --ignore, or with --id to have it beside results",
                    file, t->column[c].name, s->columns[c].first, s->columns[c].last);
        }
    }
    for (int64_t k = 0; k < s->n_identifiers; k++) {
        const int64_t c = s->identifier[k];
        if (t->column[c].role == NEY_ROLE_FEATURE && s->columns[c].n_words == 0 &&
            !ney_column_survey_counts(&s->columns[c]) && ney_keys_differ(&s->keys[k])) {
            ney_log(&t->env, NEY_LOG_WARNING,
                    "%s: column '%.60s' differs in all %lld rows, as an id does, and is a feature: "
                    "leave it out with --ignore, or with --id to have it beside results",
                    file, t->column[c].name, (long long)s->keys[k].n);
        }
    }
}

/* Zip codes and the like, which numbers do not keep. */
static void note_codes(const survey *s, const char *file)
{
    const ney_table *const t = s->table;
    int64_t first = -1, n = 0;
    for (int64_t c = 0; c < t->n_columns; c++) {
        if (t->column[c].role == NEY_ROLE_FEATURE && ney_column_survey_has_codes(&s->columns[c])) {
            first = first < 0 ? c : first;
            n++;
        }
    }
    if (n > 0) {
        char more[40] = "";
        if (n > 1) {
            snprintf(more, sizeof more, " (and %lld more)", (long long)n - 1);
        }
        ney_log(&t->env, NEY_LOG_INFO,
                "%s: column '%.60s'%s has numbers with zeros in front (such as '%s'), which are "
                "read as numbers: --words makes categories of codes",
                file, t->column[first].name, more, s->columns[first].zeros);
    }
}

/* Where no cell may be missing, columns without any value are named together. */
static ney_status refuse_empty(const survey *s, const char *file, ney_error *err)
{
    const ney_table *const t = s->table;
    char names[300] = "";
    size_t used = 0;
    int64_t n = 0;
    for (int64_t c = 0; c < t->n_columns && !t->keep_nan; c++) {
        const ney_column_survey *const column = &s->columns[c];
        if (t->column[c].role == NEY_ROLE_FEATURE &&
            column->n_plain + column->n_formed + column->n_words == 0) {
            const size_t length = strlen(t->column[c].name);
            if (used + length + 2 < sizeof names) {
                used += (size_t)snprintf(names + used, sizeof names - used, "%s%s",
                                         used > 0 ? "," : "", t->column[c].name);
            }
            n++;
        }
    }
    return n == 0 ? NEY_OK
                  : ney_fail_at(err, NEY_EPARSE, (ney_place){.file = file, .line = s->first_line},
                                "%lld column%s no values in any row, only missing cells: leave %s "
                                "out with --ignore '%s'",
                                (long long)n, n == 1 ? " has" : "s have", n == 1 ? "it" : "them",
                                names);
}

static bool survey_init(survey *s, const ney_table *t, int64_t max_categories)
{
    *s = (survey){.table = t, .max_categories = max_categories};
    s->columns = ney_alloc_zeroed(&t->env, t->n_columns, sizeof *s->columns);
    s->rows = ney_alloc_zeroed(&t->env, NEY_PIECES, sizeof *s->rows);
    if (!s->columns || !s->rows) {
        return false;
    }
    for (int64_t c = 0; c < t->n_columns; c++) {
        s->columns[c].forms = ~0u;
    }
    for (int i = 0; i < NEY_PIECES; i++) {
        ney_rows_init(&s->rows[i], &t->env);
    }
    return list_identifiers(s);
}

static void survey_deinit(survey *s)
{
    const ney_env *env = &s->table->env;
    for (int64_t i = 0; s->words && i < s->n_categorical; i++) {
        ney_word_set_deinit(&s->words[i]);
    }
    for (int i = 0; i < NEY_PIECES; i++) {
        for (int64_t k = 0; s->piece_words[i] && k < s->n_categorical; k++) {
            ney_word_set_deinit(&s->piece_words[i][k]);
        }
        ney_release(env, s->piece_words[i]);
        ney_release(env, s->piece_columns[i]);
    }
    for (int i = 0; s->rows && i < NEY_PIECES; i++) {
        ney_rows_deinit(&s->rows[i]);
    }
    for (int64_t k = 0; s->keys && k < s->n_identifiers; k++) {
        ney_keys_deinit(&s->keys[k]);
    }
    for (int64_t k = 0; s->piece_keys && k < s->n_identifiers * NEY_PIECES; k++) {
        ney_keys_deinit(&s->piece_keys[k]);
    }
    ney_release_all(env, s->identifier, s->keys, s->piece_keys, s->columns, s->categorical,
                    s->words, s->rows);
}

ney_status ney_survey(const ney_table *t, ney_lines *lines, ney_files *files,
                      int64_t max_categories, ney_preprocessing *preprocessing, int64_t *repeated,
                      ney_error *err)
{
    survey s;
    ney_status st;

    *repeated = -1;
    if (!survey_init(&s, t, max_categories)) {
        st = ney_no_memory(err, t->n_columns, "columns");
        goto done;
    }
    if ((st = read_pieces(&s, lines, files, false, err)) != NEY_OK) {
        goto done;
    }
    if ((st = ney_column_survey_choose(s.columns, t, ney_files_title(files), err)) != NEY_OK) {
        goto done;
    }
    if (s.n_rows > 0 && (st = refuse_empty(&s, ney_files_title(files), err)) != NEY_OK) {
        goto done;
    }
    if (!list_categorical(&s)) {
        st = ney_no_memory(err, t->n_columns, "columns");
        goto done;
    }
    if (s.n_categorical > 0) {
        ney_lines_restart(lines);
        if ((st = ney_files_rewind(files, err)) != NEY_OK ||
            (st = read_pieces(&s, lines, files, true, err)) != NEY_OK) {
            goto done;
        }
    }
    if ((st = find_repeated(&s, repeated, err)) == NEY_OK &&
        (st = fill_preprocessing(&s, preprocessing, err)) == NEY_OK) {
        warn_of_identifiers(&s, ney_files_title(files));
        note_codes(&s, ney_files_title(files));
    }

done:
    survey_deinit(&s);
    return st;
}
