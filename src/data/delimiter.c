#include "data/delimiter.h"

#include "data/lines.h"

#include <string.h>

enum { MOST_LINES = 50 };

/* The fields of a line; a delimiter at its end begins none. */
static int64_t count_fields(const char *line, const char *end, char delimiter, bool *well_quoted)
{
    while (end > line && (end[-1] == '\r' || end[-1] == ' ')) {
        end--;
    }
    if (end > line && end[-1] == delimiter) {
        end--;
    }
    return ney_count_fields(line, end, delimiter, well_quoted);
}

static const char *skip_blank(const char *p, const char *end)
{
    while (p < end && (*p == '\n' || *p == '\r' || *p == ' ')) {
        p++;
    }
    return p;
}

/* Whether quotes stand around whole fields, and all whole lines have as many fields. */
static bool is_regular(const char *bytes, const char *end, char delimiter, int64_t n_fields)
{
    const char *newline, *line = bytes;
    bool well_quoted = true;
    for (int k = 0; k < MOST_LINES && (newline = ney_line_end(line, end, delimiter)); k++) {
        if (count_fields(line, newline, delimiter, &well_quoted) != n_fields || !well_quoted) {
            return false;
        }
        line = skip_blank(newline, end);
    }
    return true;
}

char ney_find_delimiter(const char *bytes, int64_t n_bytes, bool or_space)
{
    static const char candidates[] = "\t;,| ";
    const char *const end = bytes + n_bytes;
    char best = ',';
    int64_t most = 1;
    bool best_regular = false;
    if (n_bytes >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0) {
        bytes += 3;
    }
    bytes = skip_blank(bytes, end);
    for (const char *c = candidates; *c && (*c != ' ' || (or_space && most == 1)); c++) {
        const char *const newline = ney_line_end(bytes, end, *c);
        bool well_quoted = true;
        const int64_t n = count_fields(bytes, newline ? newline : end, *c, &well_quoted);
        const bool regular = n > 1 && well_quoted && is_regular(bytes, end, *c, n);
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

char ney_named_delimiter(const char *name)
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
