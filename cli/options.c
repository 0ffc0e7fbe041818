#include "options.h"

#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "suggest.h"

/* clang-format off */
static const ney_param common_rows[] = {
#define AT(field) offsetof(common_opts, field)
    /* name      flag kind           offset       default low high arg  choices help */
    {"json",      0,  NEY_KIND_FLAG, AT(json),    0, 0, 0,    NULL, NULL, "print the result as one JSON object"},
    {"quiet",    'q', NEY_KIND_FLAG, AT(quiet),   0, 0, 0,    NULL, NULL, "print no messages except errors"},
    {"verbose",  'v', NEY_KIND_FLAG, AT(verbose), 0, 0, 0,    NULL, NULL, "print more messages and all figures of the solver"},
    {"threads",   0,  NEY_KIND_INT,  AT(threads), 0, 0, 1024, "N",  NULL, "number of threads; 0: one per core. Never changes a result"},
    {"help",     'h', NEY_KIND_FLAG, AT(help),    0, 0, 0,    NULL, NULL, "print the everyday options of the command"},
#undef AT
};
/* clang-format on */

const option_set common_options = {.title = "General",
                                   .rows = common_rows,
                                   .n_rows = COUNT(common_rows),
                                   .bytes = sizeof(common_opts)};

static const option_topic read_topics[] = {
    {"Data", "label positive weight id group ignore words missing format"},
    {"Limits and variants of the format",
     "no-header zero-based max-categories max-columns max-line"},
    {NULL, NULL}};

const option_set read_options = {.title = "Data",
                                 .topics = read_topics,
                                 .from = ney_read_params,
                                 .bytes = sizeof(ney_read_opts),
                                 .where = ney_read_where};

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
    static const char *const lists[][2] = {{"COLUMNS", ","}, {"G1,G2,...", ","}, {"AXES", " "}};

    for (int64_t k = 0; k < COUNT(lists) && row->kind == NEY_KIND_TEXT; k++) {
        if (row->arg && strcmp(row->arg, lists[k][0]) == 0) {
            return lists[k][1];
        }
    }
    return NULL;
}

bool word_in(const char *list, const char *word, size_t length)
{
    char each[64];

    for (int k = 0; word_at(list, k, each, sizeof each); k++) {
        if (strlen(each) == length && memcmp(each, word, length) == 0) {
            return true;
        }
    }
    return false;
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

/* ------------------------------------------------------------------ finding a row */

/* Where an option of a command lives. */
typedef struct place {
    const ney_param *row;
    int set;
    int64_t index;
    char typed[64]; /* as the user wrote it: "--tol" or "-C" */
} place;

/* Find an option by the `length` bytes of its long name, or by its letter when `name` is NULL. */
static bool find_option(const command *c, const char *name, size_t length, char letter,
                        place *found)
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
                *found = (place){.row = &rows[r], .set = k, .index = r};
                snprintf(found->typed, sizeof found->typed, "%s%s", name ? "--" : "-",
                         name ? rows[r].name : (const char[]){letter, '\0'});
                return true;
            }
        }
    }
    return false;
}

static ney_status usage(ney_error *err, const char *format, ...) PRINTF_LIKE(2, 3);

static ney_status usage(ney_error *err, const char *format, ...)
{
    va_list args;

    *err = (ney_error){.code = NEY_EINVAL};
    va_start(args, format);
    vsnprintf(err->message, sizeof err->message, format, args);
    va_end(args);
    return NEY_EINVAL;
}

static ney_status unknown_option(const command *c, const char *typed, size_t length, ney_error *err)
{
    char name[64];
    suggestion near;
    const option_set *set;

    snprintf(name, sizeof name, "%.*s", (int)length, typed);
    suggestion_init(&near, name);
    for (int k = 0; (set = command_set(c, k)); k++) {
        int64_t n;
        const ney_param *rows = set_rows(set, &n);
        for (int64_t r = 0; r < n; r++) {
            if (command_takes(c, set, &rows[r])) {
                suggestion_offer(&near, rows[r].name);
            }
        }
    }
    if (near.best[0]) {
        return usage(err, "%s has no option --%s; did you mean --%s?", c->name, name, near.best);
    }
    return usage(err, "%s has no option --%s", c->name, name);
}

