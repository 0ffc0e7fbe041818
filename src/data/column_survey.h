/* What the cells of a table's column hold: numbers, numbers in another form, or words. */
#ifndef NEY_DATA_COLUMN_SURVEY_H
#define NEY_DATA_COLUMN_SURVEY_H

#include "data/column_statistics.h"
#include "data/table.h"

enum { NEY_SHOWN_CELL = 40 };

/* Of one piece of text, or of all so far. */
typedef struct ney_column_survey {
    ney_column_statistics numbers; /* of numbers in any form */
    int64_t n_plain;               /* plain numbers */
    int64_t n_formed, n_words;     /* numbers of other forms; other cells, and cells to be words */
    ney_place formed_place, word_place;                /* where the first of each is */
    char formed[NEY_SHOWN_CELL], word[NEY_SHOWN_CELL]; /* the first of each */
    char more[NEY_SHOWN_CELL]; /* further words, each with a tab behind it, while they fit */
    bool has_more;             /* some did not fit */
    unsigned forms;            /* the forms that all cells of other forms have; all bits at first */
    bool has_points;           /* a plain number has a decimal point */
    bool has_decimals;         /* one that cannot stand between thousands */
    bool differs;       /* a cell is one number with a decimal point and another with a comma */
    double first, last; /* the first and the last plain number */
    bool skips;         /* one of them is not the number before it plus 1 */
    char zeros[NEY_SHOWN_CELL]; /* the first whole number with zeros in front, as codes have them */
    bool in_days;               /* the numbers are dates, which were seconds before the choice */
    bool is_category;           /* chosen: words */
    ney_number_form form;       /* chosen, for numbers */
} ney_column_survey;

/* The cell of column c at `line`. */
void ney_column_survey_add(ney_column_survey *s, const ney_table *t, int64_t c, const ney_field *f,
                           int64_t line);
/* The piece begins after the line `before` of its file. */
void ney_column_survey_merge(ney_column_survey *all, const ney_column_survey *piece,
                             ney_place before);

/* Whether columns can be read with one decimal mark only: what the table's options say, and what
 * column c adds. */
typedef struct ney_decimal_evidence {
    bool point, comma;
} ney_decimal_evidence;

ney_decimal_evidence ney_decimal_evidence_of(const ney_table *t);
void ney_decimal_evidence_add(ney_decimal_evidence *e, const ney_table *t, int64_t c,
                              const ney_column_survey *s);

/* What one column is: is_category and form. @retval NEY_EPARSE  as below. */
ney_status ney_column_survey_choose_one(ney_column_survey *s, ney_decimal_evidence e,
                                        const char *name, ney_error *err);

/* Whether the column counts the rows: 50 whole numbers at least, each the one before it plus 1. */
bool ney_column_survey_counts(const ney_column_survey *s);

/* Whether its numbers look like codes: zeros stand in front of one, and all are whole. */
bool ney_column_survey_has_codes(const ney_column_survey *s);

/* Choose what each of the table's columns is, and log the forms of numbers that were recognised.
 *
 * @retval NEY_EPARSE  a column mixes numbers and words, or forms of numbers; or its numbers have
 * two readings, such as 1,234, and no other column shows which is meant. */
ney_status ney_column_survey_choose(ney_column_survey *columns, const ney_table *t,
                                    const char *file, ney_error *err);

#endif
