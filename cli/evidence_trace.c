#include "evidence_trace.h"

#include <stdio.h>

#include "plotting.h"

void trace_init(evidence_trace *t, const session *s)
{
    *t = (evidence_trace){.kept = plotting_is_asked(s->call), .step = 1};
}

int64_t trace_stride(const evidence_trace *t, int64_t row, int64_t n)
{
    const int64_t next = t->step - row % t->step;

    return t->kept && next < n ? next : n;
}

void trace_add(evidence_trace *t, int64_t row, const double log_evidence[TRACE_TESTS])
{
    if (!t->kept || row % t->step != 0) {
        return;
    }
    if (t->n == TRACE_POINTS) {
        t->step *= 2;
        int64_t kept = 0;
        for (int64_t i = 0; i < t->n; i++) {
            if ((int64_t)t->row[i] % t->step == 0) {
                t->row[kept] = t->row[i];
                for (int k = 0; k < t->n_tests; k++) {
                    t->log_evidence[k][kept] = t->log_evidence[k][i];
                }
                kept++;
            }
        }
        t->n = kept;
    }
    t->row[t->n] = (double)row;
    for (int k = 0; k < t->n_tests; k++) {
        t->log_evidence[k][t->n] = log_evidence[k];
    }
    t->n++;
}

ney_status trace_plot(const evidence_trace *t, session *s, const char *title)
{
    const double first = t->n > 0 ? t->row[0] : 0, last = t->n > 0 ? t->row[t->n - 1] : 1;
    double line[TRACE_TESTS][4];
    plot_series series[2 * TRACE_TESTS];
    int n = 0;

    for (int k = 0; k < t->n_tests; k++) {
        series[n++] = (plot_series){.name = t->name[k],
                                    .x = t->row,
                                    .y = t->log_evidence[k],
                                    .n = t->n,
                                    .colour = k,
                                    .dash = k ? PLOT_DASHED : PLOT_SOLID};
    }
    for (int k = 0; k < t->n_tests && (k == 0 || t->needed[k] != t->needed[0]); k++) {
        const double ends[4] = {first, last, t->needed[k], t->needed[k]};
        for (int j = 0; j < 4; j++) {
            line[k][j] = ends[j];
        }
        series[n++] = plotting_line(k == 0 ? "alarm" : NULL, line[k]);
    }
    const plot_panel panel = {.title = title,
                              .x = PLOT_AXIS("rows"),
                              .y = PLOT_AXIS("evidence (natural logarithm)"),
                              .series = series,
                              .n_series = n};
    return plotting_write(s, &(plot_figure){.panels = &panel, .n_panels = 1});
}
