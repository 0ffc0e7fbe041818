/* The caller's environment: memory, cancellation, messages. */
#ifndef NEY_BASE_ENV_H
#define NEY_BASE_ENV_H

#include "base/error.h"

/* *env, or the defaults where env or one of its parts is missing. */
ney_env ney_env_of(const ney_env *env);

/* `count` items of `bytes` each; NULL when refused, or when the product overflows.
 * A count of 0 gives a block too, so that NULL always means "no memory". */
void *ney_alloc(const ney_env *env, int64_t count, size_t bytes);
void *ney_alloc_zeroed(const ney_env *env, int64_t count, size_t bytes);
void ney_release(const ney_env *env, void *block);

/* Release several blocks, in their order: ney_release_all(env, a, b, c). */
#define ney_release_all(env, ...)                                                                  \
    ney_release_list(env, (void *const[]){__VA_ARGS__},                                            \
                     (int)(sizeof((void *const[]){__VA_ARGS__}) / sizeof(void *)))
void ney_release_list(const ney_env *env, void *const *block, int n);

/* Make *block hold at least `need` items. Grows by half at a time; *block and *cap are unchanged
 * when false is returned. */
bool ney_grow(const ney_env *env, void *block, int64_t *cap, int64_t need, size_t bytes);

/* Give back what *block holds beyond `count` items. */
void ney_trim(const ney_env *env, void *block, int64_t *cap, int64_t count, size_t bytes);

char *ney_strdup(const ney_env *env, const char *text, size_t length);

/* ENOMEM for `count` of `things`. */
ney_status ney_no_memory(ney_error *err, int64_t count, const char *things);

/* False when the caller requests a stop. */
bool ney_poll(const ney_env *env, const char *stage, double done, double total);

NEY_PRINTF(3, 4)
void ney_log(const ney_env *env, ney_log_level level, const char *format, ...);

#endif
