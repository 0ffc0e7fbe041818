/* The sentence that states a certified rate: which share of which class, with which confidence, on
 * what evidence. One wording for every command that certifies. */
#ifndef CLI_GUARANTEE_H
#define CLI_GUARANTEE_H

#include "result.h"
#include "session.h"

enum { GUARANTEE_TEXT = 640 };

/* One certificate, or two that hold at once. */
typedef struct guarantee {
    const ney_certificate *fpr, *fnr; /* NULL where that rate is not bounded */
    double confidence;                /* of the whole sentence */
    const char *negative, *positive;  /* names of the classes, NULL: none */
    const char *evidence;             /* what the rows are called: "held-out", "calibration" */
} guarantee;

/* "At most 1 % of negatives ('ham') are flagged as positive, with 95 % confidence" */
void guarantee_claim(char text[GUARANTEE_TEXT], const guarantee *g);

/* The claim and, in parentheses, the evidence. */
void guarantee_text(char text[GUARANTEE_TEXT], const guarantee *g);

#endif
