/* Rows in, data set out. Whichever of dense and sparse storage takes less memory is used. */
#ifndef NEY_DATA_BUILDER_H
#define NEY_DATA_BUILDER_H

#include "data/data.h"
#include "data/rows.h"

typedef struct ney_builder {
    ney_env env;
    int64_t rows, entries, cols; /* entries that are not zero */
    bool dense, weighted, noted;
    int64_t stride; /* columns of a stored dense row */
    int64_t value_cap, index_cap, start_cap, label_cap, weight_cap;
    float *value;
    int32_t *index;
    int64_t *start;
    int8_t *code; /* of the labels, as the rows gave them */
    float *weight;
    ney_text notes;
} ney_builder;

void ney_builder_init(ney_builder *b, const ney_env *env);
void ney_builder_deinit(ney_builder *b);

/* Append the rows of `n` pieces, in order. */
ney_status ney_builder_append(ney_builder *b, const ney_rows *pieces, int n, ney_error *err);

/* Move everything to a new data set of at least `cols` columns. Labels hold the codes. */
ney_status ney_builder_finish(ney_builder *b, int64_t cols, ney_data **out, ney_error *err);

#endif
