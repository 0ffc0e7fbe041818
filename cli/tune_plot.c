#include "tune_plot.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plotting.h"

enum { MOST_POINTS = 4096, MOST_LINES = 5, MOST_FIELDS = 64, MOST_FOLDS = 100 };

/* A setting: C, what else varies, and the losses of its folds. */
typedef struct setting {
    char rest[96]; /* the other settings, as they are named in the legend */
    double c;
    int n;
    double sum, squares;
} setting;

typedef struct settings {
    setting item[MOST_POINTS];
    int n;
    char line[MOST_LINES][96]; /* distinct `rest` */
    int n_lines;
    double most_rows[MOST_FOLDS + 1]; /* that a fit of each fold learned from */
} settings;

/* Fields of a line, in place. */
static int split(char *line, char **field)
{
    int n = 0;

    for (char *at = line; at && n < MOST_FIELDS; n++) {
        field[n] = at;
        at = strpbrk(at, "\t\r\n");
        if (at) {
            *at++ = '\0';
        }
    }
    return n;
}

static int find(char *const *name, int n, const char *wanted)
{
    for (int k = 0; k < n; k++) {
        if (strcmp(name[k], wanted) == 0) {
            return k;
        }
    }
    return -1;
}

/* The settings besides C that the chart tells apart. */
static void name_rest(char *const *name, char *const *value, int n, char text[96])
{
    static const char *const shown[] = {"gamma",   "eta",   "cost_fn",
                                        "cost_fp", "depth", "learning_rate"};
    size_t used = (size_t)snprintf(text, 96, "%.30s", value[0]);

    for (size_t k = 0; k < sizeof shown / sizeof *shown; k++) {
        const int at = find(name, n, shown[k]);
        const double x = at < 0 ? 0 : strtod(value[at], NULL);
        if (at >= 0 && x != 0 && used < 80 && strcmp(shown[k], "gamma") == 0) {
            used += (size_t)snprintf(text + used, 96 - used, ", gamma %.3g", x);
        } else if (at >= 0 && x != 1 && used < 80 && strncmp(shown[k], "cost", 4) == 0) {
            used += (size_t)snprintf(text + used, 96 - used, ", %s %.3g",
                                     shown[k][6] == 'n' ? "FN cost" : "FP cost", x);
        }
    }
}

static void add_fold(settings *all, const char *rest, double c, double loss)
{
    int k = 0;

    while (k < all->n && (all->item[k].c != c || strcmp(all->item[k].rest, rest) != 0)) {
        k++;
    }
    if (k == MOST_POINTS) {
        return;
    }
    if (k == all->n) {
        all->item[all->n++] = (setting){.c = c};
        snprintf(all->item[k].rest, sizeof all->item[k].rest, "%s", rest);
    }
    setting *const at = &all->item[k];
    at->n++;
    at->sum += loss;
    at->squares += loss * loss;
}

static void add_line(settings *all, const char *rest)
{
    for (int k = 0; k < all->n_lines; k++) {
        if (strcmp(all->line[k], rest) == 0) {
            return;
        }
    }
    if (all->n_lines < MOST_LINES) {
        snprintf(all->line[all->n_lines++], sizeof all->line[0], "%s", rest);
    }
}

static double number_at(char *const *value, int n, int at)
{
    return at >= 0 && at < n ? strtod(value[at], NULL) : (double)NAN;
}

/* Where the fits of a fold with the most rows are kept. */
static double *most_rows_of(settings *all, double fold)
{
    return &all->most_rows[fold >= 1 && fold <= MOST_FOLDS ? (int)fold : 0];
}

static void find_most_rows(settings *all, FILE *file, int fold, int rows)
{
    char line[4096], *value[MOST_FIELDS];
    while (fgets(line, sizeof line, file)) {
        const int m = split(line, value);
        double *const most = most_rows_of(all, number_at(value, m, fold));
        *most = fmax(*most, number_at(value, m, rows));
    }
}

/* Results of fits to a part of the rows are lines of their own: they are not those of all rows. */
static void name_part(char text[96], bool is_part)
{
    const size_t used = strlen(text);
    if (is_part && used < 80) {
        snprintf(text + used, 96 - used, ", part of rows");
    }
}

