/* The values of a result, for what builds them and what writes them. */
#ifndef NEYMAN_BASE_RESULT_TREE_H
#define NEYMAN_BASE_RESULT_TREE_H

#include "base/env.h"

#include <neyman/result.h>

enum { NEY_RESULT_MOST_NESTED = 32 }; /* levels of a tree */

/* What the values of one tree share. */
typedef struct ney_result_tree {
    ney_env env;
    ney_status status; /* of the first addition that failed */
} ney_result_tree;

struct ney_result {
    ney_result_tree *tree;
    ney_result *next, *first, *last;
    int64_t count; /* of children */
    ney_result_kind kind;
    int depth;        /* 0: the root */
    const char *text; /* of a text: behind the key in `bytes` */
    union {
        double real;
        int64_t integer;
        bool truth;
    } value;
    char bytes[]; /* the key and a NUL; of a text, the text and a NUL */
};

#endif
