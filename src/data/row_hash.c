#include "data/row_hash.h"

#include <string.h>

/* The finaliser of splitmix64. */
static uint64_t mix(uint64_t z)
{
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* Zeros of either sign are one number, and not stored where rows are sparse. One multiplication per
 * cell: a bijection of 64 bits, whose high bits depend on all of them; mix() ends the row. */
static uint64_t hash_cell(int64_t column, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    uint64_t z = ((uint64_t)column + 1) * UINT64_C(0x9e3779b97f4a7c15) + bits;
    z = (z ^ (z >> 29)) * UINT64_C(0xbf58476d1ce4e5b9);
    return value != 0 ? z ^ (z >> 32) : 0;
}

uint64_t ney_row_hash(const ney_matrix *x, int64_t row)
{
    uint64_t sum = 1;
    if (x->dense) {
        const float *const value = x->dense + row * x->cols;
        for (int64_t c = 0; c < x->cols; c++) {
            sum += hash_cell(c, value[c]);
        }
    } else {
        for (int64_t k = x->start[row]; k < x->start[row + 1]; k++) {
            sum += hash_cell(x->index[k], x->value[k]);
        }
    }
    const uint64_t hash = mix(sum);
    return hash < UINT64_MAX ? hash : 0;
}

uint64_t ney_rows_checksum(const ney_matrix *x)
{
    uint64_t sum = (uint64_t)x->rows;
    for (int64_t i = 0; i < x->rows; i++) {
        sum += ney_row_hash(x, i);
    }
    return sum;
}
