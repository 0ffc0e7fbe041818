/* Peptides and proteins of the rows of a data set, as keys. */
#include "base/grouping.h"
#include "data/data.h"
#include "data/sequences.h"

#include <neyman/experimental/discovery.h>

#include <string.h>
#include <xxhash.h>

/* ---------------------------------------------------------------- peptides */

static ney_status find_column(const ney_notes *n, const char *wanted, const char *first,
                              const char *second, int64_t *column, ney_error *err)
{
    *column = ney_notes_find(n, wanted ? wanted : first);
    if (*column < 0 && !wanted && second) {
        *column = ney_notes_find(n, second);
    }
    return *column >= 0
               ? NEY_OK
               : ney_fail(
                     err, NEY_EINVAL,
                     "there is no column '%s' beside the features, expected one as in a PIN file",
                     wanted ? wanted : first);
}

static ney_span piece_of(const ney_notes *n, int64_t row, int64_t column)
{
    ney_span p;
    p.at = ney_notes_text(n, row, column, &p.length);
    return p;
}

ney_status ney_data_peptides(const ney_data *data, const char *column, uint64_t *key,
                             ney_error *err)
{
    NEY_REQUIRE(data && key, err);
    const int64_t rows = data->x.rows;
    ney_notes *n;
    int64_t at;
    ney_status st = ney_notes_new(&n, data, err);
    if (st == NEY_OK && (st = find_column(n, column, "Peptide", NULL, &at, err)) == NEY_OK) {
        for (int64_t r = 0; r < rows; r++) {
            const ney_peptide_key k = ney_peptide_key_of(ney_peptide_core(piece_of(n, r, at)));
            key[r] = k.sequence;
            key[rows + r] = k.shuffled;
            key[2 * rows + r] = k.reversed;
        }
    }
    ney_notes_free(n);
    return st;
}

/* ---------------------------------------------------------------- proteins */

/* The proteins of the rows that take part, as hashes of their names without the decoys' prefix. */
typedef struct protein_table {
    ney_env env;
    int64_t *begin; /* of each row, and where the last one ends */
    uint64_t *key;
    int64_t n, cap;
} protein_table;

/* A row has few proteins: a name that it has already is not added again. */
static bool add_protein(protein_table *t, int64_t first, uint64_t key)
{
    for (int64_t k = first; k < t->n; k++) {
        if (t->key[k] == key) {
            return true;
        }
    }
    if (!ney_grow(&t->env, &t->key, &t->cap, t->n + 1, sizeof *t->key)) {
        return false;
    }
    t->key[t->n++] = key;
    return true;
}

/* A target may be in decoy proteins too: only its target proteins count. */
static bool add_row(protein_table *t, ney_span list, bool decoy, const char *prefix)
{
    const int64_t first = t->n;
    for (ney_span name; ney_protein_next(&list, &name);) {
        if (decoy || !*prefix || !ney_protein_begins(name, prefix)) {
            const ney_span base = decoy ? ney_protein_base(name, prefix) : name;
            if (!add_protein(t, first, XXH3_64bits(base.at, (size_t)base.length))) {
                return false;
            }
        }
    }
    return true;
}

/* The first decoy that has proteins, none of which begins with the prefix; -1: none. */
static int64_t find_decoy_without(const ney_data *data, const ney_notes *n, int64_t column,
                                  const char *prefix)
{
    for (int64_t r = 0; r < data->x.rows; r++) {
        ney_span list = piece_of(n, r, column), name;
        bool found = data->label[r] > 0, named = false;
        while (!found && ney_protein_next(&list, &name)) {
            found = ney_protein_begins(name, prefix);
            named = true;
        }
        if (named && !found) {
            return r;
        }
    }
    return -1;
}

/* The prefix of decoys: the one asked for, or the first usual one that all of them have. */
static ney_status find_prefix(const ney_data *data, const ney_notes *n, int64_t column,
                              const char *asked, const char **prefix, ney_error *err)
{
    static const char *const usual[] = {"decoy_", "DECOY_",   "rev_",     "REV_", "XXX_",
                                        "DECOY-", "reverse_", "REVERSE_", "##",   "random_"};
    const size_t n_usual = sizeof usual / sizeof *usual;
    int64_t without = -1;
    ney_span list, name = {"", 0};
    for (size_t k = 0; k < (asked ? 1 : n_usual); k++) {
        *prefix = asked ? asked : usual[k];
        without = find_decoy_without(data, n, column, *prefix);
        if (without < 0) {
            return NEY_OK;
        }
    }
    list = piece_of(n, without, column);
    ney_protein_next(&list, &name);
    const int shown = (int)(name.length < 80 ? name.length : 80);
    return asked
               ? ney_fail(err, NEY_EINVAL,
                          "row %lld is a decoy of protein '%.*s', which does not begin with '%s'; "
                          "state the prefix of decoy proteins (--decoy-prefix)",
                          (long long)(without + 1), shown, name.at, asked)
               : ney_fail(err, NEY_EINVAL,
                          "no usual prefix (decoy_, rev_, ...) begins the proteins of every decoy: "
                          "row %lld is a decoy of '%.*s'; state the prefix (--decoy-prefix)",
                          (long long)(without + 1), shown, name.at);
}

