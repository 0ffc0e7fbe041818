/* q-values of units above single rows, such as peptides and proteins: only the best row of each
 * unit takes part. */
#include "base/error.h"
#include "base/grouping.h"
#include "decide/qvalue.h"

#include <neyman/experimental/discovery.h>

#include <math.h>

/* ---------------------------------------------------------------- pairs of peptides */

/* Targets and decoys of one sequence are two peptides. */
static uint64_t peptide_of_label(uint64_t peptide, int8_t label)
{
    return label > 0 ? peptide : ~peptide;
}

/* The different peptides among the rows: the first row of each. */
static ney_status list_peptides(int64_t *row, int64_t *n_peptides, const ney_env *env,
                                const uint64_t *unit, int64_t n, ney_error *err)
{
    ney_grouping g;
    const ney_status st = ney_grouping_init(&g, env, unit, n, err);
    for (int64_t k = 0; st == NEY_OK && k < g.n; k++) {
        row[k] = g.row[g.begin[k]];
    }
    *n_peptides = g.n;
    ney_grouping_deinit(&g);
    return st;
}

/* Whether decoys pair with targets by this key. Targets and decoys that have nothing to do with
 * each other share keys by chance, as decoys do among themselves. */
static ney_status find_pairs(bool *found, const ney_env *env, const uint64_t *key,
                             const int8_t *label, int64_t n, ney_error *err)
{
    enum { FEWEST = 10, SHARE = 100, RATIO = 5 };
    int64_t with_target = 0, with_decoy = 0; /* decoys that share a key with these */
    int64_t decoys = 0;
    ney_grouping g;
    const ney_status st = ney_grouping_init(&g, env, key, n, err);
    for (int64_t k = 0; st == NEY_OK && k < g.n; k++) {
        int64_t n_decoys = 0;
        for (int64_t j = g.begin[k]; j < g.begin[k + 1]; j++) {
            n_decoys += label[g.row[j]] < 0;
        }
        decoys += n_decoys;
        with_target += n_decoys < ney_grouping_size(&g, k) ? n_decoys : 0;
        with_decoy += n_decoys > 1 ? n_decoys : 0;
    }
    ney_grouping_deinit(&g);
    *found =
        with_target >= FEWEST && SHARE * with_target >= decoys && with_target > RATIO * with_decoy;
    return st;
}

/* The pairing that the peptides show. Kinds of keys are in the order of the enumerators. */
static ney_status recognise_pairing(ney_peptide_pairing *pairing, const ney_env *env,
                                    const uint64_t *key, const int8_t *label, int64_t n,
                                    const uint64_t *unit, ney_error *err)
{
    static const ney_peptide_pairing order[] = {NEY_PAIRING_REVERSED, NEY_PAIRING_SHUFFLED};
    int64_t n_peptides = 0;
    int64_t *const row = ney_alloc(env, n, sizeof *row);
    uint64_t *const own = ney_alloc(env, n, sizeof *own);
    int8_t *const sign = ney_alloc(env, n, sizeof *sign);
    bool found = false;
    ney_status st = row && own && sign ? list_peptides(row, &n_peptides, env, unit, n, err)
                                       : ney_no_memory(err, n, "peptides");
    *pairing = NEY_PAIRING_NONE;
    for (int k = 0; k < 2 && st == NEY_OK && !found; k++) {
        for (int64_t j = 0; j < n_peptides; j++) {
            own[j] = key[(int64_t)order[k] * n + row[j]];
            sign[j] = label[row[j]];
        }
        st = find_pairs(&found, env, own, sign, n_peptides, err);
        *pairing = found ? order[k] : NEY_PAIRING_NONE;
    }
    ney_release_all(env, row, own, sign);
    return st;
}

