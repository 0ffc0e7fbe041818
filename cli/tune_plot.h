/* The chart of 'tune': the loss of every setting, with its standard error over the folds. */
#ifndef CLI_TUNE_PLOT_H
#define CLI_TUNE_PLOT_H

#include "session.h"

/* From the table of results at `path`; `chosen` is the C of the model, NAN where it is unknown. */
ney_status tune_plot(session *s, const char *path, double chosen);

#endif
