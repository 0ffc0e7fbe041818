/* The curves of 'evaluate', as tables: a row of column names and a function that fills a line. */
#ifndef CLI_CURVES_H
#define CLI_CURVES_H

#include "evidence.h"
#include "result.h"

#define CURVE_NAMES "roc pr det hull cost risk-coverage error-reject"

typedef enum curve_kind {
    CURVE_NONE = -1,
    CURVE_ROC,
    CURVE_PR,
    CURVE_DET,
    CURVE_HULL,
    CURVE_COST,
    CURVE_RISK_COVERAGE,
    CURVE_ERROR_REJECT
} curve_kind;

typedef struct curve {
    curve_kind kind;
    int64_t n;          /* points */
    const ney_roc *roc; /* borrowed */
    int64_t *hull;      /* owned, where the kind needs them */
    ney_cost_point *cost;
    ney_risk_point *risk;
    double *ratio;
    int64_t n_rows;
} curve;

/* A rejection band and the threshold without it; all the same where nothing is rejected. */
typedef struct band {
    double low, center, high;
} band;

/* curve_deinit() is due in either case. @param b  of risk-coverage and error-reject. */
ney_status curve_init(curve *c, curve_kind kind, session *s, const evidence *e, const ney_roc *roc,
                      const band *b);
void curve_deinit(curve *c);

/* A point as numbers, a column each, and what the columns are called. */
enum { CURVE_COLUMNS = 6 };
int curve_columns(const curve *c);
void curve_line(const curve *c, int64_t k, double *cell);
/* As on an axis: words apart. */
void curve_column_label(const curve *c, int column, char *text, size_t n_text);

ney_status curve_write(const curve *c, const char *path, ney_error *err);
/* Under "curve", an array a column. */
void curve_add(const curve *c, ney_result *root);

#endif
