/* Large arrays in a temporary file, for --memory: the system can take their pages back whenever
 * memory is short. State of the process, since memory outlives the run that allocates it. */
#ifndef CLI_FILE_MEMORY_H
#define CLI_FILE_MEMORY_H

#include <stddef.h>

#include "session.h"

/* From here on the session allocates within about `mb` MB of resident memory; 0: no limit. Before
 * anything is allocated. */
void file_memory_limit(session *s, double mb);

/* Arrays of the program itself that grow with the rows; NULL without memory. */
void *memory_new(size_t count, size_t bytes);
void memory_free(void *block);

/* Why memory was last refused; "" where the reason is the system's. */
const char *file_memory_failure(void);

#endif
