#include "data/sniff.h"

#include "base/number.h"
#include "data/foreign.h"
#include "data/lines.h"
#include "data/npy.h"

#include <string.h>
#include <strings.h>

static bool ends_in(const char *name, size_t length, const char *ending)
{
    const size_t n = strlen(ending);
    return length > n && strncasecmp(name + length - n, ending, n) == 0;
}

ney_format ney_format_of_name(const char *name)
{
    if (!name) {
        return NEY_FORMAT_AUTO;
    }
    static const struct {
        const char *ending;
        ney_format format;
    } known[] = {{".svm", NEY_FORMAT_SVMLIGHT},    {".svmlight", NEY_FORMAT_SVMLIGHT},
                 {".libsvm", NEY_FORMAT_SVMLIGHT}, {".csv", NEY_FORMAT_CSV},
                 {".tsv", NEY_FORMAT_TSV},         {".tab", NEY_FORMAT_TSV},
                 {".pin", NEY_FORMAT_PIN},         {".ney", NEY_FORMAT_CACHE},
                 {".npy", NEY_FORMAT_NPY},         {".npz", NEY_FORMAT_NPZ}};
    size_t length = strlen(name);

    if (ends_in(name, length, ".gz")) {
        length -= 3;
    } else if (ends_in(name, length, ".zst")) {
        length -= 4;
    }
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (ends_in(name, length, known[i].ending)) {
            return known[i].format;
        }
    }
    return NEY_FORMAT_AUTO;
}

bool ney_is_pin_header(const char *line, int64_t length)
{
    return length > 6 && ((strncasecmp(line, "SpecId\t", 7) == 0 && length > 7) ||
                          strncasecmp(line, "PSMId\t", 6) == 0);
}

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

/* "12:" or "qid:" at the start of a word. */
static bool is_entry(const char *word, const char *end)
{
    const char *p = word;
    while (p < end && *p >= '0' && *p <= '9') {
        p++;
    }
    if (p > word && p < end && *p == ':') {
        return true;
    }
    return end - word > 4 && (strncmp(word, "qid:", 4) == 0 || strncmp(word, "sid:", 4) == 0 ||
                              strncmp(word, "cost:", 5) == 0);
}

/* Whether the delimiter separates fields of a line: 2 where all quotes stand around whole fields, 1
 * where some stand within them, 0 where it does not. */
static int separates(char delimiter, const char *line, const char *end)
{
    bool well_quoted = true;
    return ney_count_fields(line, end, delimiter, &well_quoted) > 1 ? 1 + well_quoted : 0;
}

/* What keeps a line without commas, tabs and entries from being a table or svmlight; NULL when
 * nothing does. */
static const char *find_fault(const char *line, const char *end, ney_format wanted)
{
    bool numbers = true;
    int words = 0;
    double value;
    if (wanted == NEY_FORMAT_SVMLIGHT) {
        return NULL;
    }
    for (const char *p = line; p < end; words++) {
        const char *word = p;
        while (p < end && !is_space(*p)) {
            p++;
        }
        numbers = numbers && ney_number_parse(word, (size_t)(p - word), &value);
        while (p < end && is_space(*p)) {
            p++;
        }
    }
    return wanted == NEY_FORMAT_AUTO && words > 1 && !numbers
               ? "is neither svmlight nor a table: expected commas, semicolons, bars or tabs "
                 "between fields (state another with --delimiter, such as space; take out lines "
                 "above the header)"
               : NULL;
}

/* Whether lines end in CR alone, as files of long ago do. */
static bool lacks_newlines(const char *bytes, const char *end)
{
    const char *cr = memchr(bytes, '\r', (size_t)(end - bytes));
    while (cr && cr < end && is_space(*cr)) {
        cr++;
    }
    return cr && cr < end && !memchr(bytes, '\n', (size_t)(end - bytes));
}

/* Whether one of the bytes from `first` to before `end` is zero: a text, which holds none, may
 * begin with a label that is the name of a binary format. */
static bool has_zero(const char *bytes, int64_t n_bytes, int64_t first, int64_t end)
{
    end = end < n_bytes ? end : n_bytes;
    return first < end && memchr(bytes + first, '\0', (size_t)(end - first)) != NULL;
}

/* The name and four bytes of version, of which one is zero at least. */
static bool is_cache(const char *bytes, int64_t n_bytes)
{
    enum { NAME = sizeof NEY_CACHE_MAGIC - 1, VERSION = 4 };
    if (n_bytes < NAME || memcmp(bytes, NEY_CACHE_MAGIC, NAME) != 0) {
        return false;
    }
    return has_zero(bytes, n_bytes, NAME, NAME + VERSION) ||
           /* cut before the first zero byte */
           n_bytes == NAME || (n_bytes == NAME + 1 && (unsigned char)bytes[NAME] < '\t');
}

/* An array, or a zip archive of arrays, which may be empty: its version or its disk number has a
 * zero byte. */
static bool is_numpy(const char *bytes, int64_t n_bytes, ney_format *format)
{
    enum { MARK = 4, NUMBERS = 2 };
    if (n_bytes >= NEY_NPY_MAGIC_BYTES && memcmp(bytes, NEY_NPY_MAGIC, NEY_NPY_MAGIC_BYTES) == 0) {
        *format = NEY_FORMAT_NPY;
        return true;
    }
    if (n_bytes >= MARK &&
        (memcmp(bytes, "PK\x03\x04", MARK) == 0 || memcmp(bytes, "PK\x05\x06", MARK) == 0) &&
        (n_bytes == MARK || has_zero(bytes, n_bytes, MARK, MARK + NUMBERS))) {
        *format = NEY_FORMAT_NPZ;
        return true;
    }
    return false;
}

