#include "data/lines.h"

#include "base/parallel.h"
#include "data/delimiter.h"

#include <string.h>

enum { SINGLE_BYTES = 1 << 16 }; /* that are read at a time where lines are given one by one */

void ney_lines_init(ney_lines *l, const ney_env *env, ney_files *files, char delimiter,
                    int64_t max_line)
{
    *l = (ney_lines){.env = *env,
                     .files = files,
                     .batch_bytes = NEY_BATCH_BYTES,
                     .delimiter = delimiter,
                     .max_line = max_line};
}

void ney_lines_deinit(ney_lines *l)
{
    ney_release(&l->env, l->batch[0].text);
    ney_release(&l->env, l->batch[1].text);
    l->batch[0].text = l->batch[1].text = NULL;
}

void ney_lines_flow(ney_lines *l)
{
    l->flowing = true;
    ney_files_flow(l->files);
}

void ney_lines_flow_single(ney_lines *l)
{
    ney_lines_flow(l);
    l->single = true;
    l->batch_bytes = SINGLE_BYTES;
}

void ney_lines_restart(ney_lines *l)
{
    l->begun = l->opened = l->has_line = l->ended = l->opens = false;
    l->current = l->hidden = 0;
    l->file = 0;
    for (int i = 0; i < 2; i++) {
        l->batch[i].filled = l->batch[i].length = 0;
        l->batch[i].n_pieces = 0;
    }
}

const char *ney_lines_file(const ney_lines *l)
{
    return ney_files_name(l->files, l->file);
}

int64_t ney_lines_too_long(const ney_lines *l, int64_t before)
{
    return ney_files_position(l->files) == l->file ? before + 1 : 1;
}

static const char *last_newline(const char *text, int64_t length)
{
    for (const char *p = text + length; p > text; p--) {
        if (p[-1] == '\n') {
            return p - 1;
        }
    }
    return NULL;
}

static void add_piece(ney_batch *b, const char *end)
{
    char *begin = b->n_pieces ? b->piece[b->n_pieces - 1].end : b->text;
    b->piece[b->n_pieces++] = (ney_piece){begin, begin + (end - begin), false, NULL};
}

/* Pieces of about equal size, cut at newlines of the first n bytes. */
static void cut_plain(ney_batch *b, int64_t n)
{
    const char *last = last_newline(b->text, n);
    if (!last) {
        return;
    }
    const char *end = last + 1;
    const int64_t fair = (end - b->text) / NEY_PIECES + 1;
    const int64_t size = fair > NEY_PIECE_BYTES ? fair : NEY_PIECE_BYTES;
    for (const char *at = b->text; at < end;) {
        const char *cut = end;
        if (end - at > size) {
            const char *newline = memchr(at + size, '\n', (size_t)(end - at - size));
            cut = newline ? newline + 1 : end;
        }
        add_piece(b, cut);
        at = cut;
    }
}

/* The state of a reader of quoted fields. A quote opens only at the start of a field; inside, two
 * quotes mean one. */
typedef enum quoting { START, PLAIN, QUOTED, CLOSED } quoting;

static inline quoting after(quoting state, char c, char delimiter)
{
    if (state == QUOTED) {
        return c == '"' ? CLOSED : QUOTED;
    }
    if (c == '"') {
        return state == START || state == CLOSED ? QUOTED : PLAIN;
    }
    if (c == '\n' || c == delimiter) {
        return START;
    }
    return state == START && (c == ' ' || c == '\r') ? START : PLAIN;
}

const char *ney_line_end(const char *text, const char *end, char delimiter)
{
    quoting state = START;
    for (const char *p = text; p < end; p++) {
        if (*p == '\n' && state != QUOTED) {
            return p;
        }
        state = delimiter ? after(state, *p, delimiter) : PLAIN;
    }
    return NULL;
}

int64_t ney_count_fields(const char *line, const char *end, char delimiter, bool *well_quoted)
{
    quoting state = START;
    int64_t n = 1;
    for (const char *p = line; p < end; p++) {
        const bool is_quote = *p == '"', ends = *p == delimiter && state != QUOTED;
        const bool is_blank = *p == ' ' || *p == '\r' || *p == '\n';
        if (state == PLAIN ? is_quote : state == CLOSED && !is_quote && !ends && !is_blank) {
            *well_quoted = false;
        }
        n += ends && !(delimiter == ' ' && (p == line || p[-1] == ' '));
        state = after(state, *p, delimiter);
    }
    return n;
}

/* The same when fields may be quoted: only a scan from the beginning finds the newline that ends a
 * line. */
static void cut_quoted(ney_batch *b, int64_t n, char delimiter)
{
    quoting state = START;
    const int64_t fair = n / (NEY_PIECES - 2) + 1;
    const int64_t size = fair > NEY_PIECE_BYTES ? fair : NEY_PIECE_BYTES;
    const char *end = b->text + n, *last = NULL, *piece = b->text;

    for (const char *p = b->text; p < end; p++) {
        if (*p == '\n' && state != QUOTED) {
            last = p + 1;
            if (last - piece >= size) {
                add_piece(b, last);
                piece = last;
            }
        }
        state = after(state, *p, delimiter);
    }
    if (last && last > piece) {
        add_piece(b, last);
    }
}

