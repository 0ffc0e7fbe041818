#include "base/env.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static void *resize_by_libc(void *user, void *block, size_t bytes)
{
    (void)user;
    if (bytes == 0) {
        free(block);
        return NULL;
    }
    return realloc(block, bytes);
}

ney_env ney_env_default(void)
{
    return (ney_env){.resize = resize_by_libc};
}

ney_env ney_env_of(const ney_env *env)
{
    ney_env e = env ? *env : ney_env_default();
    if (!e.resize) {
        e.resize = resize_by_libc;
    }
    return e;
}

void ney_free(const ney_env *env, void *block)
{
    const ney_env e = ney_env_of(env);
    ney_release(&e, block);
}

/* The bytes of `count` items, or 0 when there is no such size; an empty block is one byte. */
static size_t bytes_of(int64_t count, size_t bytes)
{
    if (count < 0 || (bytes > 0 && (uint64_t)count > PTRDIFF_MAX / bytes)) {
        return 0;
    }
    return count == 0 || bytes == 0 ? 1 : (size_t)count * bytes;
}

/* Ask for large pages where a block has some: clearing and finding 4 KB at a time is a good part of
 * the time it takes to fill gigabytes. Only a hint, and the contents stay what they are. Not for
 * blocks that grow: the advice splits the mapping, and then growing copies instead of moving pages.
 */
static void *prefer_large_pages(void *block, size_t bytes)
{
#ifdef MADV_HUGEPAGE
    const uintptr_t page = (uintptr_t)1 << 21;
    const uintptr_t begin = ((uintptr_t)block + page - 1) / page * page;
    const uintptr_t end = ((uintptr_t)block + bytes) / page * page;
    if (block && end > begin) {
        const int before = errno;
        (void)madvise((void *)begin, end - begin, MADV_HUGEPAGE);
        errno = before;
    }
#endif
    return block;
}

void *ney_alloc(const ney_env *env, int64_t count, size_t bytes)
{
    const size_t total = bytes_of(count, bytes);
    return total ? prefer_large_pages(env->resize(env->user, NULL, total), total) : NULL;
}

void *ney_alloc_zeroed(const ney_env *env, int64_t count, size_t bytes)
{
    void *block = ney_alloc(env, count, bytes);
    if (block) {
        memset(block, 0, bytes_of(count, bytes));
    }
    return block;
}

void ney_release(const ney_env *env, void *block)
{
    if (block) {
        env->resize(env->user, block, 0);
    }
}

void ney_release_list(const ney_env *env, void *const *block, int n)
{
    for (int k = 0; k < n; k++) {
        ney_release(env, block[k]);
    }
}

/* `block` is the address of a typed pointer; copying its bytes keeps the aliasing rules. */
static bool resize_to(const ney_env *env, void *block, int64_t *cap, int64_t count, size_t bytes)
{
    const size_t total = bytes_of(count, bytes);
    void *old, *moved;
    memcpy(&old, block, sizeof old);
    if (total == 0 || !(moved = env->resize(env->user, old, total))) {
        return false;
    }
    memcpy(block, &moved, sizeof moved);
    *cap = count;
    return true;
}

bool ney_grow(const ney_env *env, void *block, int64_t *cap, int64_t need, size_t bytes)
{
    if (need <= *cap) {
        return true;
    }
    const int64_t more = *cap > INT64_MAX - *cap / 2 ? need : *cap + *cap / 2;
    return resize_to(env, block, cap, more > need ? more : need, bytes);
}

void ney_trim(const ney_env *env, void *block, int64_t *cap, int64_t count, size_t bytes)
{
    if (count < *cap) {
        (void)resize_to(env, block, cap, count, bytes); /* refused: the larger block serves too */
    }
}

char *ney_strdup(const ney_env *env, const char *text, size_t length)
{
    char *copy = ney_alloc(env, (int64_t)length + 1, 1);
    if (copy) {
        memcpy(copy, text, length);
        copy[length] = '\0';
    }
    return copy;
}

ney_status ney_no_memory(ney_error *err, int64_t count, const char *things)
{
    return ney_fail(err, NEY_ENOMEM, "out of memory for %lld %s", (long long)count, things);
}

bool ney_poll(const ney_env *env, const char *stage, double done, double total)
{
    const ney_progress p = {.stage = stage, .done = done, .total = total, .value = (double)NAN};
    return !env->poll || env->poll(env->user, &p);
}

void ney_log(const ney_env *env, ney_log_level level, const char *format, ...)
{
    char message[512];
    va_list args;
    if (!env->log) {
        return;
    }
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    env->log(env->user, level, message);
}
