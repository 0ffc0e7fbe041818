/* Large svmlight text whose truth is known, written as fast as a pipe takes it:
 * bench_sizes ROWS COLS ENTRIES [FIRST].
 *
 * Row i, counted from 0, is positive where i % 10 < 3. Its column 1 is SIGNAL if the row is
 * positive and -SIGNAL if it is negative, except that the sign is wrong in one of 20 rows of each
 * class, where i / 10 % 20 = 7. The other ENTRIES - 1 columns hold 1, in one of PATTERNS patterns
 * that do not depend on the label. The last row is positive and has one entry, SIGNAL in column
 * COLS. So there are (ROWS - 1) ENTRIES + 1 stored entries, and sign(x1) has known errors. With
 * FIRST, rows before that one are left out. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

static int write_rows(int64_t first, int64_t rows, int64_t cols, char *const *pattern,
                      const size_t *length)
{
    for (int64_t i = first; i + 1 < rows; i++) {
        const int positive = i % 10 < 3, wrong = i / 10 % 20 == 7;
        const int64_t p = (int64_t)((uint64_t)i * 0x9e3779b97f4a7c15u >> 32) % PATTERNS;
        char head[32];
        const int n =
            sprintf(head, "%s 1:%s%d", positive ? "1" : "-1", positive == wrong ? "-" : "", SIGNAL);
        if (fwrite(head, 1, (size_t)n, stdout) != (size_t)n ||
            fwrite(pattern[p], 1, length[p], stdout) != length[p]) {
            return 1;
        }
    }
    printf("1 %" PRId64 ":%d\n", cols, SIGNAL);
    return fflush(stdout) != 0;
}

int main(int argc, char **argv)
{
    const int64_t rows = argc > 3 ? atoll(argv[1]) : 0, cols = argc > 3 ? atoll(argv[2]) : 0;
    const int64_t entries = argc > 3 ? atoll(argv[3]) : 0, first = argc > 4 ? atoll(argv[4]) : 0;
    if (rows < 1 || entries < 1 || entries > cols - 1 || first < 0) {
        fprintf(stderr, "usage: bench_sizes ROWS COLS ENTRIES [FIRST], ENTRIES below COLS\n");
        return 2;
    }
    char *pattern[PATTERNS];
    size_t length[PATTERNS];
    uint64_t state = 1;
    for (int p = 0; p < PATTERNS; p++) {
        pattern[p] = malloc((size_t)entries * 24 + 2);
        if (!pattern[p]) {
            return 1;
        }
        length[p] = write_pattern(pattern[p], cols, entries - 1, &state);
    }
    static char buffer[1 << 20];
    setvbuf(stdout, buffer, _IOFBF, sizeof buffer);
    const int failed = write_rows(first, rows, cols, pattern, length);
    for (int p = 0; p < PATTERNS; p++) {
        free(pattern[p]);
    }
    return failed;
}
