#include "canvas.h"

typedef struct box {
    double left, top, width, height;
} box;

enum { KEY_WIDTH = 20, LINE_HEIGHT = 12, PAD = 4 };

static bool is_in(const box *b, spot at)
{
    return at.x > b->left && at.x < b->left + b->width && at.y > b->top &&
           at.y < b->top + b->height;
}

/* How many dots of the drawing a legend there would hide, lines being taken as dense dots. */
static double hidden_by(const canvas *c, const box *b)
{
    enum { APART = 2, MOST_DOTS = 512, DIAGONAL = 256 }; /* points apart */
    double hidden = 0;

    for (int t = 0; c->panel->diagonal && t < DIAGONAL; t++) {
        const double low = fmax(c->x.low, c->y.low), high = fmin(c->x.high, c->y.high);
        const double at = low + (high - low) * t / DIAGONAL;
        hidden += is_in(b, spot_of(c, at, at));
    }
    for (int k = 0; k < c->panel->n_series; k++) {
        const plot_series *s = &c->panel->series[k];
        const int64_t stride = s->n / 4096 + 1;
        for (int64_t i = 0; i < s->n; i += stride) {
            const int64_t j = s->kind == PLOT_POINTS || i + stride >= s->n ? i : i + stride;
            const spot a = spot_of(c, s->x[i], s->y[i]), e = spot_of(c, s->x[j], s->y[j]);
            const double length = hypot(e.x - a.x, e.y - a.y) / APART;
            const int dots = length >= 1 ? (int)fmin(length, MOST_DOTS) : 1;
            for (int t = 0; t < dots; t++) {
                const double x = a.x + (e.x - a.x) * t / dots, y = a.y + (e.y - a.y) * t / dots;
                hidden +=
                    x > b->left && x < b->left + b->width && y > b->top && y < b->top + b->height;
            }
        }
    }
    return hidden;
}

/* The corner where it hides least, and how much; the first of equals. */
static double choose_corner(const canvas *c, box *b)
{
    const double inset = 5;
    const double right = c->left + c->width - b->width - inset;
    const double bottom = c->top + c->height - b->height - inset;
    const spot corners[] = {{right, bottom},
                            {right, c->top + inset},
                            {c->left + inset, c->top + inset},
                            {c->left + inset, bottom}};
    double least = (double)INFINITY;
    box best = *b;

    for (size_t i = 0; i < sizeof corners / sizeof *corners; i++) {
        b->left = corners[i].x;
        b->top = corners[i].y;
        const double hidden = hidden_by(c, b);
        if (hidden < least) {
            least = hidden;
            best = *b;
        }
    }
    *b = best;
    return least;
}

/* A sample of the series at the left of its name. */
static void draw_key(const canvas *c, const plot_series *s, double x, double y)
{
    const double half = KEY_WIDTH / 2.0 - 2;

    if (s->kind == PLOT_POINTS) {
        set_colour(c, s->colour, 0.9);
        trace_marker(c, (spot){x + half, y}, s->colour);
        c->cairo->fill(c->to);
    } else if (s->kind == PLOT_BAND) {
        set_colour(c, s->colour, 0.2);
        c->cairo->rectangle(c->to, x, y - 3.5, 2 * half, 7);
        c->cairo->fill(c->to);
    } else {
        set_colour(c, s->colour, 1);
        set_pen(c, 1.3, s->dash);
        c->cairo->move_to(c->to, x, y);
        c->cairo->line_to(c->to, x + 2 * half, y);
        c->cairo->stroke(c->to);
    }
}

/* How many names there are, and the width of the widest entry. */
static int measure(const canvas *c, double *width)
{
    int names = 0;

    *width = 0;
    for (int i = 0; i < c->panel->n_series; i++) {
        if (c->panel->series[i].name) {
            names++;
            *width = fmax(*width, text_width(c, c->panel->series[i].name, TICK_SIZE));
        }
    }
    *width += KEY_WIDTH + 2 * PAD;
    return names;
}

void place_legend(canvas *c)
{
    const double tolerated = 6; /* dots of lines */
    box b = {0};
    const int names = measure(c, &b.width);

    b.height = names * LINE_HEIGHT + PAD;
    if (names == 0 || choose_corner(c, &b) <= tolerated) {
        return;
    }
    const int fit = (int)((c->width + LEFT) / (1.08 * b.width)); /* other fonts are wider */
    c->legend_columns = fit < 1 ? 1 : fit > names ? names : fit;
    const int rows = (names + c->legend_columns - 1) / c->legend_columns;
    c->height -= rows * LINE_HEIGHT + PAD;
}

static void draw_entry(const canvas *c, const plot_series *s, spot at)
{
    draw_key(c, s, at.x, at.y);
    c->cairo->set_source_rgb(c->to, 0.15, 0.15, 0.15);
    put_text(c, s->name, TICK_SIZE, (spot){at.x + KEY_WIDTH, at.y + 0.36 * TICK_SIZE}, 0);
}

void draw_legend(const canvas *c)
{
    box b = {0};
    const int names = measure(c, &b.width), columns = c->legend_columns;
    int k = 0;

    b.height = names * LINE_HEIGHT + PAD;
    if (columns > 0) {
        b.left = fmax(c->left - LEFT + PAD, c->left + (c->width - columns * b.width) / 2);
        b.top = c->top + c->height + BOTTOM - 4;
    } else if (names > 0) {
        choose_corner(c, &b);
        c->cairo->set_source_rgba(c->to, 1, 1, 1, 0.85);
        c->cairo->rectangle(c->to, b.left, b.top, b.width, b.height);
        c->cairo->fill(c->to);
    }
    for (int i = 0; i < c->panel->n_series; i++) {
        if (c->panel->series[i].name) {
            const int column = columns > 0 ? k % columns : 0, row = columns > 0 ? k / columns : k;
            draw_entry(c, &c->panel->series[i],
                       (spot){b.left + PAD + column * b.width,
                              b.top + PAD / 2.0 + (row + 0.5) * LINE_HEIGHT});
            k++;
        }
    }
}
