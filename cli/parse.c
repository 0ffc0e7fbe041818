/* From a command line to an invocation. */
#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "commands.h"
#include "hints.h"
#include "operands.h"
#include "suggest.h"

ney_status usage_error(ney_error *err, const char *format, ...)
{
    va_list args;

    *err = (ney_error){.code = NEY_EINVAL};
    va_start(args, format);
    vsnprintf(err->message, sizeof err->message, format, args);
    va_end(args);
    return NEY_EINVAL;
}

/* The arguments still to be read. */
typedef struct reader {
    int argc, at;
    char **argv;
} reader;

/* The nearest option of the command, where one is near. */
static void suggest_option(const command *c, const char *name, suggestion *near)
{
    const option_set *set;

    suggestion_init(near, name);
    for (int k = 0; (set = command_set(c, k)); k++) {
        int64_t n;
        const ney_param *rows = set_rows(set, &n);
        for (int64_t r = 0; r < n; r++) {
            if (command_takes(c, set, &rows[r])) {
                suggestion_offer(near, rows[r].name);
            }
        }
    }
}

/* Refuse an option that the command does not have: `typed` is the word with its dashes, `length`
 * the bytes of its name. */
static ney_status unknown_option(const command *c, const char *typed, size_t length,
                                 const reader *in, ney_error *err)
{
    const bool is_letter = typed[1] != '-';
    const char *const rest = typed + (is_letter ? 2 : length);
    const char *const value = *rest               ? rest + (*rest == '=')
                              : in->at < in->argc ? in->argv[in->at]
                                                  : NULL;
    char name[64], hint[HINT_TEXT];
    suggestion near;

    snprintf(name, sizeof name, "%.*s", (int)(is_letter ? 2 : length), typed);
    if (hint_for_option(c, typed, length, value, hint)) {
        return usage_error(err, "%s has no option %s; %s", c->name, name, hint);
    }
    if (!is_letter) {
        suggest_option(c, name + 2, &near);
        if (near.best[0]) {
            return usage_error(err, "%s has no option %s; did you mean --%s?", c->name, name,
                               near.best);
        }
    }
    return usage_error(err, "%s has no option %s", c->name, name);
}

/* ------------------------------------------------------------------ setting a value */

/* Messages of the library name "tol"; the user typed "--tol". */
static void name_as_typed(const option_place *at, ney_error *err)
{
    char rest[sizeof err->message];
    const size_t length = strlen(at->row->name);

    if (strncmp(err->message, at->row->name, length) == 0) {
        snprintf(rest, sizeof rest, "%s", err->message + length);
        snprintf(err->message, sizeof err->message, "%s%.*s", at->typed,
                 (int)(sizeof rest - sizeof at->typed), rest);
    }
}

/* A whole number may be written as 1e6: as digits, where that does not change it. */
static const char *digits_of(const char *value, char digits[32])
{
    char *end;
    const double number = strtod(value, &end);

    if (end == value || *end || !strpbrk(value, "eE") || strpbrk(value, "xX") ||
        !(fabs(number) < 0x1p53) || number != floor(number)) {
        return value;
    }
    snprintf(digits, 32, "%.0f", number);
    return digits;
}

static void suggest_choice(const char *choices, const char *typed, ney_error *err)
{
    char choice[64];
    suggestion near;
    const size_t used = strlen(err->message);

    suggestion_init(&near, typed);
    for (int k = 0; word_at(choices, k, choice, sizeof choice); k++) {
        suggestion_offer(&near, choice);
    }
    if (near.best[0]) {
        snprintf(err->message + used, sizeof err->message - used, "; did you mean %s?", near.best);
    }
}

/* Append to a list that was given before; *value becomes the whole list. */
static ney_status append_to_list(invocation *call, const option_place *at, const char **value,
                                 ney_error *err)
{
    const char *const before =
        *(const char *const *)((const char *)call->opts[at->set] + at->row->offset);
    const size_t size = strlen(before) + strlen(*value) + 2;
    char *const all = call->n_joined < MAX_PAIRS ? malloc(size) : NULL;

    if (!all) {
        return usage_error(err, "%s is given too many times; expected one list", at->typed);
    }
    snprintf(all, size, "%s%s%s", before, option_separator(at->row), *value);
    call->joined[call->n_joined++] = all;
    *value = all;
    return NEY_OK;
}

/* An option that was given before: a flag may be repeated, a list grows, anything else is refused.
 */
