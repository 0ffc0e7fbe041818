/* The files that one path names: a file, several names on a line each, or patterns. */
#include "base/file.h"
#include "data/files.h"

#include <glob.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct ney_file_list {
    ney_env env;
    char **name;
    int64_t n, cap;
};

void ney_file_list_free(ney_file_list *l)
{
    if (l) {
        const ney_env env = l->env;
        for (int64_t k = 0; k < l->n; k++) {
            ney_release(&env, l->name[k]);
        }
        ney_release(&env, l->name);
        ney_release(&env, l);
    }
}

static ney_status add_name(ney_file_list *l, const char *name, size_t length, ney_error *err)
{
    if (!ney_grow(&l->env, &l->name, &l->cap, l->n + 1, sizeof *l->name) ||
        !(l->name[l->n] = ney_strdup(&l->env, name, length))) {
        return ney_no_memory(err, l->n + 1, "names of files");
    }
    l->n++;
    return NEY_OK;
}

/* The files that match a pattern, ascending. */
static ney_status add_matches(ney_file_list *l, const char *pattern, ney_error *err)
{
    glob_t found = {0};
    const int code = glob(pattern, 0, NULL, &found);
    ney_status st = NEY_OK;

    if (code == GLOB_NOMATCH) {
        st = ney_fail_at(err, NEY_EIO, (ney_place){.file = pattern},
                         "no file matches this pattern, expected one at least");
    } else if (code != 0) {
        st = code == GLOB_NOSPACE ? ney_no_memory(err, 1, "names of files")
                                  : ney_fail_io(err, pattern, "cannot be searched for");
    }
    for (size_t k = 0; k < found.gl_pathc && st == NEY_OK; k++) {
        st = add_name(l, found.gl_pathv[k], strlen(found.gl_pathv[k]), err);
    }
    globfree(&found);
    return st;
}

/* A file may be called like a pattern. */
static ney_status add_word(ney_file_list *l, const char *word, size_t length, ney_error *err)
{
    ney_status st = add_name(l, word, length, err);

    if (st != NEY_OK || !strpbrk(l->name[l->n - 1], "*?[") ||
        access(l->name[l->n - 1], F_OK) == 0) {
        return st;
    }
    char *const pattern = l->name[--l->n];
    st = add_matches(l, pattern, err);
    ney_release(&l->env, pattern);
    return st;
}

static bool is_same_file(const char *a, const char *b)
{
    struct stat one, other;
    if (strcmp(a, b) == 0) {
        return true;
    }
    return stat(a, &one) == 0 && stat(b, &other) == 0 && S_ISREG(one.st_mode) &&
           one.st_dev == other.st_dev && one.st_ino == other.st_ino;
}

enum { MOST_COMPARED = 200 }; /* files whose identity is compared; of more only neighbours are */

/* Rows that are read twice would be counted twice. */
static ney_status check_distinct(const ney_file_list *l, ney_error *err)
{
    for (int64_t k = 1; k < l->n; k++) {
        for (int64_t i = l->n > MOST_COMPARED ? k - 1 : 0; i < k; i++) {
            if (is_same_file(l->name[i], l->name[k])) {
                return ney_fail_at(err, NEY_EINVAL, (ney_place){.file = l->name[k]},
                                   "is named twice among the files to read, expected each once");
            }
        }
    }
    return NEY_OK;
}

static ney_status add_words(ney_file_list *l, const char *path, ney_error *err)
{
    ney_status st = NEY_OK;

    if (!strchr(path, '\n') || access(path, F_OK) == 0) {
        return add_word(l, path, strlen(path), err);
    }
    for (const char *at = path; *at && st == NEY_OK;) {
        const size_t length = strcspn(at, "\n");
        st = length > 0 ? add_word(l, at, length, err) : NEY_OK;
        at += length + (at[length] == '\n');
    }
    return st == NEY_OK && l->n == 0
               ? ney_fail(err, NEY_EINVAL, "the list of files is empty, expected one name per line")
               : st;
}

ney_status ney_file_list_add(ney_file_list *list, const char *path, ney_error *err)
{
    const ney_status st = add_words(list, path, err);
    return st == NEY_OK ? check_distinct(list, err) : st;
}

ney_status ney_file_list_new(ney_file_list **out, const ney_env *env, const char *path,
                             ney_error *err)
{
    NEY_CLEAR(out);
    NEY_REQUIRE(out && path, err);
    const ney_env e = ney_env_of(env);
    ney_file_list *const l = ney_alloc_zeroed(&e, 1, sizeof *l);

    if (!l) {
        return ney_no_memory(err, 1, "names of files");
    }
    l->env = e;
    const ney_status st = ney_file_list_add(l, path, err);
    if (st == NEY_OK) {
        *out = l;
    } else {
        ney_file_list_free(l);
    }
    return st;
}

int64_t ney_file_list_count(const ney_file_list *list)
{
    return list ? list->n : 0;
}

const char *ney_file_list_name(const ney_file_list *list, int64_t k)
{
    return list && k >= 0 && k < list->n ? list->name[k] : NULL;
}
