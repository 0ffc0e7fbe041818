#include "base/parallel.h"

#ifdef _OPENMP
#include <omp.h>

int ney_threads(const ney_env *env)
{
    return env->threads > 0 ? env->threads : omp_get_num_procs();
}

void ney_parallel_for(const ney_env *env, int64_t n,
                      void (*body)(void *context, int64_t i, int thread), void *context)
{
    const int all = ney_threads(env);
    const int used = n < all ? (int)n : all;
    if (used <= 1) { /* no team is woken for a single piece of work */
        for (int64_t i = 0; i < n; i++) {
            body(context, i, 0);
        }
        return;
    }
#pragma omp parallel for schedule(dynamic, 1) num_threads(used)
    for (int64_t i = 0; i < n; i++) {
        body(context, i, omp_get_thread_num());
    }
}

#else

int ney_threads(const ney_env *env)
{
    (void)env;
    return 1;
}

void ney_parallel_for(const ney_env *env, int64_t n,
                      void (*body)(void *context, int64_t i, int thread), void *context)
{
    (void)env;
    for (int64_t i = 0; i < n; i++) {
        body(context, i, 0);
    }
}

#endif
