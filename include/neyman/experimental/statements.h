/* Sentences and warnings in results. EXPERIMENTAL: anything here may change in any release
 * (VERSIONING.md). */
#ifndef NEYMAN_EXPERIMENTAL_STATEMENTS_H
#define NEYMAN_EXPERIMENTAL_STATEMENTS_H

#include <neyman/decide.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A share of one class among rows: "Detects 61 % of positives ('spam') <rows>." */
typedef struct ney_class_share {
    const char *verb;     /* "Detects" */
    const char *outcome;  /* " as positive", or "" */
    bool positive;        /* the class */
    const char *name;     /* of the class; NULL or "": none */
    double share;         /* NAN: no row of the class, no sentence */
    const double *bounds; /* its 95 % interval; NULL: none */
    const char *rows;     /* " on the training rows (optimistic)", or "" */
} ney_class_share;

/** Add such a sentence to the headline of a result. */
NEY_EXPERIMENTAL void ney_result_headline_share(ney_result *root, const ney_class_share *of);

/* Warnings in a result about models that meet their bound and are useless nevertheless. A warning
 * is a statement about counts; `rows` names the rows that were counted ("held-out rows", "training
 * rows"). Rules and their error rates: doc/claims.md, "Useless models". */

/* Rows of the class that is not bounded: positives with a bounded FPR (`fpr`), negatives with a
 * bounded FNR. `detected` of `n` are classified correctly. */
typedef struct ney_detection {
    bool fpr;
    double bound;
    int64_t detected, n;
    int64_t corrected; /* the same, corrected for the optimism of training; -1: unknown */
    int64_t n_units;   /* number of independent units: groups, or rows */
    const char *rows;
} ney_detection;

/** One bounded rate. A score that is independent of the class detects at most a share equal to the
 * bound. On training rows the share is optimistic: if even that is not better than chance, the
 * model is not; if only the corrected share is not, the model may not be. */
NEY_EXPERIMENTAL void ney_warn_detection(ney_result *root, const ney_detection *d);
/** The same on labelled rows that the model was not trained on, where both rates are measured. */
NEY_EXPERIMENTAL void ney_warn_chance(ney_result *root, const ney_counts *counts, const char *rows);
/** All rows, or nearly all, are rejected. */
NEY_EXPERIMENTAL void ney_warn_rejection(ney_result *root, const ney_counts *counts,
                                         const char *rows);
/** Costs: a constant decision costs no more. Costs of rejection may be NAN.
 * @param prevalence  Share of positives among new data; NAN: that of the rows. */
NEY_EXPERIMENTAL void ney_warn_costs(ney_result *root, const ney_counts *counts,
                                     const ney_costs *costs, double prevalence, const char *rows);

/** Rows that should be new and were used in training or validation. @param what  "rows", "test
 * rows"
 * @param use  "training", "validation" */
NEY_EXPERIMENTAL void ney_warn_reuse(ney_result *root, const ney_reuse *reuse, const char *what,
                                     const char *use);

/** Unit, number of groups (-1: it differs between rates) and what rates are where the group, not
 * the row, is the unit, into a result. */
NEY_EXPERIMENTAL void ney_result_define_groups(ney_result *root, int64_t n_groups);

/** Warn in a result that rows may not be independent, where a column that looks like their groups
 * is not named as such: ney_data_repeated_column(). */
NEY_EXPERIMENTAL void ney_data_warn_groups(const ney_data *data, ney_result *root);

#ifdef __cplusplus
}
#endif

#endif
