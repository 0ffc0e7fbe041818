/* Slow, plain readers to judge the fast ones by: one cell a string, numbers by strtod. */
#ifndef TEST_REF_READ_H
#define TEST_REF_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { REF_MOST_COLS = 64 };

/* A table of strings, header excluded. */
typedef struct ref_table {
    int64_t rows, cols;
    char **name;   /* of the columns */
    char **cell;   /* rows x cols */
    int64_t *line; /* where each row begins, from 1 */
} ref_table;

/* delimiter ',' or '\t'; pin: no quotes, extra tabs belong to the last column, DefaultDirection
 * rows are passed over. */
ref_table ref_read_table(const char *bytes, size_t n, char delimiter, bool pin);
void ref_table_free(ref_table *t);
bool ref_missing(const char *cell);

/* svmlight text, dense. */
typedef struct ref_svm {
    int64_t rows, cols;
    double *x;    /* rows x REF_MOST_COLS */
    char **label; /* "" where there is none */
    double *weight;
} ref_svm;

ref_svm ref_read_svm(const char *bytes, size_t n, bool zero_based);
void ref_svm_free(ref_svm *t);

#endif
