#include "files.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <neyman/experimental/comm.h>

#include "commands.h"
#include "operands.h"
#include "session.h"

typedef enum role { ROLE_NONE, ROLE_INPUT, ROLE_OUTPUT } role;

/* A model may be replaced by its successor: "update M D -o M". */
typedef struct file {
    const char *path;
    char *numbered;  /* owned: the name at `path`, where it was made from a pattern; else NULL */
    char called[64]; /* "--plot" or "DATA" */
    role role;
    bool is_model;     /* an input that holds a model */
    bool is_new_model; /* an output that may replace it */
    bool exists;
    struct stat info;
    char *place; /* owned: where a file that does not exist will be; NULL: not known */
} file;

enum { MOST_PATHS = 64, MOST_LINKS = 40, PATH_BYTES = 4096 };

typedef struct file_list {
    file *file; /* owned */
    int64_t n;
    ney_file_list *path[MOST_PATHS]; /* owned: the names that `file` borrows */
    int n_paths;
} file_list;

/* By its name, whatever help calls its argument. */
static role role_of_option(const ney_param *row)
{
    static const char inputs[] = "model valid test from-scores importance decoys targets "
                                 "init-weights reference";
    static const char outputs[] =
        "output header plot save-mixture save-path checkpoint table state results-psms "
        "decoy-results-psms "
        "results-peptides decoy-results-peptides results-proteins decoy-results-proteins "
        "entrapment-curve";
    const size_t length = strlen(row->name);

    return word_in(inputs, row->name, length)    ? ROLE_INPUT
           : word_in(outputs, row->name, length) ? ROLE_OUTPUT
                                                 : ROLE_NONE;
}

/* Where the link at `at` points, whether or not something is there; false where it is no link. */
static bool follow_link(char at[PATH_BYTES])
{
    char to[PATH_BYTES];
    const ssize_t n = readlink(at, to, sizeof to - 1);
    const char *const slash = strrchr(at, '/');
    const size_t folder = n > 0 && to[0] != '/' && slash ? (size_t)(slash + 1 - at) : 0;

    if (n <= 0 || folder + (size_t)n >= PATH_BYTES) {
        return false;
    }
    memcpy(at + folder, to, (size_t)n);
    at[folder + (size_t)n] = '\0';
    return true;
}

/* The absolute name under which a file that does not exist will be made. NULL: there is no such
 * folder, or the name is too long. */
static char *place_of_new(const char *path)
{
    char at[PATH_BYTES], place[2 * PATH_BYTES + 2];

    if (strlen(path) >= sizeof at) {
        return NULL;
    }
    strcpy(at, path);
    for (int k = 0; k < MOST_LINKS && follow_link(at); k++) {
    }
    char *const slash = strrchr(at, '/');
    const char *const base = slash ? slash + 1 : at;
    snprintf(place, sizeof place, "%.*s", slash ? (int)(slash + 1 - at) : 1, slash ? at : ".");
    char *const folder = realpath(place, NULL);
    if (folder) {
        snprintf(place, sizeof place, "%.*s/%s", PATH_BYTES, folder, base);
    }
    free(folder);
    return folder ? strdup(place) : NULL;
}

static ney_status add_file(file_list *list, file f, ney_error *err)
{
    if (strcmp(f.path, "-") == 0) {
        return NEY_OK;
    }
    file *const files = realloc(list->file, ((size_t)list->n + 1) * sizeof *files);
    if (!files) {
        return out_of_memory(err, "the names of files");
    }
    f.exists = stat(f.path, &f.info) == 0;
    f.place = f.exists || f.role == ROLE_INPUT ? NULL : place_of_new(f.path);
    list->file = files;
    list->file[list->n++] = f;
    return NEY_OK;
}

