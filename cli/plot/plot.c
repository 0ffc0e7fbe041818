#include "plot.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "draw.h"

/* Bytes on their way from cairo into the file. */
typedef struct sink {
    cairo_functions cairo;
    ney_output *to;
    svg_text *text;    /* elements that go before the end of an SVG file; NULL: none */
    svg_text document; /* the SVG file without them */
    ney_status status;
    ney_error *err;
} sink;

static cairo_status_t take(void *closure, const unsigned char *bytes, unsigned int n_bytes)
{
    sink *s = closure;

    if (s->text) {
        svg_text_bytes(&s->document, (const char *)bytes, n_bytes);
        return s->document.failed ? CAIRO_STATUS_NO_MEMORY : CAIRO_STATUS_SUCCESS;
    }
    if (s->status == NEY_OK) {
        s->status = ney_output_write(s->to, bytes, n_bytes, s->err);
    }
    return s->status == NEY_OK ? CAIRO_STATUS_SUCCESS : CAIRO_STATUS_WRITE_ERROR;
}

/* An SVG file: what cairo wrote, with the texts before its last line. */
static ney_status write_document(sink *s)
{
    static const char end[] = "</svg>";
    const svg_text *const d = &s->document;
    size_t body = d->length;

    while (body > 0 && strncmp(d->bytes + body, end, sizeof end - 1) != 0) {
        body--;
    }
    const struct {
        const char *bytes;
        size_t n;
    } parts[] = {
        {d->bytes, body}, {s->text->bytes, s->text->length}, {d->bytes + body, d->length - body}};
    for (size_t k = 0; k < sizeof parts / sizeof *parts && s->status == NEY_OK; k++) {
        if (parts[k].n > 0) {
            s->status = ney_output_write(s->to, parts[k].bytes, (int64_t)parts[k].n, s->err);
        }
    }
    return s->status;
}

/* ------------------------------------------------------------------ formats */

static cairo_surface_t *new_svg(sink *s, double width, double height)
{
    cairo_surface_t *surface = s->cairo.svg_surface_create_for_stream(take, s, width, height);

    s->cairo.svg_surface_set_document_unit(surface, CAIRO_SVG_UNIT_PT);
    return surface;
}

/* Without a date: the same figure is the same file. */
static cairo_surface_t *new_pdf(sink *s, double width, double height)
{
    cairo_surface_t *surface = s->cairo.pdf_surface_create_for_stream(take, s, width, height);

    s->cairo.pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_CREATE_DATE, NULL);
    return surface;
}

/* 216 dots an inch: sharp on paper. */
enum { DOTS_PER_POINT = 3 };

static cairo_surface_t *new_png(sink *s, double width, double height)
{
    cairo_surface_t *surface = s->cairo.image_surface_create(
        CAIRO_FORMAT_RGB24, (int)(width * DOTS_PER_POINT), (int)(height * DOTS_PER_POINT));

    /* It is written when all is drawn. */
    s->cairo.surface_set_device_scale(surface, DOTS_PER_POINT, DOTS_PER_POINT);
    return surface;
}

typedef struct format {
    const char *ending;
    cairo_surface_t *(*open)(sink *s, double width, double height);
    bool is_image, has_text; /* PNG; texts are elements of the file */
} format;

static const format formats[] = {{".svg", new_svg, false, true},
                                 {".pdf", new_pdf, false, false},
                                 {".png", new_png, true, false}};

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
    cairo_functions cairo;

    if (format_of(path)) {
        return cairo_functions_load(&cairo, err);
    }
    *err = (ney_error){.code = NEY_EINVAL};
    snprintf(
        err->message, sizeof err->message,
        "a chart cannot be written to '%.200s', expected a name that ends in .svg, .png or .pdf",
        path);
    return NEY_EINVAL;
}

/* ------------------------------------------------------------------ drawing */

/* The grid of panels, below the title where there is one. */
typedef struct grid {
    int columns, rows;
    double width, height, title; /* in points; title: its height */
} grid;

enum { TITLE_HEIGHT = 18 };

static grid grid_of(const plot_figure *figure)
{
    const int columns = figure->columns > 0 ? figure->columns : figure->n_panels;
    const int rows = (figure->n_panels + columns - 1) / columns;
    const double title = figure->title ? TITLE_HEIGHT : 0;

    return (grid){.columns = columns,
                  .rows = rows,
                  .title = title,
                  .width = figure->width > 0 ? figure->width : (double)PANEL_WIDTH * columns,
                  .height =
                      figure->height > 0 ? figure->height : (double)PANEL_HEIGHT * rows + title};
}

static cairo_status_t draw(cairo_surface_t *surface, const plot_figure *figure, const grid *g,
                           const sink *s)
{
    const cairo_functions *const cairo = &s->cairo;
    const page on = {cairo, cairo->create(surface), s->text};
    const double width = g->width / g->columns, height = (g->height - g->title) / g->rows;

    cairo->set_source_rgb(on.to, 1, 1, 1);
    cairo->paint(on.to);
    if (figure->title) {
        draw_title(&on, figure->title, g->width / 2, TITLE_HEIGHT - 4);
    }
    for (int i = 0; i < figure->n_panels; i++) {
        const int row = i / g->columns;
        draw_panel(&on, &figure->panels[i],
                   (panel_place){width * (i % g->columns), g->title + height * row, width, height});
    }
    cairo->show_page(on.to);
    const cairo_status_t ended = cairo->status(on.to);
    cairo->destroy(on.to);
    return ended;
}

static ney_status render(const format *f, const plot_figure *figure, sink *s)
{
    const grid g = grid_of(figure);
    cairo_surface_t *surface = f->open(s, g.width, g.height);

    cairo_status_t ended = draw(surface, figure, &g, s);
    if (s->text && s->text->failed) {
        ended = CAIRO_STATUS_NO_MEMORY;
    }
    if (f->is_image && ended == CAIRO_STATUS_SUCCESS) {
        ended = s->cairo.surface_write_to_png_stream(surface, take, s);
    }
    s->cairo.surface_finish(surface);
    if (ended == CAIRO_STATUS_SUCCESS) {
        ended = s->cairo.surface_status(surface);
    }
    s->cairo.surface_destroy(surface);
    if (s->status == NEY_OK && ended != CAIRO_STATUS_SUCCESS) {
        s->status = ended == CAIRO_STATUS_NO_MEMORY ? NEY_ENOMEM : NEY_EIO;
        *s->err = (ney_error){.code = s->status};
        snprintf(s->err->message, sizeof s->err->message, "the chart cannot be drawn: %s",
                 s->cairo.status_to_string(ended));
    }
    if (s->status == NEY_OK && s->text) {
        return write_document(s);
    }
    return s->status;
}

ney_status plot_write(const char *path, const plot_figure *figure, ney_error *err)
{
    svg_text text = {0};
    sink s = {.err = err};
    ney_status st;

    if ((st = plot_check(path, err)) != NEY_OK ||
        (st = cairo_functions_load(&s.cairo, err)) != NEY_OK ||
        (st = ney_output_open(&s.to, NULL, path, err)) != NEY_OK) {
        return st;
    }
    s.text = format_of(path)->has_text ? &text : NULL;
    st = render(format_of(path), figure, &s);
    svg_text_deinit(&text);
    svg_text_deinit(&s.document);
    if (st != NEY_OK) {
        ney_output_discard(s.to);
        return st;
    }
    return ney_output_commit(s.to, err);
}
