#include "data/fingerprint.h"

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

uint64_t ney_data_fingerprint(const ney_data *data)
{
    const ney_matrix *const x = &data->x;
    uint64_t sum = (uint64_t)x->rows;
    for (int64_t i = 0; i < x->rows; i++) {
        const int64_t begin = x->dense ? 0 : x->start[i],
                      end = x->dense ? x->cols : x->start[i + 1];
        uint64_t row = 1;
        for (int64_t k = begin; k < end; k++) {
            row += hash_cell(x->dense ? k : x->index[k],
                             x->dense ? x->dense[i * x->cols + k] : x->value[k]);
        }
        sum += mix(row);
    }
    return sum;
}
