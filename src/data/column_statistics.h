/* What is known of the numbers of a column, and the constant that it is held less. */
#ifndef NEY_DATA_COLUMN_STATISTICS_H
#define NEY_DATA_COLUMN_STATISTICS_H

#include <stdbool.h>

typedef struct ney_column_statistics {
    double n, mean, m2; /* of the finite numbers: count, mean, sum of squared deviations */
    double low, high;   /* their range, where there are any */
    bool broken;        /* one of them is not a whole number */
} ney_column_statistics;

/* One more finite number. */
void ney_column_statistics_add(ney_column_statistics *column, double x);

/* Those of two sets from those of each. */
void ney_column_statistics_merge(ney_column_statistics *all, const ney_column_statistics *piece);

/* Those of the numbers divided by a whole number that divides them. */
void ney_column_statistics_divide(ney_column_statistics *column, double divisor);

/* Most columns are held as they are, float(x), which is the same in every file. A shift keeps
 * digits that this would lose, in two cases:
 *
 * - whole numbers that float does not hold while it holds their distances: the shift is whole, and
 *   x = stored + shift exactly;
 * - other numbers so far from zero that float(x) keeps fewer than 14 bits of a deviation: the shift
 *   is the mean, which depends on the rows, and x is known to 24 bits of its distance from it. Such
 *   a shift is never whole, which is how ney_preprocessing_apply() knows it. */
double ney_column_shift(const ney_column_statistics *column);

#endif
