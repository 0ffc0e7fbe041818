/* One axis of a panel: from numbers to places, and the ticks. */
#ifndef CLI_PLOT_AXIS_H
#define CLI_PLOT_AXIS_H

#include "plot.h"

enum { MOST_TICKS = 48, TICK_TEXT = 32 };

typedef struct plot_tick {
    double at;            /* on the axis, 0 at its beginning and 1 at its end */
    bool major;           /* long, with a text where one fits */
    char text[TICK_TEXT]; /* "" for none; of a power of ten, the exponent alone */
    bool power;
} plot_tick;

/* An axis whose ends are known. */
typedef struct plot_range {
    plot_scale scale;
    double low, high;
    plot_tick ticks[MOST_TICKS];
    int n_ticks;
} plot_range;

/* The ends that the axis names, or where they are NAN those of the numbers that were seen. */
typedef struct plot_extent {
    double low, high; /* begin with +INFINITY and -INFINITY */
} plot_extent;

void extent_see(plot_extent *extent, plot_scale scale, const double *values, int64_t n);
void range_init(plot_range *range, const plot_axis *axis, const plot_extent *extent);

/* 0 at the low end, 1 at the high end; NAN for what the axis cannot show. Far outside it is cut to
 * a place from where a line still comes in at the right angle. */
double range_place(const plot_range *range, double value);

#endif
