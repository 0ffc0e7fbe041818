/* The first lines of `train`, `tune` and `update`. */
#ifndef CLI_TRAIN_SUMMARY_H
#define CLI_TRAIN_SUMMARY_H

#include "train_result.h"

/* Promise, price and next step of a model. `counts` are those of the rows that were learned from;
 * nothing is said of rows that were not counted. */
void train_summary(const session *s, ney_result *root, const train_result *r,
                   const ney_counts *counts);

#endif
