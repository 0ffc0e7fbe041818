#include "commands.h"

#include <stdio.h>
#include <string.h>

#include "hints.h"
#include "suggest.h"

const command *const commands[] = {
#define COMMAND_ROW(name) &command_##name,
    COMMAND_LIST(COMMAND_ROW)
#undef COMMAND_ROW
        NULL};

const command *command_find(const char *name)
{
    for (int i = 0; commands[i]; i++) {
        if (strcmp(commands[i]->name, name) == 0) {
            return commands[i];
        }
    }
    return NULL;
}

ney_error command_unknown(const char *name)
{
    ney_error err = {.code = NEY_EINVAL};
    suggestion near;

    suggestion_init(&near, name);
    for (int i = 0; commands[i]; i++) {
        suggestion_offer(&near, commands[i]->name);
    }
    const int used = snprintf(err.message, sizeof err.message, "there is no command '%.64s'", name);
    if (hint_for_command(name)) {
        snprintf(near.best, sizeof near.best, "%s", hint_for_command(name));
    }
    if (near.best[0]) {
        snprintf(err.message + used, sizeof err.message - (size_t)used, "; did you mean '%s'?",
                 near.best);
    }
    return err;
}

bool command_takes(const command *c, const option_set *set, const ney_param *row)
{
    const size_t length = strlen(row->name);

    return (!set->only || word_in(set->only, row->name, length)) &&
           (!set->omit || !word_in(set->omit, row->name, length)) &&
           (!c->omit || set == &common_options || !word_in(c->omit, row->name, length));
}

const char *command_where(const command *c, const option_set *set, const ney_param *row)
{
    for (const option_rule *rule = c->rules; rule && rule->names; rule++) {
        if (word_in(rule->names, row->name, strlen(row->name))) {
            return rule->where;
        }
    }
    return set->where ? set->where(row->name) : NULL;
}

const option_set *command_set(const command *c, int k)
{
    int n = 0;

    while (n < MAX_SETS - 1 && c->sets[n]) {
        n++;
    }
    return k < n ? c->sets[k] : k == n ? &common_options : NULL;
}
