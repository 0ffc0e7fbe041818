/* What results say where the group, not the row, is the unit. */
#ifndef CLI_GROUPS_H
#define CLI_GROUPS_H

#include "result.h"
#include "session.h"

/* Unit, number of groups (-1: it differs between rates) and what the rates are then, into a result.
 */
void groups_define(ney_result *root, int64_t n_groups);

/* The mean of `value` over groups of its mean within a group, under `key`, times `scale`, with its
 * 95 % interval under "<key>_interval"; null without one. Rows of value NAN do not count;
 * the others are from 0 to 1. */
ney_status groups_mean(session *s, ney_result *root, const char *key, const double *value,
                       const uint64_t *group, int64_t n, double scale);

/* Groups that have rows of a class; rows where the data have no groups; 0 where they are not known.
 */
int64_t groups_count(const ney_data *data, int label);

/* Warn in a result, that rows may not be independent, where a column of the data that
 * looks like their groups is not named. */
void groups_warn(ney_result *root, const ney_data *data);

/* Whether a model's certificate has the group as its unit. */
bool groups_certified(const ney_model *model);

/* Report that a command does not know groups, where --group or the data name some; returns the exit
 * code. `data` may be NULL. */
int groups_refuse(session *s, const ney_data *data, const char *reason);

#endif
