#include "base/checksum.h"

#include <xxhash.h>

#include <stdio.h>
#include <string.h>

enum { END_LENGTH = 4 + 16 + 1 /* "end ", the digits, the newline */ };

static void end_line(const char *bytes, size_t n_bytes, char out[END_LENGTH + 1])
{
    snprintf(out, END_LENGTH + 1, "end %016llx\n", (unsigned long long)XXH3_64bits(bytes, n_bytes));
}

void ney_checksum_append(ney_text *t)
{
    char end[END_LENGTH + 1];
    if (!t->failed) {
        end_line(t->bytes, (size_t)t->length, end);
        ney_text_put(t, end);
    }
}

/* A failure of the file, not of a line. */
static void fail_file(ney_fields *f, const char *what)
{
    f->status = ney_fail_at(f->err, NEY_EFORMAT, (ney_place){.file = f->file}, "%s", what);
}

void ney_checksum_begin(ney_fields *f, const char *magic, const char *what, int newest)
{
    const char *const text = f->at;
    char expected[END_LENGTH + 1];
    ney_fields_version(f, magic, what, newest);
    if (f->status != NEY_OK) {
        return;
    }
    const char *const end = f->end - f->at >= END_LENGTH ? f->end - END_LENGTH : f->at;
    if (f->end - end != END_LENGTH || end[-1] != '\n' || memcmp(end, "end ", 4) != 0 ||
        f->end[-1] != '\n') {
        fail_file(f, "the file is truncated: its last line is not 'end' and a checksum");
        return;
    }
    end_line(text, (size_t)(end - text), expected);
    if (memcmp(end, expected, END_LENGTH) != 0) {
        fail_file(f, "the file is damaged: its content does not match its checksum");
        return;
    }
    f->end = end;
}
