/* The columns of a table: their names, their roles, and the inputs read from them. */
#include "data/table.h"

#include "base/number.h"
#include "data/limits.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

void ney_table_deinit(ney_table *t)
{
    for (int64_t i = 0; i < t->n_columns; i++) {
        ney_release(&t->env, t->column[i].name);
    }
    ney_release(&t->env, t->column);
    ney_release(&t->env, t->field_of);
    ney_release(&t->env, t->note);
    t->column = NULL;
    t->field_of = t->note = NULL;
    t->n_columns = 0;
}

/* ---- the header */

/* Whether all fields are numbers or empty, or several are numbers that do not count up as years and
 * positions do. */
static bool holds_numbers(const ney_record *r, int64_t n)
{
    int64_t n_numbers = 0, n_filled = 0;
    bool counts_up = true;
    double value, before = 0;
    for (int64_t i = 0; i < n; i++) {
        const ney_field *const f = &r->field[i];
        n_filled += f->length > 0;
        if (f->length > 0 && ney_field_number(f, &value)) {
            counts_up = counts_up && (n_numbers == 0 || value == before + 1);
            before = value;
            n_numbers++;
        }
    }
    return n_numbers == n_filled || !counts_up;
}

static bool repeats_a_field(const ney_record *r, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        const ney_field *const f = &r->field[i];
        for (int64_t k = 0; k < i && f->length > 0; k++) {
            if (r->field[k].length == f->length &&
                memcmp(r->field[k].text, f->text, (size_t)f->length) == 0) {
                return true;
            }
        }
    }
    return false;
}

/* Whether a header looks like a row of data. */
static bool is_data(const ney_record *r)
{
    enum { MOST = 1000 }; /* of a wide table the first fields are enough */
    const int64_t n = r->n_fields < MOST ? r->n_fields : MOST;
    return holds_numbers(r, n) || repeats_a_field(r, n);
}

static ney_status name_columns(ney_table *t, const ney_record *r, ney_error *err)
{
    static const ney_field none = {.text = ""};
    const int64_t n = r->n_fields + t->rows_are_named;
    t->column = ney_alloc_zeroed(&t->env, n, sizeof *t->column);
    if (!t->column) {
        return ney_no_memory(err, n, "columns");
    }
    t->n_columns = n;
    t->like_data = t->header && is_data(r);
    for (int64_t i = 0; i < n; i++) {
        char number[32];
        snprintf(number, sizeof number, "c%lld", (long long)i + 1);
        const int64_t k = i - t->rows_are_named;
        const ney_field *f = k >= 0 ? &r->field[k] : &none;
        t->column[i].unnamed = t->header && f->length == 0;
        t->column[i].name = t->header && f->length > 0
                                ? ney_strdup(&t->env, f->text, (size_t)f->length)
                                : ney_strdup(&t->env, number, strlen(number));
        if (!t->column[i].name) {
            return ney_no_memory(err, t->n_columns, "columns");
        }
    }
    return NEY_OK;
}

/* The fields of the first line become names, or only their number counts. */
static ney_status read_header(ney_table *t, const char *file, const char *line, int64_t length,
                              ney_error *err)
{
    ney_rows rows;
    ney_record record;
    ney_status st;
    /* a record may be written on, and scans of numbers read ahead */
    char *copy = ney_alloc_zeroed(&t->env, length + 1 + NEY_TEXT_PAD, 1);

    if (!copy) {
        return ney_no_memory(err, length, "bytes of a header");
    }
    memcpy(copy, line, (size_t)length);
    copy[length] = '\n';
    ney_rows_init(&rows, &t->env);
    ney_record_init(&record, t, (ney_piece){copy, copy + length + 1, false, file});
    if (ney_record_header(&record, &rows)) {
        st = name_columns(t, &record, err);
    } else {
        st = ney_fail_at(err, rows.status, (ney_place){.file = file, .line = 1}, "%s",
                         rows.error.message);
    }
    ney_record_deinit(&record);
    ney_rows_deinit(&rows);
    ney_release(&t->env, copy);
    return st;
}

int64_t ney_table_find(const ney_table *t, const char *name)
{
    for (int64_t i = 0; i < t->n_columns; i++) {
        if (strcmp(t->column[i].name, name) == 0) {
            return i;
        }
    }
    return -1;
}

/* ---- roles */

/* A title or a comment above the names: one field, most of them empty, or a sign in front. */
static bool is_title(const ney_table *t)
{
    int64_t n_named = 0;
    for (int64_t i = 0; i < t->n_columns; i++) {
        n_named += !t->column[i].unnamed;
    }
    return t->header && (t->n_columns == 1 || 2 * n_named < t->n_columns ||
                         (t->n_columns > 0 && t->column[0].name[0] == '#'));
}

