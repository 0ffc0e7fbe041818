#include "plotting.h"

#include <stdlib.h>
#include <string.h>

#include "output.h"

/* clang-format off */
static const ney_param rows[] = {
#define AT(field) offsetof(plot_args, field)
    /* name   flag kind           offset     default low high arg       choices help */
    {"plot",  0,   NEY_KIND_TEXT, AT(plot),  0, 0, 0, "FILE",     NULL, "draw a chart (.svg, .png or .pdf)"},
    {"title", 0,   NEY_KIND_TEXT, AT(title), 0, 0, 0, "TEXT",     NULL, "title of the chart"},
    {"size",  0,   NEY_KIND_TEXT, AT(size),  0, 0, 0, "WxH",      NULL, "size of the chart, such as 89x70mm or 3.5x2.8in; units mm, cm, in, pt; texts keep their size"},
#undef AT
};
/* clang-format on */

const option_set plot_options = {
    .title = "Chart", .rows = rows, .n_rows = COUNT(rows), .bytes = sizeof(plot_args)};

bool plotting_is_asked(const invocation *call)
{
    return ((const plot_args *)options_of(call, &plot_options))->plot != NULL;
}

/* "WIDTHxHEIGHT" and a unit, in points. */
static bool plot_size(const char *text, double *width, double *height)
{
    static const struct {
        const char *name;
        double points;
    } units[] = {{"mm", 72 / 25.4}, {"cm", 720 / 25.4}, {"in", 72}, {"pt", 1}, {"", 1}};
    const double least = 100, most = 4000;
    char *end;

    *width = strtod(text, &end);
    if (end == text || *end != 'x') {
        return false;
    }
    text = end + 1;
    *height = strtod(text, &end);
    for (size_t k = 0; end != text && k < sizeof units / sizeof *units; k++) {
        if (strcmp(end, units[k].name) == 0) {
            *width *= units[k].points;
            *height *= units[k].points;
            return *width >= least && *width <= most && *height >= least && *height <= most;
        }
    }
    return false;
}

int plotting_check(session *s)
{
    const plot_args *args = options_of(s->call, &plot_options);
    double width, height;
    ney_status st;

    if (args->size && !plot_size(args->size, &width, &height)) {
        return session_misused(s,
                               "--size %.40s: expected WIDTHxHEIGHT, each from 100 to 4000 points "
                               "(36 to 1411 mm), such as 89x70mm or 3.5x2.8in",
                               args->size);
    }
    if (args->plot && ((st = plot_check(args->plot, &s->err)) != NEY_OK ||
                       (st = output_check(args->plot, &s->err)) != NEY_OK)) {
        return session_fail(s, st);
    }
    return EXIT_OK;
}

ney_status plotting_write(session *s, const plot_figure *figure)
{
    const plot_args *args = options_of(s->call, &plot_options);
    plot_figure f = *figure;

    f.title = args->title;
    if (args->size) {
        (void)plot_size(args->size, &f.width, &f.height); /* checked before */
    }
    return plot_write(args->plot, &f, &s->err);
}

plot_series plotting_line(const char *name, const double xy[4])
{
    return (plot_series){.kind = PLOT_LINE,
                         .name = name,
                         .x = xy,
                         .y = xy + 2,
                         .n = 2,
                         .colour = PLOT_BLACK,
                         .dash = PLOT_DOTTED};
}

plot_axis plotting_fpr_axis(double bound, double least)
{
    plot_axis axis = PLOT_UNIT_AXIS("false-positive rate (FPR)");

    if (bound > 0 && bound < 0.05) {
        axis.scale = PLOT_LOG;
        axis.low = pow(10, floor(log10(fmin(least, bound / 10)) + 1e-9));
    }
    return axis;
}