static ney_status set_again(invocation *call, const option_place *at, const char **value,
                            ney_error *err)
{
    const bool *const flag = (const bool *)((const char *)call->opts[at->set] + at->row->offset);

    if (at->row->kind == NEY_KIND_FLAG && *flag == (!*value || **value != 'f')) {
        return NEY_OK;
    }
    return option_separator(at->row) && *value
               ? append_to_list(call, at, value, err)
               : usage_error(err, "%s is given twice; expected once", at->typed);
}

static ney_status set_option(invocation *call, const option_place *at, const char *value,
                             ney_error *err)
{
    char digits[32];

    if (at->row->kind == NEY_KIND_TEXT && value && !value[0]) {
        return usage_error(err, "%s has an empty value; expected %s", at->typed, at->row->arg);
    }
    if ((call->given[at->set] >> at->index & 1) != 0 &&
        set_again(call, at, &value, err) != NEY_OK) {
        return NEY_EINVAL;
    }
    if (at->row->kind == NEY_KIND_INT && value) {
        value = digits_of(value, digits);
    }
    const ney_status st =
        ney_params_set(at->row, 1, call->opts[at->set], at->row->name, value, err);
    call->given[at->set] |= UINT64_C(1) << at->index;
    if (st != NEY_OK) {
        name_as_typed(at, err);
    }
    if (st == NEY_EINVAL && at->row->kind == NEY_KIND_CHOICE && value) {
        suggest_choice(at->row->choices, value, err);
    }
    return st;
}

/* A value of two words, after the first one was read. */
static ney_status take_pair(invocation *call, const option_place *at, const char *first, reader *in,
                            ney_error *err)
{
    if (in->at == in->argc) {
        return usage_error(err, "%s needs two values: %s %s", at->typed, at->typed, at->row->arg);
    }
    char *const both = call->pair[call->n_pairs];
    const char *const second = in->argv[in->at++];
    if (call->n_pairs + 1 < MAX_PAIRS) {
        call->n_pairs++;
    }
    if ((size_t)snprintf(both, sizeof call->pair[0], "%s %s", first, second) >=
        sizeof call->pair[0]) {
        return usage_error(err, "%s %.40s...: expected %s", at->typed, first, at->row->arg);
    }
    return set_option(call, at, both, err);
}

static ney_status take_value(invocation *call, const option_place *at, const char *attached,
                             reader *in, ney_error *err)
{
    if (!attached && at->row->kind != NEY_KIND_FLAG) {
        if (in->at == in->argc) {
            return usage_error(err, "%s needs a value: %s %s", at->typed, at->typed,
                               at->row->arg ? at->row->arg : "VALUE");
        }
        attached = in->argv[in->at++];
        if (at->row->kind == NEY_KIND_TEXT && strchr(at->row->arg, ' ') &&
            !strpbrk(attached, " ,")) {
            return take_pair(call, at, attached, in, err);
        }
    }
    return set_option(call, at, attached, err);
}

/* "--tol=0.1", "--tol 0.1" */
static ney_status parse_long(invocation *call, const char *word, reader *in, ney_error *err)
{
    const size_t length = strcspn(word, "=");
    option_place at;

    if (!option_find(call->command, word + 2, length - 2, 0, &at)) {
        return unknown_option(call->command, word, length, in, err);
    }
    return take_value(call, &at, word[length] ? word + length + 1 : NULL, in, err);
}

/* LIBSVM's -h 0 and -h 1: a script must not take the help page for a run. */
static ney_status refuse_shrinking(const reader *in, ney_error *err)
{
    const char *const next = in->at < in->argc ? in->argv[in->at] : "";

    return strcmp(next, "0") == 0 || strcmp(next, "1") == 0
               ? usage_error(
                     err, "-h is --help and has no value; the solvers have no option for shrinking")
               : NEY_OK;
}

/* "-qv": flags may share a dash; "-C10", "-C=10": the rest of the word is the value. */
static ney_status parse_short(invocation *call, const char *word, reader *in, ney_error *err)
{
    for (const char *letter = word + 1; *letter; letter++) {
        option_place at;
        if (!option_find(call->command, NULL, 0, *letter, &at)) {
            const char one[] = {'-', *letter, '\0'};
            return letter == word + 1 ? unknown_option(call->command, word, strlen(word), in, err)
                                      : unknown_option(call->command, one, 2, in, err);
        }
        const bool is_flag = at.row->kind == NEY_KIND_FLAG;
        const char *attached = !is_flag && letter[1] ? letter + 1 + (letter[1] == '=') : NULL;
        const ney_status st = *letter == 'h' && !letter[1] ? refuse_shrinking(in, err) : NEY_OK;
        if (st != NEY_OK) {
            return st;
        }
        const ney_status set = take_value(call, &at, attached, in, err);
        if (set != NEY_OK || !is_flag) {
            return set;
        }
    }
    return NEY_OK;
}

