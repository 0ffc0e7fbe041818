/* Class densities from a JSON file:
 *
 *     {"p_pos": 0.5, "positive": [{"weight": 1, "mean": [...], "cov": [[...], ...]}, ...],
 *      "negative": [...]}
 */
#ifndef CLI_MIXTURE_JSON_H
#define CLI_MIXTURE_JSON_H

#include "result.h"
#include "session.h"

/* Whether a file's first mark is a brace, as no data set's is; false where it cannot be read twice
 * or not at all. */
bool is_json_file(const char *path);

/* What is wrong is reported; returns the exit code. */
int mixture_read(ney_mixture **out, session *s, const char *path);

/* The components of both classes, as the file has them. */
void mixture_add(ney_result *root, const ney_mixture *mixture);

#endif
