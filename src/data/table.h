/* Tables: CSV, TSV and Percolator PIN. */
#ifndef NEY_DATA_TABLE_H
#define NEY_DATA_TABLE_H

#include "data/lines.h"
#include "data/preprocessing.h"
#include "data/rows.h"

typedef enum ney_role {
    NEY_ROLE_IGNORED,
    NEY_ROLE_NOTE, /* kept as text */
    NEY_ROLE_LABEL,
    NEY_ROLE_WEIGHT,
    NEY_ROLE_FEATURE
} ney_role;

typedef struct ney_table_column {
    char *name;
    ney_role role;
    bool bound;        /* an input of the preprocessing is read from it */
    bool words;        /* categories, whatever its cells hold */
    bool unnamed;      /* the header has no name for it */
    bool kept;         /* a note that is written beside results */
    const char *named; /* the option that names it; NULL: none */
} ney_table_column;

/* Instead of a column: the file that a row is of. */
enum { NEY_COLUMN_FILE = -2 };

/* How the fields of a table are read. */
typedef struct ney_table {
    ney_env env;
    ney_format format;
    char delimiter;
    char decimal;   /* the mark that is asked for; 0: as the preprocessing says */
    const char *na; /* more words for missing cells, separated by commas; borrowed; NULL: none */
    bool header;    /* the first line names the columns */
    bool rows_are_named; /* but not the first one of them */
    bool like_data;      /* and holds numbers, or repeats a name, as rows do */
    bool keep_nan, keep_infinite;
    bool
        trained; /* the preprocessing is a model's, which determines whether cells may be missing */
    ney_table_column *column;
    int64_t n_columns;
    int64_t max_columns;                    /* a header of more is refused */
    const ney_preprocessing *preprocessing; /* borrowed; complete before rows are parsed */
    int64_t *field_of; /* the column of each input of the preprocessing, or of each feature */
    int64_t n_fields;
    int64_t label, weight, id, group; /* their columns; -1: none; NEY_COLUMN_FILE */
    bool file_noted, file_kept;       /* the file is a note, and one to be written */
    int64_t *note;                    /* the columns that are notes, NEY_COLUMN_FILE among them */
    int64_t n_notes;
} ney_table;

/* How a table is written. */
typedef struct ney_table_style {
    ney_format format;
    char delimiter;      /* 0: a tab */
    bool rows_are_named; /* a first field that the header does not name */
} ney_table_style;

/* Take the columns' names from the first line, and their roles from the options. */
ney_status ney_table_open(ney_table *t, const ney_env *env, ney_table_style style,
                          const ney_read_opts *opts, const char *file, const char *line,
                          int64_t length, ney_error *err);
void ney_table_deinit(ney_table *t);

/* Whether a column of that name holds the label where no option names another. */
bool ney_table_names_label(const char *name);

/* Make a column, or the file, a note. */
void ney_table_note(ney_table *t, int64_t column);

/* Columns kept as notes under the options id, group and keep. */
ney_status ney_table_give_notes(ney_table *t, const ney_read_opts *opts, const char *file,
                                ney_error *err);

/* The column of that name; -1 when there is none. */
int64_t ney_table_find(const ney_table *t, const char *name);

/* The column that a user means: of that name or, failing that, of that number from 1. */
/* The error that there is no column of this name; it lists those there are. */
ney_status ney_table_no_column(const ney_table *t, const char *file, const char *name,
                               ney_error *err);

int64_t ney_table_meant(const ney_table *t, const char *name);

/* A model's columns of ids and groups, where no others are named and the file has them, and those
 * that it keeps if `kept`. */
void ney_table_keep_notes(ney_table *t, const ney_preprocessing *given, bool kept);

/* List the notes, once all are known; false without memory. */
bool ney_table_list_notes(ney_table *t);

/* The same, and name them in a preprocessing instead of those it has; false without memory. */
bool ney_table_name_notes(ney_table *t, ney_preprocessing *p);

/* The column that `option` names; one column is not named under two options. */
ney_status ney_table_assign(ney_table *t, const char *file, const char *name, const char *option,
                            int64_t *column, ney_error *err);

enum { NEY_COLUMN_NAME = 256 };

/* The next of the names that commas separate, without the spaces around it; false at the end. */
bool ney_table_next_name(const char **at, char name[NEY_COLUMN_NAME]);

/* Whether a line break precedes the name, which no header has: a column that may be absent. */
bool ney_table_is_optional(const char *name);

/* The same list, or NULL where it begins with such names, which come last. */
const char *ney_table_required(const char *names);

/* NEY_EPARSE where another column has the name of this one (-1: none), which is known by its name.
 * `what` it is, for the message. */
ney_status ney_table_check_single(const ney_table *t, int64_t column, bool any_case,
                                  const char *what, const char *file, ney_error *err);

/* Connect the columns with the inputs of a complete preprocessing.
 * @retval NEY_EPARSE  the file lacks one of them. */
ney_status ney_table_bind(ney_table *t, const ney_preprocessing *preprocessing, const char *file,
                          ney_error *err);

/* Parse the lines of a piece; what fails is left in rows->error. */
void ney_table_parse(const ney_table *t, ney_piece piece, ney_rows *rows);

/* Reading fields, for ney_table_parse() and for the survey. */

typedef struct ney_field {
    const char *text; /* without the spaces and quotes around it */
    int length;
    int64_t column; /* byte in the line, from 1 */
} ney_field;

typedef struct ney_record {
    const ney_table *table;
    const char *at, *end;
    ney_field *field; /* table->n_columns of them, or as many as there are when that is 0 */
    int64_t n_fields, cap;
    int64_t lines;   /* of text that the record takes */
    bool first;      /* the first line of the file is next */
    const char *run; /* of the piece */
} ney_record;

void ney_record_init(ney_record *r, const ney_table *t, ney_piece piece);
void ney_record_deinit(ney_record *r);

/* The fields of the line that is next, whatever it begins with: a header. */
bool ney_record_header(ney_record *r, ney_rows *rows);

/* The next record; empty lines, the header and a DefaultDirection row are passed over, and counted
 * in rows->n_lines. The caller adds r->lines when it is done with the record. False at the end and
 * after a failure. */
bool ney_record_next(ney_record *r, ney_rows *rows);

/* Whether a line of a PIN file holds initial weights, and may be shorter than the others. */
bool ney_is_pin_direction(const char *line, const char *end);

/* Names, categories and notes are kept as C strings: false and a failure where a NUL would cut
 * them. */
bool ney_record_refuse_nul(ney_piece piece, ney_rows *rows);

/* Whether a label, a group or a score is missing: empty, "?", or a word that spreadsheets,
 * databases and other programs write for it and that names no class, such as "NA", "NULL" and
 * "NaN". */
bool ney_field_missing(const ney_field *f);

/* Whether a feature is: one of these, another usual word for it, or one of the table's own. */
bool ney_feature_missing(const ney_table *t, const ney_field *f);

/* Whether the record has several fields, and all are empty: rows that spreadsheets write behind the
 * last one. */
bool ney_record_is_empty(const ney_record *r);

/* A failure that says so. */
bool ney_record_refuse_empty(const ney_record *r, ney_rows *rows);

/* Whether the whole field is a number. */
bool ney_field_number(const ney_field *f, double *value);

#endif
