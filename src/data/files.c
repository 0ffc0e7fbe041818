#include "data/files.h"

#include <stdio.h>
#include <string.h>

struct ney_files {
    ney_env env;
    ney_file_list *list; /* NULL for memory */
    ney_source **source; /* of each file; NULL where it is not open */
    int64_t n, at;
    int64_t n_targets;   /* files before those of decoys; n where there are none */
    bool flowing, live;
    int64_t done, total; /* bytes of the files that were read; of all, 0 when not known */
    char *title;
};

void ney_files_close(ney_files *f)
{
    if (f) {
        const ney_env env = f->env;
        for (int64_t k = 0; f->source && k < f->n; k++) {
            ney_source_close(f->source[k]);
        }
        ney_file_list_free(f->list);
        ney_release(&env, f->source);
        ney_release(&env, f->title);
        ney_release(&env, f);
    }
}

static ney_status new_files(ney_files **out, const ney_env *env, ney_file_list *list,
                            ney_error *err)
{
    ney_files *const f = ney_alloc_zeroed(env, 1, sizeof *f);

    *out = f;
    if (!f) {
        ney_file_list_free(list);
        return ney_no_memory(err, 1, "input");
    }
    f->env = *env;
    f->list = list;
    f->n = f->n_targets = list ? ney_file_list_count(list) : 1;
    f->source = ney_alloc_zeroed(env, f->n, sizeof(ney_source *));
    return f->source ? NEY_OK : ney_no_memory(err, f->n, "files");
}

bool ney_files_is_stream(const ney_files *f, int64_t k)
{
    return !f->list || strcmp(ney_file_list_name(f->list, k), "-") == 0 ||
           (f->source[k] && ney_source_is_live(f->source[k]));
}

static void put_aside(ney_files *f, int64_t k)
{
    if (f->source[k] && !ney_files_is_stream(f, k)) {
        ney_source_close(f->source[k]);
        f->source[k] = NULL;
    }
}

/* Make file k the one that is read. */
static ney_status turn_to(ney_files *f, int64_t k, ney_error *err)
{
    const ney_status st =
        f->source[k] ? NEY_OK
                     : ney_source_open(&f->source[k], &f->env, ney_file_list_name(f->list, k), err);
    if (st == NEY_OK && f->flowing) {
        ney_source_flow(f->source[k]);
    }
    if (st == NEY_OK) {
        f->at = k;
    }
    return st;
}

/* Look at every file, and find out how much there is. */
static ney_status open_all(ney_files *f, ney_error *err)
{
    bool known = true;
    for (int64_t k = f->n - 1; k >= 0; k--) {
        const ney_status st = turn_to(f, k, err);
        if (st != NEY_OK) {
            return st;
        }
        f->live = f->live || ney_source_is_live(f->source[k]);
        known = known && !ney_source_is_live(f->source[k]);
        f->total += ney_source_total(f->source[k]);
        if (k > 0) {
            put_aside(f, k);
        }
    }
    f->total = known ? f->total : 0;
    return NEY_OK;
}

/* Name them, and hand them over. */
static ney_status finish_opening(ney_files **out, ney_files *f, ney_error *err)
{
    char more[40] = "";
    const char *const first = ney_files_name(f, 0);
    const size_t size = strlen(first) + sizeof more;

    if (f->n > 1) {
        snprintf(more, sizeof more, " and %lld more", (long long)f->n - 1);
    }
    if (!(f->title = ney_alloc(&f->env, (int64_t)size, 1))) {
        ney_files_close(f);
        return ney_no_memory(err, (int64_t)size, "bytes of a name");
    }
    snprintf(f->title, size, "%s%s", first, more);
    *out = f;
    return NEY_OK;
}

/* The bytes that two names have in common at the beginning, folders aside. */
static size_t common_start(const char *a, const char *b)
{
    const char *const end_a = strrchr(a, '/'), *const end_b = strrchr(b, '/');
    size_t n = 0;
    a = end_a ? end_a + 1 : a;
    b = end_b ? end_b + 1 : b;
    while (a[n] && a[n] == b[n]) {
        n++;
    }
    return n;
}

/* File k of the decoys belongs to file k of the targets. Names that agree longer with those of
 * another file show that the order is another one, as patterns may leave it. */
