#include "draw.h"

#include <string.h>

#include "canvas.h"

/* Okabe and Ito's colours, without the yellow that white paper swallows. */
static const double palette[PLOT_COLOURS][3] = {
    {0x00 / 255.0, 0x72 / 255.0, 0xB2 / 255.0}, /* blue */
    {0xD5 / 255.0, 0x5E / 255.0, 0x00 / 255.0}, /* vermilion */
    {0x00 / 255.0, 0x9E / 255.0, 0x73 / 255.0}, /* bluish green */
    {0xCC / 255.0, 0x79 / 255.0, 0xA7 / 255.0}, /* reddish purple */
    {0xE6 / 255.0, 0x9F / 255.0, 0x00 / 255.0}, /* orange */
    {0x56 / 255.0, 0xB4 / 255.0, 0xE9 / 255.0}, /* sky blue */
    {0.15, 0.15, 0.15},
};

spot spot_of(const canvas *c, double x, double y)
{
    return (spot){c->left + range_place(&c->x, x) * c->width,
                  c->top + (1 - range_place(&c->y, y)) * c->height};
}

void set_colour(const canvas *c, int colour, double opacity)
{
    if (colour < 0) {
        c->cairo->set_source_rgba(c->to, 0.55, 0.55, 0.55, opacity);
    } else {
        const double *rgb = palette[colour % PLOT_COLOURS];
        c->cairo->set_source_rgba(c->to, rgb[0], rgb[1], rgb[2], opacity);
    }
}

void set_pen(const canvas *c, double width, plot_dash dash)
{
    static const struct {
        double length[4];
        int n;
    } dashes[PLOT_DASHES] = {
        {{0}, 0}, {{5, 2.5}, 2}, {{1.2, 2}, 2}, {{5, 2, 1.2, 2}, 4}, {{9, 3}, 2}};

    c->cairo->set_line_width(c->to, width);
    c->cairo->set_line_join(c->to, CAIRO_LINE_JOIN_ROUND);
    c->cairo->set_dash(c->to, dashes[dash].length, dashes[dash].n, 0);
}

/* ------------------------------------------------------------------ text */

/* Hyphens before digits become minus signs. */
static void with_minus(const char *text, char *to, size_t n_to)
{
    static const char minus[] = "\xE2\x88\x92";
    size_t used = 0;

    for (; *text && used + sizeof minus < n_to; text++) {
        if (*text == '-') {
            memcpy(to + used, minus, sizeof minus - 1);
            used += sizeof minus - 1;
        } else {
            to[used++] = *text;
        }
    }
    to[used] = '\0';
}

double text_width(const canvas *c, const char *text, double size)
{
    cairo_text_extents_t box;

    c->cairo->set_font_size(c->to, size);
    c->cairo->text_extents(c->to, text, &box);
    return box.x_advance;
}

double put_text(const canvas *c, const char *text, double size, spot at, double along)
{
    const double width = text_width(c, text, size);

    if (c->svg) {
        svg_text_add(c->svg, text, (svg_place){at.x, at.y, size, along, c->upwards});
        return width;
    }
    c->cairo->save(c->to);
    c->cairo->translate(c->to, at.x, at.y);
    c->cairo->rotate(c->to, c->upwards ? -acos(-1) / 2 : 0);
    c->cairo->move_to(c->to, -along * width, 0);
    c->cairo->show_text(c->to, text);
    c->cairo->restore(c->to);
    return width;
}

/* A tick's text; powers of ten as 10 with a raised exponent. Returns its width. */
static double put_tick_text(const canvas *c, const plot_tick *tick, spot at, double along)
{
    char text[4 * TICK_TEXT];

    if (!tick->text[0]) {
        return 0;
    }
    with_minus(tick->text, text, sizeof text);
    if (!tick->power) {
        return put_text(c, text, TICK_SIZE, at, along);
    }
    const double small = 0.72 * TICK_SIZE, ten = text_width(c, "10", TICK_SIZE);
    const double width = ten + text_width(c, text, small), from = at.x - along * width;
    put_text(c, "10", TICK_SIZE, (spot){from, at.y}, 0);
    put_text(c, text, small, (spot){from + ten, at.y - 0.42 * TICK_SIZE}, 0);
    return width;
}

/* ------------------------------------------------------------------ axes */

static void draw_ticks(const canvas *c, double *widest)
{
    const double bottom = c->top + c->height;

    c->cairo->set_source_rgb(c->to, 0.15, 0.15, 0.15);
    set_pen(c, 0.6, PLOT_SOLID);
    for (int i = 0; i < c->x.n_ticks; i++) {
        const plot_tick *tick = &c->x.ticks[i];
        const double x = c->left + tick->at * c->width;
        c->cairo->move_to(c->to, x, bottom);
        c->cairo->rel_line_to(c->to, 0, tick->major ? TICK_LONG : TICK_LONG / 2.0);
        c->cairo->stroke(c->to);
        put_tick_text(c, tick, (spot){x, bottom + TICK_LONG + 1.1 * TICK_SIZE}, 0.5);
    }
    for (int i = 0; i < c->y.n_ticks; i++) {
        const plot_tick *tick = &c->y.ticks[i];
        const double y = c->top + (1 - tick->at) * c->height;
        c->cairo->move_to(c->to, c->left, y);
        c->cairo->rel_line_to(c->to, tick->major ? -TICK_LONG : -TICK_LONG / 2.0, 0);
        c->cairo->stroke(c->to);
        const spot at = {c->left - TICK_LONG - 2, y + 0.36 * TICK_SIZE};
        *widest = fmax(*widest, put_tick_text(c, tick, at, 1));
    }
}

