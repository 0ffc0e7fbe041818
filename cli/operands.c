#include "operands.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "commands.h"

bool operand_name(const command *c, int k, char *name, size_t n_name)
{
    if (!word_at(c->operands, k, name, n_name)) {
        return false;
    }
    char *const dots = strstr(name, "...");
    name[dots ? (size_t)(dots - name) : strcspn(name, "]")] = '\0';
    memmove(name, name + (name[0] == '['), strlen(name) + (name[0] != '['));
    return true;
}

ney_status operands_add(invocation *call, const char *word, ney_error *err)
{
    const char **const words =
        realloc(call->words, ((size_t)call->n_words + 1) * sizeof *call->words);

    if (!words) {
        return out_of_memory(err, "the operands");
    }
    call->words = words;
    call->words[call->n_words++] = word;
    return NEY_OK;
}

/* The number of operands, and the one that may be several files; -1: none. */
static int count_operands(const command *c, int *several)
{
    char name[64];
    int n = 0;

    *several = -1;
    for (; word_at(c->operands, n, name, sizeof name); n++) {
        *several = strstr(name, "...") ? n : *several;
    }
    return n;
}

/* A word that names no file, and would be the name of an output. */
static bool is_output(const invocation *call, const char *word)
{
    option_place at;

    return option_find(call->command, "output", 6, 0, &at) && !option_given(call, "output") &&
           strcmp(word, "-") != 0 && !strpbrk(word, "*?[") && access(word, F_OK) != 0;
}

static ney_status refuse_word(const invocation *call, const char *word, ney_error *err)
{
    const char *const operands = call->command->operands;

    if (is_output(call, word)) {
        return usage_error(err, "one operand too many: '%s'; did you mean -o %s?", word, word);
    }
    return usage_error(err, "one operand too many: '%s'; expected %s", word,
                       *operands ? operands : "none");
}

/* The words from `first` on, one per line. */
static ney_status join_words(invocation *call, int first, int n, ney_error *err)
{
    size_t size = 1, used = 0;

    for (int k = first; k < first + n; k++) {
        size += strlen(call->words[k]) + 1;
    }
    if (!(call->list = malloc(size))) {
        return out_of_memory(err, "the names of files");
    }
    for (int k = first; k < first + n; k++) {
        used += (size_t)snprintf(call->list + used, size - used, "%s%s", k > first ? "\n" : "",
                                 call->words[k]);
    }
    return NEY_OK;
}

static ney_status check_streams(const invocation *call, ney_error *err)
{
    char name[64];
    int streams = 0;

    for (int k = 0; k < call->n_words; k++) {
        streams += strcmp(call->words[k], "-") == 0;
    }
    if (option_given(call, "decoys")) {
        const ney_read_opts *const read = options_of(call, &read_options);
        streams += strcmp(read->decoys, "-") == 0;
    }
    for (int k = 0; k < call->n_operands; k++) {
        (void)operand_name(call->command, k, name, sizeof name);
        streams -= strcmp(name, "OUT") == 0 && strcmp(call->operands[k], "-") == 0;
    }
    return streams > 1
               ? usage_error(err, "standard input can be read only once: one operand may be -")
               : NEY_OK;
}

/* Files of targets take the place of DATA. */
static ney_status insert_targets(invocation *call, int several, int n, ney_error *err)
{
    const char *const targets = option_given(call, "targets")
                                    ? *(const char *const *)options_of(call, &target_options)
                                    : NULL;

    if (!targets) {
        return NEY_OK;
    }
    if (!option_given(call, "decoys")) {
        return usage_error(err, "--targets needs --decoys FILES");
    }
    if (call->n_words >= n) {
        return usage_error(err, "one operand too many: '%s'; --targets takes the place of DATA",
                           call->words[call->n_words - 1]);
    }
    if (call->n_words < several) {
        return NEY_OK; /* an operand before DATA is missing */
    }
    const ney_status st = operands_add(call, targets, err);
    for (int k = call->n_words - 1; st == NEY_OK && k > several; k--) {
        call->words[k] = call->words[k - 1];
        call->words[k - 1] = targets;
    }
    return st;
}

ney_status operands_assign(invocation *call, ney_error *err)
{
    int several;
    const int n = count_operands(call->command, &several);
    char name[64];
    ney_status st = insert_targets(call, several, n, err);
    const int more = call->n_words - n;

    if (st != NEY_OK) {
        return st;
    }

    if (more > 0 && (several < 0 || is_output(call, call->words[call->n_words - 1]))) {
        return refuse_word(call, call->words[several < 0 ? n : call->n_words - 1], err);
    }
    if (more > 0) {
        st = join_words(call, several, more + 1, err);
    }
    for (int k = 0; k < call->n_words && k < n; k++) {
        const bool after = more > 0 && k > several;
        call->operands[k] =
            more > 0 && k == several ? call->list : call->words[k + (after ? more : 0)];
        call->n_operands = k + 1;
    }
    if (st == NEY_OK && word_at(call->command->operands, call->n_operands, name, sizeof name) &&
        name[0] != '[') { /* of "[MODEL DATA]": both or none */
        (void)operand_name(call->command, call->n_operands, name, sizeof name);
        const bool readable = strcmp(name, "DATA") == 0 || strcmp(name, "SCORES") == 0;
        return usage_error(err, "%s needs %s%s", call->command->name, name,
                           readable ? ", a file or - for standard input" : "");
    }
    return st == NEY_OK ? check_streams(call, err) : st;
}

const char *path_title(const char *path, char title[PATH_TITLE])
{
    const size_t length = strcspn(path, "\n");
    int more = 0;

    for (const char *at = path + length; *at; at++) {
        more += *at == '\n';
    }
    if (more == 0) {
        return path;
    }
    snprintf(title, PATH_TITLE, "%.*s and %d more", (int)(length < 200 ? length : 200), path, more);
    return title;
}
