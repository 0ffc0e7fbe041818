/* SIGINT and SIGTERM: the first asks the library to stop where it is, a second SIGINT ends the
 * program at once. */
#ifndef CLI_INTERRUPT_H
#define CLI_INTERRUPT_H

#include <stdbool.h>

void interrupt_watch(void);
bool interrupted(void);

#endif
