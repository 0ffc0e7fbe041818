/* Sets of distinct words. */
#ifndef NEY_DATA_WORD_SET_H
#define NEY_DATA_WORD_SET_H

#include "base/env.h"

/* Distinct words, in a hash table with open addressing. */
typedef struct ney_word_set {
    ney_env env;
    const char **word; /* by slot; NULL: free */
    int *length;
    int64_t n, slots;
    bool owns; /* the words are copies */
} ney_word_set;

/* False without memory. */
bool ney_word_set_add(ney_word_set *s, const char *word, int length);
void ney_word_set_clear(ney_word_set *s);
void ney_word_set_deinit(ney_word_set *s);

#endif
