/* Charts: ticks worked out by hand, and files judged by their dots. */
#include "plot/axis.h"
#include "plot/plot.h"
#include "support/cmocka_all.h"
#include "support/temp.h"

#include <cairo.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ axes */

/* The texts of the named ticks, separated by spaces. */
static void texts_of(const plot_range *range, char *text, size_t n_text)
{
    text[0] = '\0';
    for (int i = 0; i < range->n_ticks; i++) {
        const plot_tick *tick = &range->ticks[i];
        if (tick->text[0]) {
            const size_t used = strlen(text);
            snprintf(text + used, n_text - used, "%s%s%s", used ? " " : "", tick->power ? "e" : "",
                     tick->text);
        }
    }
}

static void test_ticks_are_round(void **state)
{
    static const struct {
        plot_scale scale;
        double low, high;
        const char *texts;
    } cases[] = {
        {PLOT_LINEAR, 0, 1, "0.0 0.2 0.4 0.6 0.8 1.0"},
        {PLOT_LINEAR, -3, 7, "-2 0 2 4 6"},
        {PLOT_LINEAR, 0, 0.004, "0.000 0.001 0.002 0.003 0.004"},
        {PLOT_LINEAR, 0, 3e7, "0 5e+06 1e+07 1.5e+07 2e+07 2.5e+07 3e+07"},
        {PLOT_LINEAR, -1e-3, 1e-3, "-0.0010 -0.0005 0.0000 0.0005 0.0010"},
        {PLOT_LOG, 1e-3, 1, "e-3 e-2 e-1 e0"},
        {PLOT_LOG, 1e-12, 1, "e-12 e-10 e-8 e-6 e-4 e-2 e0"},
        {PLOT_LOG, 0.5, 20, "0.5 1 2 5 10 20"},
        {PLOT_LOG, 2, 5, "2 2.5 3 3.5 4 4.5 5"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const plot_axis axis = {NULL, cases[i].scale, cases[i].low, cases[i].high};
        const plot_extent none = {0, 0};
        plot_range range;
        char texts[256];
        range_init(&range, &axis, &none);
        texts_of(&range, texts, sizeof texts);
        if (strcmp(texts, cases[i].texts) != 0) {
            fail_msg("[%g, %g]: ticks %s, expected %s", cases[i].low, cases[i].high, texts,
                     cases[i].texts);
        }
    }
}

static void test_ends_hold_the_data(void **state)
{
    static const struct {
        plot_scale scale;
        double low, high; /* of the data */
        double from, to;  /* of the axis */
    } cases[] = {
        {PLOT_LINEAR, 0.03, 0.97, 0, 1},
        {PLOT_LINEAR, -4.9, 0, -5, 0},
        {PLOT_LINEAR, 3, 3, 1.5, 4.5},
        {PLOT_LINEAR, 0, 0, -0.5, 0.5},
        {PLOT_LOG, 3e-4, 0.2, 1e-4, 1},
        {PLOT_LOG, 1e-3, 1e2, 1e-3, 1e2},
        {PLOT_LINEAR, INFINITY, -INFINITY, 0, 1},
        {PLOT_LOG, INFINITY, -INFINITY, 0.1, 1},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const plot_axis axis = {NULL, cases[i].scale, (double)NAN, (double)NAN};
        const plot_extent extent = {cases[i].low, cases[i].high};
        plot_range range;
        range_init(&range, &axis, &extent);
        if (fabs(range.low - cases[i].from) > 1e-12 * fabs(range.low) ||
            fabs(range.high - cases[i].to) > 1e-12 * fabs(range.high)) {
            fail_msg("data [%g, %g]: axis [%g, %g], expected [%g, %g]", cases[i].low, cases[i].high,
                     range.low, range.high, cases[i].from, cases[i].to);
        }
        assert_true(range.n_ticks >= 2);
    }
}

static void test_places(void **state)
{
    const plot_axis log_axis = {NULL, PLOT_LOG, 1e-4, 1}, axis = {NULL, PLOT_LINEAR, -1, 3};
    const plot_extent none = {0, 0};
    plot_range range;

    (void)state;
    range_init(&range, &log_axis, &none);
    assert_true(fabs(range_place(&range, 1e-3) - 0.25) < 1e-12);
    assert_true(isnan(range_place(&range, 0)) && isnan(range_place(&range, -1)));
    range_init(&range, &axis, &none);
    assert_true(range_place(&range, 0) == 0.25 && range_place(&range, 3) == 1);
    assert_true(isnan(range_place(&range, (double)NAN)));
    assert_true(range_place(&range, 1e300) == 100); /* not beyond what cairo can count */
    const double values[] = {2, (double)NAN, -5, (double)INFINITY, 0};
    plot_extent extent = {(double)INFINITY, -(double)INFINITY};
    extent_see(&extent, PLOT_LINEAR, values, 5);
    assert_true(extent.low == -5 && extent.high == 2);
    extent = (plot_extent){(double)INFINITY, -(double)INFINITY};
    extent_see(&extent, PLOT_LOG, values, 5);
    assert_true(extent.low == 2 && extent.high == 2);
}

/* ------------------------------------------------------------------ files */

/* The box between the axes, in dots of the picture; told by draw.c's margins. */
enum { DOTS = 3, BOX_LEFT = 54, BOX_TOP = 26, BOX_WIDTH = 222, BOX_HEIGHT = 182 };

/* The colour at a place of the unit square. */
static uint32_t dot_at(cairo_surface_t *picture, double x, double y)
{
    const int column = (int)(DOTS * (BOX_LEFT + x * BOX_WIDTH));
    const int row = (int)(DOTS * (BOX_TOP + (1 - y) * BOX_HEIGHT));
    const unsigned char *bytes = cairo_image_surface_get_data(picture) +
                                 (ptrdiff_t)row * cairo_image_surface_get_stride(picture);
    uint32_t dot;

    memcpy(&dot, bytes + 4 * (ptrdiff_t)column, sizeof dot);
    return dot & 0xFFFFFF;
}

static void check_dot(cairo_surface_t *picture, double x, double y, uint32_t wanted)
{
    const uint32_t found = dot_at(picture, x, y);

    for (int shift = 0; shift < 24; shift += 8) { /* rounding of shades */
        if (abs((int)(found >> shift & 0xFF) - (int)(wanted >> shift & 0xFF)) > 2) {
            fail_msg("dot at (%g, %g) is %06x, expected %06x", x, y, (unsigned)found,
                     (unsigned)wanted);
        }
    }
}

static void test_dots_of_a_picture(void **state)
{
    static const double x[] = {0, 0.5, 1}, y[] = {0.8, 0.2, 0.2};
    static const double high[] = {1, 1, 1}, low[] = {0.9, 0.9, 0.9};
    static const double one_x[] = {0.25, NAN, 0.75}, one_y[] = {0.5, 0.5, 0.6};
    static const double gap_x[] = {0.6, 0.7, NAN, 0.8, 0.9}, gap_y[] = {0.4, 0.4, 0.4, 0.4, 0.4};
    const plot_series series[] = {
        {.kind = PLOT_STEP, .x = x, .y = y, .n = 3},
        {.kind = PLOT_BAND, .x = x, .y = low, .y_high = high, .n = 3, .colour = 1},
        {.kind = PLOT_POINTS, .x = one_x, .y = one_y, .n = 3, .colour = 2},
        {.kind = PLOT_LINE, .x = gap_x, .y = gap_y, .n = 5, .colour = 8}, /* 8 is 1 again */
    };
    const plot_panel panel = {
        .x = PLOT_UNIT_AXIS(NULL), .y = PLOT_UNIT_AXIS(NULL), .series = series, .n_series = 4};
    const char *path = temp_path("dots.png");
    ney_error err;

    (void)state;
    assert_int_equal(plot_write(path, &(plot_figure){.panels = &panel, .n_panels = 1}, &err),
                     NEY_OK);
    cairo_surface_t *picture = cairo_image_surface_create_from_png(path);
    assert_int_equal(cairo_surface_status(picture), CAIRO_STATUS_SUCCESS);
    assert_int_equal(cairo_image_surface_get_width(picture), DOTS * 290);
    check_dot(picture, 0.3, 0.8, 0x0072B2); /* level first */
    check_dot(picture, 0.5, 0.5, 0x0072B2); /* then down */
    check_dot(picture, 0.8, 0.2, 0x0072B2);
    check_dot(picture, 0.3, 0.44, 0xFFFFFF); /* not straight from point to point */
    check_dot(picture, 0.5, 0.95, 0xF6DFCC); /* a fifth of vermilion on white */
    check_dot(picture, 0.25, 0.5, 0x1AA881); /* nine tenths of green */
    check_dot(picture, 0.75, 0.6, 0x1AA881);
    check_dot(picture, 0.65, 0.4, 0xD55E00);
    check_dot(picture, 0.85, 0.4, 0xD55E00);
    check_dot(picture, 0.75, 0.4, 0xFFFFFF); /* parted by what is no number */
    cairo_surface_destroy(picture);
}

/* Each format begins as it should, and the same figure is the same file; but cairo counts the
 * surfaces of a process, and the names in an SVG file tell the number. */
static void test_formats(void **state)
{
    static const struct {
        const char *name, *start;
    } cases[] = {{"a.svg", "<?xml"}, {"b.pdf", "%PDF-"}, {"c.PNG", "\x89PNG"}};
    static const double x[] = {1e-3, 1e-2, 1}, y[] = {2, 5, 3};
    const plot_series line = {.kind = PLOT_LINE, .name = "a line", .x = x, .y = y, .n = 3};
    const plot_panel panel = {.title = "Title",
                              .x = PLOT_LOG_AXIS("x"),
                              .y = PLOT_AXIS("y"),
                              .series = &line,
                              .n_series = 1};
    const plot_panel panels[] = {panel, panel, panel};
    const plot_figure figure = {.panels = panels, .n_panels = 3, .columns = 2};
    ney_error err;

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        size_t n, n_again;
        const char *path = temp_path(cases[i].name);
        assert_int_equal(plot_write(path, &figure, &err), NEY_OK);
        char *bytes = slurp(path, &n);
        assert_int_equal(plot_write(path, &figure, &err), NEY_OK);
        char *again = slurp(path, &n_again);
        assert_true(n > 500 && memcmp(bytes, cases[i].start, strlen(cases[i].start)) == 0);
        assert_true(i == 0 || (n == n_again && memcmp(bytes, again, n) == 0));
        free(bytes);
        free(again);
    }
}

