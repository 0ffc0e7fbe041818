#include "options.h"

#include <stdio.h>
#include <string.h>

#include "commands.h"

/* clang-format off */
static const ney_param common_rows[] = {
#define AT(field) offsetof(common_opts, field)
    /* name      flag kind           offset       default low high arg  choices help */
    {"json",      0,  NEY_KIND_FLAG, AT(json),    0, 0, 0,    NULL, NULL, "print the result as one JSON object"},
    {"quiet",    'q', NEY_KIND_FLAG, AT(quiet),   0, 0, 0,    NULL, NULL, "print no messages except errors"},
    {"verbose",  'v', NEY_KIND_FLAG, AT(verbose), 0, 0, 0,    NULL, NULL, "print more messages and all figures of the solver"},
    {"threads",   0,  NEY_KIND_INT,  AT(threads), 0, 0, 1024, "N",  NULL, "number of threads; 0: one per core. Never changes a result"},
    {"log-time",  0,  NEY_KIND_FLAG, AT(log_time), 0, 0, 0,   NULL, NULL, "print the seconds since the start before each message"},
    {"log-every", 0,  NEY_KIND_REAL, AT(log_every), 10, 0, 1e9, "SECONDS", NULL, "seconds between two lines of progress if standard error is not a terminal; 0: none"},
    {"help",     'h', NEY_KIND_FLAG, AT(help),    0, 0, 0,    NULL, NULL, "print the everyday options of the command"},
#undef AT
};
/* clang-format on */

const option_set common_options = {.title = "General",
                                   .rows = common_rows,
                                   .n_rows = COUNT(common_rows),
                                   .bytes = sizeof(common_opts)};

static const option_topic read_topics[] = {
    {"Data",
     "label positive rest negative decoys weight id group ignore words missing na score format"},
    {"Limits and variants of the format",
     "delimiter decimal no-header zero-based max-categories max-columns max-line"},
    {NULL, NULL}};

const option_set read_options = {.title = "Data",
                                 .topics = read_topics,
                                 .from = ney_read_params,
                                 .bytes = sizeof(ney_read_opts),
                                 .where = ney_read_where};

static const ney_param target_rows[] = {{"targets", 0, NEY_KIND_TEXT, 0, 0, 0, 0, "FILES", NULL,
                                         "with --decoys: files of targets, in the place of DATA"}};

const option_set target_options = {.title = "Data",
                                   .rows = target_rows,
                                   .n_rows = COUNT(target_rows),
                                   .bytes = sizeof(const char *)};

/* ------------------------------------------------------------------ sets and words */

const ney_param *set_rows(const option_set *set, int64_t *n_rows)
{
    if (set->from) {
        return set->from(n_rows);
    }
    *n_rows = set->n_rows;
    return set->rows;
}

const char *option_separator(const ney_param *row)
{
    static const char *const lists[][2] = {{"COLUMNS", ","},   {"WORDS", ","},    {"VALUES", ","},
                                           {"G1,G2,...", ","}, {"Q[,Q...]", ","}, {"AXES", " "},
                                           {"FILES", "\n"}};

    for (int64_t k = 0; k < COUNT(lists) && row->kind == NEY_KIND_TEXT; k++) {
        if (row->arg && strcmp(row->arg, lists[k][0]) == 0) {
            return lists[k][1];
        }
    }
    return NULL;
}

bool word_in(const char *list, const char *word, size_t length)
{
    for (size_t n; *(list += strspn(list, " ")); list += n) {
        n = strcspn(list, " ");
        if (n == length && memcmp(list, word, length) == 0) {
            return true;
        }
    }
    return false;
}

void sizes_text(const int64_t *size, char *text, size_t n_text)
{
    const bool has_second = size[1] > 0;
    snprintf(text, n_text, has_second ? "%lld,%lld" : "%lld", (long long)size[0],
             (long long)size[1]);
}

bool word_at(const char *list, int k, char *word, size_t n_word)
{
    for (;; k--) {
        list += strspn(list, " ");
        const size_t length = strcspn(list, " ");
        if (length == 0) {
            return false;
        }
        if (k == 0) {
            snprintf(word, n_word, "%.*s", (int)length, list);
            return true;
        }
        list += length;
    }
}

/* ------------------------------------------------------------------ options of a command */

bool option_find(const command *c, const char *name, size_t length, char letter,
                 option_place *found)
{
    const option_set *set;

    for (int k = 0; (set = command_set(c, k)); k++) {
        int64_t n;
        const ney_param *rows = set_rows(set, &n);
        for (int64_t r = 0; r < n; r++) {
            const bool same =
                name ? strlen(rows[r].name) == length && memcmp(rows[r].name, name, length) == 0
                     : rows[r].flag != 0 && rows[r].flag == letter;
            if (same && command_takes(c, set, &rows[r])) {
                *found = (option_place){.row = &rows[r], .set = k, .index = r};
                snprintf(found->typed, sizeof found->typed, "%s%s", name ? "--" : "-",
                         name ? rows[r].name : (const char[]){letter, '\0'});
                return true;
            }
        }
    }
    return false;
}

void *options_edit(const invocation *call, const option_set *set)
{
    const option_set *each;

    for (int k = 0; (each = command_set(call->command, k)); k++) {
        if (each == set) {
            return call->opts[k];
        }
    }
    return NULL;
}

const void *options_of(const invocation *call, const option_set *set)
{
    return options_edit(call, set);
}

bool option_pair(const char *text, const char *name, double value[2], ney_error *err)
{
    const size_t length = strcspn(text, " ,");
    char words[2][64];
    bool good = length < sizeof words[0] && text[length] != '\0' &&
                strlen(text + length + 1) < sizeof words[1];

    for (int k = 0; k < 2 && good; k++) {
        snprintf(words[k], sizeof words[k], "%.*s", k ? 63 : (int)length,
                 k ? text + length + 1 : text);
        const ney_param row = {.name = name,
                               .kind = NEY_KIND_REAL,
                               .low = -1e300,
                               .high = 1e300}; /* read as every number is, whatever the locale */
        good = ney_params_set(&row, 1, &value[k], name, words[k], err) == NEY_OK;
    }
    if (!good) {
        *err = (ney_error){.code = NEY_EINVAL};
        snprintf(err->message, sizeof err->message, "--%s '%.60s': expected two numbers", name,
                 text);
    }
    return good;
}

bool option_given(const invocation *call, const char *name)
{
    option_place at;

    return option_find(call->command, name, strlen(name), 0, &at) &&
           (call->given[at.set] >> at.index & 1) != 0;
}
