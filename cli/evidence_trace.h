/* The evidence of a sequential test over the rows, for a chart. */
#ifndef CLI_EVIDENCE_TRACE_H
#define CLI_EVIDENCE_TRACE_H

#include "session.h"

enum { TRACE_POINTS = 2048, TRACE_TESTS = 2 };

/* At most TRACE_POINTS points: where there would be more, every other one is dropped and the steps
 * between them double. */
typedef struct evidence_trace {
    bool kept; /* a chart is asked for */
    int n_tests;
    const char *name[TRACE_TESTS];
    double needed[TRACE_TESTS]; /* the log evidence of the alarm */
    double row[TRACE_POINTS], log_evidence[TRACE_TESTS][TRACE_POINTS];
    int64_t n, step;
} evidence_trace;

void trace_init(evidence_trace *t, const session *s);

/* How many of `n` rows to add before the next point, `row` rows having been added. */
int64_t trace_stride(const evidence_trace *t, int64_t row, int64_t n);

/* The evidence after `row` rows, where a point is due. */
void trace_add(evidence_trace *t, int64_t row, const double log_evidence[TRACE_TESTS]);

ney_status trace_plot(const evidence_trace *t, session *s, const char *title);

#endif
