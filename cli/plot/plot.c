#include "plot.h"

#include <cairo-pdf.h>
#include <cairo-svg.h>
#include <cairo.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "draw.h"

/* Bytes on their way from cairo into the file. */
typedef struct sink {
    ney_output *to;
    ney_status status;
    ney_error *err;
} sink;

static cairo_status_t take(void *closure, const unsigned char *bytes, unsigned int n_bytes)
{
    sink *s = closure;

    if (s->status == NEY_OK) {
        s->status = ney_output_write(s->to, bytes, n_bytes, s->err);
    }
    return s->status == NEY_OK ? CAIRO_STATUS_SUCCESS : CAIRO_STATUS_WRITE_ERROR;
}

/* ------------------------------------------------------------------ formats */

static cairo_surface_t *new_svg(sink *s, double width, double height)
{
    cairo_surface_t *surface = cairo_svg_surface_create_for_stream(take, s, width, height);

    cairo_svg_surface_set_document_unit(surface, CAIRO_SVG_UNIT_PT);
    return surface;
}

/* Without a date: the same figure is the same file. */
static cairo_surface_t *new_pdf(sink *s, double width, double height)
{
    cairo_surface_t *surface = cairo_pdf_surface_create_for_stream(take, s, width, height);

    cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_CREATE_DATE, NULL);
    return surface;
}

/* 216 dots an inch: sharp on paper. */
enum { DOTS_PER_POINT = 3 };

static cairo_surface_t *new_png(sink *s, double width, double height)
{
    cairo_surface_t *surface = cairo_image_surface_create(
        CAIRO_FORMAT_RGB24, (int)(width * DOTS_PER_POINT), (int)(height * DOTS_PER_POINT));

    (void)s; /* it is written when all is drawn */
    cairo_surface_set_device_scale(surface, DOTS_PER_POINT, DOTS_PER_POINT);
    return surface;
}

typedef struct format {
    const char *ending;
    cairo_surface_t *(*open)(sink *s, double width, double height);
    bool is_image;
} format;

static const format formats[] = {
    {".svg", new_svg, false}, {".pdf", new_pdf, false}, {".png", new_png, true}};

static const format *format_of(const char *path)
{
    const size_t length = strlen(path);

    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        const size_t n = strlen(formats[i].ending);
        if (length > n && strcasecmp(path + length - n, formats[i].ending) == 0) {
            return &formats[i];
        }
    }
    return NULL;
}

ney_status plot_check(const char *path, ney_error *err)
{
    if (format_of(path)) {
        return NEY_OK;
    }
    *err = (ney_error){.code = NEY_EINVAL};
    snprintf(
        err->message, sizeof err->message,
        "a chart cannot be written to '%.200s', expected a name that ends in .svg, .png or .pdf",
        path);
    return NEY_EINVAL;
}

/* ------------------------------------------------------------------ drawing */

static cairo_status_t draw(cairo_surface_t *surface, const plot_figure *figure, int columns)
{
    cairo_t *to = cairo_create(surface);

    cairo_set_source_rgb(to, 1, 1, 1);
    cairo_paint(to);
    for (int i = 0; i < figure->n_panels; i++) {
        draw_panel(to, &figure->panels[i], PANEL_WIDTH * (i % columns),
                   PANEL_HEIGHT * (i / columns)); /* NOLINT: whole rows */
    }
    cairo_show_page(to);
    const cairo_status_t ended = cairo_status(to);
    cairo_destroy(to);
    return ended;
}

static ney_status render(const format *f, const plot_figure *figure, sink *s)
{
    const int columns = figure->columns > 0 ? figure->columns : figure->n_panels;
    const int rows = (figure->n_panels + columns - 1) / columns;
    cairo_surface_t *surface =
        f->open(s, (double)PANEL_WIDTH * columns, (double)PANEL_HEIGHT * rows);

    cairo_status_t ended = draw(surface, figure, columns);
    if (f->is_image && ended == CAIRO_STATUS_SUCCESS) {
        ended = cairo_surface_write_to_png_stream(surface, take, s);
    }
    cairo_surface_finish(surface);
    if (ended == CAIRO_STATUS_SUCCESS) {
        ended = cairo_surface_status(surface);
    }
    cairo_surface_destroy(surface);
    if (s->status == NEY_OK && ended != CAIRO_STATUS_SUCCESS) {
        s->status = ended == CAIRO_STATUS_NO_MEMORY ? NEY_ENOMEM : NEY_EIO;
        *s->err = (ney_error){.code = s->status};
        snprintf(s->err->message, sizeof s->err->message, "the chart cannot be drawn: %s",
                 cairo_status_to_string(ended));
    }
    return s->status;
}

ney_status plot_write(const char *path, const plot_figure *figure, ney_error *err)
{
    sink s = {.err = err};
    ney_status st;

    if ((st = plot_check(path, err)) != NEY_OK ||
        (st = ney_output_open(&s.to, NULL, path, err)) != NEY_OK) {
        return st;
    }
    st = render(format_of(path), figure, &s);
    if (st != NEY_OK) {
        ney_output_discard(s.to);
        return st;
    }
    return ney_output_commit(s.to, err);
}
