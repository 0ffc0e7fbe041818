#include "linalg/waves.h"

#include "linalg/machine.h"
#include "linalg/waves_isa.h"

int64_t ney_waves_size(int64_t n, int64_t cols)
{
    return (n + NEY_WAVES_WIDE - 1) / NEY_WAVES_WIDE * NEY_WAVES_WIDE * cols;
}

void ney_waves_lay(const float *frequency, int64_t n, int64_t cols, float *table)
{
    const double half_turn = 3.141592653589793;
    for (int64_t first = 0; first < n; first += NEY_WAVES_WIDE) {
        for (int64_t c = 0; c < cols; c++) {
            for (int64_t d = first; d < first + NEY_WAVES_WIDE; d++) {
                *table++ = d < n ? (float)((double)frequency[d * cols + c] / half_turn) : 0;
            }
        }
    }
}

void ney_waves_map(const ney_waves *w, const ney_entries *row, int64_t n_rows, float *out)
{
    if (ney_has_avx2()) {
        ney_waves_map_avx2(w, row, n_rows, out);
    } else {
        ney_waves_map_plain(w, row, n_rows, out);
    }
}

double ney_floats_dot(const float *a, const float *b, int64_t n)
{
    return ney_has_avx2() ? ney_waves_dot_avx2(a, b, n) : ney_waves_dot_plain(a, b, n);
}

void ney_floats_add(float t, const float *x, float *y, int64_t n)
{
    if (ney_has_avx2()) {
        ney_waves_add_avx2(t, x, y, n);
    } else {
        ney_waves_add_plain(t, x, y, n);
    }
}