static ney_status protein_table_fill(protein_table *t, const ney_data *data, const ney_notes *n,
                                     const ney_protein_opts *opts, const bool *taken,
                                     ney_error *err)
{
    int64_t column;
    const char *prefix = "";
    ney_status st = find_column(n, opts->column, "Proteins", "proteinIds", &column, err);
    if (st != NEY_OK ||
        (st = find_prefix(data, n, column, opts->decoy_prefix, &prefix, err)) != NEY_OK) {
        return st;
    }
    t->begin = ney_alloc(&t->env, data->x.rows + 1, sizeof *t->begin);
    bool fine = t->begin != NULL;
    for (int64_t r = 0; r < data->x.rows && fine; r++) {
        t->begin[r] = t->n;
        fine =
            (taken && !taken[r]) || add_row(t, piece_of(n, r, column), data->label[r] < 0, prefix);
        t->begin[r + 1] = t->n;
    }
    return fine ? NEY_OK : ney_no_memory(err, data->x.rows, "proteins of rows");
}

/* Replace the key of each protein by one that proteins with the same rows share. */
static ney_status join_equal_proteins(protein_table *t, int64_t rows, ney_error *err)
{
    ney_grouping g;
    int64_t *const row = ney_alloc(&t->env, t->n, sizeof *row);
    ney_status st = row ? ney_grouping_init(&g, &t->env, t->key, t->n, err)
                        : ney_no_memory(err, t->n, "proteins");
    for (int64_t r = 0; r < rows && row; r++) {
        for (int64_t k = t->begin[r]; k < t->begin[r + 1]; k++) {
            row[k] = r;
        }
    }
    for (int64_t p = 0; st == NEY_OK && p < g.n; p++) {
        uint64_t sum = 0; /* of hashes of its rows, in any order */
        for (int64_t k = g.begin[p]; k < g.begin[p + 1]; k++) {
            sum += XXH3_64bits_withSeed(NULL, 0, (uint64_t)row[g.row[k]]);
        }
        for (int64_t k = g.begin[p]; k < g.begin[p + 1]; k++) {
            t->key[g.row[k]] = sum;
        }
    }
    if (row) {
        ney_grouping_deinit(&g);
    }
    ney_release(&t->env, row);
    return st;
}

/* The key that all proteins of the row share; 0: they differ, or there are none. */
static uint64_t unit_of(const protein_table *t, int64_t row)
{
    const int64_t first = t->begin[row], end = t->begin[row + 1];
    for (int64_t k = first; k < end; k++) {
        if (t->key[k] != t->key[first]) {
            return 0;
        }
    }
    return first < end ? t->key[first] | (uint64_t)(t->key[first] == 0) : 0;
}

ney_status ney_data_proteins(const ney_data *data, const ney_protein_opts *opts, const bool *taken,
                             uint64_t *unit, ney_error *err)
{
    NEY_REQUIRE(data && unit && data->label, err);
    const ney_protein_opts o = opts ? *opts : (ney_protein_opts){0};
    protein_table t = {.env = data->env};
    ney_notes *n;
    ney_status st = ney_notes_new(&n, data, err);
    if (st == NEY_OK && (st = protein_table_fill(&t, data, n, &o, taken, err)) == NEY_OK &&
        (!o.group || (st = join_equal_proteins(&t, data->x.rows, err)) == NEY_OK)) {
        for (int64_t r = 0; r < data->x.rows; r++) {
            unit[r] = unit_of(&t, r);
        }
    }
    ney_notes_free(n);
    ney_release(&t.env, t.begin);
    ney_release(&t.env, t.key);
    return st;
}

ney_status ney_data_proteins_begin(const ney_data *data, const char *column, const char *prefix,
                                   bool *all, ney_error *err)
{
    NEY_REQUIRE(data && prefix && all, err);
    ney_notes *n;
    int64_t at;
    ney_status st = ney_notes_new(&n, data, err);
    if (st == NEY_OK &&
        (st = find_column(n, column, "Proteins", "proteinIds", &at, err)) == NEY_OK) {
        for (int64_t r = 0; r < data->x.rows; r++) {
            ney_span list = piece_of(n, r, at), name;
            all[r] = ney_protein_next(&list, &name) && ney_protein_begins(name, prefix);
            while (all[r] && ney_protein_next(&list, &name)) {
                all[r] = ney_protein_begins(name, prefix);
            }
        }
    }
    ney_notes_free(n);
    return st;
}
