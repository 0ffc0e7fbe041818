/* The rows that `qvalues` writes. */
#ifndef CLI_QVALUES_H
#define CLI_QVALUES_H

#include "levels.h"

/* The rows to write, best score first, and what the q-values come to. */
typedef struct found {
    discoveries d;
    levels levels;
    ney_ranked *item;
    int64_t n;                /* items */
    int64_t accepted, decoys; /* at or above the threshold: targets and decoys */
    double threshold, least;  /* the lowest accepted score, NAN when there is none; the least q */
} found;

/* Write the rows: Percolator's columns of a PIN file, else row, score, label and q. */
ney_status found_write(const found *f, session *s, const evidence *in, const char *path);

/* The rows as arrays, into "rows". */
void found_add_rows(const found *f, const evidence *in, ney_result *root);

#endif