/* ------------------------------------------------------------------ setting a value */

/* The library speaks of "tol" where the user typed "--tol". */
static void name_as_typed(const place *at, ney_error *err)
{
    char rest[sizeof err->message];
    const size_t length = strlen(at->row->name);

    if (strncmp(err->message, at->row->name, length) == 0) {
        snprintf(rest, sizeof rest, "%s", err->message + length);
        snprintf(err->message, sizeof err->message, "%s%.*s", at->typed,
                 (int)(sizeof rest - sizeof at->typed), rest);
    }
}

/* A whole number may be written as 1e6: into digits, unless that would change it. */
static const char *in_digits(const char *value, char digits[32])
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

/* A list that is given again is longer; *value becomes all of it. */
static ney_status join(invocation *call, const place *at, const char **value, ney_error *err)
{
    const char *const before =
        *(const char *const *)((const char *)call->opts[at->set] + at->row->offset);
    const size_t room = strlen(before) + strlen(*value) + 2;
    char *const all = call->n_joined < MAX_PAIRS ? malloc(room) : NULL;

    if (!all) {
        return usage(err, "%s given too often", at->typed);
    }
    snprintf(all, room, "%s%s%s", before, option_separator(at->row), *value);
    call->joined[call->n_joined++] = all;
    *value = all;
    return NEY_OK;
}

/* An option that was given before: a flag may repeat what it said, a list goes on, and of two
 * values neither can be meant. */
static ney_status set_again(invocation *call, const place *at, const char **value, ney_error *err)
{
    const bool *const flag = (const bool *)((const char *)call->opts[at->set] + at->row->offset);

    if (at->row->kind == NEY_KIND_FLAG && *flag == (!*value || **value != 'f')) {
        return NEY_OK;
    }
    return option_separator(at->row) && *value
               ? join(call, at, value, err)
               : usage(err, "%s given twice; expected once", at->typed);
}

