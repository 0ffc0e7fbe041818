/* A sketch of a set of rows, of bounded size whatever their number: the smallest of their hashes,
 * each with the number of rows that have it. It does not depend on the order of the rows, and a
 * sketch to which further rows are added is that of all of them. */
#ifndef NEY_DATA_ROW_SKETCH_H
#define NEY_DATA_ROW_SKETCH_H

#include "base/env.h"

enum { NEY_SKETCH_MOST = 4096 }; /* hashes that are kept */

#define NEY_SKETCH_ALL UINT64_MAX

typedef struct ney_hash_count {
    uint64_t hash;
    int64_t count;
} ney_hash_count;

typedef struct ney_row_sketch {
    ney_env env;
    int64_t rows;          /* that were added */
    uint64_t checksum;     /* ney_rows_checksum() of the rows of ney_row_sketch_add() */
    uint64_t cut;          /* rows whose hash is below are counted; NEY_SKETCH_ALL: all rows */
    ney_hash_count *entry; /* after ney_row_sketch_sort() ascending, each hash once */
    int64_t n, cap;
    bool no_memory; /* an addition found none; all later ones are ignored */
} ney_row_sketch;

void ney_row_sketch_init(ney_row_sketch *s, const ney_env *env);
void ney_row_sketch_deinit(ney_row_sketch *s);

void ney_row_sketch_add(ney_row_sketch *s, const ney_matrix *x);

/* Add the rows of another sketch, which is sorted. */
void ney_row_sketch_merge(ney_row_sketch *s, const ney_row_sketch *other);

/* After the last addition. */
ney_status ney_row_sketch_sort(ney_row_sketch *s, ney_error *err);

/* How many rows have a hash, in a sorted sketch; 0 for one that is not kept. */
int64_t ney_row_sketch_count(const ney_row_sketch *s, uint64_t hash);

#endif
