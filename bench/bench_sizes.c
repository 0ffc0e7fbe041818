/* Large svmlight text whose truth is known, written as fast as a pipe takes it:
 * bench_sizes ROWS COLS ENTRIES [CACHE].
 *
 * Row i, counted from 0, is positive where i % 10 < 3. Its column 1 is SIGNAL if the row is
 * positive and -SIGNAL if it is negative, except that the sign is wrong in one of 20 rows of each
 * class, where i / 10 % 20 = 7. Of the columns 2 .. COLS - 1, ENTRIES - 1 hold 1, in one of
 * PATTERNS patterns that do not depend on the label. The last row is positive and has one entry,
 * SIGNAL in column COLS. So there are (ROWS - 1) ENTRIES + 1 stored entries. With CACHE nothing is
 * written: every row of that file is compared with these rules. */
#include <neyman/experimental.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { PATTERNS = 1021, SIGNAL = 64 };

static uint64_t next(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* " COLUMN:1" for n of the columns 2 .. cols - 1, each set equally likely, and a newline. */
static size_t write_pattern(char *to, int64_t cols, int64_t n, uint64_t *state)
{
    size_t length = 0;
    for (int64_t c = 2; c < cols; c++) {
        const int64_t left = cols - c;
        if ((int64_t)(next(state) % (uint64_t)left) < n) {
            length += (size_t)sprintf(to + length, " %" PRId64 ":1", c);
            n--;
        }
    }
    to[length++] = '\n';
    return length;
}

static int label_of(int64_t i)
{
    return i % 10 < 3 ? 1 : -1;
}

static int signal_of(int64_t i)
{
    return i / 10 % 20 == 7 ? -SIGNAL * label_of(i) : SIGNAL * label_of(i);
}

static int write_rows(int64_t rows, int64_t cols, char *const *pattern, const size_t *length)
{
    for (int64_t i = 0; i + 1 < rows; i++) {
        const int64_t p = (int64_t)((uint64_t)i * 0x9e3779b97f4a7c15u >> 32) % PATTERNS;
        char head[32];
        const int n = sprintf(head, "%d 1:%d", label_of(i), signal_of(i));
        if (fwrite(head, 1, (size_t)n, stdout) != (size_t)n ||
            fwrite(pattern[p], 1, length[p], stdout) != length[p]) {
            return 1;
        }
    }
    printf("1 %" PRId64 ":%d\n", cols, SIGNAL);
    return fflush(stdout) != 0;
}

static int generate(int64_t rows, int64_t cols, int64_t entries)
{
    static char buffer[1 << 20];
    char *pattern[PATTERNS] = {0};
    size_t length[PATTERNS];
    uint64_t state = 1;
    int failed = 0;
    for (int p = 0; p < PATTERNS && !failed; p++) {
        pattern[p] = malloc((size_t)entries * 24 + 2);
        failed = !pattern[p];
        length[p] = failed ? 0 : write_pattern(pattern[p], cols, entries - 1, &state);
    }
    setvbuf(stdout, buffer, _IOFBF, sizeof buffer);
    failed = failed || write_rows(rows, cols, pattern, length);
    for (int p = 0; p < PATTERNS; p++) {
        free(pattern[p]);
    }
    return failed;
}

/* What is stored of a row: how many cells are not 0, their sum, and the first of them. */
typedef struct stored {
    int64_t n, first;
    double sum, first_value;
} stored;

static void add_cell(stored *s, int64_t column, float value)
{
    if (value != 0) {
        s->first = s->n == 0 ? column : s->first;
        s->first_value = s->n == 0 ? (double)value : s->first_value;
        s->sum += (double)value;
        s->n++;
    }
}

static stored look_at(const ney_matrix *x, int64_t row)
{
    stored s = {0};
    if (x->dense) {
        for (int64_t c = 0; c < x->cols; c++) {
            add_cell(&s, c, x->dense[row * x->cols + c]);
        }
    } else {
        for (int64_t k = x->start[row]; k < x->start[row + 1]; k++) {
            add_cell(&s, x->index[k], x->value[k]);
        }
    }
    return s;
}

/* Rows of a block that are not as they were generated; counts entries. */
static int64_t count_wrong(const ney_block *b, int64_t rows, int64_t cols, int64_t entries,
                           int64_t *n)
{
    int64_t wrong = 0;
    for (int64_t r = 0; r < b->x.rows; r++) {
        const int64_t i = b->first_row + r;
        const stored s = look_at(&b->x, r);
        const int right =
            i == rows - 1
                ? s.n == 1 && s.first == cols - 1 && s.first_value == SIGNAL && b->label[r] == 1
                : s.n == entries && s.first == 0 && s.first_value == signal_of(i) &&
                      s.sum == (double)(signal_of(i) + entries - 1) && b->label[r] == label_of(i);
        wrong += !right;
        *n += s.n;
    }
    return wrong;
}

static int check(const char *path, int64_t rows, int64_t cols, int64_t entries)
{
    ney_cache *c;
    ney_block b;
    ney_error err;
    int64_t wrong = 0, n = 0, seen = 0;
    ney_status st = ney_cache_open(&c, NULL, path, &err);
    const int64_t blocks = st == NEY_OK ? ney_cache_blocks(c) : 0;
    for (int64_t k = 0; k < blocks && st == NEY_OK; k++) {
        if ((st = ney_cache_block(c, k, &b, &err)) == NEY_OK) {
            wrong += count_wrong(&b, rows, cols, entries, &n);
            seen += b.x.rows;
        }
    }
    ney_cache_close(c);
    if (st != NEY_OK) {
        fprintf(stderr, "bench_sizes: %s: %s\n", path, err.message);
        return 1;
    }
    printf("%" PRId64 " rows, %" PRId64 " entries, %" PRId64 " wrong rows\n", seen, n, wrong);
    return wrong > 0 || seen != rows || n != (rows - 1) * entries + 1;
}

int main(int argc, char **argv)
{
    const int64_t rows = argc > 3 ? atoll(argv[1]) : 0, cols = argc > 3 ? atoll(argv[2]) : 0;
    const int64_t entries = argc > 3 ? atoll(argv[3]) : 0;
    if (rows < 1 || entries < 1 || entries > cols - 1) {
        fprintf(stderr, "usage: bench_sizes ROWS COLS ENTRIES [CACHE], ENTRIES below COLS\n");
        return 2;
    }
    return argc > 4 ? check(argv[4], rows, cols, entries) : generate(rows, cols, entries);
}
