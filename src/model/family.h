/* What a family of score functions must provide. A new family is a file that defines one of these,
 * and a row in family.c; the model, its file format and scoring do not change. */
#ifndef NEY_MODEL_FAMILY_H
#define NEY_MODEL_FAMILY_H

#include "base/fields.h"
#include "base/text.h"

enum { NEY_SCORE_ROWS = 512 };

/* `part` below is the family's own object, as parse() or the family's constructor made it. */
typedef struct ney_family {
    const char *name;   /* as in the file */
    const char *option; /* of training that asks for it; NULL: none, as for linear */
    bool takes_missing; /* features may be NaN, which stands for a missing value */

    /* The lines between the metadata and the end of a model file. */
    void (*format)(const void *part, ney_text *text);

    /* Read those lines for a model of `cols` features. NULL after a failure, which `fields` holds;
     * memory asked for must not exceed a multiple of the text that is left. */
    void *(*parse)(ney_fields *fields, int64_t cols);

    /* Bytes of workspace for score_block(), and its operations per row, about; NULL
     * where both are small. */
    int64_t (*scratch)(const void *part);
    double (*work)(const void *part);

    /* Scores of rows first .. first + n - 1 of x into out[0 .. n - 1], n at most NEY_SCORE_ROWS.
     * Called on any thread, each with its own workspace, aligned for any type.
     *
     * A row has one score, bit for bit (tests/property/prop_one_score.c): what is written for a row
     * depends on the part and on the nonzero entries of that row alone, not on how the row is
     * stored, on its neighbours, or on where it stands. So every sum over columns has one order:
     *
     *     s = start; for each column c, ascending: s = s + x_c w_c
     *
     * in one accumulator per sum, where an entry that is zero, stored or not, of either sign,
     * leaves s as it is. What goes on in vectors are sums of different rows, units or features,
     * never parts of one sum. Start and product:
     *
     *     linear     0            double                      linalg/rows.c    ney_row_dot()
     *     kernel     0            double; float for near rbf  kernel_score.c   (centred: all
     * columns) features   0            float                       linalg/fourier_features.c
     * ney_fourier_features_map() network    unit's bias  double, fused with AVX2     linalg/layer.c
     * ney_layer_*()
     *
     * Sums over support vectors, features, units and trees run over all of them in the part's
     * order, and do not depend on the row. Trees compare columns and add nothing up over them. A
     * score of -0 is made 0 by the caller. */
    void (*score_block)(const void *part, const ney_matrix *x, int64_t first, int64_t n,
                        double *out, void *scratch);

    void (*free)(const ney_env *env, void *part);
} ney_family;

extern const ney_family ney_family_linear;
extern const ney_family ney_family_kernel;
extern const ney_family ney_family_features;
extern const ney_family ney_family_network;
extern const ney_family ney_family_trees;

/* Scores of all rows of x by a score function without the rest of a model. */
ney_status ney_family_score(const ney_family *family, const void *part, const ney_env *env,
                            const ney_matrix *x, double *score, ney_error *err);

/* NULL when there is none of that name. */
const ney_family *ney_family_find(const char *name);

/* Family k from 0, NULL after the last. A model is of the first whose option is set. */
const ney_family *ney_family_at(int64_t k);

#endif
