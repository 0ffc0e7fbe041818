/* Text in batches of whole lines, each batch cut into pieces that can be parsed side by side.
 *
 * Where the cuts fall depends on the text alone, never on the number of threads. Two batches are
 * kept, so that one can be filled while the other is being parsed. */
#ifndef NEY_DATA_LINES_H
#define NEY_DATA_LINES_H

#include "data/files.h"

#ifdef NEY_FUZZING /* so small that inputs of a few kilobytes have several */
enum { NEY_BATCH_BYTES = 1 << 10, NEY_PIECE_BYTES = 1 << 7, NEY_PIECES = 8 };
#else
enum { NEY_BATCH_BYTES = 1 << 23, NEY_PIECE_BYTES = 1 << 18, NEY_PIECES = 64 };
#endif

/* The longest line of a stream of scores. */
enum { NEY_FLOW_LINE = 1 << 20 };

/* Whole lines, the last ended by a newline like the others. At least NEY_TEXT_PAD readable bytes
 * follow. */
enum { NEY_TEXT_PAD = 16 };

typedef struct ney_piece {
    char *text, *end; /* a parser may write on its own piece */
    bool first;       /* no line of its file before it but blank ones */
    const char *run;  /* what the rows call their file: ney_files_run() */
} ney_piece;

typedef struct ney_batch {
    char *text;
    int64_t cap, filled, length; /* length: of the whole lines at its beginning */
    ney_piece piece[NEY_PIECES];
    int n_pieces; /* 0 at the end of the text */
    int64_t file; /* that its lines are of, from 0 */
    bool opens;   /* they are the first of their file */
} ney_batch;

typedef struct ney_lines {
    ney_env env;
    ney_files *files;    /* borrowed */
    int64_t batch_bytes; /* what is read at a time */
    char delimiter;      /* of fields that may be quoted, newlines in them included; 0: none may */
    bool flowing;        /* a batch is what has arrived, at least one line; none is filled ahead */
    bool single;         /* a batch is one line */
    int64_t max_line;    /* bytes of the longest line that is taken */
    bool too_long;       /* stopped at a longer one: the first of those that were not given */
    bool begun;          /* the first batch was filled */
    bool opened, ended;  /* the first batch of the file was filled; the file has no more */
    bool has_line;       /* one of the file that is not blank was given */
    int hidden;          /* bytes of a byte order mark before its first line */
    int current;         /* the batch to be parsed next */
    int64_t file;        /* of the lines that were given last */
    bool opens;          /* and they are its first */
    ney_batch batch[2];
} ney_lines;

void ney_lines_init(ney_lines *l, const ney_env *env, ney_files *files, char delimiter,
                    int64_t max_line);
void ney_lines_deinit(ney_lines *l);

/* Return lines as they arrive: a step waits for the next line only, and returns all lines that have
 * arrived, up to a batch. Before the first step. */
void ney_lines_flow(ney_lines *l);

/* The same, and a step returns one line, however many have arrived. */
void ney_lines_flow_single(ney_lines *l);

/* Start again at the first line, after the files were rewound. */
void ney_lines_restart(ney_lines *l);

/* The name of the file of the lines that were returned last. */
const char *ney_lines_file(const ney_lines *l);

/* The line that was too long, where `before` lines of the file of ney_lines_file() were returned.
 */
int64_t ney_lines_too_long(const ney_lines *l, int64_t before);

/* Parse the next batch, whose lines are of one file: parse(context, piece, slot) for each of its *n
 * pieces, side by side, while the batch after it is being filled, unless lines are returned as they
 * arrive. Pieces keep their text until the next call. *n is 0 at the end. */
ney_status ney_lines_step(ney_lines *l, void (*parse)(void *context, ney_piece piece, int slot),
                          void *context, int *n, ney_error *err);

/* Read more of the first bytes than the *n that hold no end of the first line (0 at first):
 * NEY_EPARSE where they are more than max_line. */
ney_status ney_first_bytes(ney_source *source, int64_t max_line, const char **bytes, int64_t *n,
                           ney_error *err);

/* Whether there is nothing but spaces and ends of lines. */
bool ney_is_blank(const char *text, const char *end);

/* The newline that ends the line at `text`, NULL when there is none before `end`; newlines in
 * quoted fields are passed over unless the delimiter is 0. */
const char *ney_line_end(const char *text, const char *end, char delimiter);

/* The fields of a line by the same rules; of several spaces one separates. Unsets *well_quoted
 * where a quote stands within a field or text after its closing quote. */
int64_t ney_count_fields(const char *line, const char *end, char delimiter, bool *well_quoted);

#endif
