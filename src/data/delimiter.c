#include "data/delimiter.h"

#include "data/lines.h"

#include <string.h>
#include <strings.h>

enum { MOST_LINES = 50 };

/* The fields of a line. */
typedef struct fields {
    int64_t n;        /* a delimiter at the end begins none */
    bool open;        /* there is one */
    bool well_quoted; /* quotes stand around whole fields */
} fields;

static fields count_fields(const char *line, const char *end, char delimiter)
{
    fields f = {.well_quoted = true};
    while (end > line && (end[-1] == '\r' || end[-1] == ' ')) {
        end--;
    }
    f.open = end > line && end[-1] == delimiter;
    f.n = ney_count_fields(line, end - f.open, delimiter, &f.well_quoted);
    return f;
}

static const char *skip_blank(const char *p, const char *end)
{
    while (p < end && (*p == '\n' || *p == '\r' || *p == ' ')) {
        p++;
    }
    return p;
}

/* Whether all whole lines have n fields; an empty last one may be counted or not. */
static bool is_regular(const char *bytes, const char *end, char delimiter, int64_t n)
{
    const char *newline, *line = bytes;
    for (int k = 0; k < MOST_LINES && (newline = ney_line_end(line, end, delimiter)); k++) {
        const fields f = count_fields(line, newline, delimiter);
        if (!f.well_quoted || !(f.n == n || (f.open && f.n + 1 == n))) {
            return false;
        }
        line = skip_blank(newline, end);
    }
    return true;
}

/* Whether the first fields of two lines differ. */
static bool names_differ(const char *line, const char *other, const char *end, char delimiter)
{
    for (; line < other && other < end && *line == *other; line++, other++) {
        if (*line == delimiter || *line == '\n') {
            return false;
        }
    }
    return true;
}

bool ney_rows_are_named(const char *header, const char *end, char delimiter)
{
    enum { FEWEST_LINES = 2 };
    const char *newline = ney_line_end(header, end, delimiter), *line[MOST_LINES];
    int n_lines = 0;
    if (!newline) {
        return false;
    }
    const fields names = count_fields(header, newline, delimiter);
    if (names.open || !names.well_quoted) {
        return false;
    }
    for (const char *at = skip_blank(newline, end);
         n_lines < MOST_LINES && (newline = ney_line_end(at, end, delimiter));
         at = skip_blank(newline, end)) {
        const fields f = count_fields(at, newline, delimiter);
        if (f.open || !f.well_quoted || f.n != names.n + 1) {
            return false;
        }
        for (int k = 0; k < n_lines; k++) {
            if (!names_differ(line[k], at, newline, delimiter)) {
                return false;
            }
        }
        line[n_lines++] = at;
    }
    return n_lines >= FEWEST_LINES;
}

static const char *skip_order_mark(const char *bytes, const char *end)
{
    return end - bytes >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0 ? bytes + 3 : bytes;
}

int64_t ney_delimiter_line(const char *bytes, const char *end, char *delimiter)
{
    const char *p = bytes;
    const bool quoted = p < end && *p == '"';
    p += quoted;
    if (end - p < 6 || strncasecmp(p, "sep=", 4) != 0 || strchr("\"\r\n", p[4])) {
        return 0;
    }
    *delimiter = p[4];
    p += 5;
    if (quoted && *p++ != '"') {
        return 0;
    }
    p += p < end && *p == '\r';
    return p < end && *p == '\n' ? p - bytes : 0;
}

const char *ney_table_begin(const char *bytes, const char *end)
{
    char delimiter;
    bytes = skip_order_mark(bytes, end);
    return skip_blank(bytes + ney_delimiter_line(bytes, end, &delimiter), end);
}

char ney_find_delimiter(const char *bytes, int64_t n_bytes, bool or_space)
{
    static const char candidates[] = "\t;,| ";
    const char *const end = bytes + n_bytes;
    char best = ',';
    int64_t most = 1;
    bool best_regular = false;
    if (ney_delimiter_line(skip_order_mark(bytes, end), end, &best) > 0) {
        return best;
    }
    bytes = skip_blank(skip_order_mark(bytes, end), end);
    for (const char *c = candidates; *c && (*c != ' ' || (or_space && most == 1)); c++) {
        const char *const newline = ney_line_end(bytes, end, *c);
        const fields f = count_fields(bytes, newline ? newline : end, *c);
        const int64_t n = f.n;
        const bool regular = n > 1 && f.well_quoted && is_regular(bytes, end, *c, n);
        /* commas within fields that semicolons separate are decimal marks */
        const bool marks = *c == ',' && best == ';' && best_regular;
        if (n > 1 && !marks && (regular > best_regular || (regular == best_regular && n > most))) {
            best = *c;
            most = n;
            best_regular = regular;
        }
    }
    return best;
}

/* '\0' for a name of none. */
static char named_delimiter(const char *name)
{
    static const struct {
        const char *name;
        char delimiter;
    } names[] = {{"tab", '\t'},      {"\\t", '\t'}, {"space", ' '}, {"comma", ','},
                 {"semicolon", ';'}, {"pipe", '|'}, {"bar", '|'}};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        if (strcmp(names[k].name, name) == 0) {
            return names[k].delimiter;
        }
    }
    const bool usable = name[0] && !name[1] && !strchr("\"\n\r0123456789+-.", name[0]);
    return usable ? name[0] : '\0';
}

ney_status ney_delimiter_of_option(const char *name, char *delimiter, ney_error *err)
{
    *delimiter = named_delimiter(name);
    return *delimiter ? NEY_OK
                      : ney_fail(err, NEY_EINVAL,
                                 "--delimiter %.20s, expected one character that is no part of a "
                                 "number, or tab, space, comma, semicolon or pipe",
                                 name);
}