bool ney_is_blank(const char *text, const char *end)
{
    while (text < end && (*text == ' ' || *text == '\r' || *text == '\n')) {
        text++;
    }
    return text == end;
}

/* A byte order mark in front of a file says nothing, and a quote after it opens a field. A line
 * that states the delimiter of a table is no row. */
static void hide_order_mark(ney_lines *l, ney_batch *b)
{
    static const char mark[] = {'\xef', '\xbb', '\xbf'};
    char delimiter;
    if (l->opened) {
        return;
    }
    if (b->filled >= (int64_t)sizeof mark && memcmp(b->text, mark, sizeof mark) == 0) {
        memset(b->text, ' ', sizeof mark);
        l->hidden = sizeof mark;
    }
    if (l->delimiter) {
        char *const at = b->text + l->hidden;
        memset(at, ' ', (size_t)ney_delimiter_line(at, b->text + b->filled, &delimiter));
    }
}

/* Mark pieces with their file, and those up to the first that has a line. */
static void mark_first(ney_lines *l, ney_batch *b)
{
    b->file = ney_files_position(l->files);
    b->opens = !l->opened;
    for (int k = 0; k < b->n_pieces; k++) {
        b->piece[k].run = ney_files_run(l->files, b->file);
    }
    if (b->opens && b->n_pieces > 0) {
        b->piece[0].text += l->hidden;
    }
    for (int k = 0; k < b->n_pieces && !l->has_line; k++) {
        b->piece[k].first = true;
        l->has_line = !ney_is_blank(b->piece[k].text, b->piece[k].end);
    }
}

/* The first line alone. */
static void cut_single(ney_batch *b, int64_t n, char delimiter)
{
    const char *newline = ney_line_end(b->text, b->text + n, delimiter);
    if (newline) {
        add_piece(b, newline + 1);
    }
}

static void cut(ney_lines *l, ney_batch *b, int64_t n)
{
    b->n_pieces = 0;
    if (l->single) {
        cut_single(b, n, l->delimiter);
    } else if (l->delimiter && memchr(b->text, '"', (size_t)n)) {
        cut_quoted(b, n, l->delimiter);
    } else {
        cut_plain(b, n);
    }
    b->length = b->n_pieces ? b->piece[b->n_pieces - 1].end - b->text : 0;
}

/* The bytes before the first line that is too long; all of them where none is. */
static int64_t before_long_line(const ney_lines *l, const ney_batch *b)
{
    const char *at = b->text, *const end = b->text + b->filled;
    while (end - at > l->max_line) {
        const char *newline = ney_line_end(at, end, l->delimiter);
        if ((newline ? newline : end) - at > l->max_line) {
            return at - b->text;
        }
        at = newline + 1;
    }
    return b->filled;
}

static ney_status fail_long(const ney_source *source, int64_t line, int64_t max_line, bool quoted,
                            ney_error *err)
{
    return ney_fail_at(err, NEY_EPARSE, (ney_place){ney_source_name(source), line, 0},
                       "found a line of more than %lld bytes, expected a shorter one%s%s",
                       (long long)max_line, quoted ? " (is a quote left open?)" : "",
                       max_line == NEY_FLOW_LINE ? ""
                                                 : ": raise --max-line if the line is correct");
}

ney_status ney_first_bytes(ney_source *source, int64_t max_line, const char **bytes, int64_t *n,
                           ney_error *err)
{
    if (*n > max_line) {
        return fail_long(source, 1, max_line, false, err);
    }
    const int64_t ready = ney_source_ready(source), more = *n ? 2 * *n : 1 << 16;
    const int64_t want = ready > *n ? ready : more;
    return ney_source_peek(source, want < max_line ? want : max_line + 1, bytes, n, err);
}

/* The text ends here: give its last line the newline it may lack, and take all there is. */
static void finish_batch(ney_batch *b)
{
    if (b->filled > 0 && b->text[b->filled - 1] != '\n') {
        b->text[b->filled++] = '\n';
    }
}

/* Read up to `want` bytes in all. */
static ney_status read_more(ney_lines *l, ney_batch *b, int64_t want, ney_error *err)
{
    int64_t got = 0;
    const ney_status st = ney_source_read(ney_files_source(l->files), b->text + b->filled,
                                          want - b->filled, &got, err);
    if (st != NEY_OK) {
        return st;
    }
    b->filled += got;
    if (l->flowing ? got == 0 : b->filled < want) {
        l->ended = true;
        finish_batch(b);
    }
    return NEY_OK;
}

/* Whether what is there already has a line, where one is enough. */
static bool has_enough(const ney_lines *l, const ney_batch *b)
{
    return l->single && (l->ended || ney_line_end(b->text, b->text + b->filled, l->delimiter));
}

