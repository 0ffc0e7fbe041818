/* Texts of an SVG file as text elements: cairo would write their outlines, which can be neither
 * searched, edited nor read aloud. */
#ifndef CLI_PLOT_SVG_TEXT_H
#define CLI_PLOT_SVG_TEXT_H

#include <stdbool.h>
#include <stddef.h>

typedef struct svg_text {
    char *bytes; /* elements, one per line */
    size_t length, cap;
    bool failed; /* there was no memory */
} svg_text;

typedef struct svg_place {
    double x, y, size;
    double along; /* 0, 0.5 or 1: the share of the text left of x */
    bool upwards; /* turned by 90 degrees against the clock */
} svg_place;

/* Bytes as they are. */
void svg_text_bytes(svg_text *t, const char *bytes, size_t n);
void svg_text_add(svg_text *t, const char *text, svg_place at);
void svg_text_deinit(svg_text *t);

#endif