/* ------------------------------------------------------------------ the command line */

/* "-v 5" of LIBSVM, unless a file is called so. */
static bool is_fold_count(const char *word, const char *before)
{
    return strcmp(before, "-v") == 0 && word[strspn(word, "0123456789")] == '\0' &&
           access(word, F_OK) != 0;
}

/* `before` is the word before it on the command line. */
static ney_status add_operand(invocation *call, const char *word, const char *before,
                              ney_error *err)
{
    option_place at;

    if (is_fold_count(word, before)) {
        const bool has_folds = option_find(call->command, "folds", 5, 0, &at);
        return usage_error(err, "-v is --verbose and has no value; did you mean %s--folds %s%s?",
                           has_folds ? "" : "'neyman cv ", word, has_folds ? "" : "'");
    }
    return operands_add(call, word, err);
}

/* An option acts or is refused. */
static ney_status check_rules(const invocation *call, ney_error *err)
{
    for (const option_rule *rule = call->command->rules; rule && rule->names; rule++) {
        char name[64];
        option_place at;
        for (int k = 0; word_at(rule->names, k, name, sizeof name); k++) {
            if (option_given(call, name) &&
                option_find(call->command, name, strlen(name), 0, &at) &&
                !ney_param_is_default(at.row, call->opts[at.set]) && !rule->acts(call)) {
                return usage_error(err, "--%s applies to %s", name, rule->where);
            }
        }
    }
    const common_opts *common = options_of(call, &common_options);
    return common->quiet && common->verbose
               ? usage_error(err, "--quiet and --verbose exclude each other; expected one")
               : NEY_OK;
}

static ney_status check_complete(invocation *call, ney_error *err)
{
    const command *c = call->command;
    option_place at;
    const ney_status st = operands_assign(call, err);

    if (st != NEY_OK) {
        return st;
    }
    if (c->required && !option_given(call, c->required) &&
        option_find(c, c->required, strlen(c->required), 0, &at)) {
        return usage_error(err, "%s needs --%s %s", c->name, c->required, at.row->arg);
    }
    return check_rules(call, err);
}

static ney_status fill_defaults(invocation *call, ney_error *err)
{
    const option_set *set;

    for (int k = 0; (set = command_set(call->command, k)); k++) {
        int64_t n;
        const ney_param *rows = set_rows(set, &n);
        assert(n <= MAX_ROWS); /* a bit each in `given` */
        call->opts[k] = calloc(1, set->bytes);
        if (!call->opts[k]) {
            return out_of_memory(err, "the options");
        }
        ney_params_init(rows, n, call->opts[k]);
    }
    return NEY_OK;
}

ney_status invocation_parse(invocation *call, const command *c, int argc, char **argv,
                            ney_error *err)
{
    reader in = {argc, 0, argv};
    bool options = true;

    *call = (invocation){.command = c};
    ney_status st = fill_defaults(call, err);
    while (st == NEY_OK && in.at < in.argc) {
        const char *word = in.argv[in.at++];
        if (!options || word[0] != '-' || word[1] == '\0') {
            st = add_operand(call, word, in.at > 1 ? in.argv[in.at - 2] : "", err);
        } else if (strcmp(word, "--") == 0) {
            options = false;
        } else if (word[1] == '-') {
            st = parse_long(call, word, &in, err);
        } else {
            st = parse_short(call, word, &in, err);
        }
        if (st == NEY_OK && ((const common_opts *)options_of(call, &common_options))->help) {
            return NEY_OK;
        }
    }
    return st == NEY_OK ? check_complete(call, err) : st;
}

void invocation_deinit(invocation *call)
{
    for (int k = 0; k < MAX_SETS; k++) {
        free(call->opts[k]);
        call->opts[k] = NULL;
    }
    for (int k = 0; k < call->n_joined; k++) {
        free(call->joined[k]);
    }
    free(call->words);
    free(call->list);
}
