/* The two builds of fourier_features_body.h. */
#ifndef NEY_LINALG_FOURIER_FEATURES_ISA_H
#define NEY_LINALG_FOURIER_FEATURES_ISA_H

#include "linalg/fourier_features.h"

#define NEY_FOURIER_FEATURES_BUILD(isa)                                                            \
    void ney_fourier_features_map_##isa(const ney_fourier_table *w, const ney_entries *row,        \
                                        int64_t n_rows, float *out);

NEY_FOURIER_FEATURES_BUILD(plain)
NEY_FOURIER_FEATURES_BUILD(avx2)

#endif
