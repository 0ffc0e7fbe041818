/* Filling and scaling: the second and third step of a recipe (recipe.h). */
#ifndef NEY_DATA_SCALE_H
#define NEY_DATA_SCALE_H

#include "data/data.h"

/* Apply the data's own recipe, which is prepared, to all rows. */
ney_status ney_scale_apply(ney_data *data, ney_error *err);

#endif
