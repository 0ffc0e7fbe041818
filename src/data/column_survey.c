#include "data/column_survey.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define BIT(form) (1u << (form))

enum {
    COMMA_FORMS = BIT(NEY_NUMBER_COMMA) | BIT(NEY_NUMBER_THOUSANDS_COMMA) |
                  BIT(NEY_NUMBER_CURRENCY_COMMA) | BIT(NEY_NUMBER_PERCENT_COMMA),
    POINT_FORMS = BIT(NEY_NUMBER_THOUSANDS) | BIT(NEY_NUMBER_CURRENCY) | BIT(NEY_NUMBER_PERCENT),
    PERCENT_FORMS = BIT(NEY_NUMBER_PERCENT) | BIT(NEY_NUMBER_PERCENT_COMMA),
    DATE_FORMS = BIT(NEY_NUMBER_DATE) | BIT(NEY_NUMBER_DATETIME) | BIT(NEY_NUMBER_TIME)
};

static void show(char shown[NEY_SHOWN_CELL], const ney_field *f)
{
    snprintf(shown, NEY_SHOWN_CELL, "%.*s", f->length, f->text);
}

static ney_number_form first_of(unsigned forms)
{
    int k = 0;
    while (k < NEY_N_NUMBER_FORMS && (forms >> k & 1) == 0) {
        k++;
    }
    return (ney_number_form)k;
}

/* ---- cells */

/* Digits alone, several, of which the first is 0. */
static bool has_zeros_in_front(const ney_field *f)
{
    int n = 0;
    if (f->length < 2 || f->text[0] != '0') {
        return false;
    }
    while (n < f->length && f->text[n] >= '0' && f->text[n] <= '9') {
        n++;
    }
    return n == f->length;
}

static void add_plain(ney_column_survey *s, const ney_field *f, double x)
{
    const char *const point = s->has_decimals ? NULL : memchr(f->text, '.', (size_t)f->length);
    if (s->n_plain++ == 0) {
        s->first = x;
    } else {
        s->skips = s->skips || x != s->last + 1;
    }
    s->last = x;
    if (s->zeros[0] == '\0' && has_zeros_in_front(f)) {
        show(s->zeros, f);
    }
    if (isfinite(x)) {
        ney_column_statistics_add(&s->numbers, x);
    }
    if (point) {
        s->has_points = true;
        s->has_decimals =
            !ney_number_form_parse(NEY_NUMBER_THOUSANDS_COMMA, f->text, f->length, &x);
    }
}

/* The form by which a cell is counted until all are known: a date in seconds, since others of the
 * column may have a time; choose_form() makes days of them where none has. */
static ney_number_form counted_form(unsigned forms)
{
    return forms & BIT(NEY_NUMBER_DATETIME) ? NEY_NUMBER_DATETIME : first_of(forms);
}

static void add_formed(ney_column_survey *s, const ney_field *f, unsigned forms, int64_t line)
{
    double value = 0, other = 0;
    const unsigned point = forms & POINT_FORMS, comma = forms & COMMA_FORMS;
    if (s->n_formed++ == 0) {
        s->formed_place.line = line;
        show(s->formed, f);
    }
    s->forms &= forms;
    (void)ney_number_form_parse(counted_form(forms), f->text, f->length, &value);
    ney_column_statistics_add(&s->numbers, value);
    if (point && comma && ney_number_form_parse(first_of(point), f->text, f->length, &value) &&
        ney_number_form_parse(first_of(comma), f->text, f->length, &other)) {
        s->differs = s->differs || value != other;
    }
}

/* Keep a word that differs from those kept, to be shown. */
static void keep_word(ney_column_survey *s, const char *word, size_t length)
{
    if (s->has_more || (strlen(s->word) == length && memcmp(s->word, word, length) == 0)) {
        return;
    }
    for (const char *at = s->more; *at; at += strcspn(at, "\t") + 1) {
        if (strcspn(at, "\t") == length && memcmp(at, word, length) == 0) {
            return;
        }
    }
    const size_t used = strlen(s->more);
    s->has_more = used + length + 2 > sizeof s->more || memchr(word, '\t', length);
    if (!s->has_more) {
        memcpy(s->more + used, word, length);
        memcpy(s->more + used + length, "\t", 2);
    }
}

static void add_word(ney_column_survey *s, const ney_field *f, int64_t line)
{
    if (s->n_words++ == 0) {
        s->word_place.line = line;
        show(s->word, f);
    } else if (!s->has_more) {
        keep_word(s, f->text,
                  (size_t)(f->length < NEY_SHOWN_CELL ? f->length : NEY_SHOWN_CELL - 1));
    }
}