/* How many files the pattern of an output stands for: shards, or one per process; 0: none. */
static int64_t count_numbered(const invocation *call)
{
    const ney_comm *const comm = session_processes();
    const option_set *set;
    int64_t shards = 0;

    for (int k = 0; (set = command_set(call->command, k)); k++) {
        int64_t n;
        const ney_param *rows = set_rows(set, &n);
        for (int64_t r = 0; r < n; r++) {
            if (rows[r].kind == NEY_KIND_INT && strcmp(rows[r].name, "shards") == 0) {
                memcpy(&shards, (const char *)call->opts[k] + rows[r].offset, sizeof shards);
            }
        }
    }
    return shards > 0 ? shards : comm ? comm->size : 0;
}

/* The files of a name such as part-%04d.ney: of an output `count`, of an input those that are
 * there. */
static ney_status add_numbered(file_list *list, file f, int64_t count, ney_error *err)
{
    const char *const pattern = f.path;
    ney_status st = NEY_OK;

    for (int64_t k = 0; k < count && st == NEY_OK; k++) {
        if (!(f.numbered = ney_numbered_name(NULL, pattern, k))) {
            return NEY_OK; /* has no number; what memory lacks for is reported when it is used */
        }
        if (f.role == ROLE_INPUT && access(f.numbered, F_OK) != 0) {
            ney_free(NULL, f.numbered);
            return NEY_OK;
        }
        f.path = f.numbered;
        if ((st = add_file(list, f, err)) != NEY_OK) {
            ney_free(NULL, f.numbered);
        }
    }
    return st;
}

/* The files of an input. What cannot be listed is reported when it is read. */
static ney_status add_input(file_list *list, file f, ney_error *err)
{
    ney_file_list *names = NULL;
    ney_error ignored;
    ney_status st = session_processes() ? add_numbered(list, f, INT64_MAX, err) : NEY_OK;

    assert(list->n_paths < MOST_PATHS);
    if (st != NEY_OK || list->n_paths == MOST_PATHS ||
        ney_file_list_new(&names, NULL, f.path, &ignored) != NEY_OK) {
        return st;
    }
    list->path[list->n_paths++] = names;
    for (int64_t k = 0; k < ney_file_list_count(names) && st == NEY_OK; k++) {
        f.path = ney_file_list_name(names, k);
        st = add_file(list, f, err);
    }
    return st;
}

static ney_status add_output(file_list *list, file f, int64_t count, ney_error *err)
{
    const ney_status st = add_file(list, f, err);
    return st == NEY_OK ? add_numbered(list, f, count, err) : st;
}

static ney_status add_one(file_list *list, file f, int64_t count, ney_error *err)
{
    return f.role == ROLE_INPUT ? add_input(list, f, err) : add_output(list, f, count, err);
}

static ney_status add_operands(file_list *list, const invocation *call, ney_error *err)
{
    const int64_t count = count_numbered(call);
    ney_status st = NEY_OK;

    for (int k = 0; k < call->n_operands && st == NEY_OK; k++) {
        file f = {.path = call->operands[k]};
        (void)operand_name(call->command, k, f.called, sizeof f.called);
        f.role = strcmp(f.called, "OUT") == 0 ? ROLE_OUTPUT : ROLE_INPUT;
        f.is_model = strcmp(f.called, "MODEL") == 0;
        st = add_one(list, f, count, err);
    }
    return st;
}

static ney_status add_options(file_list *list, const invocation *call, ney_error *err)
{
    const option_set *set;
    const int64_t count = count_numbered(call);
    ney_status st = NEY_OK;

    for (int k = 0; (set = command_set(call->command, k)); k++) {
        int64_t n;
        const ney_param *rows = set_rows(set, &n);
        for (int64_t r = 0; r < n && st == NEY_OK; r++) {
            const role as = rows[r].kind == NEY_KIND_TEXT ? role_of_option(&rows[r]) : ROLE_NONE;
            assert(as != ROLE_NONE || rows[r].kind != NEY_KIND_TEXT ||
                   !word_in("FILE FILES MODEL OUT PATH SCORES", rows[r].arg, strlen(rows[r].arg)));
            if (as == ROLE_NONE || !(call->given[k] >> r & 1)) {
                continue;
            }
            file f = {.role = as,
                      .is_model = strcmp(rows[r].name, "model") == 0,
                      .is_new_model = strcmp(rows[r].arg, "OUT") == 0};
            memcpy(&f.path, (const char *)call->opts[k] + rows[r].offset, sizeof f.path);
            snprintf(f.called, sizeof f.called, "--%s", rows[r].name);
            st = add_one(list, f, count, err);
        }
    }
    return st;
}

