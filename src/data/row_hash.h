/* A hash of the features of a row: the same for the same features in any storage. Labels and
 * weights take no part. It is never UINT64_MAX. */
#ifndef NEY_DATA_ROW_HASH_H
#define NEY_DATA_ROW_HASH_H

#include <neyman/experimental.h>

uint64_t ney_row_hash(const ney_matrix *x, int64_t row);

/* A checksum of all rows: the same for the same rows in any order. */
uint64_t ney_rows_checksum(const ney_matrix *x);

#endif