/* The forms that an option leaves. */
static unsigned allowed_forms(const ney_table *t)
{
    return t->decimal == ',' ? COMMA_FORMS | DATE_FORMS
           : t->decimal      ? POINT_FORMS | DATE_FORMS
                             : COMMA_FORMS | POINT_FORMS | DATE_FORMS;
}

void ney_column_survey_add(ney_column_survey *s, const ney_table *t, int64_t c, const ney_field *f,
                           int64_t line)
{
    double x = 0;
    const bool number = ney_field_number(f, &x);
    if ((number && isnan(x)) || (!number && ney_feature_missing(t, f))) {
        return;
    }
    if (t->column[c].words) {
        add_word(s, f, line);
        return;
    }
    if (number && (t->decimal != ',' || !memchr(f->text, '.', (size_t)f->length))) {
        add_plain(s, f, x);
        return;
    }
    const unsigned forms = ney_number_forms_of(f->text, f->length) & allowed_forms(t);
    if (forms) {
        add_formed(s, f, forms, line);
    } else {
        add_word(s, f, line);
    }
}

void ney_column_survey_merge(ney_column_survey *all, const ney_column_survey *piece,
                             ney_place before)
{
    ney_column_statistics_merge(&all->numbers, &piece->numbers);
    if (piece->n_words > 0 && all->n_words == 0) {
        all->word_place = (ney_place){before.file, before.line + piece->word_place.line, 0};
        memcpy(all->word, piece->word, sizeof all->word);
    } else if (piece->n_words > 0) {
        keep_word(all, piece->word, strlen(piece->word));
    }
    for (const char *at = piece->more; *at; at += strcspn(at, "\t") + 1) {
        keep_word(all, at, strcspn(at, "\t"));
    }
    all->has_more = all->has_more || piece->has_more;
    if (piece->n_formed > 0 && all->n_formed == 0) {
        all->formed_place = (ney_place){before.file, before.line + piece->formed_place.line, 0};
        memcpy(all->formed, piece->formed, sizeof all->formed);
    }
    if (piece->n_plain > 0) {
        all->skips =
            all->skips || piece->skips || (all->n_plain > 0 && piece->first != all->last + 1);
        all->first = all->n_plain > 0 ? all->first : piece->first;
        all->last = piece->last;
    }
    if (all->zeros[0] == '\0') {
        memcpy(all->zeros, piece->zeros, sizeof all->zeros);
    }
    all->n_plain += piece->n_plain;
    all->n_words += piece->n_words;
    all->n_formed += piece->n_formed;
    all->forms &= piece->forms;
    all->has_points = all->has_points || piece->has_points;
    all->has_decimals = all->has_decimals || piece->has_decimals;
    all->differs = all->differs || piece->differs;
}

/* ---- columns */

/* The forms that all numbers of a column have. */
static unsigned forms_of(const ney_column_survey *s)
{
    unsigned forms = s->forms;
    if (s->n_plain > 0) {
        forms &= ~(unsigned)(PERCENT_FORMS | DATE_FORMS);
    }
    if (s->has_points) {
        forms &= ~BIT(NEY_NUMBER_COMMA);
    }
    return s->has_decimals ? forms & ~(unsigned)COMMA_FORMS : forms;
}

/* The words after the first one: " (also 'a', 'b' and others)". */
static void list_more(const ney_column_survey *s, char *text, size_t size)
{
    size_t used = (size_t)snprintf(text, size, "%s", s->more[0] ? " (also" : "");
    for (const char *at = s->more; *at && used < size; at += strcspn(at, "\t") + 1) {
        used += (size_t)snprintf(text + used, size - used, "%s '%.*s'", at == s->more ? "" : ",",
                                 (int)strcspn(at, "\t"), at);
    }
    if (used > 0 && used < size) {
        snprintf(text + used, size - used, "%s)", s->has_more ? " and others" : "");
    } else if (s->has_more) {
        snprintf(text, size, " (and others)");
    }
}

/* A column of numbers with a few other values is more often an error than intended. */
static ney_status refuse_mixed(const ney_column_survey *s, const char *name, ney_error *err)
{
    const int64_t n_numbers = s->n_plain + s->n_formed;
    char more[3 * NEY_SHOWN_CELL];
    if (s->n_words > 0 && n_numbers >= s->n_words) {
        list_more(s, more, sizeof more);
        return ney_fail_at(
            err, NEY_EPARSE, s->word_place,
            "column '%.60s' holds '%s'%s, which is not a number, among %lld numbers: correct it, "
            "name the word under --na if it means missing, or name the column under --words %.60s "
            "to treat it as categories",
            name, s->word, more, (long long)n_numbers, name);
    }
    if (s->n_words == 0 && s->n_formed > 0 && forms_of(s) == 0) {
        return ney_fail_at(err, NEY_EPARSE, s->formed_place,
                           "column '%.60s' holds '%s' among numbers in another form, "
                           "expected one form: correct it, leave it out with --ignore, or name it "
                           "under --words %.60s to treat it as categories",
                           name, s->formed, name);
    }
    return NEY_OK;
}

