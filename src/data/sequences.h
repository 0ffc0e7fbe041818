/* Peptides and proteins as a search engine writes them. */
#ifndef NEY_DATA_SEQUENCES_H
#define NEY_DATA_SEQUENCES_H

#include <stdbool.h>
#include <stdint.h>

/* A piece of a text. */
typedef struct ney_span {
    const char *at;
    int64_t length;
} ney_span;

/* The peptide without flanking residues: PEPTIDE of "K.PEPTIDE.R". */
ney_span ney_peptide_core(ney_span text);

/* Keys of a peptide: equal for peptides of one sequence; for those that have the same residues in
 * any order between the same first and the same last one; for those that are equal when what stands
 * before the last residue is reversed or not. A residue is a capital letter and whatever follows it
 * up to the next one outside brackets. */
typedef struct ney_peptide_key {
    uint64_t sequence, shuffled, reversed;
} ney_peptide_key;

ney_peptide_key ney_peptide_key_of(ney_span core);

/* The next name of a list of proteins, which tabs or semicolons separate, without a start position
 * at its end; false at the end of the list. */
bool ney_protein_next(ney_span *list, ney_span *name);

/* Whether a name begins with a prefix. */
bool ney_protein_begins(ney_span name, const char *prefix);

/* The name without a prefix, which may stand there several times. */
ney_span ney_protein_base(ney_span name, const char *prefix);

#endif
