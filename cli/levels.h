/* q-values of matches, peptides and proteins, and the files that pipelines expect of each. */
#ifndef CLI_LEVELS_H
#define CLI_LEVELS_H

#include "discoveries.h"
#include "evidence.h"

/* The files of one level: targets, and decoys. */
typedef struct level_files {
    const char *targets, *decoys;
} level_files;

enum level_kind { LEVEL_PSM, LEVEL_PEPTIDE, LEVEL_PROTEIN, N_LEVELS };

typedef struct level_args {
    level_files file[N_LEVELS];
    int layout; /* 0: Percolator's, 1: mokapot's */
    ney_peptide_pairing pairing;
    int shared; /* peptides of several proteins: 0 drop, 1 group */
    const char *peptide, *protein, *decoy_prefix;
    const char *entrapment, *entrapment_curve;
    double entrapment_ratio;
} level_args;

extern const option_set level_options;
extern const char *const level_names[];

/* What one level comes to. */
typedef struct level {
    enum level_kind kind;
    const double *q, *pep;
    const bool *best;
    const bool *taken;    /* the rows that took part; NULL: all */
    const uint64_t *unit; /* of each row, 0: none; NULL: spectra, or single rows */
    ney_competition competition;
    bool is_covered; /* by the theorem */
    const char *reason;
    int64_t accepted, decoys; /* targets and decoys with a q-value of at most the bound */
} level;

typedef struct levels {
    level level[N_LEVELS];
    int n;
    bool *entrapment; /* whether a row is one; NULL: not asked for */
    void *owned[N_LEVELS];
} levels;

/* Whether an option asks for entrapment. */
bool levels_have_entrapment(const invocation *call);

/* The levels that the columns of the data allow: those of the matches are given. What an option
 * asks for and the columns do not allow is an error. levels_deinit() is due in either case. */
ney_status levels_init(levels *l, session *s, const evidence *in, const discoveries *matches,
                       const ney_qvalue_opts *opts, double max_fdr);
void levels_deinit(levels *l);

/* The files that options name. */
ney_status levels_write(const levels *l, session *s, const evidence *in);

/* "levels", and with entrapment "entrapment". */
void levels_add(ney_result *root, const levels *l, const session *s, const evidence *in,
                double max_fdr);

/* ---- level_files.c */

/* The targets or the decoys of a level, best score first, in Percolator's layout or mokapot's. */
ney_status level_write(const level *v, session *s, const evidence *in, bool decoys,
                       const char *path);

/* ---- entrapment.c */

/* The share of false discoveries at usual rates and at the bound, for every level. */
void entrapment_add(ney_result *root, const levels *l, const session *s, const evidence *in,
                    double max_fdr);
/* The same at the q-value of every target of a level, into a file. */
ney_status entrapment_write(const levels *l, session *s, const evidence *in, const char *path);

/* The rows of a level that won and have the label, best first, those of equal score as in the file;
 * to be freed. */
ney_status level_rank(const level *v, session *s, const evidence *in, int label, ney_ranked **item,
                      int64_t *n);

#endif