/* Texts of an SVG file are elements, escaped, once each; the file has the size that is asked for.
 */
static void test_svg_texts(void **state)
{
    static const double x[] = {0, 1};
    const plot_series line = {.kind = PLOT_LINE, .name = "a < b & c", .x = x, .y = x, .n = 2};
    const plot_panel panel = {.title = "Panel",
                              .x = PLOT_UNIT_AXIS("across"),
                              .y = PLOT_UNIT_AXIS("up"),
                              .series = &line,
                              .n_series = 1};
    const plot_figure figure = {
        .panels = &panel, .n_panels = 1, .title = "Figure", .width = 252, .height = 200.5};
    static const char *const expected[] = {
        ">a &lt; b &amp; c</text>", ">Panel</text>",   ">across</text>",     ">up</text>",
        ">Figure</text>",           "width=\"252pt\"", "height=\"200.5pt\"", "rotate(-90)"};
    ney_error err;
    size_t n;

    (void)state;
    const char *path = temp_path("texts.svg");
    assert_int_equal(plot_write(path, &figure, &err), NEY_OK);
    char *bytes = slurp(path, &n);
    bytes = realloc(bytes, n + 1);
    assert_non_null(bytes);
    bytes[n] = '\0';
    for (size_t k = 0; k < sizeof expected / sizeof *expected; k++) {
        const char *const found = strstr(bytes, expected[k]);
        if (!found || strstr(found + 1, expected[k])) {
            fail_msg("%s: expected once", expected[k]);
        }
    }
    assert_null(strstr(bytes, "<symbol")); /* no outlines of letters */
    assert_string_equal(bytes + n - 7, "</svg>\n");
    free(bytes);
}

