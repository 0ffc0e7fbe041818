/* Which files a process reads: consecutive ones, so that the rows of all processes, in the order of
 * ranks, are those of the files in their order. */
#include "data/shards.h"

#include "base/file.h"
#include "data/files.h"

#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

enum { NEY_MOST_NUMBERED = 1000000 }; /* files of a pattern with a number */

/* A number between two texts, as in "part-%04d.cache". */
typedef struct numbered {
    const char *begin, *after; /* of "%04d" */
    int width;
    bool zeros;
} numbered;

static bool find_number(const char *path, numbered *out)
{
    for (const char *at = strchr(path, '%'); at; at = strchr(at + 1, '%')) {
        const char *digit = at + 1;
        *out = (numbered){.begin = at, .zeros = *digit == '0'};
        while (*digit >= '0' && *digit <= '9' && out->width < 100) {
            out->width = 10 * out->width + (*digit++ - '0');
        }
        if (*digit == 'd' && out->width <= 18) {
            out->after = digit + 1;
            return true;
        }
    }
    return false;
}

char *ney_numbered_name(const ney_env *env, const char *pattern, int64_t k)
{
    const ney_env e = ney_env_of(env);
    numbered n;
    if (!pattern || !find_number(pattern, &n)) {
        return NULL;
    }
    const size_t size = strlen(pattern) + (size_t)n.width + 32;
    char *const name = ney_alloc(&e, (int64_t)size, 1);
    if (name) {
        const int before = (int)(n.begin - pattern);
        snprintf(name, size, n.zeros ? "%.*s%0*lld%s" : "%.*s%*lld%s", before, pattern, n.width,
                 (long long)k, n.after);
    }
    return name;
}

char *ney_shards_name(const ney_shards *s, int64_t k)
{
    const char *const name = s->pattern ? NULL : ney_file_list_name(s->list, k);
    return s->pattern ? ney_numbered_name(&s->env, s->pattern, k)
                      : ney_strdup(&s->env, name, strlen(name));
}

/* The number of a file that the pattern fits, perhaps after spaces; -1: it does not. */
static int64_t number_of(const ney_env *env, const char *pattern, const char *path)
{
    numbered n;
    (void)find_number(pattern, &n);
    const size_t before = (size_t)(n.begin - pattern);
    const long long k = strlen(path) > before ? strtoll(path + before, NULL, 10) : -1;
    char *const name = k >= 0 && k < LLONG_MAX ? ney_numbered_name(env, pattern, k) : NULL;
    const bool fits = name && strcmp(name, path) == 0;
    ney_release(env, name);
    return fits ? k : -1;
}

/* Append n bytes as glob() takes them literally; returns the end. */
static char *put_literal(char *to, const char *from, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (strchr("*?[\\", from[i])) {
            *to++ = '\\';
        }
        *to++ = from[i];
    }
    return to;
}

/* 1 + the largest number of a file that this process sees. */
static ney_status count_numbered(const ney_shards *s, int64_t *count, ney_error *err)
{
    numbered n;
    glob_t found = {0};
    const size_t size = 2 * strlen(s->pattern) + 2;
    char *const any = ney_alloc(&s->env, (int64_t)size, 1);
    *count = 0;
    if (!any) {
        return ney_no_memory(err, (int64_t)size, "bytes of a name");
    }
    (void)find_number(s->pattern, &n);
    char *end = put_literal(any, s->pattern, (size_t)(n.begin - s->pattern));
    *end++ = '*';
    *put_literal(end, n.after, strlen(n.after)) = '\0';
    const int code = glob(any, 0, NULL, &found);
    for (size_t k = 0; code == 0 && k < found.gl_pathc; k++) {
        const int64_t number = number_of(&s->env, s->pattern, found.gl_pathv[k]);
        *count = number >= *count ? number + 1 : *count;
    }
    globfree(&found);
    ney_release(&s->env, any);
    if (*count > NEY_MOST_NUMBERED) { /* before memory for as many is asked for */
        return ney_fail_at(err, NEY_EINVAL, (ney_place){.file = s->pattern},
                           "there is a file with the number %lld, expected less than %d: number "
                           "the files from 0 on",
                           (long long)*count - 1, NEY_MOST_NUMBERED);
    }
    return code == GLOB_NOSPACE ? ney_no_memory(err, 1, "names of files") : NEY_OK;
}

static ney_status list_numbered(ney_shards *s, ney_error *err)
{
    int64_t own = 0;
    ney_status st = ney_comm_agree(s->comm, count_numbered(s, &own, err), err);
    double most = (double)own;
    if (st != NEY_OK) {
        return st;
    }
    ney_comm_maximum(s->comm, &most, 1);
    s->n = (int64_t)most;
    if (s->n == 0) {
        st = ney_fail_at(err, NEY_EIO, (ney_place){.file = s->pattern},
                         "no file has this name with a number from 0 on in it");
    }
    return st;
}

/* Names as one number, to compare with those of another process. */
static uint64_t hash_names(const ney_shards *s)
{
    uint64_t hash = (uint64_t)s->n;
    for (int64_t k = 0; k < s->n; k++) {
        const char *const name = ney_file_list_name(s->list, k);
        hash = XXH3_64bits_withSeed(name, strlen(name), hash);
    }
    return hash;
}

static ney_status list_named(ney_shards *s, const char *path, ney_error *err)
{
    ney_status st = ney_file_list_new(&s->list, &s->env, path, err);
    if ((st = ney_comm_agree(s->comm, st, err)) != NEY_OK) {
        return st;
    }
    s->n = ney_file_list_count(s->list);
    struct {
        uint64_t hash;
        int64_t n;
    } first = {hash_names(s), s->n};
    const uint64_t own = first.hash;
    ney_comm_broadcast(s->comm, 0, &first, (int64_t)sizeof first);
    if (first.hash != own) {
        st = ney_fail_at(err, NEY_EIO, (ney_place){.file = path},
                         "names %lld files here and %lld others on rank 0, expected the same: "
                         "number them, as part-%%04d.cache, where each machine has its own",
                         (long long)s->n, (long long)first.n);
    }
    return ney_comm_agree(s->comm, st, err);
}

ney_status ney_shards_init(ney_shards *s, const ney_env *env, const char *path, ney_error *err)
{
    numbered n;
    *s = (ney_shards){.env = *env, .comm = env->comm};
    s->env.comm = NULL;
    s->pattern = !strchr(path, '\n') && find_number(path, &n) ? path : NULL;
    const ney_status st = s->pattern ? list_numbered(s, err) : list_named(s, path, err);
    s->first = s->n * ney_comm_rank(s->comm) / ney_comm_size(s->comm);
    s->end = s->n * (ney_comm_rank(s->comm) + 1) / ney_comm_size(s->comm);
    return st;
}

void ney_shards_deinit(ney_shards *s)
{
    ney_file_list_free(s->list);
    s->list = NULL;
}
