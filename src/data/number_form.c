#include "data/number_form.h"

#include "base/number.h"

#include <math.h>
#include <string.h>
#include <strings.h>

enum { LONGEST = 64 };

static const struct {
    const char *name, *meaning;
} forms[NEY_N_NUMBER_FORMS] = {
    [NEY_NUMBER_PLAIN] = {"plain", "numbers"},
    [NEY_NUMBER_COMMA] = {"comma", "numbers with a decimal comma"},
    [NEY_NUMBER_THOUSANDS] = {"thousands",
                              "numbers with ',', a space or an apostrophe between thousands"},
    [NEY_NUMBER_THOUSANDS_COMMA] =
        {"thousands-comma",
         "numbers with '.', a space or an apostrophe between thousands and a decimal comma"},
    [NEY_NUMBER_CURRENCY] = {"currency", "amounts of money, without the currency"},
    [NEY_NUMBER_CURRENCY_COMMA] = {"currency-comma",
                                   "amounts of money with a decimal comma, without the currency"},
    [NEY_NUMBER_PERCENT] = {"percent", "percentages (10 % is 0.1)"},
    [NEY_NUMBER_PERCENT_COMMA] = {"percent-comma",
                                  "percentages with a decimal comma (2,5 % is 0.025)"},
    [NEY_NUMBER_DATE] = {"date", "dates, as days since 1970-01-01"},
    [NEY_NUMBER_DATETIME] = {"datetime", "dates and times, as seconds since 1970-01-01"},
    [NEY_NUMBER_TIME] = {"time", "times of day, as seconds since midnight"},
};

const char *ney_number_form_name(ney_number_form form)
{
    return forms[form].name;
}

const char *ney_number_form_meaning(ney_number_form form)
{
    return forms[form].meaning;
}

ney_number_form ney_number_form_find(const char *name, size_t length)
{
    int k = 0;
    while (k < NEY_N_NUMBER_FORMS &&
           (strlen(forms[k].name) != length || memcmp(forms[k].name, name, length) != 0)) {
        k++;
    }
    return (ney_number_form)k;
}