/* A legend that would hide lines in every corner lies below the axis, on the page. */
static void test_legend_below(void **state)
{
    static const double x[] = {0, 1, 0.5, 0, 1}, y[] = {0, 1, 0.5, 1, 0};
    const plot_series line = {.kind = PLOT_LINE, .name = "all corners", .x = x, .y = y, .n = 5};
    const plot_panel panel = {
        .x = PLOT_UNIT_AXIS("across"), .y = PLOT_UNIT_AXIS("up"), .series = &line, .n_series = 1};
    const plot_figure figure = {.panels = &panel, .n_panels = 1, .width = 300, .height = 200};
    static const char *const texts[] = {">across<", ">all corners<"};
    double at[2];
    ney_error err;
    size_t n;

    (void)state;
    const char *path = temp_path("below.svg");
    assert_int_equal(plot_write(path, &figure, &err), NEY_OK);
    char *bytes = slurp(path, &n);
    for (int k = 0; k < 2; k++) {
        const char *place = NULL;
        for (const char *p = bytes; (p = strstr(p, "translate(")) && p < strstr(bytes, texts[k]);
             p++) {
            place = p;
        }
        assert_non_null(place);
        at[k] = strtod(strchr(place, ' ') + 1, NULL);
    }
    assert_true(at[1] > at[0] + 5 && at[1] < 200);
    free(bytes);
}

static void test_refusals(void **state)
{
    static const char *const names[] = {"chart", "chart.jpg", ".svg", "svg", "-", ""};
    const plot_panel panel = {.x = PLOT_UNIT_AXIS(NULL), .y = PLOT_UNIT_AXIS(NULL)};
    const plot_figure figure = {.panels = &panel, .n_panels = 1};
    ney_error err;

    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        err = (ney_error){0};
        assert_int_equal(plot_check(names[i], &err), NEY_EINVAL);
        assert_non_null(strstr(err.message, ".svg, .png or .pdf"));
        assert_int_equal(plot_write(names[i], &figure, &err), NEY_EINVAL);
    }
    assert_int_equal(plot_write("no/such/folder/chart.svg", &figure, &err), NEY_EIO);
    const plot_panel bad = {.title = "\xFF\xFE", .x = panel.x, .y = panel.y};
    const int before = temp_count();
    assert_int_equal(
        plot_write(temp_path("bad.svg"), &(plot_figure){.panels = &bad, .n_panels = 1}, &err),
        NEY_EIO);
    assert_int_equal(temp_count(), before); /* nothing half-drawn appears */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ticks_are_round), cmocka_unit_test(test_ends_hold_the_data),
        cmocka_unit_test(test_places),          cmocka_unit_test(test_dots_of_a_picture),
        cmocka_unit_test(test_formats),         cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_svg_texts),       cmocka_unit_test(test_legend_below),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
