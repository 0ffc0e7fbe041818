/* Threads where there is one: takes the place of src/base/parallel.h in the page. */
#ifndef NEY_BASE_PARALLEL_H
#define NEY_BASE_PARALLEL_H

#include "base/env.h"

static inline int ney_threads(const ney_env *env)
{
    (void)env;
    return 1;
}

static inline void ney_parallel_for(const ney_env *env, int64_t n,
                                    void (*body)(void *context, int64_t i, int thread),
                                    void *context)
{
    (void)env;
    for (int64_t i = 0; i < n; i++) {
        body(context, i, 0);
    }
}

#endif
