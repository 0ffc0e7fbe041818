/* What a command found. It is stated once, as a JSON object; without --json the same object is
 * printed as a table: a key a line, an interval beside its rate, an array of objects as columns. */
#ifndef CLI_RESULT_H
#define CLI_RESULT_H

#include "json.h"
#include "session.h"

/* Print the result on stdout and free it. */
void result_print(const session *s, cJSON *root);

/* Append a warning to the "warnings" array of the result: what a reader must know before the
 * figures (a model no better than chance, rows that may depend on each other). As text, warnings
 * are the first lines of the result. */
void result_warn(cJSON *root, const char *format, ...) PRINTF_LIKE(2, 3);

/* The name of a class; null where there is none. */
void result_name(cJSON *in, const char *key, const char *name);

/* A rate of `hits` among `n` under `key`, with its exact 95 % interval under "<key>_interval";
 * null when n is 0. */
void result_rate(cJSON *in, const char *key, int64_t hits, int64_t n);

#endif
