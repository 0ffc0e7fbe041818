#include "suggest.h"

#include <stdio.h>
#include <string.h>

enum { LONGEST = 40 };

static int least(int a, int b)
{
    return a < b ? a : b;
}

/* Damerau-Levenshtein in its restricted form: no substring is edited twice. d[i][j] is the
 * distance between the first i bytes of a and the first j of b. */
int edit_distance(const char *a, const char *b)
{
    int d[LONGEST + 1][LONGEST + 1];
    const int m = (int)strnlen(a, LONGEST), n = (int)strnlen(b, LONGEST);

    for (int i = 0; i <= m; i++) {
        d[i][0] = i;
    }
    for (int j = 0; j <= n; j++) {
        d[0][j] = j;
    }
    for (int i = 1; i <= m; i++) {
        for (int j = 1; j <= n; j++) {
            const int replaced = d[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
            d[i][j] = least(replaced, 1 + least(d[i - 1][j], d[i][j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
                d[i][j] = least(d[i][j], d[i - 2][j - 2] + 1);
            }
        }
    }
    return d[m][n];
}

void suggestion_init(suggestion *s, const char *typed)
{
    const int length = (int)strnlen(typed, LONGEST);
    /* A third of the letters may be wrong: more than that is another word. */
    const int allowed = length < 2 ? 0 : length < 6 ? 1 : least(length / 3, 3);

    *s = (suggestion){.typed = typed, .distance = allowed + 1};
}

void suggestion_offer(suggestion *s, const char *candidate)
{
    const size_t length = strlen(s->typed);
    int distance = edit_distance(s->typed, candidate);

    /* A word cut short counts as one slip: options are not completed silently. */
    if (length >= 2 && distance > 1 && strncmp(candidate, s->typed, length) == 0) {
        distance = 1;
    }
    if (distance < s->distance) {
        s->distance = distance;
        snprintf(s->best, sizeof s->best, "%s", candidate);
    }
}
