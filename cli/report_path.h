/* A path of 'neyman roc --save-path' or 'neyman path' as the subject of a report. */
#ifndef CLI_REPORT_PATH_H
#define CLI_REPORT_PATH_H

#include "evidence.h"

typedef struct report_path {
    const char *file;
    ney_path *path;    /* owned */
    ney_choice chosen; /* the classifier that the page is about */
} report_path;

/* Read the path, and the test rows scored by its cheapest classifier. What is wrong is reported;
 * returns the exit code. report_path_deinit() and evidence_deinit() are due in either case. */
int report_path_read(report_path *out, session *s, const char *file, const char *test,
                     const ney_costs *costs, evidence *in);
void report_path_deinit(report_path *p);

ney_status report_add_path(session *s, ney_result *root, const report_path *p, const evidence *in);

#endif
