/* The sentence that states a certified rate: which share of which class, with which confidence, on
 * what evidence. One wording for every command that certifies. */
#ifndef CLI_GUARANTEE_H
#define CLI_GUARANTEE_H

#include "result.h"
#include "session.h"

enum { GUARANTEE_TEXT = 640 };

/* Of one certificate, or of two that hold at once: `fpr` or `fnr` is NULL where that rate is not
 * bounded. `confidence` is that of the whole sentence; `evidence` is what the rows are called
 * ("held-out", "calibration"). */
void guarantee_text(char text[GUARANTEE_TEXT], const ney_certificate *fpr,
                    const ney_certificate *fnr, double confidence, const char *negative,
                    const char *positive, const char *evidence);

#endif
