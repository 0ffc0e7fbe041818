/* The result of a command: a tree of named values, which --json prints as JSON;
 * without --json the same tree is printed as text: first the sentences of summary.h, then warnings,
 * then the figures under headings, one key per line, an interval beside its rate, an array of
 * objects as columns. */
#ifndef CLI_RESULT_H
#define CLI_RESULT_H

#include "session.h"

#include <stdio.h>

/* An empty result. Running out of memory here and in printing ends the program. */
ney_result *result_new(void);

/* Print it as JSON. Characters that could steer a terminal are escaped. */
void result_print_json(const ney_result *root, FILE *file);

/* Print the result on stdout and free it. */
void result_print(const session *s, ney_result *root);

/* The same of a result that the library made in the session's environment. */
void result_print_fit(const session *s, ney_result *root);

/* Print it as text. Figures of the solver only where `internals` is set. */
void result_print_text(const ney_result *root, bool internals);

/* Members that are sentences. */
extern const char warnings_key[], headline_key[], next_key[];

/* The name of a class; null where there is none. */
void result_name(ney_result *in, const char *key, const char *name);

/* A rate of `hits` among `n` under `key`, with its exact 95 % interval under "<key>_interval";
 * null when n is 0. */
void result_rate(ney_result *in, const char *key, int64_t hits, int64_t n);

#endif
