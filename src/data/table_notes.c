/* The columns of a table that are kept as text beside the rows. */
#include "data/table.h"

#include "data/files.h"

#include <string.h>

static int64_t find_note(const ney_table *t, const char *name)
{
    const int64_t c = ney_table_find(t, name);
    return c < 0 && strcmp(name, NEY_FILE_COLUMN) == 0 ? NEY_COLUMN_FILE : c;
}

static const char *name_of(const ney_table *t, int64_t column)
{
    return column == NEY_COLUMN_FILE ? NEY_FILE_COLUMN : column < 0 ? NULL : t->column[column].name;
}

void ney_table_note(ney_table *t, int64_t column)
{
    if (column == NEY_COLUMN_FILE) {
        t->file_noted = true;
    } else if (column >= 0) {
        t->column[column].role = NEY_ROLE_NOTE;
    }
}

static void keep(ney_table *t, int64_t column)
{
    ney_table_note(t, column);
    if (column == NEY_COLUMN_FILE) {
        t->file_kept = true;
    } else if (column >= 0) {
        t->column[column].kept = true;
    }
}

static void keep_known(ney_table *t, const char *names)
{
    for (const char *at = names; at && *at;) {
        const size_t length = strcspn(at, "\t");
        for (int64_t c = 0; c < t->n_columns; c++) {
            if (strlen(t->column[c].name) == length && memcmp(t->column[c].name, at, length) == 0) {
                keep(t, c);
            }
        }
        at += length + (at[length] == '\t');
    }
}

/* The column that an option names, which may be one that is a note already. */
static ney_status assign_note(ney_table *t, const char *file, const char *name, const char *option,
                              int64_t *column, ney_error *err)
{
    const int64_t c = ney_table_meant(t, name);
    if (c < 0 && strcmp(name, NEY_FILE_COLUMN) == 0) {
        *column = NEY_COLUMN_FILE;
        return NEY_OK;
    }
    if (c >= 0 && t->column[c].role == NEY_ROLE_NOTE) {
        *column = c;
        return NEY_OK;
    }
    return ney_table_assign(t, file, name, option, column, err);
}

/* A column that CSV and TSV may have. */
static void keep_optional(ney_table *t, const char *name)
{
    const int64_t c = t->format == NEY_FORMAT_PIN ? -1 : ney_table_meant(t, name);
    if (c >= 0 && (t->column[c].role == NEY_ROLE_FEATURE || t->column[c].role == NEY_ROLE_NOTE)) {
        keep(t, c);
    }
}

ney_status ney_table_give_notes(ney_table *t, const ney_read_opts *opts, const char *file,
                                ney_error *err)
{
    const char *names = opts->keep ? opts->keep : "";
    char name[NEY_COLUMN_NAME];
    int64_t c = -1;
    ney_status st = NEY_OK;

    if (opts->id && (st = assign_note(t, file, opts->id, "id", &t->id, err)) == NEY_OK) {
        ney_table_note(t, t->id);
    }
    if (st == NEY_OK && opts->group &&
        (st = assign_note(t, file, opts->group, "group", &t->group, err)) == NEY_OK) {
        ney_table_note(t, t->group);
    }
    while (st == NEY_OK && ney_table_next_name(&names, name)) {
        if (ney_table_is_optional(name)) {
            keep_optional(t, name + 1);
        } else if ((st = assign_note(t, file, name, "keep", &c, err)) == NEY_OK) {
            keep(t, c);
        }
    }
    return st;
}

bool ney_table_list_notes(ney_table *t)
{
    /* the first note of a PIN file, and what it is written as, is SpecId */
    const int64_t before = t->format == NEY_FORMAT_PIN ? 1 : 0;
    ney_release(&t->env, t->note);
    t->n_notes = 0;
    t->note = ney_alloc(&t->env, t->n_columns + 1, sizeof *t->note);
    if (!t->note) {
        return false;
    }
    for (int64_t c = 0; c < t->n_columns; c++) {
        if (t->file_noted && t->n_notes == before) {
            t->note[t->n_notes++] = NEY_COLUMN_FILE;
        }
        if (t->column[c].role == NEY_ROLE_NOTE) {
            t->note[t->n_notes++] = c;
        }
    }
    if (t->file_noted && t->n_notes <= before) {
        t->note[t->n_notes++] = NEY_COLUMN_FILE;
    }
    return true;
}

static void find_known(ney_table *t, const char *name, int64_t *column)
{
    if (*column == -1 && name) {
        *column = find_note(t, name);
        ney_table_note(t, *column);
    }
}

void ney_table_keep_notes(ney_table *t, const ney_preprocessing *given, bool kept)
{
    find_known(t, given->id_column, &t->id);
    find_known(t, given->group_column, &t->group);
    keep_known(t, kept ? given->kept_columns : NULL);
}

static void add_name(ney_text *names, const char *name)
{
    ney_text_put(names, names->length > 0 ? "\t" : "");
    ney_text_put(names, name);
}

static bool copy_name(const ney_table *t, int64_t column, const ney_env *env, char **copy)
{
    const char *const name = name_of(t, column);
    return !name || (*copy = ney_strdup(env, name, strlen(name))) != NULL;
}

bool ney_table_name_notes(ney_table *t, ney_preprocessing *p)
{
    ney_text notes, kept;

    ney_release_all(&p->env, p->note_columns, p->kept_columns, p->id_column, p->group_column);
    p->id_column = p->group_column = NULL;
    ney_text_init(&notes, &p->env);
    ney_text_init(&kept, &p->env);
    const bool listed = ney_table_list_notes(t);
    for (int64_t k = 0; k < t->n_notes; k++) {
        const int64_t c = t->note[k];
        add_name(&notes, name_of(t, c));
        if (c == NEY_COLUMN_FILE ? t->file_kept : t->column[c].kept) {
            add_name(&kept, name_of(t, c));
        }
    }
    p->note_columns = notes.bytes;
    p->kept_columns = kept.bytes;
    return listed && !notes.failed && !kept.failed && copy_name(t, t->id, &p->env, &p->id_column) &&
           copy_name(t, t->group, &p->env, &p->group_column);
}
