/* Temporary files without a name: nothing is left of them after kill -9. */
#ifndef CLI_UNNAMED_FILE_H
#define CLI_UNNAMED_FILE_H

/* TMPDIR, else /var/tmp, which is on disk where /tmp is memory. */
const char *temporary_folder(void);

/* A descriptor for reading and writing; -1, and errno. */
int open_unnamed(void);

#endif