static void draw_frame(const canvas *c)
{
    double widest = 0;

    draw_ticks(c, &widest);
    c->cairo->move_to(c->to, c->left, c->top);
    c->cairo->rel_line_to(c->to, 0, c->height);
    c->cairo->rel_line_to(c->to, c->width, 0);
    set_pen(c, 0.8, PLOT_SOLID);
    c->cairo->stroke(c->to);
    if (c->panel->title) {
        put_text(c, c->panel->title, TITLE_SIZE, (spot){c->left + c->width / 2, c->top - 10}, 0.5);
    }
    if (c->panel->x.label) {
        put_text(c, c->panel->x.label, LABEL_SIZE,
                 (spot){c->left + c->width / 2, c->top + c->height + BOTTOM - 12}, 0.5);
    }
    if (c->panel->y.label) {
        canvas turned = *c;
        turned.upwards = true;
        put_text(&turned, c->panel->y.label, LABEL_SIZE,
                 (spot){c->left - TICK_LONG - 2 - widest - 7, c->top + c->height / 2}, 0.5);
    }
}

/* ------------------------------------------------------------------ series */

static bool is_shown(spot at)
{
    return isfinite(at.x) && isfinite(at.y);
}

/* False for a spot that is not shown, too. */
static bool is_inside(const canvas *c, spot at)
{
    const double slack = 0.01;

    return at.x > c->left - slack && at.x < c->left + c->width + slack && at.y > c->top - slack &&
           at.y < c->top + c->height + slack;
}

/* A line through points of which millions may fall on one dot of the paper: a point that lies
 * within a twentieth of a point of the last one drawn adds nothing to see. */
static void trace_line(const canvas *c, const plot_series *s)
{
    const double nothing = 0.05;
    bool drawing = false;
    spot last = {0, 0};

    for (int64_t i = 0; i < s->n; i++) {
        const spot at = spot_of(c, s->x[i], s->y[i]);
        if (!is_shown(at)) {
            drawing = false;
            continue;
        }
        const bool ends = i == s->n - 1 || !is_shown(spot_of(c, s->x[i + 1], s->y[i + 1]));
        if (!drawing) {
            c->cairo->move_to(c->to, at.x, at.y);
        } else if (!ends && fabs(at.x - last.x) < nothing && fabs(at.y - last.y) < nothing) {
            continue;
        } else {
            if (s->kind == PLOT_STEP) {
                c->cairo->line_to(c->to, at.x, last.y);
            }
            c->cairo->line_to(c->to, at.x, at.y);
        }
        drawing = true;
        last = at;
    }
}

/* Along the lower edge and back along the upper one, a piece at a time. */
static void trace_band(const canvas *c, const plot_series *s)
{
    for (int64_t from = 0, to; from < s->n; from = to + 1) {
        for (to = from; to < s->n && is_shown(spot_of(c, s->x[to], s->y[to])) &&
                        is_shown(spot_of(c, s->x[to], s->y_high[to]));
             to++) {
            const spot at = spot_of(c, s->x[to], s->y[to]);
            c->cairo->line_to(c->to, at.x, at.y);
        }
        for (int64_t i = to - 1; i >= from; i--) {
            const spot at = spot_of(c, s->x[i], s->y_high[i]);
            c->cairo->line_to(c->to, at.x, at.y);
        }
        c->cairo->close_path(c->to);
        c->cairo->new_sub_path(c->to);
    }
}

void trace_marker(const canvas *c, spot at, int colour)
{
    const double r = 2.4;

    c->cairo->new_sub_path(c->to);
    switch (colour < 0 ? 0 : colour % 4) {
    case 0:
        c->cairo->arc(c->to, at.x, at.y, r, 0, 2 * acos(-1));
        break;
    case 1:
        c->cairo->rectangle(c->to, at.x - 0.9 * r, at.y - 0.9 * r, 1.8 * r, 1.8 * r);
        break;
    case 2:
        c->cairo->move_to(c->to, at.x - 1.1 * r, at.y + 0.8 * r);
        c->cairo->line_to(c->to, at.x + 1.1 * r, at.y + 0.8 * r);
        c->cairo->line_to(c->to, at.x, at.y - 1.1 * r);
        break;
    default:
        c->cairo->move_to(c->to, at.x - 1.2 * r, at.y);
        c->cairo->line_to(c->to, at.x, at.y + 1.2 * r);
        c->cairo->line_to(c->to, at.x + 1.2 * r, at.y);
        c->cairo->line_to(c->to, at.x, at.y - 1.2 * r);
    }
    c->cairo->close_path(c->to);
}

