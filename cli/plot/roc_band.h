/* A band that contains the whole ROC curve of the distribution with stated confidence. */
#ifndef CLI_PLOT_ROC_BAND_H
#define CLI_PLOT_ROC_BAND_H

#include <neyman/experimental.h>

/* Steps: between two neighbouring x the band is level. */
typedef struct roc_band {
    double *x, *low, *high; /* owned, one block */
    int64_t n;
} roc_band;

/* The intervals of FPR and TPR hold at all thresholds at once, each with half of 1 - confidence.
 * TPR rises with FPR along the true curve, so that TPR >= the lower end of TPR(t) wherever FPR >=
 * the upper end of FPR(t), for every threshold t, and the reverse. Rows are independent. Of many
 * thresholds some hundreds are used, which makes the band wider, not wrong. False without memory.
 */
bool roc_band_init(roc_band *b, const ney_roc *roc, double confidence);
void roc_band_deinit(roc_band *b);

#endif
