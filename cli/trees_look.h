/* Whether boosted trees would do much better than the linear model that was asked for. */
#ifndef CLI_TREES_LOOK_H
#define CLI_TREES_LOOK_H

#include "session.h"

/* After training on a table without a family named, for costs or one bounded rate: train both on at
 * most LOOK_ROWS rows, test both on as many others, and print one line where trees are much
 * better. Nothing else depends on it; failures are silent. `data` are as ney_fit() leaves them. */
enum { LOOK_ROWS = 1000, LOOK_TREES = 25, LOOK_COLUMNS = 500 };
void look_at_trees(session *s, const ney_data *data);

#endif
