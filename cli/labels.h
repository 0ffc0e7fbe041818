/* How the keys of a result are called in text: one table of labels, grouped in sections.
 * Keys of JSON are names for programs; text for people has words. */
#ifndef CLI_LABELS_H
#define CLI_LABELS_H

#include <stdbool.h>
#include <stddef.h>

/* In the order in which they are printed. */
typedef enum section {
    SECTION_GOAL,
    SECTION_DATA,
    SECTION_CHOSEN,
    SECTION_DISCOVERIES,
    SECTION_SPLIT,
    SECTION_TEST,
    SECTION_COSTS,
    SECTION_THRESHOLD,
    SECTION_RATES,
    SECTION_COUNTS,
    SECTION_CERTIFICATE,
    SECTION_MODEL,
    SECTION_SOLVER,
    SECTION_RUN,
    SECTION_OTHER, /* keys without a label, which arch.labels refuses in our own results */
    N_SECTIONS
} section;

const char *section_title(section in);
/* Whether it is printed with --verbose only. */
bool section_is_internal(section in);
/* The section of a key. */
section section_of(const char *key);

typedef enum label_use {
    LABEL_LINE,  /* before a figure */
    LABEL_HEAD,  /* over a column of a table */
    LABEL_TITLE, /* over a table or an object */
} label_use;

/* The label of a key. */
void label_of(const char *key, label_use use, char *text, size_t n_text);

#endif
