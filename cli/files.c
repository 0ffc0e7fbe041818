#include "files.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "commands.h"

typedef enum role { ROLE_NONE, ROLE_INPUT, ROLE_OUTPUT } role;

/* A model may be replaced by its successor: "update M D -o M". */
typedef struct file {
    const char *path;
    char called[64]; /* "--plot" or "DATA" */
    role role;
    bool is_model;     /* an input that holds a model */
    bool is_new_model; /* an output that may replace it */
    bool exists;
    struct stat info;
} file;

enum { MOST_FILES = 64 };

typedef struct file_list {
    file file[MOST_FILES];
    int n;
} file_list;

/* By its name, whatever help calls its argument. */
static role role_of_option(const ney_param *row)
{
    static const char inputs[] = "model valid test from-scores importance";
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

static void add_file(file_list *list, file f)
{
    assert(list->n < MOST_FILES);
    if (list->n < MOST_FILES && strcmp(f.path, "-") != 0) {
        f.exists = stat(f.path, &f.info) == 0;
        list->file[list->n++] = f;
    }
}

static void add_operands(file_list *list, const invocation *call)
{
    for (int k = 0; k < call->n_operands; k++) {
        file f = {.path = call->operands[k]};
        char name[64];
        word_at(call->command->operands, k, name, sizeof name);
        name[strcspn(name, "]")] = '\0';
        snprintf(f.called, sizeof f.called, "%s", name + (name[0] == '['));
        f.role = strcmp(f.called, "OUT") == 0 ? ROLE_OUTPUT : ROLE_INPUT;
        f.is_model = strcmp(f.called, "MODEL") == 0;
        add_file(list, f);
    }
}

static void add_options(file_list *list, const invocation *call)
{
    const option_set *set;

    for (int k = 0; (set = command_set(call->command, k)); k++) {
        int64_t n;
        const ney_param *rows = set_rows(set, &n);
        for (int64_t r = 0; r < n; r++) {
            const role as = rows[r].kind == NEY_KIND_TEXT ? role_of_option(&rows[r]) : ROLE_NONE;
            assert(as != ROLE_NONE || rows[r].kind != NEY_KIND_TEXT ||
                   !word_in("FILE MODEL OUT PATH", rows[r].arg, strlen(rows[r].arg)));
            if (as == ROLE_NONE || !(call->given[k] >> r & 1)) {
                continue;
            }
            file f = {.role = as,
                      .is_model = strcmp(rows[r].name, "model") == 0,
                      .is_new_model = strcmp(rows[r].arg, "OUT") == 0};
            memcpy(&f.path, (const char *)call->opts[k] + rows[r].offset, sizeof f.path);
            snprintf(f.called, sizeof f.called, "--%s", rows[r].name);
            add_file(list, f);
        }
    }
}

/* Files that are there are compared by what they are, others by their names. */
static bool is_same_file(const file *a, const file *b)
{
    if (a->exists != b->exists) {
        return false;
    }
    return a->exists ? S_ISREG(a->info.st_mode) && a->info.st_dev == b->info.st_dev &&
                           a->info.st_ino == b->info.st_ino
                     : strcmp(a->path, b->path) == 0;
}

bool files_are_one(const char *a, const char *b)
{
    file one = {.path = a}, other = {.path = b};

    one.exists = stat(a, &one.info) == 0;
    other.exists = stat(b, &other.info) == 0;
    return one.exists && is_same_file(&one, &other);
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

    for (int k = 0; k < list->n; k++) {
        const file *f = &list->file[k];
        if (f->role == ROLE_INPUT && f->exists && S_ISREG(f->info.st_mode)) {
            shared &= f->info.st_mode;
        }
    }
    const mode_t mask = umask(077);
    umask(mask | (~shared & 077));
}

ney_status files_check(const invocation *call, ney_error *err)
{
    file_list list = {.n = 0};

    add_operands(&list, call);
    add_options(&list, call);
    for (int k = 0; k < list.n; k++) {
        for (int i = 0; i < list.n; i++) {
            const file *output = &list.file[k], *other = &list.file[i];
            const bool may_replace = other->is_model && output->is_new_model;
            if (i != k && output->role == ROLE_OUTPUT && (other->role == ROLE_INPUT || i > k) &&
                !may_replace && is_same_file(output, other)) {
                return refuse(output, other, err);
            }
        }
    }
    narrow_modes(&list);
    return NEY_OK;
}