static ney_status check_pairs(const ney_file_list *list, int64_t n, ney_error *err)
{
    const int64_t decoys = ney_file_list_count(list) - n;
    if (decoys != n) {
        return ney_fail(err, NEY_EINVAL,
                        "found %lld file%s of targets and %lld of decoys, expected as many of each: "
                        "file k of the decoys belongs to file k of the targets",
                        (long long)n, n == 1 ? "" : "s", (long long)decoys);
    }
    for (int64_t k = 0; k < n; k++) {
        const char *const target = ney_file_list_name(list, k);
        const char *const own = ney_file_list_name(list, n + k);
        for (int64_t i = 0; i < n; i++) {
            const char *const other = ney_file_list_name(list, n + i);
            if (common_start(target, other) > common_start(target, own)) {
                return ney_fail_at(err, NEY_EINVAL, (ney_place){.file = own},
                                   "would be the decoys of %.200s, expected %.200s by their names: "
                                   "list targets and decoys in the same order",
                                   target, other);
            }
        }
    }
    return NEY_OK;
}

static ney_status add_decoys(ney_file_list *list, const char *decoys, ney_error *err)
{
    const int64_t n = ney_file_list_count(list);
    const ney_status st = ney_file_list_add(list, decoys, err);
    return st == NEY_OK ? check_pairs(list, n, err) : st;
}

ney_status ney_files_open(ney_files **out, const ney_env *env, const char *path, const char *decoys,
                          ney_error *err)
{
    ney_file_list *list;
    ney_files *f = NULL;
    ney_status st;

    *out = NULL;
    if ((st = ney_file_list_new(&list, env, path, err)) != NEY_OK) {
        return st;
    }
    const int64_t n_targets = ney_file_list_count(list);
    if (decoys && (st = add_decoys(list, decoys, err)) != NEY_OK) {
        ney_file_list_free(list);
        return st;
    }
    if ((st = new_files(&f, env, list, err)) == NEY_OK) {
        f->n_targets = n_targets;
        st = open_all(f, err);
    }
    if (st != NEY_OK) {
        ney_files_close(f);
        return st;
    }
    return finish_opening(out, f, err);
}

ney_status ney_files_view(ney_files **out, const ney_env *env, const char *name, const void *bytes,
                          int64_t n_bytes, ney_error *err)
{
    ney_files *f;
    ney_status st = new_files(&f, env, NULL, err);

    *out = NULL;
    if (st == NEY_OK) {
        st = ney_source_view(&f->source[0], env, name, bytes, n_bytes, err);
    }
    if (st != NEY_OK) {
        ney_files_close(f);
        return st;
    }
    f->total = n_bytes;
    return finish_opening(out, f, err);
}

ney_source *ney_files_take(ney_files *f)
{
    ney_source *const first = f->source[0];
    f->source[0] = NULL;
    ney_files_close(f);
    return first;
}

ney_source *ney_files_source(const ney_files *f)
{
    return f->source[f->at];
}

int64_t ney_files_count(const ney_files *f)
{
    return f->n;
}

int64_t ney_files_position(const ney_files *f)
{
    return f->at;
}

ney_status ney_files_next(ney_files *f, bool *more, ney_error *err)
{
    *more = f->at + 1 < f->n;
    if (!*more) {
        return NEY_OK;
    }
    f->done += ney_source_done(f->source[f->at]);
    put_aside(f, f->at);
    return turn_to(f, f->at + 1, err);
}

const char *ney_files_name(const ney_files *f, int64_t k)
{
    const char *const name = f->list ? ney_file_list_name(f->list, k) : NULL;
    return !name ? ney_source_name(f->source[0]) : strcmp(name, "-") == 0 ? "standard input" : name;
}

bool ney_files_has_decoys(const ney_files *f, int64_t k)
{
    return k >= f->n_targets;
}

const char *ney_files_run(const ney_files *f, int64_t k)
{
    return ney_files_name(f, ney_files_has_decoys(f, k) ? k - f->n_targets : k);
}

const char *ney_files_title(const ney_files *f)
{
    return f->title;
}

bool ney_files_are_live(const ney_files *f)
{
    return f->live;
}

void ney_files_flow(ney_files *f)
{
    f->flowing = true;
    ney_source_flow(f->source[f->at]);
}

ney_status ney_files_hold(ney_files *f, ney_error *err)
{
    ney_status st = NEY_OK;
    for (int64_t k = 0; k < f->n && st == NEY_OK; k++) {
        st = f->source[k] ? ney_source_hold(f->source[k], err) : NEY_OK;
    }
    return st;
}

ney_status ney_files_rewind(ney_files *f, ney_error *err)
{
    ney_status st = NEY_OK;
    for (int64_t k = 0; k < f->n && st == NEY_OK; k++) {
        st = f->source[k] ? ney_source_rewind(f->source[k], err) : NEY_OK;
        if (k > 0) {
            put_aside(f, k);
        }
    }
    f->done = 0;
    return st == NEY_OK ? turn_to(f, 0, err) : st;
}

int64_t ney_files_done(const ney_files *f)
{
    return f->done + ney_source_done(f->source[f->at]);
}

int64_t ney_files_total(const ney_files *f)
{
    return f->total;
}