static bool read_table(settings *all, const char *path)
{
    FILE *file = fopen(path, "r");
    char head[4096], line[4096], *name[MOST_FIELDS] = {0}, *value[MOST_FIELDS], rest[96];
    int n = 0;

    if (file && fgets(head, sizeof head, file)) {
        n = split(head, name);
    }
    const int c = find(name, n, "C"), loss = find(name, n, "loss");
    const int fold = find(name, n, "fold"), rows = find(name, n, "rows");
    const long begin = n > 0 ? ftell(file) : -1;
    if (begin >= 0) {
        find_most_rows(all, file, fold, rows);
        n = fseek(file, begin, SEEK_SET) == 0 ? n : 0;
    }
    while (n > 0 && c >= 0 && loss >= 0 && fgets(line, sizeof line, file)) {
        const int m = split(line, value);
        const double x = m > loss && m > c ? strtod(value[loss], NULL) : (double)NAN;
        if (isfinite(x)) {
            name_rest(name, value, m < n ? m : n, rest);
            name_part(rest,
                      number_at(value, m, rows) < *most_rows_of(all, number_at(value, m, fold)));
            add_fold(all, rest, strtod(value[c], NULL), x);
        }
    }
    if (file) {
        (void)fclose(file); /* only read */
    }
    return all->n > 0;
}

static int by_c(const void *a, const void *b)
{
    const double x = ((const setting *)a)->c, y = ((const setting *)b)->c;

    return (x > y) - (x < y);
}

/* Lines with the least losses first: further ones are left out. */
static int by_loss(const void *a, const void *b)
{
    const setting *const p = a, *const q = b;
    const double x = p->sum / p->n, y = q->sum / q->n;

    return (x > y) - (x < y);
}

static double standard_error(const setting *p)
{
    const double mean = p->sum / p->n;

    return p->n > 1 ? sqrt(fmax(0, p->squares / p->n - mean * mean) / (p->n - 1)) : 0;
}

static ney_status draw(session *s, settings *all, double chosen)
{
    double *const block = malloc(4 * MOST_POINTS * sizeof *block);
    plot_series series[2 * MOST_LINES + 1];
    int n_series = 0;
    int64_t used = 0;
    double low = (double)INFINITY, high = -(double)INFINITY;

    if (!block) {
        return out_of_memory(&s->err, "the chart");
    }
    double *const x = block, *const y = x + MOST_POINTS, *const from = y + MOST_POINTS,
                  *const to = from + MOST_POINTS;
    for (int k = 0; k < all->n_lines; k++) {
        const int64_t begin = used;
        for (int i = 0; i < all->n; i++) {
            const setting *const p = &all->item[i];
            if (strcmp(p->rest, all->line[k]) == 0) {
                const double error = standard_error(p);
                x[used] = p->c;
                y[used] = p->sum / p->n;
                from[used] = y[used] - error;
                to[used] = y[used] + error;
                low = fmin(low, from[used]);
                high = fmax(high, to[used++]);
            }
        }
        const plot_series line = {.x = x + begin, .y = y + begin, .n = used - begin, .colour = k};
        series[n_series] = line;
        series[n_series].kind = used - begin > 1 ? PLOT_LINE : PLOT_POINTS;
        series[n_series].dash = (plot_dash)(k % PLOT_DASHES);
        series[n_series++].name = all->line[k];
        if (k == 0) { /* of the best line only: bands of all would hide each other */
            series[n_series] = line;
            series[n_series].kind = PLOT_BAND;
            series[n_series].name = "its standard error";
            series[n_series].y = from + begin;
            series[n_series++].y_high = to + begin;
        }
    }
    const double bar[4] = {chosen, chosen, low, high};
    if (isfinite(chosen)) {
        series[n_series++] = plotting_line("chosen C", bar);
    }
    const plot_panel panel = {.title = "Validation loss, and its standard error",
                              .x = PLOT_LOG_AXIS("penalty on training errors (C)"),
                              .y = PLOT_AXIS("loss on validation rows"),
                              .series = series,
                              .n_series = n_series};
    const ney_status st = plotting_write(s, &(plot_figure){.panels = &panel, .n_panels = 1});
    free(block);
    return st;
}

ney_status tune_plot(session *s, const char *path, double chosen)
{
    settings *all = calloc(1, sizeof *all);
    ney_status st;

    if (!all) {
        return out_of_memory(&s->err, "the chart");
    }
    if (read_table(all, path)) {
        qsort(all->item, (size_t)all->n, sizeof *all->item, by_loss);
        for (int i = 0; i < all->n; i++) {
            add_line(all, all->item[i].rest);
        }
        qsort(all->item, (size_t)all->n, sizeof *all->item, by_c);
        st = draw(s, all, chosen);
    } else {
        s->err = (ney_error){.code = NEY_EIO};
        snprintf(s->err.message, sizeof s->err.message, "%.300s has no results to draw a chart of",
                 path);
        st = NEY_EIO;
    }
    free(all);
    return st;
}
