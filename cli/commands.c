#include "commands.h"

#include <stdio.h>
#include <string.h>

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
    if (near.best[0]) {
        snprintf(err.message + used, sizeof err.message - (size_t)used, "; did you mean '%s'?",
                 near.best);
    }
    return err;
}

const option_set *command_set(const command *c, int k)
{
    int n = 0;

    while (n < MAX_SETS - 1 && c->sets[n]) {
        n++;
    }
    return k < n ? c->sets[k] : k == n ? &common_options : NULL;
}
