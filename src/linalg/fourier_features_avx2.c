/* Compiled with AVX2 and FMA where the machine is an x86-64; called only where it has them. */
#define NAME(function) ney_fourier_features_##function##_avx2
#include "linalg/fourier_features_body.h"
