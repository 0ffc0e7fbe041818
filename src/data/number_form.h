/* Forms in which cells of a table write numbers: 1.5, 1,5, 1,234.5, $3, 10 %, 2024-05-17, 13:45. */
#ifndef NEY_DATA_NUMBER_FORM_H
#define NEY_DATA_NUMBER_FORM_H

#include "base/env.h"

/* In order of preference. The comma of ..._COMMA is the decimal mark. */
typedef enum ney_number_form {
    NEY_NUMBER_PLAIN,
    NEY_NUMBER_COMMA,           /* 1,5 */
    NEY_NUMBER_THOUSANDS,       /* 1,234,567.5 */
    NEY_NUMBER_THOUSANDS_COMMA, /* 1.234.567,5 */
    NEY_NUMBER_CURRENCY,        /* $1,234.5 */
    NEY_NUMBER_CURRENCY_COMMA,  /* 1.234,5 EUR sign */
    NEY_NUMBER_PERCENT,         /* 12.5 %, read as 0.125 */
    NEY_NUMBER_PERCENT_COMMA,
    NEY_NUMBER_DATE,     /* 2024-05-17: days since 1970-01-01 */
    NEY_NUMBER_DATETIME, /* 2024-05-17T13:45:10.5Z: seconds since then */
    NEY_NUMBER_TIME,     /* 13:45 or 13:45:10: seconds since midnight */
    NEY_N_NUMBER_FORMS
} ney_number_form;

/* Its name in files, and an explanation with an example. */
const char *ney_number_form_name(ney_number_form form);
const char *ney_number_form_meaning(ney_number_form form);

/* The position of a name; NEY_N_NUMBER_FORMS: unknown. */
ney_number_form ney_number_form_find(const char *name, size_t length);

static inline bool ney_number_form_has_comma(ney_number_form form)
{
    return form == NEY_NUMBER_COMMA || form == NEY_NUMBER_THOUSANDS_COMMA ||
           form == NEY_NUMBER_CURRENCY_COMMA || form == NEY_NUMBER_PERCENT_COMMA;
}

/* The same form with another decimal mark, '.' or ','. */
ney_number_form ney_number_form_with(ney_number_form form, char decimal);

/* Whether the whole text is a number of that form. */
bool ney_number_form_parse(ney_number_form form, const char *text, int length, double *value);

/* A date in another form than 2024-03-25: three numbers, separated by / . or -, and maybe a time.
 */
bool ney_looks_like_date(const char *word);

/* Bit k is set where the text is a number of form k. */
unsigned ney_number_forms_of(const char *text, int length);

#endif
