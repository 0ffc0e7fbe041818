#include "base/grouping.h"

#include <stdlib.h>

typedef struct member {
    uint64_t key;
    int64_t row;
} member;

static int by_key(const void *a, const void *b)
{
    const member *x = a, *y = b;
    return x->key != y->key ? (x->key > y->key) - (x->key < y->key)
                            : (x->row > y->row) - (x->row < y->row);
}

ney_status ney_grouping_init(ney_grouping *g, const ney_env *env, const uint64_t *key, int64_t rows,
                             ney_error *err)
{
    member *m = ney_alloc(env, rows, sizeof *m);

    *g = (ney_grouping){.env = *env};
    g->begin = ney_alloc(env, rows + 1, sizeof *g->begin);
    g->row = ney_alloc(env, rows, sizeof *g->row);
    if (!m || !g->begin || !g->row) {
        ney_release(env, m);
        return ney_no_memory(err, rows, "groups of rows");
    }
    for (int64_t i = 0; i < rows; i++) {
        m[i] = (member){key[i], i};
    }
    qsort(m, (size_t)rows, sizeof *m, by_key);
    for (int64_t i = 0; i < rows; i++) {
        if (i == 0 || m[i].key != m[i - 1].key) {
            g->begin[g->n++] = i;
        }
        g->row[i] = m[i].row;
    }
    g->begin[g->n] = rows;
    ney_release(env, m);
    return NEY_OK;
}

void ney_grouping_deinit(ney_grouping *g)
{
    if (g->begin) {
        ney_release(&g->env, g->begin);
    }
    if (g->row) {
        ney_release(&g->env, g->row);
    }
    *g = (ney_grouping){0};
}
