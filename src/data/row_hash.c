#include "data/row_hash.h"

#include "data/data.h"

#include <string.h>

/* The finaliser of splitmix64. */
static uint64_t mix(uint64_t z)
{
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* Zeros of either sign are one number, and not stored where rows are sparse. */
static uint64_t hash_cell(int64_t column, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return value != 0 ? mix(((uint64_t)column + 1) * UINT64_C(0x9e3779b97f4a7c15) + bits) : 0;
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
    return mix(sum);
}

uint64_t ney_data_checksum(const ney_data *data)
{
    uint64_t sum = (uint64_t)data->x.rows;
    for (int64_t i = 0; i < data->x.rows; i++) {
        sum += ney_row_hash(&data->x, i);
    }
    return sum;
}