static ney_status set_option(invocation *call, const place *at, const char *value, ney_error *err)
{
    char digits[32];

    if (at->row->kind == NEY_KIND_TEXT && value && !value[0]) {
        return usage(err, "%s is empty, expected %s", at->typed, at->row->arg);
    }
    if ((call->given[at->set] >> at->index & 1) != 0 &&
        set_again(call, at, &value, err) != NEY_OK) {
        return NEY_EINVAL;
    }
    if (at->row->kind == NEY_KIND_INT && value) {
        value = in_digits(value, digits);
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

/* The arguments still to be read. */
typedef struct reader {
    int argc, at;
    char **argv;
} reader;

/* A value of two words, of which the first is taken already. */
static ney_status take_pair(invocation *call, const place *at, const char *first, reader *in,
                            ney_error *err)
{
    if (in->at == in->argc) {
        return usage(err, "%s needs two values: %s %s", at->typed, at->typed, at->row->arg);
    }
    char *const room = call->pair[call->n_pairs];
    const char *const second = in->argv[in->at++];
    if (call->n_pairs + 1 < MAX_PAIRS) {
        call->n_pairs++;
    }
    if ((size_t)snprintf(room, sizeof call->pair[0], "%s %s", first, second) >=
        sizeof call->pair[0]) {
        return usage(err, "%s %.40s...: expected %s", at->typed, first, at->row->arg);
    }
    return set_option(call, at, room, err);
}

static ney_status take_value(invocation *call, const place *at, const char *attached, reader *in,
                             ney_error *err)
{
    if (!attached && at->row->kind != NEY_KIND_FLAG) {
        if (in->at == in->argc) {
            return usage(err, "%s needs a value: %s %s", at->typed, at->typed,
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

static ney_status parse_long(invocation *call, const char *word, reader *in, ney_error *err)
{
    const size_t length = strcspn(word, "=");
    place at;

    if (!find_option(call->command, word, length, 0, &at)) {
        return unknown_option(call->command, word, length, err);
    }
    return take_value(call, &at, word[length] ? word + length + 1 : NULL, in, err);
}

/* "-qv": flags may share a dash; "-C10", "-C=10": the rest of the word is the value. */
static ney_status parse_short(invocation *call, const char *letters, reader *in, ney_error *err)
{
    for (; *letters; letters++) {
        place at;
        if (!find_option(call->command, NULL, 0, *letters, &at)) {
            return usage(err, "%s has no option -%c", call->command->name, *letters);
        }
        const bool is_flag = at.row->kind == NEY_KIND_FLAG;
        const char *attached = !is_flag && letters[1] ? letters + 1 + (letters[1] == '=') : NULL;
        const ney_status st = take_value(call, &at, attached, in, err);
        if (st != NEY_OK || !is_flag) {
            return st;
        }
    }
    return NEY_OK;
}

/* ------------------------------------------------------------------ the whole line */

static ney_status add_operand(invocation *call, const char *word, ney_error *err)
{
    char name[64];

    if (!word_at(call->command->operands, call->n_operands, name, sizeof name)) {
        return usage(err, "one operand too many: '%s'", word);
    }
    call->operands[call->n_operands++] = word;
    return NEY_OK;
}

/* An option acts or is refused. */
static ney_status check_rules(const invocation *call, ney_error *err)
{
    for (const option_rule *rule = call->command->rules; rule && rule->names; rule++) {
        char name[64];
        place at;
        for (int k = 0; word_at(rule->names, k, name, sizeof name); k++) {
            if (option_given(call, name) &&
                find_option(call->command, name, strlen(name), 0, &at) &&
                !ney_param_is_default(at.row, call->opts[at.set]) && !rule->acts(call)) {
                return usage(err, "--%s applies to %s", name, rule->where);
            }
        }
    }
    const common_opts *common = options_of(call, &common_options);
    return common->quiet && common->verbose
               ? usage(err, "--quiet and --verbose exclude each other; expected one")
               : NEY_OK;
}

static ney_status check_complete(const invocation *call, ney_error *err)
{
    const command *c = call->command;
    char name[64];
    place at;

    if (word_at(c->operands, call->n_operands, name, sizeof name) && name[0] != '[') {
        name[strcspn(name, "]")] = '\0'; /* of "[MODEL DATA]", which come both or not at all */
        return usage(err, "%s needs %s", c->name, name);
    }
    int streams = 0;
    for (int k = 0; k < call->n_operands; k++) {
        word_at(c->operands, k, name, sizeof name);
        streams += strcmp(call->operands[k], "-") == 0 && strcmp(name, "OUT") != 0;
    }
    if (streams > 1) {
        return usage(err, "standard input can be read only once: one operand may be -");
    }
    if (c->required && !option_given(call, c->required) &&
        find_option(c, c->required, strlen(c->required), 0, &at)) {
        return usage(err, "%s needs --%s %s", c->name, c->required, at.row->arg);
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
            *err = (ney_error){.code = NEY_ENOMEM, .message = "no memory for the options"};
            return NEY_ENOMEM;
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
            st = add_operand(call, word, err);
        } else if (strcmp(word, "--") == 0) {
            options = false;
        } else if (word[1] == '-') {
            st = parse_long(call, word + 2, &in, err);
        } else {
            st = parse_short(call, word + 1, &in, err);
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
}

const void *options_of(const invocation *call, const option_set *set)
{
    const option_set *each;

    for (int k = 0; (each = command_set(call->command, k)); k++) {
        if (each == set) {
            return call->opts[k];
        }
    }
    return NULL;
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
        usage(err, "--%s '%.60s': expected two numbers", name, text);
    }
    return good;
}

bool option_given(const invocation *call, const char *name)
{
    place at;

    return find_option(call->command, name, strlen(name), 0, &at) &&
           (call->given[at.set] >> at.index & 1) != 0;
}