static bool is_numbers(const ney_table *t, int64_t c, const ney_column_survey *s)
{
    return t->column[c].role == NEY_ROLE_FEATURE && s->n_words == 0;
}

ney_decimal_evidence ney_decimal_evidence_of(const ney_table *t)
{
    return (ney_decimal_evidence){t->decimal == '.', t->decimal == ','};
}

void ney_decimal_evidence_add(ney_decimal_evidence *e, const ney_table *t, int64_t c,
                              const ney_column_survey *s)
{
    if (t->decimal || !is_numbers(t, c, s)) {
        return;
    }
    const unsigned forms = forms_of(s);
    const bool point = (forms & POINT_FORMS) != 0, comma = (forms & COMMA_FORMS) != 0;
    e->point = e->point || s->has_decimals || (s->n_formed > 0 && point && !comma);
    e->comma = e->comma || (s->n_formed > 0 && comma && !point);
}

static ney_status refuse_ambiguous(const ney_column_survey *s, const char *name, ney_error *err)
{
    return ney_fail_at(err, NEY_EPARSE, s->formed_place,
                       "column '%.60s' holds '%s', where the comma can stand between thousands or "
                       "be the decimal mark, and no other number shows which: state --decimal . or "
                       "--decimal ,",
                       name, s->formed);
}

/* The form of a column of numbers. */
static ney_status choose_form(ney_column_survey *s, ney_decimal_evidence e, const char *name,
                              ney_error *err)
{
    const unsigned forms = forms_of(s), point = forms & POINT_FORMS, comma = forms & COMMA_FORMS;
    if (s->n_formed == 0) { /* 1.234 among numbers with decimal commas is 1234 */
        const bool thousands = s->has_points && !s->has_decimals && e.comma && !e.point;
        s->form = thousands ? NEY_NUMBER_THOUSANDS_COMMA : NEY_NUMBER_PLAIN;
        return NEY_OK;
    }
    if (point && comma && s->differs && e.point == e.comma) {
        return refuse_ambiguous(s, name, err);
    }
    const bool use_comma = comma && (!point || (s->differs && e.comma));
    s->form = first_of(use_comma ? comma : point ? point : forms);
    if (s->form == NEY_NUMBER_DATE && !s->in_days) {
        ney_column_statistics_divide(&s->numbers, 86400);
        s->in_days = true;
    }
    return NEY_OK;
}

static void log_form(const ney_env *env, const ney_column_survey *s, const char *name,
                     const char *file)
{
    if (s->form != NEY_NUMBER_PLAIN) {
        ney_log(env, NEY_LOG_INFO, "%s: column '%.60s' is read as %s (such as '%s')", file, name,
                ney_number_form_meaning(s->form), s->n_formed > 0 ? s->formed : "1.234");
    }
}

ney_status ney_column_survey_choose_one(ney_column_survey *s, ney_decimal_evidence e,
                                        const char *name, ney_error *err)
{
    const ney_status st = refuse_mixed(s, name, err);
    s->is_category = s->n_words > 0;
    return st == NEY_OK && !s->is_category ? choose_form(s, e, name, err) : st;
}

bool ney_column_survey_counts(const ney_column_survey *s)
{
    enum { FEWEST_ROWS = 50 }; /* of fewer, ages and years may ascend so */
    return s->n_plain >= FEWEST_ROWS && s->n_words == 0 && s->n_formed == 0 && !s->skips &&
           !s->numbers.broken;
}

bool ney_column_survey_has_codes(const ney_column_survey *s)
{
    return s->zeros[0] && s->n_words == 0 && s->n_formed == 0 && !s->numbers.broken;
}

ney_status ney_column_survey_choose(ney_column_survey *columns, const ney_table *t,
                                    const char *file, ney_error *err)
{
    ney_decimal_evidence e = ney_decimal_evidence_of(t);
    for (int64_t c = 0; c < t->n_columns; c++) {
        ney_decimal_evidence_add(&e, t, c, &columns[c]);
    }
    for (int64_t c = 0; c < t->n_columns; c++) {
        ney_column_survey *const s = &columns[c];
        const char *const name = t->column[c].name;
        if (t->column[c].role != NEY_ROLE_FEATURE) {
            continue;
        }
        const ney_status st = ney_column_survey_choose_one(s, e, name, err);
        if (st != NEY_OK) {
            return st;
        }
        log_form(&t->env, s, name, file);
    }
    return NEY_OK;
}