static const char *header_hint(const ney_table *t)
{
    return t->like_data  ? "; if line 1 is a row, state --no-header"
           : is_title(t) ? "; if line 1 is not the header, take out the lines above the header"
                         : "";
}

/* The column whose name differs in upper and lower case alone; NULL: none. */
static const char *near_column(const ney_table *t, const char *name)
{
    for (int64_t i = 0; i < t->n_columns; i++) {
        if (strcasecmp(t->column[i].name, name) == 0) {
            return t->column[i].name;
        }
    }
    return NULL;
}

ney_status ney_table_no_column(const ney_table *t, const char *file, const char *name,
                               ney_error *err)
{
    const ney_place place = {.file = file, .line = 1};
    char names[200] = "";
    size_t used = 0;
    const char *const near = near_column(t, name);
    if (near) {
        return ney_fail_at(err, NEY_EPARSE, place,
                           "there is no column '%.100s'; did you mean '%.100s'?", name, near);
    }
    for (int64_t i = 0; i < t->n_columns && used < sizeof names - 1; i++) {
        const int n =
            snprintf(names + used, sizeof names - used, "%s%s", i ? ", " : "", t->column[i].name);
        used += n > 0 ? (size_t)n : 0;
    }
    return ney_fail_at(err, NEY_EPARSE, place, "there is no column '%s'; the columns are: %s%s%s",
                       name, names, used >= sizeof names - 1 ? "..." : "", header_hint(t));
}

/* Whether a name is a list of names, of which the first is a column. */
static bool is_list(const ney_table *t, const char *name)
{
    char first[NEY_COLUMN_NAME];
    const char *at = name;
    return strchr(name, ',') && ney_table_next_name(&at, first) && ney_table_meant(t, first) >= 0;
}

/* What a user calls a column: its name or, failing that, its number from 1. */
int64_t ney_table_meant(const ney_table *t, const char *name)
{
    const int64_t i = ney_table_find(t, name);
    int64_t number;
    if (i < 0 && ney_integer_parse(name, strlen(name), &number) && number >= 1 &&
        number <= t->n_columns) {
        return number - 1;
    }
    return i;
}

ney_status ney_table_assign(ney_table *t, const char *file, const char *name, const char *option,
                            int64_t *column, ney_error *err)
{
    const int64_t i = ney_table_meant(t, name);
    if (i < 0 && is_list(t, name)) {
        return ney_fail_at(err, NEY_EINVAL, (ney_place){.file = file},
                           "--%s names one column, found the list '%.100s'", option, name);
    }
    if (i < 0) {
        return ney_table_no_column(t, file, name, err);
    }
    if (t->column[i].named && strcmp(t->column[i].named, option) != 0) {
        return ney_fail_at(err, NEY_EINVAL, (ney_place){.file = file},
                           "column '%.60s' is named under both --%s and --%s, expected one of them",
                           t->column[i].name, t->column[i].named, option);
    }
    t->column[i].named = option;
    *column = i;
    return NEY_OK;
}

static ney_status give_role(ney_table *t, const char *file, const char *name, const char *option,
                            ney_role role, ney_error *err)
{
    int64_t i = 0;
    const ney_status st = ney_table_assign(t, file, name, option, &i, err);
    if (st == NEY_OK) {
        t->column[i].role = role;
    }
    return st;
}

bool ney_table_next_name(const char **at, char name[NEY_COLUMN_NAME])
{
    const char *begin = *at + strspn(*at, ", ");
    size_t length = strcspn(begin, ",");
    *at = begin + length;
    while (length > 0 && begin[length - 1] == ' ') {
        length--;
    }
    snprintf(name, NEY_COLUMN_NAME, "%.*s",
             (int)(length < NEY_COLUMN_NAME ? length : NEY_COLUMN_NAME - 1), begin);
    return length > 0;
}

bool ney_table_is_optional(const char *name)
{
    return name[0] == '\n';
}

const char *ney_table_required(const char *names)
{
    const char *at = names;
    char first[NEY_COLUMN_NAME];
    return at && ney_table_next_name(&at, first) && ney_table_is_optional(first) ? NULL : names;
}

static ney_status ignore_columns(ney_table *t, const char *file, const char *names, ney_error *err)
{
    char name[NEY_COLUMN_NAME];
    ney_status st = NEY_OK;
    while (st == NEY_OK && ney_table_next_name(&names, name)) {
        st = give_role(t, file, name, "ignore", NEY_ROLE_IGNORED, err);
    }
    return st;
}

