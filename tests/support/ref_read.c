#include "support/ref_read.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *copy_of(const char *text, size_t n)
{
    char *copy = malloc(n + 1);
    if (!copy) {
        abort();
    }
    memcpy(copy, text, n);
    copy[n] = '\0';
    return copy;
}

static void *bigger(void *block, size_t bytes)
{
    void *moved = realloc(block, bytes);
    if (!moved) {
        abort();
    }
    return moved;
}

bool ref_missing(const char *cell)
{
    return strcmp(cell, "") == 0 || strcmp(cell, "NA") == 0 || strcmp(cell, "?") == 0;
}

static char *trimmed(const char *from, const char *to)
{
    while (from < to && strchr(" \t\r", *from)) {
        from++;
    }
    while (to > from && strchr(" \t\r", to[-1])) {
        to--;
    }
    return copy_of(from, (size_t)(to - from));
}

/* One field at *at; it is left at the delimiter or newline behind it. */
static char *take_field(const char **at, const char *end, char delimiter, bool quotes)
{
    const char *p = *at;
    while (p < end && (*p == ' ' || *p == '\r')) {
        p++;
    }
    if (quotes && p < end && *p == '"') {
        char *field = malloc((size_t)(end - p) + 1), *to = field;
        for (p++; p < end && (*p != '"' || (p + 1 < end && p[1] == '"')); p++) {
            p += *p == '"';
            *to++ = *p;
        }
        *to = '\0';
        for (p++; p < end && *p != delimiter && *p != '\n'; p++) {
        }
        *at = p;
        return field;
    }
    while (p < end && *p != delimiter && *p != '\n') {
        p++;
    }
    char *field = trimmed(*at, p);
    *at = p;
    return field;
}

static bool only_blanks(const char *p, const char *end)
{
    while (p < end && (*p == ' ' || *p == '\r')) {
        p++;
    }
    return p == end || *p == '\n';
}

ref_table ref_read_table(const char *bytes, size_t n, char delimiter, bool pin)
{
    ref_table t = {0};
    const char *p = bytes, *end = bytes + n;
    int64_t line = 1;
    if (n >= 3 && memcmp(p, "\xef\xbb\xbf", 3) == 0) {
        p += 3;
    }
    while (p < end) {
        const char *begin = p;
        if (only_blanks(p, end) || (pin && strncmp(p, "DefaultDirection", 16) == 0)) {
            while (p < end && *p != '\n') {
                p++;
            }
            p++;
            line++;
            continue;
        }
        char *field[REF_MOST_COLS];
        int64_t k = 0;
        for (;; p++) {
            const char stop = pin && t.name && k + 1 == t.cols ? '\n' : delimiter;
            field[k++] = take_field(&p, end, stop, !pin);
            if (p >= end || *p == '\n') {
                break;
            }
        }
        if (!t.name) {
            t.cols = k;
            t.name = bigger(NULL, (size_t)k * sizeof *t.name);
            memcpy(t.name, field, (size_t)k * sizeof *t.name);
        } else {
            if (k != t.cols) {
                abort();
            }
            t.cell = bigger(t.cell, (size_t)((t.rows + 1) * k) * sizeof *t.cell);
            t.line = bigger(t.line, (size_t)(t.rows + 1) * sizeof *t.line);
            memcpy(t.cell + t.rows * k, field, (size_t)k * sizeof *t.cell);
            t.line[t.rows++] = line;
        }
        for (; begin <= p && begin < end; begin++) {
            line += *begin == '\n';
        }
        p++;
    }
    return t;
}

void ref_table_free(ref_table *t)
{
    for (int64_t i = 0; i < t->rows * t->cols; i++) {
        free(t->cell[i]);
    }
    for (int64_t i = 0; i < t->cols; i++) {
        free(t->name[i]);
    }
    free(t->cell);
    free(t->name);
    free(t->line);
    *t = (ref_table){0};
}

static void svm_word(ref_svm *t, char *word, int64_t base, bool first)
{
    char *colon = strchr(word, ':');
    if (!colon) {
        if (!first) {
            abort();
        }
        t->label[t->rows] = copy_of(word, strlen(word));
        return;
    }
    *colon = '\0';
    const double value = strtod(colon + 1, NULL);
    if (strcmp(word, "cost") == 0) {
        t->weight[t->rows] = value;
    } else if (strcmp(word, "qid") != 0 && strcmp(word, "sid") != 0) {
        const int64_t c = atoll(word) - base;
        t->x[t->rows * REF_MOST_COLS + c] = value;
        t->cols = c + 1 > t->cols ? c + 1 : t->cols;
    }
}

ref_svm ref_read_svm(const char *bytes, size_t n, bool zero_based)
{
    ref_svm t = {0};
    const char *p = bytes, *end = bytes + n;
    if (n >= 3 && memcmp(p, "\xef\xbb\xbf", 3) == 0) {
        p += 3;
    }
    while (p < end) {
        const char *newline = memchr(p, '\n', (size_t)(end - p));
        const char *stop = newline ? newline : end;
        char *line = copy_of(p, (size_t)(stop - p)), *save = NULL;
        line[strcspn(line, "#")] = '\0';
        char *word = strtok_r(line, " \t\r", &save);
        if (word) {
            const size_t rows = (size_t)t.rows + 1;
            t.x = bigger(t.x, rows * REF_MOST_COLS * sizeof *t.x);
            t.label = bigger(t.label, rows * sizeof *t.label);
            t.weight = bigger(t.weight, rows * sizeof *t.weight);
            memset(t.x + t.rows * REF_MOST_COLS, 0, REF_MOST_COLS * sizeof *t.x);
            t.label[t.rows] = NULL;
            t.weight[t.rows] = 1;
            for (bool first = true; word; word = strtok_r(NULL, " \t\r", &save), first = false) {
                svm_word(&t, word, zero_based ? 0 : 1, first);
            }
            if (!t.label[t.rows]) {
                t.label[t.rows] = copy_of("", 0);
            }
            t.rows++;
        }
        free(line);
        p = stop + 1;
    }
    return t;
}

void ref_svm_free(ref_svm *t)
{
    for (int64_t i = 0; i < t->rows; i++) {
        free(t->label[i]);
    }
    free(t->x);
    free(t->label);
    free(t->weight);
    *t = (ref_svm){0};
}