ney_number_form ney_number_form_with(ney_number_form form, char decimal)
{
    static const ney_number_form pair[][2] = {
        {NEY_NUMBER_PLAIN, NEY_NUMBER_THOUSANDS_COMMA},
        {NEY_NUMBER_THOUSANDS, NEY_NUMBER_COMMA},
        {NEY_NUMBER_THOUSANDS, NEY_NUMBER_THOUSANDS_COMMA},
        {NEY_NUMBER_CURRENCY, NEY_NUMBER_CURRENCY_COMMA},
        {NEY_NUMBER_PERCENT, NEY_NUMBER_PERCENT_COMMA},
    };
    for (size_t k = 0; k < sizeof pair / sizeof *pair; k++) {
        if (form == pair[k][0] || form == pair[k][1]) {
            return pair[k][decimal == ','];
        }
    }
    return form;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* ---- digits, with separators taken out */

/* One to three digits, then groups of three digits after `separator`, a space or an apostrophe, the
 * same one in the whole number, which *found is. Returns where they end; NULL without a group. */
static const char *skip_groups(const char *p, const char *end, char separator, char *found)
{
    const char *const begin = p;
    bool grouped = false;
    while (p < end && is_digit(*p)) {
        p++;
    }
    if (p == begin || p == end || p - begin > 3 || *begin == '0') { /* 0.750 is no 750 */
        return NULL;
    }
    *found = *p == ' ' || *p == '\'' ? *p : separator;
    while (end - p >= 4 && *p == *found && is_digit(p[1]) && is_digit(p[2]) && is_digit(p[3])) {
        p += 4;
        grouped = true;
    }
    return grouped ? p : NULL;
}

/* A number with this decimal mark, and with groups or without, as plain text. False where it is
 * none. */
static bool normalise(const char *text, const char *end, char mark, bool grouped,
                      char plain[LONGEST + 1])
{
    char separator = mark == ',' ? '.' : ',';
    const char *p = text;
    int n = 0;
    if (end - text > LONGEST || end == text) {
        return false;
    }
    p += *p == '-' || *p == '+';
    const char *const whole_end = grouped ? skip_groups(p, end, separator, &separator) : NULL;
    if (p == end || (grouped && !whole_end) || !(is_digit(*p) || *p == mark)) {
        return false;
    }
    for (p = text; p < end; p++) {
        if (*p == separator && p < whole_end) {
            continue;
        }
        if (*p == separator || (mark == ',' && *p == '.')) {
            return false;
        }
        plain[n++] = *p == mark ? '.' : *p;
    }
    plain[n] = '\0';
    return true;
}

static bool parse_digits(const char *text, const char *end, char mark, bool grouped, double *value)
{
    char plain[LONGEST + 1];
    return normalise(text, end, mark, grouped, plain) &&
           ney_number_parse(plain, strlen(plain), value) && isfinite(*value);
}

/* With a decimal comma there must be one, else the number is of another form too. */
static bool parse_either(const char *text, const char *end, char mark, double *value)
{
    return parse_digits(text, end, mark, false, value) ||
           parse_digits(text, end, mark, true, value);
}

/* ---- money and percentages */

static const char *const currencies[] = {
    "US$",          "R$",           "A$",           "C$",           "HK$",         "$",
    "\xe2\x82\xac", "\xc2\xa3",     "\xc2\xa5",     "EUR",          "USD",         "GBP",
    "CHF",          "JPY",          "CNY",          "CAD",          "AUD",         "NZD",
    "SEK",          "NOK",          "DKK",          "PLN",          "CZK",         "HUF",
    "RON",          "BRL",          "INR",          "MXN",          "ZAR",         "TRY",
    "SGD",          "HKD",          "kr",           "z\xc5\x82",    "K\xc4\x8d",   "Ft",
    "Fr.",          "\xe2\x82\xb9", "\xe2\x82\xa9", "\xe2\x82\xba", "\xe2\x82\xbd"};

static void trim(const char **begin, const char **end)
{
    while (*begin < *end && **begin == ' ') {
        (*begin)++;
    }
    while (*begin < *end && (*end)[-1] == ' ') {
        (*end)--;
    }
}

/* Take a currency off either end, after or before a sign; 1 or -1, or 0 where there is none. */
static int take_currency(const char **begin, const char **end)
{
    const bool negative = **begin == '-';
    const char *const at = *begin + negative;
    for (size_t k = 0; k < sizeof currencies / sizeof *currencies; k++) {
        const int64_t n = (int64_t)strlen(currencies[k]);
        if (*end - at > n && memcmp(at, currencies[k], (size_t)n) == 0) {
            *begin = at + n;
            trim(begin, end);
            return negative ? -1 : 1;
        }
        if (*end - at > n && memcmp(*end - n, currencies[k], (size_t)n) == 0) {
            *end -= n;
            *begin = at;
            trim(begin, end);
            return negative ? -1 : 1;
        }
    }
    return 0;
}

static bool parse_money(const char *begin, const char *end, char mark, double *value)
{
    const int sign = take_currency(&begin, &end);
    if (sign == 0 || begin == end || (sign < 0 && !is_digit(*begin)) ||
        !parse_either(begin, end, mark, value)) {
        return false;
    }
    *value *= sign;
    return true;
}

/* (1,234.5), as accountants write what is below zero. */
static bool parse_loss(const char *begin, const char *end, char mark, double *value)
{
    if (end - begin < 3 || *begin != '(' || end[-1] != ')' || begin[1] == '-') {
        return false;
    }
    if (!parse_money(begin + 1, end - 1, mark, value) &&
        !parse_either(begin + 1, end - 1, mark, value)) {
        return false;
    }
    *value = -*value;
    return true;
}

static bool parse_percent(const char *begin, const char *end, char mark, double *value)
{
    if (end - begin < 2 || end[-1] != '%') {
        return false;
    }
    end--;
    trim(&begin, &end);
    if (!parse_either(begin, end, mark, value)) {
        return false;
    }
    *value /= 100;
    return true;
}

/* ---- dates and times */

/* `n` digits at *p, as a number from low to high; *p moves past them. */
static bool take_digits(const char **p, const char *end, int n, int low, int high, int *value)
{
    *value = 0;
    if (end - *p < n) {
        return false;
    }
    for (int k = 0; k < n; k++) {
        if (!is_digit((*p)[k])) {
            return false;
        }
        *value = 10 * *value + ((*p)[k] - '0');
    }
    *p += n;
    return *value >= low && *value <= high;
}

static bool take_char(const char **p, const char *end, const char *any)
{
    const bool found = *p < end && strchr(any, **p) != NULL;
    *p += found;
    return found;
}

static int days_of_month(int year, int month)
{
    static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    const bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    return days[month - 1] + (month == 2 && leap);
}

/* Days from 1970-01-01, in the Gregorian calendar, negative before. */
static double days_of(int year, int month, int day)
{
    int days = day - 1;
    for (int m = 1; m < month; m++) {
        days += days_of_month(year, m);
    }
    const int before = year - 1; /* whole years since 0001-01-01 */
    return 365.0 * before + before / 4 - before / 100 + before / 400 + days - 719162.0;
}

static bool take_date(const char **p, const char *end, double *days)
{
    int year, month, day;
    if (!take_digits(p, end, 4, 1, 9999, &year) || !take_char(p, end, "-/") ||
        !take_digits(p, end, 2, 1, 12, &month) || !take_char(p, end, "-/") ||
        !take_digits(p, end, 2, 1, days_of_month(year, month), &day)) {
        return false;
    }
    *days = days_of(year, month, day);
    return true;
}

/* 13:45, 9:05, 13:45:10, 13:45:10.25 (or a comma); 60 is a leap second. */
static bool take_time(const char **p, const char *end, double *seconds)
{
    int hour, minute, second = 0;
    const int digits = end - *p > 1 && (*p)[1] == ':' ? 1 : 2;
    if (!take_digits(p, end, digits, 0, 24, &hour) || !take_char(p, end, ":") ||
        !take_digits(p, end, 2, 0, 59, &minute)) {
        return false;
    }
    if (take_char(p, end, ":") && !take_digits(p, end, 2, 0, 60, &second)) {
        return false;
    }
    *seconds = 3600.0 * hour + 60.0 * minute + second;
    if (take_char(p, end, ".,")) {
        double digit = 1;
        const char *const begin = *p;
        while (*p < end && is_digit(**p)) {
            digit /= 10;
            *seconds += digit * (*(*p)++ - '0');
        }
        return *p > begin;
    }
    return true;
}

static bool take_word(const char **p, const char *end, const char *word)
{
    const size_t n = strlen(word);
    const bool found = (size_t)(end - *p) >= n && memcmp(*p, word, n) == 0;
    *p += found ? n : 0;
    return found;
}

/* "Z", "UTC", "GMT", "+02:00", "-0530", with or without a space in front, or nothing. */
static bool take_zone(const char **p, const char *end, double *seconds)
{
    int hour, minute = 0;
    *seconds = 0;
    if (*p == end) {
        return true;
    }
    (void)take_char(p, end, " ");
    if (take_word(p, end, "Z") || take_word(p, end, "UTC") || take_word(p, end, "GMT")) {
        return true;
    }
    if (*p == end) {
        return false;
    }
    const bool west = **p == '-';
    if (!take_char(p, end, "+-") || !take_digits(p, end, 2, 0, 23, &hour)) {
        return false;
    }
    (void)take_char(p, end, ":");
    if (*p < end && !take_digits(p, end, 2, 0, 59, &minute)) {
        return false;
    }
    *seconds = (west ? -1 : 1) * (3600.0 * hour + 60.0 * minute);
    return true;
}

static bool parse_date(const char *p, const char *end, double *value)
{
    return take_date(&p, end, value) && p == end;
}

static bool parse_datetime(const char *p, const char *end, double *value)
{
    double days, seconds, zone;
    if (!take_date(&p, end, &days) || !take_char(&p, end, "T ") || !take_time(&p, end, &seconds) ||
        !take_zone(&p, end, &zone) || p != end) {
        return false;
    }
    *value = 86400 * days + seconds - zone;
    return true;
}

static bool parse_time(const char *p, const char *end, double *value)
{
    return take_time(&p, end, value) && p == end;
}

/* Letters that begin the name of a month, three at least; returns how many, 0 for others. */
static int month_letters(const char *p)
{
    static const char *const months[] = {"jan", "feb", "mar", "apr", "may", "jun",
                                         "jul", "aug", "sep", "oct", "nov", "dec"};
    int n = 0;
    while ((p[n] >= 'a' && p[n] <= 'z') || (p[n] >= 'A' && p[n] <= 'Z')) {
        n++;
    }
    for (size_t k = 0; k < sizeof months / sizeof *months && n >= 3; k++) {
        if (strncasecmp(p, months[k], 3) == 0) {
            return n;
        }
    }
    return 0;
}

/* 17-MAY-24, 17MAY2024, 17 May 2024: a day, a month, and a year of two or four digits. */
static bool has_named_month(const char *p)
{
    int day = 0, year = 0;
    while (is_digit(p[day])) {
        day++;
    }
    p += day;
    p += *p != '\0' && strchr("- /.", *p) ? 1 : 0;
    const int letters = month_letters(p);
    p += letters;
    p += *p != '\0' && strchr("- /.", *p) ? 1 : 0;
    while (is_digit(p[year])) {
        year++;
    }
    return (day == 1 || day == 2) && letters > 0 && (year == 2 || year == 4);
}

/* A year has two or four digits, a day or a month one or two; what follows a space is a time. */
bool ney_looks_like_date(const char *word)
{
    if (has_named_month(word)) {
        return true;
    }
    int digits[3] = {0}, numbers = 0;
    for (const char *p = word; *p && !(numbers == 3 && *p == ' '); p++) {
        if (is_digit(*p)) {
            numbers += p == word || !is_digit(p[-1]);
            if (numbers > 3) {
                return false;
            }
            digits[numbers - 1]++;
        } else if (!(*p == '/' || *p == '.' || *p == '-') || p == word) {
            return false;
        }
    }
    const int first = digits[0], last = digits[2];
    return numbers == 3 && digits[1] <= 2 &&
           ((first <= 2 && (last == 2 || last == 4)) || (first == 4 && last <= 2));
}

/* ---- any */

/* Signs that other programs write in place of a minus, a space or an apostrophe. */
static const struct {
    const char *written;
    char meant;
} signs[] = {{"\xe2\x88\x92", '-'},   /* minus sign */
             {"\xc2\xa0", ' '},       /* no-break space */
             {"\xe2\x80\xaf", ' '},   /* narrow no-break space */
             {"\xe2\x80\x89", ' '},   /* thin space */
             {"\xe2\x80\x99", '\''}}; /* right quotation mark */

/* The text with these signs in ASCII; returns its length, 0 where it is too long for a number. */
static int write_plainly(const char *text, int length, char plain[LONGEST + 1])
{
    int n = 0, at = 0;
    while (at < length && n < LONGEST) {
        size_t k = 0, written = 1;
        char meant = text[at];
        while ((unsigned char)meant >= 0x80 && k < sizeof signs / sizeof *signs) {
            written = strlen(signs[k].written);
            if ((size_t)(length - at) >= written &&
                memcmp(text + at, signs[k].written, written) == 0) {
                meant = signs[k].meant;
            } else {
                written = 1;
                k++;
            }
        }
        plain[n++] = meant;
        at += (int)written;
    }
    n = at < length ? 0 : n;
    plain[n] = '\0';
    return n;
}

static bool has_signs(const char *text, int length)
{
    for (int i = 0; i < length; i++) {
        if ((unsigned char)text[i] >= 0x80) {
            return true;
        }
    }
    return false;
}

static bool parse_form(ney_number_form form, const char *text, int length, double *value)
{
    const char *const end = text + length;
    const char mark = ney_number_form_has_comma(form) ? ',' : '.';
    switch (form) {
    case NEY_NUMBER_PLAIN:
        return ney_number_parse(text, (size_t)length, value);
    case NEY_NUMBER_COMMA:
        return parse_digits(text, end, mark, false, value);
    case NEY_NUMBER_THOUSANDS:
    case NEY_NUMBER_THOUSANDS_COMMA:
        return parse_either(text, end, mark, value);
    case NEY_NUMBER_CURRENCY:
    case NEY_NUMBER_CURRENCY_COMMA:
        return parse_money(text, end, mark, value) || parse_either(text, end, mark, value) ||
               parse_loss(text, end, mark, value);
    case NEY_NUMBER_PERCENT:
    case NEY_NUMBER_PERCENT_COMMA:
        return parse_percent(text, end, mark, value);
    case NEY_NUMBER_DATE:
        return parse_date(text, end, value);
    case NEY_NUMBER_DATETIME:
        return parse_datetime(text, end, value) ||
               (parse_date(text, end, value) && (*value *= 86400, true));
    case NEY_NUMBER_TIME:
        return parse_time(text, end, value);
    default:
        return false;
    }
}

bool ney_number_form_parse(ney_number_form form, const char *text, int length, double *value)
{
    char plain[LONGEST + 1];
    if (form == NEY_NUMBER_PLAIN || length > 4 * LONGEST || !has_signs(text, length)) {
        return parse_form(form, text, length, value);
    }
    return parse_form(form, plain, write_plainly(text, length, plain), value);
}

unsigned ney_number_forms_of(const char *text, int length)
{
    unsigned mask = 0;
    double value;
    if (length == 0 || length > LONGEST) {
        return 0;
    }
    for (int k = 0; k < NEY_N_NUMBER_FORMS; k++) {
        mask |= ney_number_form_parse((ney_number_form)k, text, length, &value) ? 1u << k : 0;
    }
    return mask;
}
