/* How often each value of a column occurs, up to a number of different values. */
#ifndef NEY_DATA_VALUE_COUNTS_H
#define NEY_DATA_VALUE_COUNTS_H

#include "base/env.h"

enum { NEY_SHOWN_VALUE = 40 };

typedef struct ney_value_count {
    uint64_t hash; /* of its bytes: values of equal hash are taken as equal */
    int64_t n, line;
    char text[NEY_SHOWN_VALUE]; /* its beginning; "" where texts are not kept */
} ney_value_count;

typedef struct ney_value_counts {
    ney_env env;
    int64_t most;    /* different values that are kept */
    bool keeps_text; /* else only hashes are kept */
    bool overflow;   /* there are more */
    int64_t n;       /* different values so far */
    int64_t slots;
    uint64_t *hash; /* by slot; 0: free */
    int64_t *value; /* by slot, where texts are kept: a position below */
    ney_value_count *counts;
    int64_t cap;
} ney_value_counts;

/* One more cell, found at `line`; false without memory. */
bool ney_value_counts_add(ney_value_counts *v, const char *text, int64_t length, int64_t line);
void ney_value_counts_deinit(ney_value_counts *v);

/* Where texts are kept: the most frequent values first, equal ones by line. Nothing can be added
 * after that. */
void ney_value_counts_sort(ney_value_counts *v);

#endif