static ney_status mark_words(ney_table *t, const char *file, const char *names, ney_error *err)
{
    char name[NEY_COLUMN_NAME];
    int64_t i = 0;
    ney_status st = NEY_OK;
    while (st == NEY_OK && ney_table_next_name(&names, name)) {
        if ((st = ney_table_assign(t, file, name, "words", &i, err)) != NEY_OK) {
            return st;
        }
        if (t->column[i].role != NEY_ROLE_FEATURE) {
            return ney_fail_at(err, NEY_EINVAL, (ney_place){.file = file},
                               "column '%.60s' is not a feature, expected a feature under --words",
                               name);
        }
        t->column[i].words = true;
    }
    return st;
}

/* Percolator's own columns: what is not the label is kept as a note. */
static void give_pin_roles(ney_table *t)
{
    static const char *const notes[] = {"SpecId",     "PSMId",        "ScanNr",   "ExpMass",
                                        "CalcMass",   "Peptide",      "Proteins", "filename",
                                        "proteinIds", NEY_FILE_COLUMN};
    for (int64_t i = 0; i < t->n_columns; i++) {
        if (strcasecmp(t->column[i].name, "Label") == 0) {
            t->column[i].role = NEY_ROLE_LABEL;
        }
        for (size_t k = 0; k < sizeof notes / sizeof *notes; k++) {
            if (strcasecmp(t->column[i].name, notes[k]) == 0) {
                t->column[i].role = NEY_ROLE_NOTE;
            }
        }
    }
}

/* Names of a column that holds the label, the most likely first. */
static const char *const label_names[] = {"label", "class", "target", "y"};
enum { N_LABEL_NAMES = sizeof label_names / sizeof *label_names };

bool ney_table_names_label(const char *name)
{
    for (int k = 0; k < N_LABEL_NAMES; k++) {
        if (strcasecmp(name, label_names[k]) == 0) {
            return true;
        }
    }
    return false;
}

/* A column that names itself the label. */
static void guess_label(ney_table *t)
{
    for (int k = 0; k < N_LABEL_NAMES; k++) {
        for (int64_t i = 0; i < t->n_columns; i++) {
            if (strcasecmp(t->column[i].name, label_names[k]) == 0 &&
                t->column[i].role == NEY_ROLE_FEATURE) {
                t->column[i].role = NEY_ROLE_LABEL;
                return;
            }
        }
    }
}

static int64_t column_of_role(const ney_table *t, ney_role role)
{
    for (int64_t i = 0; i < t->n_columns; i++) {
        if (t->column[i].role == role) {
            return i;
        }
    }
    return -1;
}

ney_status ney_table_check_single(const ney_table *t, int64_t column, bool any_case,
                                  const char *what, const char *file, ney_error *err)
{
    for (int64_t i = 0; column >= 0 && i < t->n_columns; i++) {
        const char *const name = t->column[i].name, *const own = t->column[column].name;
        if (i != column && (any_case ? strcasecmp(name, own) : strcmp(name, own)) == 0) {
            return ney_fail_at(err, NEY_EPARSE, (ney_place){.file = file, .line = 1},
                               "columns %lld and %lld are both called '%.60s', expected another "
                               "name for one of them, as one is the %s column%s",
                               (long long)(i < column ? i : column) + 1,
                               (long long)(i < column ? column : i) + 1, own, what, header_hint(t));
        }
    }
    return NEY_OK;
}

/* A model and a written table know these columns by their names alone. */
static ney_status check_own_names(const ney_table *t, const char *file, ney_error *err)
{
    static const char *const what[] = {"label", "weight", "id", "group"};
    const int64_t column[] = {t->label, t->weight, t->id, t->group};
    ney_status st = NEY_OK;
    for (int k = 0; k < 4 && st == NEY_OK; k++) {
        st = ney_table_check_single(t, column[k], false, what[k], file, err);
    }
    return st;
}

/* Of columns without a name, the first is the index that pandas writes, and the last follows a
 * delimiter at the end of the line: neither is a feature. */
static void ignore_unnamed(ney_table *t, const char *file)
{
    for (int64_t i = 0; i < t->n_columns; i++) {
        const bool edge = i == 0 || i + 1 == t->n_columns;
        t->column[i].role = t->column[i].unnamed && edge ? NEY_ROLE_IGNORED : NEY_ROLE_FEATURE;
        if (t->column[i].unnamed) {
            ney_log(&t->env, NEY_LOG_INFO, "%s:1: column %lld has no name%s: %s%s", file,
                    (long long)i + 1,
                    i == 0 && t->rows_are_named ? " (rows have one field more than the header)"
                                                : "",
                    edge ? "it is left out" : "it is called ", edge ? "" : t->column[i].name);
        }
    }
}

