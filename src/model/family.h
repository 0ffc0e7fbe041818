/* What a family of score functions must provide. A new family is a file that defines one of these,
 * and a row in family.c; the model, its file format and scoring do not change. */
#ifndef NEY_MODEL_FAMILY_H
#define NEY_MODEL_FAMILY_H

#include "base/fields.h"
#include "base/text.h"

/* `part` below is the family's own object, as parse() or the family's constructor made it. */
typedef struct ney_family {
    const char *name; /* as in the file */

    /* The lines between the facts and the end of a model file. */
    void (*format)(const void *part, ney_text *text);

    /* Read those lines for a model of `cols` features. NULL after a failure, which `fields` holds;
     * memory asked for must not exceed a multiple of the text that is left. */
    void *(*parse)(ney_fields *fields, int64_t cols);

    /* Scores of rows first .. first + n - 1 of x into out[0 .. n - 1]. Called on any thread; what
     * it gives for a row must depend on the part and that row alone. */
    void (*score_block)(const void *part, const ney_matrix *x, int64_t first, int64_t n,
                        double *out);

    void (*free)(const ney_env *env, void *part);
} ney_family;

extern const ney_family ney_family_linear;

/* NULL when there is none of that name. */
const ney_family *ney_family_find(const char *name);

#endif
