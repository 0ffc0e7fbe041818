/* Compiled with AVX2 and FMA where the machine is an x86-64; called only where it has them. */
#define NAME(function) ney_loop_##function##_avx2
#include "linalg/solver_loops_body.h"