static ney_status give_roles(ney_table *t, const ney_read_opts *opts, const char *file,
                             ney_error *err)
{
    ney_status st = NEY_OK;
    ignore_unnamed(t, file);
    if (opts->ignore && (st = ignore_columns(t, file, opts->ignore, err)) != NEY_OK) {
        return st;
    }
    if (t->format == NEY_FORMAT_PIN) {
        give_pin_roles(t);
    }
    if ((st = ney_table_give_notes(t, opts, file, err)) != NEY_OK) {
        return st;
    }
    if (opts->weight &&
        (st = give_role(t, file, opts->weight, "weight", NEY_ROLE_WEIGHT, err)) != NEY_OK) {
        return st;
    }
    if (opts->label) {
        for (int64_t i = 0; i < t->n_columns; i++) { /* a PIN file's label is replaced */
            if (t->column[i].role == NEY_ROLE_LABEL) {
                t->column[i].role = NEY_ROLE_IGNORED;
            }
        }
        st = give_role(t, file, opts->label, "label", NEY_ROLE_LABEL, err);
    } else if (t->format != NEY_FORMAT_PIN) {
        guess_label(t);
    }
    if (st == NEY_OK && opts->words) {
        st = mark_words(t, file, opts->words, err);
    }
    t->label = column_of_role(t, NEY_ROLE_LABEL);
    t->weight = column_of_role(t, NEY_ROLE_WEIGHT);
    return st == NEY_OK ? check_own_names(t, file, err) : st;
}

ney_status ney_table_open(ney_table *t, const ney_env *env, ney_table_style style,
                          const ney_read_opts *opts, const char *file, const char *line,
                          int64_t length, ney_error *err)
{
    const ney_format format = style.format;
    if (opts->decimal && (!strchr(".,", opts->decimal[0]) || opts->decimal[1])) {
        return ney_fail(err, NEY_EINVAL, "--decimal %.20s, expected '.' or ','", opts->decimal);
    }
    *t = (ney_table){.env = *env,
                     .format = format,
                     .delimiter = style.delimiter ? style.delimiter : '\t',
                     .decimal = opts->decimal ? opts->decimal[0] : '\0',
                     .na = opts->na,
                     .max_columns = ney_max_columns(opts, 0),
                     .header = format == NEY_FORMAT_PIN || !opts->no_header,
                     .rows_are_named =
                         style.rows_are_named && format != NEY_FORMAT_PIN && !opts->no_header,
                     .keep_nan = opts->missing != NEY_MISSING_ERROR,
                     .keep_infinite = opts->missing == NEY_MISSING_KEEP,
                     .label = -1,
                     .weight = -1,
                     .id = -1,
                     .group = -1};
    ney_status st = read_header(t, file, line, length, err);
    if (st == NEY_OK) {
        st = give_roles(t, opts, file, err);
    }
    return st;
}

/* ---- connecting columns with the preprocessing */

/* By name: a new file may have other columns besides, in any order. */
static ney_status bind_inputs(ney_table *t, const ney_preprocessing *preprocessing,
                              const char *file, ney_error *err)
{
    int64_t c = 0;
    for (int64_t i = 0; i < t->n_columns; i++) {
        t->column[i].bound = false;
    }
    for (int64_t i = 0; i < preprocessing->n_input; i++) {
        int64_t left = t->n_columns; /* columns mostly keep their order: search from the last one */
        while (left > 0 && (t->column[c].bound ||
                            strcmp(t->column[c].name, preprocessing->input[i].name) != 0)) {
            c = c + 1 < t->n_columns ? c + 1 : 0;
            left--;
        }
        if (left == 0) {
            return ney_table_no_column(t, file, preprocessing->input[i].name, err);
        }
        t->column[c].bound = true; /* of two columns of one name each is taken once */
        t->field_of[t->n_fields++] = c;
    }
    return NEY_OK;
}

ney_status ney_table_bind(ney_table *t, const ney_preprocessing *preprocessing, const char *file,
                          ney_error *err)
{
    t->preprocessing = preprocessing;
    t->n_fields = 0;
    t->field_of = ney_alloc(&t->env, preprocessing->input ? preprocessing->n_input : t->n_columns,
                            sizeof *t->field_of);
    if (!t->field_of) {
        return ney_no_memory(err, t->n_columns, "columns");
    }
    if (preprocessing->input) {
        return bind_inputs(t, preprocessing, file, err);
    }
    for (int64_t c = 0; c < t->n_columns; c++) { /* numbered features: the columns in their order */
        if (t->column[c].role == NEY_ROLE_FEATURE) {
            t->field_of[t->n_fields++] = c;
        }
    }
    return NEY_OK;
}