ney_status ney_peptide_units(const ney_env *env, const uint64_t *key, const int8_t *label,
                             int64_t n, ney_peptide_pairing *pairing, uint64_t *unit,
                             ney_error *err)
{
    NEY_REQUIRE(n >= 0 && pairing && (n == 0 || (key && label && unit)), err);
    const ney_env e = ney_env_of(env);
    ney_status st = NEY_OK;
    for (int64_t i = 0; i < n; i++) {
        unit[i] = peptide_of_label(key[i], label[i]);
    }
    if (*pairing == NEY_PAIRING_AUTO) {
        st = recognise_pairing(pairing, &e, key, label, n, unit, err);
    }
    for (int64_t i = 0; i < n && *pairing != NEY_PAIRING_NONE && st == NEY_OK; i++) {
        unit[i] = key[(int64_t)*pairing * n + i];
    }
    return st;
}

/* ---------------------------------------------------------------- q-values */

/* The rows that take part, one after the other. */
typedef struct unit_rows {
    double *score, *q, *pep;
    int8_t *label;
    uint64_t *group, *within; /* within: NULL where the caller has none */
    int64_t *row;
    bool *best;
    int64_t n;
} unit_rows;

static void unit_rows_deinit(unit_rows *u, const ney_env *env)
{
    ney_release_all(env, u->score, u->label, u->group, u->row, u->best);
}

static ney_status unit_rows_init(unit_rows *u, const ney_env *env, const ney_labelled_scores *r,
                                 const bool *taken, ney_error *err)
{
    const int64_t n = r->n;
    *u = (unit_rows){.score = ney_alloc(env, 3 * n, sizeof *u->score),
                     .label = ney_alloc(env, n, sizeof *u->label),
                     .group = ney_alloc(env, 2 * n, sizeof *u->group),
                     .row = ney_alloc(env, n, sizeof *u->row),
                     .best = ney_alloc(env, n, sizeof *u->best)};
    if (!u->score || !u->label || !u->group || !u->row || !u->best) {
        return ney_no_memory(err, n, "rows of units");
    }
    u->q = u->score + n;
    u->pep = u->q + n;
    u->within = r->within ? u->group + n : NULL;
    for (int64_t i = 0; i < n; i++) {
        if ((taken && !taken[i]) || r->group[i] == 0) {
            continue;
        }
        u->score[u->n] = r->score[i];
        u->label[u->n] = r->label[i];
        u->group[u->n] = r->group[i];
        u->row[u->n] = i;
        if (u->within) {
            u->within[u->n] = r->within[i];
        }
        u->n++;
    }
    return NEY_OK;
}

ney_status ney_qvalues_of_units(ney_unit_qvalues *out, const ney_env *env,
                                const ney_labelled_scores *rows, const bool *taken,
                                const ney_qvalue_opts *opts, ney_error *err)
{
    NEY_REQUIRE(out && rows && rows->n >= 0 &&
                    (rows->n == 0 || (rows->score && rows->label && rows->group && out->q &&
                                      out->pep && out->best)),
                err);
    const ney_env e = ney_env_of(env);
    unit_rows u;
    ney_status st = unit_rows_init(&u, &e, rows, taken, err);
    if (st == NEY_OK) {
        const ney_labelled_scores own = {
            .score = u.score, .label = u.label, .group = u.group, .within = u.within, .n = u.n};
        st = ney_qvalues_competed(&e, &own, opts, u.q, u.pep, u.best, &out->competition, err);
    }
    for (int64_t i = 0; i < rows->n && st == NEY_OK; i++) {
        out->q[i] = out->pep[i] = 1;
        out->best[i] = false;
    }
    for (int64_t k = 0; st == NEY_OK && k < u.n; k++) {
        out->q[u.row[k]] = u.q[k];
        out->pep[u.row[k]] = u.pep[k];
        out->best[u.row[k]] = u.best[k];
    }
    unit_rows_deinit(&u, &e);
    return st;
}

/* ---------------------------------------------------------------- entrapment */

ney_entrapment ney_entrapment_of(int64_t n_target, int64_t n_entrapment, double ratio)
{
    const double accepted = (double)n_target + (double)n_entrapment;
    const double lower = accepted > 0 ? (double)n_entrapment / accepted : 0;
    return (ney_entrapment){.n_target = n_target,
                            .n_entrapment = n_entrapment,
                            .fdp_lower = lower,
                            .fdp_combined =
                                ratio > 0 ? fmin(1, lower * (1 + 1 / ratio)) : (double)NAN};
}
