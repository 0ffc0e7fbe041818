/* Peptides and proteins of search results, and q-values of units above single rows. EXPERIMENTAL:
 * anything here may change in any release (VERSIONING.md). */
#ifndef NEYMAN_EXPERIMENTAL_DISCOVERY_H
#define NEYMAN_EXPERIMENTAL_DISCOVERY_H

#include <neyman/data.h>
#include <neyman/decide.h>
#include <neyman/experimental/params.h>
#include <neyman/model.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Keys of the peptides of the rows. A peptide is the text of its column without flanking residues
 * ("K.PEPTIDE.R"), modifications included.
 *
 * @param      column  NULL: "Peptide".
 * @param[out] key     Three for each of n rows, one kind after the other. Equal for rows of one
 *                     peptide; for peptides with the same first residue, the same last one and the
 *                     same residues between them in any order; for peptides that differ at most by
 *                     reversing what stands before the last residue.
 * @retval NEY_EINVAL  the column is absent.
 */
NEY_EXPERIMENTAL NEY_MUST_CHECK ney_status ney_data_peptides(const ney_data *data,
                                                             const char *column, uint64_t *key,
                                                             ney_error *err);

/* How the decoy of a target peptide was made: the two compete. */
typedef enum ney_peptide_pairing {
    NEY_PAIRING_AUTO,     /* one of the next two by which at least 1 % of the decoys pair with
                             targets, more than 5 times as many as with other decoys; else none */
    NEY_PAIRING_SHUFFLED, /* the residues between the first and the last in another order */
    NEY_PAIRING_REVERSED, /* the residues before the last in reverse order */
    NEY_PAIRING_NONE      /* not known: a peptide competes with none */
} ney_peptide_pairing;

/**
 * The units of a competition of peptides.
 *
 * @param      key      As of ney_data_peptides().
 * @param      label    One per row.
 * @param      pairing  In: what is asked for. Out: what is used.
 * @param[out] unit     One per row, equal for rows that compete.
 */
NEY_EXPERIMENTAL NEY_MUST_CHECK ney_status ney_peptide_units(const ney_env *env,
                                                             const uint64_t *key,
                                                             const int8_t *label, int64_t n,
                                                             ney_peptide_pairing *pairing,
                                                             uint64_t *unit, ney_error *err);

/* How rows are assigned to proteins. Zeros are the defaults. */
typedef struct ney_protein_opts {
    const char *column;       /* NULL: "Proteins" or "proteinIds" */
    const char *decoy_prefix; /* of the names of decoy proteins; NULL: a usual one that all have */
    bool group; /* proteins with the same peptides are one unit; false: peptides of several proteins
                   belong to none */
} ney_protein_opts;

/**
 * The units of a competition of proteins: a protein and its decoy, which has the same name behind
 * the prefix of decoys, are one unit. A start position at the end of a name, "P02769(767)", is not
 * part of it.
 *
 * @param      taken  Rows that take part: the best of each peptide; NULL: all.
 * @param[out] unit   One per row; 0: it belongs to no unit.
 * @retval NEY_EINVAL  the column is absent, or the names of some decoys do not begin with the
 *                     prefix.
 */
NEY_EXPERIMENTAL NEY_MUST_CHECK ney_status ney_data_proteins(const ney_data *data,
                                                             const ney_protein_opts *opts,
                                                             const bool *taken, uint64_t *unit,
                                                             ney_error *err);

/**
 * Whether the names of all proteins of a row begin with a prefix.
 *
 * @param      column  NULL: "Proteins" or "proteinIds".
 * @param[out] all     One per row.
 * @retval NEY_EINVAL  the column is absent.
 */
NEY_EXPERIMENTAL NEY_MUST_CHECK ney_status ney_data_proteins_begin(const ney_data *data,
                                                                   const char *column,
                                                                   const char *prefix, bool *all,
                                                                   ney_error *err);

/* A row and its score. */
typedef struct ney_ranked {
    double score;
    int64_t row;
} ney_ranked;

/**
 * Sort rows by score, the best first; rows of equal score stay as they stand.
 *
 * @retval NEY_EINVAL  a score is NaN.
 */
NEY_EXPERIMENTAL NEY_MUST_CHECK ney_status ney_rank(const ney_env *env, ney_ranked *item, int64_t n,
                                                    ney_error *err);

/* q-values of units. The arrays are the caller's, one element per row. */
typedef struct ney_unit_qvalues {
    double *q, *pep; /* 1 for rows that do not take part or do not win */
    bool *best;      /* whether the row is the best of its unit */
    ney_competition competition;
} ney_unit_qvalues;

/**
 * q-values of the best row of each unit; otherwise as ney_qvalues_competed().
 *
 * @param rows   With `group`, the units; 0: the row belongs to none.
 * @param taken  Rows that take part; NULL: all.
 */
NEY_EXPERIMENTAL NEY_MUST_CHECK ney_status
ney_qvalues_of_units(ney_unit_qvalues *out, const ney_env *env, const ney_labelled_scores *rows,
                     const bool *taken, const ney_qvalue_opts *opts, ney_error *err);

/* False discoveries among accepted targets, from entrapment: sequences that are searched as targets
 * but are known to be absent. */
typedef struct ney_entrapment {
    int64_t n_target, n_entrapment; /* accepted */
    double fdp_lower; /* n_entrapment / (n_target + n_entrapment): at most the share of false
                         discoveries */
    double
        fdp_combined; /* (1 + 1 / ratio) times as much, at most 1: an estimate of an upper bound */
} ney_entrapment;

/**
 * Write a weights file of Percolator: for each fold of the model (or for the model, if it has none)
 * the names of the features and m0, the weights of the scaled features, and the weights of the
 * features as they are in the file. ney_model_read() reads such files, of Percolator too: the score
 * is the mean of the folds.
 *
 * @param path  "-" is standard output.
 * @retval NEY_EINVAL  the model is not linear, fills missing cells, ranks columns or scales rows.
 */
NEY_EXPERIMENTAL NEY_MUST_CHECK ney_status ney_model_export_percolator(const ney_model *model,
                                                                       const char *path,
                                                                       ney_error *err);

/** @param ratio  Entrapment sequences for each target sequence, above 0. */
NEY_EXPERIMENTAL ney_entrapment ney_entrapment_of(int64_t n_target, int64_t n_entrapment,
                                                  double ratio);

#ifdef __cplusplus
}
#endif

#endif
