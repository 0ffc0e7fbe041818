/* A PIN file of many matches, the same bytes everywhere: bench_psms ROWS < BASE.pin > FILE.
 *
 * The rows of the base are repeated. Each copy has its own scan numbers and peptides (three
 * residues, the number of the copy to the base 18, behind the first residue; each second copy with
 * two pairs of residues exchanged) and noise of standard deviation 0.05 in every feature. Targets
 * and decoys of one scan stay together. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_COLUMNS = 64, NOISE = 1 << 16 };

static const char residues[] = "ACDEFGHILMNPQSTVWY";

typedef struct base_row {
    char *text; /* cut at tabs */
    char *cell[MOST_COLUMNS];
    double number[MOST_COLUMNS];
} base_row;

typedef struct base {
    char *header;
    int columns, scan, mass, peptide;
    base_row *row;
    int64_t n;
} base;

static uint64_t next(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* The sum of twelve uniform numbers is nearly normal, and the same on every machine. */
static double nearly_normal(uint64_t *state)
{
    double sum = -6;
    for (int k = 0; k < 12; k++) {
        sum += (double)(next(state) >> 11) * 0x1p-53;
    }
    return sum;
}

/* Cut at most `columns` cells; the rest of the line is in the last one. Returns how many. */
static int cut(char *line, char **cell, int columns)
{
    int n = 0;
    line[strcspn(line, "\r\n")] = '\0';
    for (char *at = line; at && n < columns; n++) {
        cell[n] = at;
        char *const tab = n + 1 < columns ? strchr(at, '\t') : NULL;
        if (tab) {
            *tab = '\0';
        }
        at = tab ? tab + 1 : NULL;
    }
    return n;
}

static int find(char *const *name, int n, const char *wanted)
{
    for (int k = 0; k < n; k++) {
        if (strcmp(name[k], wanted) == 0) {
            return k;
        }
    }
    fprintf(stderr, "bench_psms: the base has no column %s\n", wanted);
    exit(2);
}

static void read_base(base *b)
{
    char *line = NULL, *name[MOST_COLUMNS];
    size_t bytes = 0;
    int64_t cap = 0;
    if (getline(&line, &bytes, stdin) < 0) {
        exit(2);
    }
    b->header = strdup(line);
    b->columns = cut(line, name, MOST_COLUMNS);
    b->scan = find(name, b->columns, "ScanNr");
    b->mass = find(name, b->columns, "ExpMass");
    b->peptide = find(name, b->columns, "Peptide");
    while (getline(&line, &bytes, stdin) >= 0) {
        if (strncmp(line, "DefaultDirection", 16) == 0) {
            continue;
        }
        if (b->n == cap) {
            cap = 2 * cap + 1024;
            b->row = realloc(b->row, (size_t)cap * sizeof *b->row);
        }
        base_row *const r = b->row ? &b->row[b->n++] : NULL;
        if (!r || !(r->text = strdup(line)) || cut(r->text, r->cell, b->columns) <= b->peptide) {
            exit(2);
        }
        for (int c = b->mass + 1; c < b->peptide; c++) {
            r->number[c] = strtod(r->cell[c], NULL);
        }
    }
    free(line);
}

/* Other residues for the same length and tryptic ends. */
static void put_peptide(const char *text, int64_t copy)
{
    static const char from[] = "ACWY", to[] = "CAYW";
    if (copy == 0) {
        fputs(text, stdout);
        return;
    }
    for (int k = 0; text[k]; k++) {
        if (k == 3) {
            putchar(residues[copy % 18]);
            putchar(residues[copy / 18 % 18]);
            putchar(residues[copy / 324 % 18]);
        }
        const char *const at = copy & 1 && k >= 3 ? strchr(from, text[k]) : NULL;
        putchar(at ? to[at - from] : text[k]);
    }
}

static void put_row(const base *b, int64_t k, const double *noise, uint64_t *state)
{
    const int64_t copy = k / b->n;
    const base_row *const r = &b->row[k % b->n];
    uint64_t at = next(state);
    for (int c = 0; c < b->columns && r->cell[c]; c++) {
        if (c > 0) {
            putchar('\t');
        }
        if (c == 0) {
            printf("r%" PRId64, k);
        } else if (c == b->scan) {
            printf("%lld", atoll(r->cell[c]) + 100000 * (long long)copy);
        } else if (c == b->peptide) {
            put_peptide(r->cell[c], copy);
        } else if (c > b->mass && c < b->peptide) {
            printf("%.5g", r->number[c] + noise[(at + 31 * (uint64_t)c) % NOISE]);
        } else {
            fputs(r->cell[c], stdout);
        }
    }
    putchar('\n');
}

int main(int argc, char **argv)
{
    static double noise[NOISE];
    base b = {0};
    uint64_t state = 1;
    if (argc != 2) {
        fprintf(stderr, "usage: bench_psms ROWS < BASE.pin > FILE\n");
        return 2;
    }
    read_base(&b);
    for (int k = 0; k < NOISE; k++) {
        noise[k] = 0.05 * nearly_normal(&state);
    }
    fputs(b.header, stdout);
    for (int64_t k = 0, n = atoll(argv[1]); k < n && b.n > 0; k++) {
        put_row(&b, k, noise, &state);
    }
    return ferror(stdout) != 0;
}