/* A few marks stand out from the lines below them in grey, too: a white rim, and a dark edge. */
static void draw_halo(const canvas *c, const plot_series *s)
{
    static const double width[] = {3, 1.2}, shade[] = {1, 0.1};
    enum { FEW = 16 };

    for (int k = 0; k < 2 && s->n <= FEW; k++) {
        c->cairo->set_source_rgb(c->to, shade[k], shade[k], shade[k]);
        set_pen(c, width[k], PLOT_SOLID);
        for (int64_t i = 0; i < s->n; i++) {
            const spot at = spot_of(c, s->x[i], s->y[i]);
            if (is_inside(c, at)) {
                trace_marker(c, at, s->colour);
            }
        }
        c->cairo->stroke(c->to);
    }
}

static void draw_series(const canvas *c, const plot_series *s)
{
    switch (s->kind) {
    case PLOT_LINE:
    case PLOT_STEP:
        set_colour(c, s->colour, 1);
        set_pen(c, 1.3, s->dash);
        trace_line(c, s);
        c->cairo->stroke(c->to);
        break;
    case PLOT_BAND:
        set_colour(c, s->colour, 0.2);
        trace_band(c, s);
        c->cairo->fill(c->to);
        break;
    case PLOT_POINTS:
        draw_halo(c, s);
        set_colour(c, s->colour, 0.9);
        for (int64_t i = 0; i < s->n; i++) {
            const spot at = spot_of(c, s->x[i], s->y[i]);
            if (is_inside(c, at)) {
                trace_marker(c, at, s->colour);
            }
        }
        c->cairo->fill(c->to);
        break;
    }
}

static void draw_kind(const canvas *c, plot_kind kind)
{
    for (int i = 0; i < c->panel->n_series; i++) {
        if (c->panel->series[i].kind == kind) {
            draw_series(c, &c->panel->series[i]);
        }
    }
}

/* y = x, which is bent where one axis is logarithmic. */
static void draw_diagonal(const canvas *c)
{
    enum { STEPS = 64 };
    const double low = fmax(c->x.low, c->y.low), high = fmin(c->x.high, c->y.high);
    const bool log_x = c->x.scale == PLOT_LOG;

    set_colour(c, PLOT_GREY, 1);
    set_pen(c, 0.6, PLOT_DASHED);
    for (int k = 0; k <= STEPS; k++) {
        const double part = (double)k / STEPS;
        const double value = log_x ? low * pow(high / low, part) : low + (high - low) * part;
        const spot at = spot_of(c, value, value);
        c->cairo->line_to(c->to, at.x, at.y);
    }
    c->cairo->stroke(c->to);
}

/* Bands lie under lines, lines under points, whatever the order they are given in. */
static void draw_all_series(const canvas *c)
{
    static const plot_kind layers[] = {PLOT_BAND, PLOT_LINE, PLOT_STEP};
    const double edge = 0.8; /* half a line's width may stand out of the box */

    c->cairo->save(c->to);
    c->cairo->rectangle(c->to, c->left - edge, c->top - edge, c->width + 2 * edge,
                        c->height + 2 * edge);
    c->cairo->clip(c->to);
    if (c->panel->diagonal) {
        draw_diagonal(c);
    }
    for (size_t k = 0; k < sizeof layers / sizeof *layers; k++) {
        draw_kind(c, layers[k]);
    }
    c->cairo->restore(c->to);
    draw_kind(c, PLOT_POINTS); /* a marker on the edge is whole */
}

/* ------------------------------------------------------------------ the panel */

static void select_font(const canvas *c)
{
    c->cairo->select_font_face(c->to, "sans-serif", CAIRO_FONT_SLANT_NORMAL,
                               CAIRO_FONT_WEIGHT_NORMAL);
}

void draw_title(const page *on, const char *title, double x, double y)
{
    const canvas c = {.cairo = on->cairo, .to = on->to, .svg = on->svg};

    select_font(&c);
    on->cairo->set_source_rgb(on->to, 0.15, 0.15, 0.15);
    put_text(&c, title, TITLE_SIZE + 1, (spot){x, y}, 0.5);
}

void draw_panel(const page *on, const plot_panel *panel, panel_place place)
{
    plot_extent x = {(double)INFINITY, -(double)INFINITY}, y = x;
    canvas c = {.cairo = on->cairo,
                .to = on->to,
                .panel = panel,
                .left = place.left + LEFT,
                .top = place.top + TOP,
                .width = place.width - LEFT - RIGHT,
                .height = place.height - TOP - BOTTOM,
                .svg = on->svg};

    for (int i = 0; i < panel->n_series; i++) {
        const plot_series *s = &panel->series[i];
        extent_see(&x, panel->x.scale, s->x, s->n);
        extent_see(&y, panel->y.scale, s->y, s->n);
        if (s->kind == PLOT_BAND) {
            extent_see(&y, panel->y.scale, s->y_high, s->n);
        }
    }
    range_init(&c.x, &panel->x, &x);
    range_init(&c.y, &panel->y, &y);
    select_font(&c);
    place_legend(&c);
    draw_all_series(&c);
    draw_frame(&c);
    draw_legend(&c);
}
