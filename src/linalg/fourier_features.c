#include "linalg/fourier_features.h"

#include "linalg/fourier_features_isa.h"
#include "linalg/machine.h"

int64_t ney_fourier_table_size(int64_t n, int64_t cols)
{
    return (n + NEY_FOURIER_WIDE - 1) / NEY_FOURIER_WIDE * NEY_FOURIER_WIDE * cols;
}

void ney_fourier_table_fill(const float *frequency, int64_t n, int64_t cols, float *table)
{
    const double half_turn = 3.141592653589793;
    for (int64_t first = 0; first < n; first += NEY_FOURIER_WIDE) {
        for (int64_t c = 0; c < cols; c++) {
            for (int64_t d = first; d < first + NEY_FOURIER_WIDE; d++) {
                *table++ = d < n ? (float)((double)frequency[d * cols + c] / half_turn) : 0;
            }
        }
    }
}

void ney_fourier_features_map(const ney_fourier_table *w, const ney_entries *row, int64_t n_rows,
                              float *out)
{
    NEY_ON_MACHINE(ney_fourier_features_map, w, row, n_rows, out);
}
