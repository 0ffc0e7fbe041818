/* A bounded share of false discoveries. Positives are targets, of which an unknown share is false;
 * negatives are decoys, false for certain. At a threshold with P decoys and 1 - Q targets accepted,
 * as rates, n- and n+ of them in all,
 *
 *     FDR = s P / (1 - Q),   s = n- / n+, or 1 where the sizes are corrected for         [FDR.1]
 *     L(f, lambda) = 1/2 |w|^2 + C W (Q + lambda (s P - q (1 - Q)))                      [FDR.2]
 *
 * with q / (1 - q) in the place of q where decoys are counted among what is accepted. A fit has
 * three stages:
 *
 *   feature   the single column, with its sign, that finds most targets
 *   svm       targets found so far against all decoys, over and over (Kaell et al. 2007), then
 *             annealed under the ramp loss [FDR.2] (qSVMOpt); linear or with a kernel
 *   online    pairs of a target and a decoy, one after the other, under the sigmoid loss: linear,
 *             or a network (qNNOpt); or, in their place, boosted trees under the logistic loss */
#ifndef NEY_LEARN_FDR_FDR_H
#define NEY_LEARN_FDR_FDR_H

#include "base/grouping.h"
#include "learn/batch/descent.h"
#include "learn/partition.h"

enum { NEY_MOST_FDR = 8, NEY_FDR_RESTARTS = 4 };

typedef enum ney_stage {
    NEY_STAGE_FEATURE,
    NEY_STAGE_SVM,
    NEY_STAGE_ONLINE,
    NEY_N_STAGES
} ney_stage;

/* The bounds and the estimate requested. */
typedef struct ney_fdr {
    int n;
    double q[NEY_MOST_FDR];
    ney_qvalue_opts estimate;
    const double *start; /* weights of the columns where the search begins; NULL: at a feature */
    const uint64_t *key; /* of the rows at hand: which of them compete; NULL: none */
    const ney_grouping *spectra; /* the rows sorted by key, NULL: not yet */
} ney_fdr;

ney_status ney_fdr_of(ney_fdr *f, const ney_train_opts *o, ney_error *err);

/* What rows compete, by the columns that the options name, else file, scan and mass of a PIN file;
 * NULL where the data name no spectra or the options let no rows compete. To be released. */
ney_status ney_fdr_keys(uint64_t **key, const ney_env *env, const ney_data *data,
                        const ney_train_opts *o, ney_error *err);

/* init_weights.c: the weights that a file has for these columns as they are scaled; to be released.
 * NULL where the options name no file.
 * @retval NEY_EINVAL  the model is not linear, or columns are not scaled linearly.
 * @retval NEY_EPARSE  a weight is for a column that the data lack. */
ney_status ney_fdr_init_weights(double **out, const ney_env *env, const ney_data *data,
                                const ney_train_opts *o, ney_error *err);

/* The same request for fits on some rows with these keys, sorted beforehand. Nothing is claimed of
 * the rows of a fit: they compete as equals, and no decoy is added, which would leave few targets
 * to learn from where few are true. The estimate asked for is that of the out-of-fold scores. */
ney_fdr ney_fdr_for_fits(const ney_fdr *f, const uint64_t *key, const ney_grouping *spectra);

/* The stage that the options ask for; those before it are tried too. */
ney_stage ney_fdr_stage(const ney_train_opts *o);

/* What the last stage is called: "online", or "trees". */
const char *ney_stage_text(const ney_train_opts *o, ney_stage stage);

/* The columns that identify rows of one fold: those named, else file and scan of a match. */
const char *ney_fdr_groups(const ney_train_opts *o);

/* The columns by which a model recognises spectra that it was trained on: those named, else file,
 * scan and mass. Scan numbers of two runs agree, their masses do not. */
const char *ney_fdr_spectra(const ney_train_opts *o);

/* q as it stands in [FDR.2], and s. */
double ney_fdr_decoys_per_target(const ney_fdr *f, double q);
double ney_fdr_ratio(const ney_fdr *f, int64_t n_pos, int64_t n_neg);

/* Scores and labels of rows. */
typedef struct ney_fdr_scores {
    const double *score;
    const int8_t *label;
    int64_t n;
} ney_fdr_scores;

/* Those of all rows of a task. */
static inline ney_fdr_scores ney_fdr_task_scores(const ney_task *t, const double *score)
{
    return (ney_fdr_scores){score, t->label, t->x->rows};
}

/* Which targets have a q-value of at most `max`, and how many; those that lose a competition have
 * none. `q` holds n numbers, and so does `accepted` unless it is NULL. */
ney_status ney_fdr_accept(const ney_fdr *f, const ney_env *env, ney_fdr_scores rows, double max,
                          double *q, bool *accepted, int64_t *found, ney_error *err);

/* The targets to learn from: those found at `max` or, while these are few, at a rate as high as it
 * takes; none at all means that scores are no better than chance, and all are taken. */
ney_status ney_fdr_choose(const ney_fdr *f, const ney_env *env, ney_fdr_scores rows, double max,
                          double *q, bool *accepted, int64_t *found, ney_error *err);

/* The lambda to begin with: where the share of decoys at the threshold itself, q + 1 / lambda, is
 * `times` the square root of q. */
double ney_fdr_lambda(double per_target, double times);

/* The stages. `score` is that of the rows: taken from the stage before, and left for the next; the
 * SVM leaves the scores of before annealing, a better start for smooth losses. What is trained on
 * pairs or as a network depends on its start: restarts differ in that. */
/* The feature accepts most targets. Weights to begin at that accept as many or more leave their
 * scores in its place; they are never the model, since the rows may have been learned from. */
ney_status ney_fdr_feature(ney_model **out, ney_task *t, const ney_fdr *f, double q, double *score,
                           ney_error *err);
ney_status ney_fdr_svm(ney_model **out, ney_task *t, const ney_fdr *f, double q, double *score,
                       ney_train_info *info, ney_error *err);
typedef ney_status ney_fdr_learner(ney_model **out, ney_task *t, const ney_fdr *f, double q,
                                   const double *start, int restart, ney_train_info *info,
                                   ney_error *err);
ney_fdr_learner ney_fdr_online, ney_fdr_network, ney_fdr_trees;

/* Which of these the options ask for, and how many restarts it makes. */
ney_fdr_learner *ney_fdr_smooth(const ney_train_opts *o);
int ney_fdr_restarts(const ney_train_opts *o);

/* scale * score + shift takes the lowest score accepted at q to 0, and the median of the decoys to
 * -1: so scores of different models compare. Where nothing is accepted the best decoy stands for
 * the threshold. */
ney_status ney_fdr_norm(const ney_fdr *f, const ney_env *env, ney_fdr_scores rows, double q,
                        double *scale, double *shift, ney_error *err);

/* From data to a model: folds, the mean of their models, and the folds inside it. */
ney_status ney_fdr_train(ney_model **out, ney_partition *p, const ney_train_opts *o,
                         ney_train_info *info, ney_error *err);

#endif
