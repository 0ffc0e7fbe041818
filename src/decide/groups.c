/* Rows that belong together: the best of each group, and q-values group by group. */
#include "base/error.h"
#include "decide/order.h"

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

static ney_status sort_members(member **out, const ney_env *env, const uint64_t *key, int64_t n,
                               ney_error *err)
{
    *out = ney_alloc(env, n, sizeof **out);
    if (!*out) {
        return ney_no_memory(err, n, "groups of rows");
    }
    for (int64_t i = 0; i < n; i++) {
        (*out)[i] = (member){key[i], i};
    }
    qsort(*out, (size_t)n, sizeof **out, by_key);
    return NEY_OK;
}

/* Whether row b beats row a. Between a target and a decoy of one score a coin is tossed: the lowest
 * bit of the key, which is the same however often it is asked. */
static bool beats(const double *score, const int8_t *label, uint64_t key, int64_t a, int64_t b)
{
    if (score[a] != score[b]) {
        return score[b] > score[a];
    }
    return label[a] != label[b] && (label[b] > 0) == (bool)(key & 1);
}

ney_status ney_best_of_groups(const ney_env *env, const double *score, const int8_t *label,
                              const uint64_t *key, int64_t n, bool *best, ney_error *err)
{
    const ney_env e = ney_env_of(env);
    member *m;
    const ney_status st = sort_members(&m, &e, key, n, err);
    if (st != NEY_OK) {
        return st;
    }
    for (int64_t i = 0, j; i < n; i = j) {
        int64_t winner = m[i].row;
        for (j = i; j < n && m[j].key == m[i].key; j++) {
            winner = beats(score, label, m[i].key, winner, m[j].row) ? m[j].row : winner;
            best[m[j].row] = false;
        }
        best[winner] = true;
    }
    ney_release(&e, m);
    return NEY_OK;
}

ney_status ney_qvalues_by_group(const ney_env *env, const double *score, const int8_t *label,
                                const uint64_t *key, int64_t n, const ney_qvalue_opts *opts,
                                double *q, double *pep, ney_error *err)
{
    const ney_env e = ney_env_of(env);
    double *s = ney_alloc(&e, 3 * n, sizeof *s);
    int8_t *l = ney_alloc(&e, n, sizeof *l);
    member *m = NULL;
    ney_status st;
    if (!s || !l) {
        st = ney_no_memory(err, n, "q-values");
        goto done;
    }
    double *const own_q = s + n, *const own_pep = s + 2 * n;
    if ((st = sort_members(&m, &e, key, n, err)) != NEY_OK) {
        goto done;
    }
    for (int64_t i = 0, j; i < n && st == NEY_OK; i = j) {
        for (j = i; j < n && m[j].key == m[i].key; j++) {
            s[j - i] = score[m[j].row];
            l[j - i] = label[m[j].row];
        }
        if ((st = ney_qvalues(&e, s, l, j - i, opts, own_q, err)) == NEY_OK && pep) {
            st = ney_peps(&e, s, l, j - i, opts, own_pep, err);
        }
        for (int64_t k = i; k < j && st == NEY_OK; k++) {
            q[m[k].row] = own_q[k - i];
            if (pep) {
                pep[m[k].row] = own_pep[k - i];
            }
        }
    }

done:
    ney_release(&e, m);
    ney_release(&e, l);
    ney_release(&e, s);
    return st;
}
