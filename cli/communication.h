/* What the processes of a run have told each other (neyman-mpi). */
#ifndef CLI_COMMUNICATION_H
#define CLI_COMMUNICATION_H

#include "session.h"

/* Each is called by all processes, and does nothing for one alone. */

/* Say with --verbose how much all processes have received when `what` is done. */
void communication_say(session *s, const char *what);

/* Add the number of processes, what they have received and the memory of the largest. */
void communication_add(const session *s, ney_result *root);

#endif
