/* The thresholds at which rows are decided: those of the command line, or those of the model. */
#ifndef CLI_BAND_H
#define CLI_BAND_H

#include "curves.h"
#include "evidence.h"

/* A number of the model's summary; NAN without a model. */
double summary_number(const ney_model *model, const char *name);

/* The first that is a number; NAN says "not given". */
double first_given(double a, double b, double c);

/* @param threshold   --threshold, NAN: not given.
 * @param thresholds  --thresholds, NULL: not given.
 * @param costs       Where they are even, rows of a model with a reject option would be parted.
 * What is wrong is reported; returns the exit code. */
int band_choose(session *s, band *b, const evidence *in, double threshold, const char *thresholds,
                const ney_costs *costs);

/* Add the counts of more rows. */
void counts_add(ney_counts *to, const ney_counts *c);

#endif
