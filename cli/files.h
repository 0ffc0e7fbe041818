/* The files of a command line: which ones are read, which ones are written. */
#ifndef CLI_FILES_H
#define CLI_FILES_H

#include "options.h"

/* Refuse an output that is one of the inputs, by whatever name, or another output; and let no file
 * that is made from here on be readable by more people than the narrowest input is. */
ney_status files_check(const invocation *call, ney_error *err);

/* Whether a regular file, by device and inode, is among the files of both paths. */
bool files_share(const char *a, const char *b);

#endif