static void free_files(file_list *list)
{
    for (int k = 0; k < list->n_paths; k++) {
        ney_file_list_free(list->path[k]);
    }
    for (int64_t k = 0; k < list->n; k++) {
        ney_free(NULL, list->file[k].numbered);
        free(list->file[k].place);
    }
    free(list->file);
}

/* Files that exist are compared by what they are, others by where they will be. */
static bool is_same_file(const file *a, const file *b)
{
    if (a->exists != b->exists) {
        return false;
    }
    if (a->exists) {
        return S_ISREG(a->info.st_mode) && a->info.st_dev == b->info.st_dev &&
               a->info.st_ino == b->info.st_ino;
    }
    return a->place && b->place ? strcmp(a->place, b->place) == 0 : strcmp(a->path, b->path) == 0;
}

bool files_share(const char *a, const char *b)
{
    file_list one = {.n = 0}, other = {.n = 0};
    ney_error ignored;
    bool share = false;

    if (add_input(&one, (file){.path = a}, &ignored) == NEY_OK &&
        add_input(&other, (file){.path = b}, &ignored) == NEY_OK) {
        for (int64_t k = 0; k < one.n; k++) {
            for (int64_t i = 0; i < other.n; i++) {
                share = share || (one.file[k].exists && is_same_file(&one.file[k], &other.file[i]));
            }
        }
    }
    free_files(&one);
    free_files(&other);
    return share;
}

static ney_status refuse(const file *output, const file *other, ney_error *err)
{
    const bool is_input = other->role == ROLE_INPUT;

    *err = (ney_error){.code = NEY_EINVAL};
    snprintf(err->message, sizeof err->message, "%s would %s '%.200s', %s (%s); name another file",
             output->called, is_input ? "overwrite" : "be written to", output->path,
             is_input ? "which is an input" : "as another output would", other->called);
    return NEY_EINVAL;
}

/* The bits of group and others that every input has. */
static void narrow_modes(const file_list *list)
{
    mode_t shared = 077;

    for (int64_t k = 0; k < list->n; k++) {
        const file *f = &list->file[k];
        if (f->role == ROLE_INPUT && f->exists && S_ISREG(f->info.st_mode)) {
            shared &= f->info.st_mode;
        }
    }
    const mode_t mask = umask(077);
    umask(mask | (~shared & 077));
}

/* No output replaces an input or another output. */
static ney_status check_outputs(const file_list *list, ney_error *err)
{
    for (int64_t k = 0; k < list->n; k++) {
        for (int64_t i = 0; i < list->n && list->file[k].role == ROLE_OUTPUT; i++) {
            const file *output = &list->file[k], *other = &list->file[i];
            const bool may_replace = other->is_model && output->is_new_model;
            if (i != k && (other->role == ROLE_INPUT || i > k) && !may_replace &&
                is_same_file(output, other)) {
                return refuse(output, other, err);
            }
        }
    }
    return NEY_OK;
}

ney_status files_check(const invocation *call, ney_error *err)
{
    file_list list = {.n = 0};
    ney_status st = add_operands(&list, call, err);

    if (st == NEY_OK && (st = add_options(&list, call, err)) == NEY_OK &&
        (st = check_outputs(&list, err)) == NEY_OK) {
        narrow_modes(&list);
    }
    free_files(&list);
    return st;
}
