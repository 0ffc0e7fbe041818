#include "axis.h"

#include <stdio.h>
#include <string.h>

/* What a logarithmic axis can show. */
static bool shows(plot_scale scale, double value)
{
    return isfinite(value) && (scale == PLOT_LINEAR || value > 0);
}

void extent_see(plot_extent *extent, plot_scale scale, const double *values, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        if (shows(scale, values[i])) {
            extent->low = fmin(extent->low, values[i]);
            extent->high = fmax(extent->high, values[i]);
        }
    }
}

double range_place(const plot_range *range, double value)
{
    const double far = 100;

    if (!shows(range->scale, value)) {
        return (double)NAN;
    }
    const double place =
        range->scale == PLOT_LOG
            ? log10(value / range->low) / log10(range->high / range->low)
            : value / (range->high - range->low) - range->low / (range->high - range->low);
    return fmin(fmax(place, -far), far);
}

/* ------------------------------------------------------------------ ticks */

static void add_tick(plot_range *range, double value, bool major, const char *text, bool power)
{
    const double at = range_place(range, value), slack = 1e-9;

    if (range->n_ticks == MOST_TICKS || !(at > -slack && at < 1 + slack)) {
        return;
    }
    plot_tick *tick = &range->ticks[range->n_ticks++];
    *tick = (plot_tick){.at = fmin(fmax(at, 0), 1), .major = major, .power = power};
    snprintf(tick->text, sizeof tick->text, "%s", text);
}

/* 1, 2 or 5 times a power of ten, about a fifth of the length. */
static double round_step(double length)
{
    const double rough = length / 5, ten = pow(10, floor(log10(rough))), part = rough / ten;

    return ten * (part < 1.5 ? 1 : part < 3.5 ? 2 : part < 7.5 ? 5 : 10);
}

/* All texts of an axis have as many decimals as its step needs. */
static void number_text(double value, double step, double largest, char text[TICK_TEXT])
{
    const int decimals = (int)fmax(0, ceil(-log10(step) - 1e-9));

    if (largest >= 1e6 || decimals > 5) {
        snprintf(text, TICK_TEXT, "%.4g", value);
    } else {
        snprintf(text, TICK_TEXT, "%.*f", decimals, value);
    }
}

static void linear_ticks(plot_range *range)
{
    const double step = round_step(range->high - range->low);
    const double largest = fmax(fabs(range->low), fabs(range->high));
    const double first = ceil(range->low / step - 1e-9), last = floor(range->high / step + 1e-9);
    char text[TICK_TEXT];

    for (double k = first; k <= last && range->n_ticks < MOST_TICKS; k++) {
        number_text(k * step, step, largest, text);
        add_tick(range, k * step, true, text[0] == '-' && k == 0 ? text + 1 : text, false);
    }
}

/* Powers of ten where the axis spans some, with the numbers between them as short ticks; a short
 * axis names 1, 2 and 5 times a power. */
static void log_ticks(plot_range *range)
{
    const double from = log10(range->low), to = log10(range->high), decades = to - from;
    const int stride = (int)fmax(1, ceil(decades / 7));
    char text[TICK_TEXT];

    if (decades < 0.7) { /* 2 and 5 alone would leave it bare */
        const double step = round_step(range->high - range->low);
        for (double k = ceil(range->low / step - 1e-9); k * step <= range->high * (1 + 1e-9); k++) {
            snprintf(text, sizeof text, "%.6g", k * step);
            add_tick(range, k * step, true, text, false);
        }
        return;
    }
    for (double e = floor(from); e <= to + 1e-9; e++) {
        const bool named = fmod(fabs(e), stride) == 0; /* NOLINT: whole numbers */
        snprintf(text, sizeof text, "%.0f", e);
        add_tick(range, pow(10, e), named, named ? text : "", true);
        for (int k = 2; k <= 9 && decades < 4.5; k++) {
            const bool short_axis = decades < 2 && (k == 2 || k == 5);
            snprintf(text, sizeof text, "%.6g", k * pow(10, e));
            add_tick(range, k * pow(10, e), short_axis, short_axis ? text : "", false);
        }
    }
    /* On a short axis powers of ten are written as the numbers between them are. */
    for (int i = 0; decades < 2 && i < range->n_ticks; i++) {
        plot_tick *tick = &range->ticks[i];
        if (tick->power) {
            tick->power = false;
            snprintf(tick->text, sizeof tick->text, "%.6g",
                     pow(10, round(from + tick->at * decades)));
        }
    }
}

/* ------------------------------------------------------------------ ends */

/* An end that is not given is a round number just outside of the data. */
static void round_ends(plot_range *range, const plot_axis *axis)
{
    const bool free_low = isnan(axis->low), free_high = isnan(axis->high);

    if (range->scale == PLOT_LOG) {
        const double decades = log10(range->high / range->low);
        const double grid = decades < 1 ? 10 : 1; /* whole decades, or tenths of one */
        range->low = free_low ? pow(10, floor(log10(range->low) * grid + 1e-9) / grid) : range->low;
        range->high =
            free_high ? pow(10, ceil(log10(range->high) * grid - 1e-9) / grid) : range->high;
        return;
    }
    const double step = round_step(range->high - range->low) / 2;
    range->low = free_low ? step * floor(range->low / step + 1e-9) : range->low;
    range->high = free_high ? step * ceil(range->high / step - 1e-9) : range->high;
}

void range_init(plot_range *range, const plot_axis *axis, const plot_extent *extent)
{
    double low = isnan(axis->low) ? extent->low : axis->low;
    double high = isnan(axis->high) ? extent->high : axis->high;

    if (!shows(axis->scale, low) || !shows(axis->scale, high)) { /* there is nothing to show */
        low = axis->scale == PLOT_LOG ? 0.1 : 0;
        high = 1;
    }
    if (!(high - low >
          1e-12 * fmax(fabs(low), fabs(high)))) { /* a single value, or ends exchanged */
        const double half = axis->scale == PLOT_LOG ? 0 : fmax(fabs(low), fabs(high)) / 2;
        low = axis->scale == PLOT_LOG ? low / 2 : low - (half > 0 ? half : 0.5);
        high = axis->scale == PLOT_LOG ? low * 4 : high + (half > 0 ? half : 0.5);
    }
    *range = (plot_range){.scale = axis->scale, .low = low, .high = high};
    round_ends(range, axis);
    if (range->scale == PLOT_LOG) {
        log_ticks(range);
    } else {
        linear_ticks(range);
    }
}
