/* What the processes of a run have sent each other (neyman-mpi). */
#ifndef CLI_COMMUNICATION_H
#define CLI_COMMUNICATION_H

#include "session.h"

/* The first two are called by all processes; each does nothing for one alone. */

/* Say with --verbose how much all processes have received when `what` is done. */
void communication_say(session *s, const char *what);

/* Count what all processes have received, */
void communication_count(session *s);

/* and add that to a result, with their number and the memory of the largest. */
void communication_add(const session *s, ney_result *root);

#endif
