/* Results with the group, not the row, as the unit. */
#ifndef CLI_GROUPS_H
#define CLI_GROUPS_H

#include "result.h"
#include "session.h"

/* The mean of `value` over groups of its mean within a group, under `key`, times `scale`, with its
 * 95 % interval under "<key>_interval"; null without one. Rows of value NAN do not count;
 * the others are from 0 to 1. */
ney_status groups_mean(session *s, ney_result *root, const char *key, const double *value,
                       const uint64_t *group, int64_t n, double scale);

/* Whether a model's certificate has the group as its unit. */
bool groups_certified(const ney_model *model);

/* Warn where the model is certified for groups, and the rows that it meets have none. `model` may
 * be NULL. */
void groups_warn_missing(ney_result *root, const ney_model *model);

/* Refuse groups, of --group or of the data, in a command that cannot use them; returns the exit
 * code. `data` may be NULL. */
int groups_refuse(session *s, const ney_data *data, const char *reason);

#endif
