/* Files of other programs, recognised by their first bytes. */
#ifndef NEY_DATA_FOREIGN_H
#define NEY_DATA_FOREIGN_H

#include <stdbool.h>
#include <stdint.h>

/* What the file is and how to convert it, as the rest of a sentence; NULL: none of those known. A
 * text may begin like one of another kind by a label or a column called "<html": where its format
 * is stated, it is read as that. */
const char *ney_foreign_file(const char *bytes, int64_t n_bytes, bool format_is_stated);

#endif
