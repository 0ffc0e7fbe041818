/* Compiled with AVX2 and FMA where the machine is an x86-64; called only where it has them. */
#define NAME(function) ney_vector_##function##_avx2
#include "linalg/vector_body.h"
