#include "data/foreign.h"

#include <string.h>
#include <strings.h>

#define PACKED " file, expected text or a file packed by gzip or zstd: unpack it with "
#define IN_PYTHON ", expected text or an array: convert it in Python, "
#define TO_CSV ".to_csv(OUT, index=False)"
#define WIDE                                                                                       \
    "is UTF-16 text, expected UTF-8 or ASCII: save it as CSV UTF-8, or convert it with iconv -f "  \
    "UTF-16 -t UTF-8"

/* What a text might begin with too counts only where a zero byte follows. */
typedef struct mark {
    const char *bytes;
    int n;
    enum { ANY, BINARY } rest;
    const char *what;
} mark;

/* clang-format off */
static const mark marks[] = {
    {"\xff\xfe",          2, ANY,    WIDE},
    {"\xfe\xff",          2, ANY,    WIDE},
    {"PAR1",              4, BINARY, "is a Parquet file" IN_PYTHON "pandas.read_parquet(FILE)" TO_CSV},
    {"ARROW1",            6, BINARY, "is an Arrow (Feather) file" IN_PYTHON "pandas.read_feather(FILE)" TO_CSV},
    {"\x89HDF\r\n",       6, ANY,    "is an HDF5 file" IN_PYTHON "pandas.read_hdf(FILE)" TO_CSV},
    {"SQLite format 3",  15, BINARY, "is an SQLite database, expected text: sqlite3 -header -csv FILE 'SELECT ...' > OUT"},
    {"\x80\x03",          2, BINARY, "is a pickle of Python, expected text or an array: save the table with to_csv(), arrays with numpy.savez()"},
    {"\x80\x04\x95",      3, ANY,    "is a pickle of Python, expected text or an array: save the table with to_csv(), arrays with numpy.savez()"},
    {"\x80\x05\x95",      3, ANY,    "is a pickle of Python, expected text or an array: save the table with to_csv(), arrays with numpy.savez()"},
    {"RDX2\n",            5, BINARY, "is an R workspace, expected text: in R, write.csv(TABLE, OUT, row.names = FALSE)"},
    {"RDX3\n",            5, BINARY, "is an R workspace, expected text: in R, write.csv(TABLE, OUT, row.names = FALSE)"},
    {"X\n\0\0\0",         5, ANY,    "is an R object, expected text: in R, write.csv(readRDS(FILE), OUT, row.names = FALSE)"},
    {"\xd0\xcf\x11\xe0",  4, ANY,    "is a document of Excel or Word, expected text: save the sheet as CSV UTF-8"},
    {"BZh",               3, BINARY, "is a bzip2" PACKED "bunzip2"},
    {"\xfd" "7zXZ",       5, ANY,    "is an xz" PACKED "unxz"},
    {"7z\xbc\xaf",        4, ANY,    "is a 7-zip" PACKED "7z x"},
};

/* Beginnings of texts; letters in either case. */
static const struct { const char *start, *what; } texts[] = {
    {"<!doctype", "is an HTML page, expected data: was another page downloaded than meant?"},
    {"<html",     "is an HTML page, expected data: was another page downloaded than meant?"},
    {"<?xml",     "is XML, expected svmlight, CSV, TSV or PIN text: export the table as CSV"},
    {"%pdf-",     "is a PDF document, expected text: export the table as CSV"},
    {"@relation", "is an ARFF file, expected svmlight, CSV, TSV or PIN text: keep the lines below @data, and state --no-header"},
};
/* clang-format on */

static bool begins(const char *bytes, int64_t n_bytes, const mark *m)
{
    return n_bytes >= m->n && memcmp(bytes, m->bytes, (size_t)m->n) == 0 &&
           (m->rest == ANY || memchr(bytes, '\0', (size_t)n_bytes));
}

static const char *skip_space(const char *p, const char *end)
{
    while (p < end && (*p == ' ' || *p == '\t' || *p == '\r' || *p == '\n')) {
        p++;
    }
    return p;
}

/* A list or an object; names of columns may stand in brackets too. */
static bool is_json(const char *p, const char *end)
{
    const char *const inner = p < end ? skip_space(p + 1, end) : end;
    return inner < end &&
           (*p == '{' ? *inner == '"' : *p == '[' && (*inner == '{' || *inner == '['));
}

static const char *foreign_text(const char *bytes, int64_t n_bytes)
{
    const char *const end = bytes + n_bytes;
    if (n_bytes >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0) {
        bytes += 3;
    }
    const char *const p = skip_space(bytes, end);
    if (is_json(p, end)) {
        return "is JSON, expected svmlight, CSV, TSV or PIN text: convert it in Python, "
               "pandas.read_json(FILE)" TO_CSV ", with lines=True for one object per line";
    }
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        const size_t length = strlen(texts[i].start);
        if ((size_t)(end - p) >= length && strncasecmp(p, texts[i].start, length) == 0) {
            return texts[i].what;
        }
    }
    return NULL;
}

const char *ney_foreign_file(const char *bytes, int64_t n_bytes, bool format_is_stated)
{
    for (size_t i = 0; n_bytes > 0 && i < sizeof marks / sizeof *marks; i++) {
        if (begins(bytes, n_bytes, &marks[i])) {
            return marks[i].what;
        }
    }
    return n_bytes > 0 && !format_is_stated ? foreign_text(bytes, n_bytes) : NULL;
}
