/* A model as C99 source: what its parts share. */
#ifndef NEY_MODEL_EXPORT_C_H
#define NEY_MODEL_EXPORT_C_H

#include "model/c_text.h"
#include "model/model.h"

typedef struct ney_c_plan ney_c_plan;

/* Features that are kept in an array while a score is summed; more are computed where used. */
enum { NEY_C_MOST_ON_STACK = 32768 };

/* Put the score function: `double NAME_score(const double *x)` and its tables. */
typedef void ney_c_put_score(const ney_c_plan *p);

struct ney_c_plan {
    const ney_model *model;
    const ney_preprocessing *preprocessing;
    ney_c_text c;
    bool words, unit; /* there are columns of words; rows are scaled to length 1 */
    bool is_mapped;   /* a column may have several features: words, indicators */
    int64_t cols, inputs;
    int64_t second_units;                 /* of a network of two layers; else 0 */
    int64_t positive, negative, rejected; /* what predict gives */
    ney_c_put_score *put_score;
};

/* NULL for a family without a form in C. */
ney_c_put_score *ney_c_score_writer(const ney_family *family);

#endif
