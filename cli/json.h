/* JSON out, a thin layer over cJSON: real numbers in the fewest digits that read back as the same
 * bits, whole numbers exact, what is not finite as null, text always valid UTF-8. Running out of
 * memory here ends the program: by then the work is done and only its telling is left. */
#ifndef CLI_JSON_H
#define CLI_JSON_H

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Once, before anything else here. */
void json_start(void);

/* Each adds a member to an object, or an element to an array when `key` is NULL. */
cJSON *json_new(void);
cJSON *json_object(cJSON *in, const char *key);
cJSON *json_array(cJSON *in, const char *key);
void json_real(cJSON *in, const char *key, double value);
void json_int(cJSON *in, const char *key, int64_t value);
void json_bool(cJSON *in, const char *key, bool value);
void json_text(cJSON *in, const char *key, const char *value); /* NULL gives null */
void json_pair(cJSON *in, const char *key, double low, double high);

void json_print(const cJSON *root, FILE *file);

enum { REAL_TEXT = 32 };
/* The fewest digits (15, 16 or 17) that read back as the same bits. */
void format_real(double value, char text[REAL_TEXT]);

#endif