/* A line with the name and a version, and nothing else. */
static bool is_model(const char *bytes, int64_t n_bytes)
{
    const int64_t n_name = (int64_t)strlen(NEY_MODEL_MAGIC " ");
    int64_t at = n_name;
    if (n_bytes < n_name || memcmp(bytes, NEY_MODEL_MAGIC " ", (size_t)n_name) != 0) {
        return false;
    }
    while (at < n_bytes && bytes[at] >= '0' && bytes[at] <= '9') {
        at++;
    }
    return at == n_bytes || bytes[at] == '\n' || bytes[at] == '\r';
}

/* Files that the first bytes show to be no data. */
static ney_status refuse_others(const char *name, const char *bytes, int64_t n_bytes,
                                ney_format wanted, ney_error *err)
{
    const ney_place place = {.file = name};
    const char *const foreign = ney_foreign_file(bytes, n_bytes, wanted != NEY_FORMAT_AUTO);
    if (foreign) {
        return ney_fail_at(err, NEY_EFORMAT, place, "%s", foreign);
    }
    if (is_model(bytes, n_bytes)) {
        return ney_fail_at(err, NEY_EFORMAT, place, "is a model, expected data");
    }
    if (n_bytes > 0 && memchr(bytes, '\0', (size_t)n_bytes)) {
        return ney_fail_at(err, NEY_EFORMAT, place,
                           "holds NUL bytes, expected svmlight, CSV, TSV or PIN text, or a cache");
    }
    if (n_bytes > 0 && lacks_newlines(bytes, bytes + n_bytes)) {
        return ney_fail_at(err, NEY_EPARSE, place,
                           "has lines that end in CR alone, expected LF or CR LF: convert them "
                           "with tr '\\r' '\\n'");
    }
    return NEY_OK;
}

/* What one line says: svmlight when a word after the first is an entry, a table when there is a
 * delimiter, AUTO when it has neither. */
static ney_format sniff_line(const char *line, const char *end, int *words)
{
    const char *comment = memchr(line, '#', (size_t)(end - line));
    const int comma = separates(',', line, end), tab = separates('\t', line, end);

    if (ney_is_pin_header(line, end - line)) {
        return NEY_FORMAT_PIN;
    }
    *words = 0;
    for (const char *p = line, *stop = comment ? comment : end; p < stop;) {
        while (p < stop && is_space(*p)) {
            p++;
        }
        if (p < stop && is_entry(p, stop) && !memchr(line, ',', (size_t)(p - line))) {
            const char *word_end = p;
            while (word_end < stop && !is_space(*word_end)) {
                word_end++;
            }
            if (!memchr(p, ',', (size_t)(word_end - p))) {
                return NEY_FORMAT_SVMLIGHT;
            }
        }
        *words += p < stop;
        while (p < stop && !is_space(*p)) {
            p++;
        }
    }
    if (comma || tab) {
        return comma > tab ? NEY_FORMAT_CSV : NEY_FORMAT_TSV;
    }
    const char *const stop = comment ? comment : end;
    return separates(';', line, stop) || separates('|', line, stop) ? NEY_FORMAT_CSV
                                                                    : NEY_FORMAT_AUTO;
}

/* Of a text whose lines are single words: labels without features, or a table of one column. */
static ney_format sniff_name(const char *name, char first)
{
    const ney_format by_name = ney_format_of_name(name);
    if (by_name != NEY_FORMAT_AUTO && by_name < NEY_FORMAT_CACHE) {
        return by_name;
    }
    const bool number = (first >= '0' && first <= '9') || first == '+' || first == '-';
    return number ? NEY_FORMAT_SVMLIGHT : NEY_FORMAT_CSV;
}

ney_status ney_sniff(const char *name, const char *bytes, int64_t n_bytes, ney_format wanted,
                     ney_format *format, ney_error *err)
{
    const char *end = bytes + n_bytes, *first = NULL;
    ney_place place = {.file = name};
    int64_t n_lines = 0;
    int words;

    if (is_cache(bytes, n_bytes)) {
        *format = NEY_FORMAT_CACHE;
        return NEY_OK;
    }
    if (is_numpy(bytes, n_bytes, format)) {
        return NEY_OK;
    }
    const ney_status st = refuse_others(name, bytes, n_bytes, wanted, err);
    if (st != NEY_OK) {
        return st;
    }
    if (n_bytes >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0) {
        bytes += 3;
    }
    for (const char *line = bytes; line < end;) {
        const char *newline = memchr(line, '\n', (size_t)(end - line));
        const char *stop = newline ? newline : end, *p = line;
        n_lines++;
        while (p < stop && is_space(*p)) {
            p++;
        }
        if (p < stop && *p != '#') {
            const ney_format found = sniff_line(line, stop, &words);
            if (found != NEY_FORMAT_AUTO) {
                *format = found;
                return NEY_OK;
            }
            const char *comment = memchr(p, '#', (size_t)(stop - p));
            const char *fault = first ? NULL : find_fault(p, comment ? comment : stop, wanted);
            if (fault) {
                place.line = n_lines;
                return ney_fail_at(err, NEY_EPARSE, place, "%s", fault);
            }
            if (words >
                1) { /* no table is separated by spaces: svmlight with an error in its first line */
                *format = NEY_FORMAT_SVMLIGHT;
                return NEY_OK;
            }
            first = first ? first : p;
        }
        line = stop + 1;
    }
    if (!first) {
        return ney_fail_at(err, NEY_EPARSE, place, "has no rows, expected data");
    }
    *format = sniff_name(name, *first);
    return NEY_OK;
}
