/* Which of the builds of a loop this machine can run. */
#ifndef NEY_LINALG_MACHINE_H
#define NEY_LINALG_MACHINE_H

#include <stdbool.h>

/* Whether it has what the files *_avx2.c were compiled for. */
static inline bool ney_has_avx2(void)
{
#if defined(__x86_64__) && !defined(NEY_PLAIN_LOOPS)
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#else
    return false;
#endif
}

/* Run the build of a loop that suits this machine: NEY_ON_MACHINE(ney_vector_dot, a, b, n). */
#define NEY_ON_MACHINE(function, ...)                                                              \
    (ney_has_avx2() ? function##_avx2(__VA_ARGS__) : function##_plain(__VA_ARGS__))

#endif
