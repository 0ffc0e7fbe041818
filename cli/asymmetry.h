/* Results of 'asymmetry', from densities or from data. */
#ifndef CLI_ASYMMETRY_H
#define CLI_ASYMMETRY_H

#include "labelled.h"
#include "result.h"
#include "session.h"

typedef struct curve_point {
    double gamma, b, fpr, tpr;
    double log_slope, beta;      /* NAN where the slope is not above 0 */
    double fpr_error, tpr_error; /* standard errors, from data alone */
    bool consistent;
} curve_point;

typedef struct training_advice {
    double cost_fn, cost_fp; /* of the test */
    ney_asymmetry_answer answer;
    double cost_error, gain_error; /* from data: standard errors of the cost and of the gain */
} training_advice;

enum { MOST_ADVICE = 2, MOST_RANGES = 16 };

typedef struct findings {
    const char *loss;
    bool from_data; /* measured on held-out rows, without densities */
    double C;       /* of the hinge loss, from data */
    double p_pos;
    int64_t dims, n_points;
    curve_point *point;
    double *w; /* n_points x dims; NULL from data */
    int64_t n_fine;
    curve_point *fine; /* for drawing; from data, the points themselves */
    double range[2 * MOST_RANGES];
    int64_t n_ranges;
    training_advice advice[MOST_ADVICE];
    int n_advice;
    bool constant;        /* the class means coincide */
    ney_asymmetry *study; /* owned; NULL from data */
    ney_mixture *mixture; /* owned; NULL from data */
} findings;

void findings_deinit(findings *f);

/* Report why the data could not be used; returns the exit code. */
int findings_refuse(session *s, ney_status st);

/* The verdict as one sentence. */
enum { VERDICT_TEXT = 512 };
void verdict_text(const findings *f, char text[VERDICT_TEXT]);

/* Two panels: training against testing asymmetry, and the ROC curve with its envelope; before them
 * the densities, where they have one or two dimensions. */
ney_status findings_plot(const findings *f, session *s);

/* The points of a curve that are on its upper convex envelope, which begins at (0, 0) and ends at
 * (1, 1); `x` ascends. `on`, of n + 2 entries, gets their indices, -1 and n for the ends; returns
 * their number. */
int64_t upper_envelope(const double *x, const double *y, int64_t n, int64_t *on);

/* From the densities f->mixture (asymmetry_densities.c); with points for a chart where `has_chart`.
 * Returns the exit code. */
int findings_from_densities(findings *f, session *s, ney_theory_loss loss, bool has_chart,
                            const double *gamma, int64_t n_gammas);

/* Print the result (asymmetry_result.c). In text the curve is printed only where its points were
 * given (`has_gammas`). */
void findings_report(session *s, const findings *f, bool has_gammas, const class_counts *n);
/* The curve as TSV, and the mixture as JSON. */
ney_status findings_write_curve(const findings *f, const char *path, ney_error *err);
ney_status findings_save_mixture(const ney_mixture *mixture, const char *path, ney_error *err);

/* From data that are not prepared (asymmetry_sample.c): the hinge loss on random halves, scaling
 * fitted on the half that is trained on. Returns the exit code. */
typedef struct sample_opts {
    double C;
    int64_t splits;
} sample_opts;
int findings_sample(findings *f, session *s, const ney_data *data, const sample_opts *opts,
                    ney_scaling scaling, int64_t seed, const double *gamma, int64_t n_gammas);

#endif