/* Fill batch `which` with the text of the file that follows the other batch. */
static ney_status fill_from_file(ney_lines *l, int which, ney_error *err)
{
    ney_batch *b = &l->batch[which];
    const ney_batch *before = &l->batch[1 - which];
    const int64_t carried = l->opened ? before->filled - before->length : 0;
    const int64_t spare = NEY_TEXT_PAD + 1; /* for finish_batch() and for scans that read ahead */
    int64_t want = l->batch_bytes + carried;

    b->filled = b->length = 0;
    b->n_pieces = 0;
    if (l->ended && carried == 0) {
        return NEY_OK;
    }
    for (;;) {
        if (!ney_grow(&l->env, &b->text, &b->cap, want + spare, 1)) {
            return ney_no_memory(err, want, "bytes of text");
        }
        if (b->filled == 0 && carried > 0) {
            memcpy(b->text, before->text + before->length, (size_t)carried);
            b->filled = carried;
        }
        if (!has_enough(l, b)) {
            const ney_status st = read_more(l, b, want, err);
            if (st != NEY_OK) {
                return st;
            }
        }
        memset(b->text + b->filled, 0, NEY_TEXT_PAD);
        hide_order_mark(l, b);
        const int64_t whole = before_long_line(l, b);
        if (whole == 0 && b->filled > 0) {
            l->too_long = true;
            return fail_long(ney_files_source(l->files), 0, l->max_line,
                             memchr(b->text, '"', (size_t)b->filled) && l->delimiter, err);
        }
        cut(l, b, whole);
        if (l->ended && whole == b->filled && b->length < whole &&
            !(l->single && b->n_pieces > 0)) { /* an open quote runs to the end of the text */
            add_piece(b, b->text + b->filled);
            b->length = b->filled;
        }
        if (b->n_pieces > 0 || l->ended) {
            mark_first(l, b);
            l->begun = l->opened = true;
            return NEY_OK;
        }
        if (b->filled == want) { /* one line fills the whole batch */
            want = 2 * want < l->max_line ? 2 * want : l->max_line + 1;
        }
    }
}

/* Fill batch `which` with the text that follows the other batch, of the next file where this one
 * has no more. */
static ney_status fill_batch(ney_lines *l, int which, ney_error *err)
{
    bool more = true;
    ney_status st = fill_from_file(l, which, err);

    while (st == NEY_OK && more && l->batch[which].n_pieces == 0) {
        if ((st = ney_files_next(l->files, &more, err)) == NEY_OK && more) {
            l->opened = l->has_line = l->ended = false;
            l->hidden = 0;
            st = fill_from_file(l, which, err);
        }
    }
    return st;
}

typedef struct step {
    ney_lines *lines;
    void (*parse)(void *context, ney_piece piece, int slot);
    void *context;
    ney_status status; /* of filling */
    ney_error *err;
} step;

static void step_body(void *context, int64_t i, int thread)
{
    step *s = context;
    ney_lines *l = s->lines;
    (void)thread;
    if (i == 0) { /* first, because reading is the part that waits */
        s->status = fill_batch(l, 1 - l->current, s->err);
    } else {
        s->parse(s->context, l->batch[l->current].piece[i - 1], (int)i - 1);
    }
}

static void parse_body(void *context, int64_t i, int thread)
{
    step *s = context;
    (void)thread;
    s->parse(s->context, s->lines->batch[s->lines->current].piece[i], (int)i);
}

/* The next lines that come, and nothing ahead of them. */
static ney_status step_flowing(step *s, int *n)
{
    ney_lines *l = s->lines;
    const int next = l->begun ? 1 - l->current : 0;
    const ney_status st = fill_batch(l, next, s->err);

    if (st != NEY_OK) {
        return st;
    }
    l->current = next;
    *n = l->batch[next].n_pieces;
    l->file = l->batch[next].file;
    l->opens = l->batch[next].opens;
    ney_parallel_for(&l->env, *n, parse_body, s);
    return NEY_OK;
}

ney_status ney_lines_step(ney_lines *l, void (*parse)(void *context, ney_piece piece, int slot),
                          void *context, int *n, ney_error *err)
{
    step s = {.lines = l, .parse = parse, .context = context, .err = err};

    *n = 0;
    if (l->flowing) {
        return step_flowing(&s, n);
    }
    if (!l->begun) {
        s.status = fill_batch(l, 0, err);
        l->current = 0;
        if (s.status != NEY_OK) {
            return s.status;
        }
    }
    const int n_pieces = l->batch[l->current].n_pieces;
    if (n_pieces == 0) {
        return NEY_OK;
    }
    l->file = l->batch[l->current].file;
    l->opens = l->batch[l->current].opens;
    ney_parallel_for(&l->env, n_pieces + 1, step_body, &s);
    l->current = 1 - l->current;
    *n = n_pieces;
    return s.status;
}
