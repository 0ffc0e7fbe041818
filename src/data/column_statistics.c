#include "data/column_statistics.h"

#include "data/preprocessing.h"

#include <math.h>

void ney_column_statistics_add(ney_column_statistics *c, double x)
{
    const double before = x - c->mean;
    c->low = c->n > 0 ? fmin(c->low, x) : x;
    c->high = c->n > 0 ? fmax(c->high, x) : x;
    c->broken = c->broken || x != rint(x);
    c->n += 1;
    c->mean += before / c->n;
    c->m2 += before * (x - c->mean);
}

/* Chan, Golub and LeVeque 1979: moments of two sets from the moments of each. */
void ney_column_statistics_merge(ney_column_statistics *all, const ney_column_statistics *piece)
{
    const double n = all->n + piece->n, apart = piece->mean - all->mean;
    if (piece->n > 0) {
        all->low = all->n > 0 ? fmin(all->low, piece->low) : piece->low;
        all->high = all->n > 0 ? fmax(all->high, piece->high) : piece->high;
        all->broken = all->broken || piece->broken;
        all->m2 += piece->m2 + apart * apart * all->n * piece->n / n;
        all->mean += apart * piece->n / n;
        all->n = n;
    }
}

void ney_column_statistics_divide(ney_column_statistics *column, double divisor)
{
    column->mean /= divisor;
    column->m2 /= divisor * divisor;
    column->low /= divisor;
    column->high /= divisor;
}

double ney_column_shift(const ney_column_statistics *column)
{
    const double deviation = column->n > 1 ? sqrt(column->m2 / column->n) : 0;
    const double largest = fmax(fabs(column->low), fabs(column->high));
    const bool far = deviation > 0 && fabs(column->mean) > 1024 * deviation;

    if (!column->broken && largest < 0x1p53 && column->high - column->low < NEY_WHOLE_FLOATS) {
        return largest >= NEY_WHOLE_FLOATS ? rint(column->mean) : 0;
    }
    if (!far) {
        return 0;
    }
    return column->mean == rint(column->mean) ? nextafter(column->mean, (double)INFINITY)
                                              : column->mean;
}
