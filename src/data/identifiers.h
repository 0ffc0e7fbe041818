/* Columns that look like the groups of rows: named like identifiers, with values that repeat. */
#ifndef NEY_DATA_IDENTIFIERS_H
#define NEY_DATA_IDENTIFIERS_H

#include "base/env.h"

/* Characters of a name that a shell does not leave as they are: it is quoted in commands. */
#define NEY_SHELL_CHARS " \t'\"$&|;<>()*?#~`\\!"

/* Whether a name is that of an identifier: "patient", "user_id", "AccountID"; not "card_type". */
bool ney_names_identifier(const char *name);

/* Hashes of cells. */
typedef struct ney_keys {
    ney_env env;
    uint64_t *key;
    int64_t n, cap;
    bool failed; /* memory was refused */
} ney_keys;

void ney_keys_add(ney_keys *k, const char *text, int length);
void ney_keys_join(ney_keys *k, const ney_keys *more);
void ney_keys_deinit(ney_keys *k);

/* Whether the cells mark groups: at least ten different values, and on average at least three cells
 * for two values. Sorts the keys. */
bool ney_keys_repeat(ney_keys *k);

/* Whether there are at least twenty, and all differ. Sorts the keys. */
bool ney_keys_differ(ney_keys *k);

#endif
