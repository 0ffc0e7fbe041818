/* The sketch of the rows that a model was trained on, and what it says of other rows. */
#ifndef NEY_MODEL_TRAINING_ROWS_H
#define NEY_MODEL_TRAINING_ROWS_H

#include "comm/comm.h"
#include "data/row_sketch.h"
#include "model/model.h"

/* Keep the checksum of the rows that a model is trained on, for ney_model_trained_on(), and add
 * them to its sketch. */
ney_status ney_model_set_rows(ney_model *m, const ney_data *data, ney_error *err);

/* Give the model a sketch, which is sorted; what it holds moves to the model. */
ney_status ney_model_set_sketch(ney_model *m, ney_row_sketch *sketch, ney_error *err);
void ney_model_free_sketch(ney_model *m);

/* A sorted sketch becomes that of the rows of all processes, unless one of them has failed. */
ney_status ney_row_sketch_join(ney_row_sketch *s, const ney_comm *comm, ney_status st,
                               ney_error *err);

/* The lines of a model file:
 *
 *   training_rows N ROWS CUT    N hashes of ROWS rows, all those below CUT
 *    HASH [COUNT]               ascending; the count where it is not 1 */
void ney_model_sketch_format(const ney_row_sketch *s, ney_text *t);
void ney_model_sketch_parse(ney_fields *f, ney_model *m);

/* NEY_EGOAL where rows that are to certify a model were used to train it. */
ney_status ney_model_refuse_reuse(const ney_model *m, const ney_data *data, ney_error *err);

#endif
