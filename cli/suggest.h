/* "Did you mean": the nearest of a number of words to what was typed. */
#ifndef CLI_SUGGEST_H
#define CLI_SUGGEST_H

#include <stddef.h>

/* Edits (insert, delete, replace, exchange of neighbours) that turn a into b, long words cut. */
int edit_distance(const char *a, const char *b);

/* Candidates are offered one by one; the nearest is kept if it is near enough to be meant. */
typedef struct suggestion {
    const char *typed;
    int distance;
    char best[64]; /* "" while nothing is near enough */
} suggestion;

void suggestion_init(suggestion *s, const char *typed);
void suggestion_offer(suggestion *s, const char *candidate);

#endif
