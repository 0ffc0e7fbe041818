/* Threads, in one place. */
#ifndef NEY_BASE_PARALLEL_H
#define NEY_BASE_PARALLEL_H

#include "base/env.h"

/* How many threads ney_parallel_for() uses: env->threads, or one for each core. */
int ney_threads(const ney_env *env);

/* body(context, i, thread) for i = 0 .. n - 1, each once, in any order and on any thread;
 * `thread` is 0 .. ney_threads() - 1. Returns when all are done. What a body computes must depend
 * on i alone: then the number of threads cannot show in the result. */
void ney_parallel_for(const ney_env *env, int64_t n,
                      void (*body)(void *context, int64_t i, int thread), void *context);

#endif
