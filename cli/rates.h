/* Bounds on the two errors, as the commands that certify and plan take them. */
#ifndef CLI_RATES_H
#define CLI_RATES_H

#include "session.h"

typedef struct rate_opts {
    double max_fpr, max_fnr; /* NAN when not given */
    double confidence;
} rate_opts;

extern const option_set rate_options;

/* Report bounds that cannot be asked for; returns EXIT_OK when there is at least one and all are
 * proper. */
int rates_check(session *s);

/* The same where no bound need be given. */
int rates_check_bounds(session *s);

#endif
