/* The functions of cairo, which is loaded when a chart is drawn: with the libraries that it needs,
 * it would take most of the time that the program takes to start (doc/adr/0160). */
#ifndef CLI_PLOT_CAIRO_FUNCTIONS_H
#define CLI_PLOT_CAIRO_FUNCTIONS_H

#include <cairo-pdf.h>
#include <cairo-svg.h>
#include <cairo.h>

#include <neyman/neyman.h>

#define CAIRO_FUNCTIONS(X)                                                                         \
    X(arc)                                                                                         \
    X(clip)                                                                                        \
    X(close_path)                                                                                  \
    X(create)                                                                                      \
    X(destroy)                                                                                     \
    X(fill)                                                                                        \
    X(image_surface_create)                                                                        \
    X(line_to)                                                                                     \
    X(move_to)                                                                                     \
    X(new_sub_path)                                                                                \
    X(paint)                                                                                       \
    X(pdf_surface_create_for_stream)                                                               \
    X(pdf_surface_set_metadata)                                                                    \
    X(rectangle)                                                                                   \
    X(rel_line_to)                                                                                 \
    X(restore)                                                                                     \
    X(rotate)                                                                                      \
    X(save)                                                                                        \
    X(select_font_face)                                                                            \
    X(set_dash)                                                                                    \
    X(set_font_size)                                                                               \
    X(set_line_join)                                                                               \
    X(set_line_width)                                                                              \
    X(set_source_rgb)                                                                              \
    X(set_source_rgba)                                                                             \
    X(show_page)                                                                                   \
    X(show_text)                                                                                   \
    X(status)                                                                                      \
    X(status_to_string)                                                                            \
    X(stroke)                                                                                      \
    X(surface_destroy)                                                                             \
    X(surface_finish)                                                                              \
    X(surface_set_device_scale)                                                                    \
    X(surface_status)                                                                              \
    X(surface_write_to_png_stream)                                                                 \
    X(svg_surface_create_for_stream)                                                               \
    X(svg_surface_set_document_unit)                                                               \
    X(text_extents)                                                                                \
    X(translate)

/* move_to is cairo_move_to, and so on. */
typedef struct cairo_functions {
#define MEMBER(name) __typeof__(&cairo_##name) name;
    CAIRO_FUNCTIONS(MEMBER)
#undef MEMBER
} cairo_functions;

/* Load the library, which stays loaded. Refused (NEY_EINVAL) where it is not installed. */
ney_status cairo_functions_load(cairo_functions *f, ney_error *err);

#endif
