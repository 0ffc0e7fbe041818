/* Sums of counts. */
#ifndef NEY_DECIDE_COUNTS_H
#define NEY_DECIDE_COUNTS_H

#include <neyman/experimental.h>

static inline void ney_counts_add(ney_counts *sum, const ney_counts *c)
{
    sum->tp += c->tp;
    sum->fp += c->fp;
    sum->tn += c->tn;
    sum->fn += c->fn;
    sum->rejected_pos += c->rejected_pos;
    sum->rejected_neg += c->rejected_neg;
}

#endif
