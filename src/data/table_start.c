#include "data/table_start.h"

#include "data/delimiter.h"
#include "data/limits.h"

#include <string.h>

/* Whether some line is complete that is neither empty nor a comment. */
static bool has_line(const char *bytes, int64_t n_bytes)
{
    const char *const end = bytes + n_bytes;
    const char *newline;
    for (const char *line = bytes;
         line < end && (newline = memchr(line, '\n', (size_t)(end - line))); line = newline + 1) {
        while (line < newline && (*line == ' ' || *line == '\t' || *line == '\r')) {
            line++;
        }
        if (line < newline && *line != '#') {
            return true;
        }
    }
    return false;
}

ney_status ney_sniffed_bytes(ney_source *source, const ney_read_opts *opts, const char **bytes,
                             int64_t *n_bytes, ney_error *err)
{
    int64_t before;
    ney_status st;
    const bool flowing = ney_source_is_flowing(source);
    *n_bytes = 0;
    do {
        before = *n_bytes;
        st = ney_first_bytes(source, ney_max_line(opts), bytes, n_bytes, err);
    } while (st == NEY_OK && *n_bytes > before &&
             (flowing ? !has_line(*bytes, *n_bytes) : ney_is_blank(*bytes, *bytes + *n_bytes)));
    return st;
}

/* Whether there are as many whole lines. */
static bool has_lines(const char *at, const char *end, char delimiter, int n_lines)
{
    for (const char *newline; n_lines > 0; n_lines--, at = newline + 1) {
        newline = ney_line_end(at, end, delimiter);
        if (!newline) {
            return false;
        }
    }
    return true;
}

ney_status ney_table_first_line(ney_lines *lines, const char **line, int64_t *length,
                                bool *rows_are_named, ney_error *err)
{
    enum { LINES_TO_COMPARE = 3 };
    ney_source *const source = ney_files_source(lines->files);
    const bool compares = lines->delimiter && !ney_source_is_flowing(source);
    const char delimiter = lines->delimiter, *at, *newline;
    int64_t n = 0, before;
    *length = 0;
    do {
        before = n;
        const ney_status st = ney_first_bytes(source, lines->max_line, line, &n, err);
        if (st != NEY_OK) {
            return st;
        }
        at = ney_table_begin(*line, *line + n);
        newline = ney_line_end(at, *line + n, delimiter);
    } while (n > before && (!newline || (compares && 4 * n < lines->max_line &&
                                         !has_lines(at, *line + n, delimiter, LINES_TO_COMPARE))));
    *rows_are_named = compares && ney_rows_are_named(at, *line + n, delimiter);
    *length = (newline ? newline : *line + n) - at;
    *line = at;
    return NEY_OK;
}

ney_status ney_table_delimiter(ney_source *source, ney_format format, const ney_read_opts *opts,
                               char *delimiter, ney_error *err)
{
    const char *bytes;
    int64_t n = 0;
    *delimiter = format == NEY_FORMAT_CSV ? ',' : format == NEY_FORMAT_TSV ? '\t' : '\0';
    if (format == NEY_FORMAT_PIN || format == NEY_FORMAT_SVMLIGHT) {
        return NEY_OK;
    }
    if (opts->delimiter) {
        return ney_delimiter_of_option(opts->delimiter, delimiter, err);
    }
    const ney_status st = ney_sniffed_bytes(source, opts, &bytes, &n, err);
    if (st == NEY_OK && format == NEY_FORMAT_CSV) {
        *delimiter = ney_find_delimiter(bytes, n, false);
        *delimiter = *delimiter == '\t' ? ',' : *delimiter;
    }
    return st;
}
