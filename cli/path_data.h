/* Shared by 'path', 'roc' and 'pick'. */
#ifndef CLI_PATH_DATA_H
#define CLI_PATH_DATA_H

#include "result.h"
#include "session.h"

/* The kernel and its cache: the part of ney_train_opts that applies to a path. */
extern const option_set path_kernel_options;

/* Read training rows, check them, and say which class is positive. What is wrong is
 * reported; returns the exit code. *data is the caller's to free in either case. */
int path_read_rows(session *s, const char *path, ney_data **data);

/* As above; fill and scale, fitted on these rows. */
int path_read_data(session *s, const char *path, int scale, ney_data **data);

/* Warn where the worst residual of a path is above NEY_PATH_RESIDUAL; the second also adds it to
 * the result. */
void path_warn_residual(ney_result *root, double worst);
void path_add_residual(ney_result *root, double worst);

/* The exit code of a path with this worst residual. */
int path_exit(double worst);

#endif
