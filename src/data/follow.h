/* Making data follow the recipe of a model. */
#ifndef NEY_DATA_FOLLOW_H
#define NEY_DATA_FOLLOW_H

#include "data/data.h"

/* Turn data that were read by their own recipe, or by `given` itself (`shifted`: its first step was
 * done on reading), into the features of `given`. The data's recipe becomes a copy of it.
 *
 * @retval NEY_EPARSE  the columns are others, or were scaled otherwise. */
ney_status ney_follow(ney_data *data, const ney_recipe *given, bool shifted, ney_error *err);

#endif
