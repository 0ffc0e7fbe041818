#include "labels.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "clean.h"

static const char *const titles[] = {
    [SECTION_GOAL] = "Goal",
    [SECTION_DATA] = "Data",
    [SECTION_CHOSEN] = "Chosen settings",
    [SECTION_DISCOVERIES] = "Discoveries",
    [SECTION_SPLIT] = "Best split",
    [SECTION_TEST] = "Test of the bounds",
    [SECTION_COSTS] = "Costs",
    [SECTION_THRESHOLD] = "Threshold",
    [SECTION_RATES] = "Rates",
    [SECTION_COUNTS] = "Counts",
    [SECTION_CERTIFICATE] = "Certificate",
    [SECTION_MODEL] = "Model",
    [SECTION_SOLVER] = "Solver",
    [SECTION_RUN] = "Run",
    [SECTION_OTHER] = "Other",
};

/* One row per key: where it is printed, its label, and a shorter one for the head of a table column
 * (NULL: the same). */
static const struct row {
    section in;
    const char *key, *label, *head;
} rows[] = {
    {SECTION_GOAL, "goal", "goal", NULL},
    {SECTION_GOAL, "method", "method", NULL},
    {SECTION_GOAL, "family", "family", NULL},
    {SECTION_GOAL, "max_fpr", "FPR at most", NULL},
    {SECTION_GOAL, "max_fnr", "FNR at most", NULL},
    {SECTION_GOAL, "max_fdr", "FDR at most", NULL},
    {SECTION_GOAL, "max_rate", "bound", NULL},
    {SECTION_GOAL, "confidence", "confidence", NULL},
    {SECTION_GOAL, "cost_fn", "cost of a false negative", "FN cost"},
    {SECTION_GOAL, "cost_fp", "cost of a false positive", "FP cost"},
    {SECTION_GOAL, "reject_cost_fn", "cost of rejecting a positive", NULL},
    {SECTION_GOAL, "reject_cost_fp", "cost of rejecting a negative", NULL},
    {SECTION_GOAL, "training_cost_fn", "cost of a false negative in training", NULL},
    {SECTION_GOAL, "training_cost_fp", "cost of a false positive in training", NULL},
    {SECTION_GOAL, "training_reject_cost_fn", "cost of rejecting a positive in training", NULL},
    {SECTION_GOAL, "training_reject_cost_fp", "cost of rejecting a negative in training", NULL},
    {SECTION_GOAL, "rejection_pays", "rejecting can cost less than deciding", NULL},
    {SECTION_GOAL, "rows_of", "rows to hold out", NULL},
    {SECTION_GOAL, "needed", "fewest rows that certify", NULL},
    {SECTION_GOAL, "power", "assumed detection rate", NULL},
    {SECTION_GOAL, "power_assumption", "assumed scores", NULL},

    {SECTION_DATA, "kind", "kind of file", "kind"},
    {SECTION_DATA, "format", "format", NULL},
    {SECTION_DATA, "source", "format of the source", NULL},
    {SECTION_DATA, "storage", "storage", NULL},
    {SECTION_DATA, "positive", "positive class", NULL},
    {SECTION_DATA, "negative", "negative class", NULL},
    {SECTION_DATA, "class", "class", NULL},
    {SECTION_DATA, "n", "rows", NULL},
    {SECTION_DATA, "n_pos", "positive rows", "positives"},
    {SECTION_DATA, "n_neg", "negative rows", "negatives"},
    {SECTION_DATA, "positives", "positive rows", "positives"},
    {SECTION_DATA, "negatives", "negative rows", "negatives"},
    {SECTION_DATA, "n_test", "test rows", NULL},
    {SECTION_DATA, "rows", "rows", NULL},
    {SECTION_DATA, "cols", "features", NULL},
    {SECTION_DATA, "labelled", "has labels", NULL},
    {SECTION_DATA, "weighted", "has weights", NULL},
    {SECTION_DATA, "stored", "stored values", NULL},
    {SECTION_DATA, "density", "share of values stored", NULL},
    {SECTION_DATA, "low", "smallest value", "smallest"},
    {SECTION_DATA, "high", "largest value", "largest"},
    {SECTION_DATA, "mean", "mean", NULL},
    {SECTION_DATA, "deviation", "standard deviation", NULL},
    {SECTION_DATA, "nonzero", "nonzero values", "nonzero"},
    {SECTION_DATA, "missing", "missing values", "missing"},
    {SECTION_DATA, "infinite", "infinite values", "infinite"},
    {SECTION_DATA, "constant_columns", "constant columns", NULL},
    {SECTION_DATA, "duplicate_rows", "duplicate rows", NULL},
    {SECTION_DATA, "contradictory_rows", "equal rows with different labels", NULL},
    {SECTION_DATA, "blocks", "blocks", NULL},
    {SECTION_DATA, "columns", "columns", NULL},
    {SECTION_DATA, "name", "name", NULL},
    {SECTION_DATA, "splits", "random splits", NULL},
    {SECTION_DATA, "unit", "unit", NULL},
    {SECTION_DATA, "n_groups", "groups", NULL},
    {SECTION_DATA, "group", "group column", NULL},
    {SECTION_DATA, "rate_definition", "a rate is the probability", NULL},
    {SECTION_DATA, "held_out", "held-out rows", "held out"},
    {SECTION_DATA, "learned_from", "rows learned from", NULL},
    {SECTION_DATA, "calibrated_pos", "positives that calibrate p-values", NULL},
    {SECTION_DATA, "calibrated_neg", "negatives that calibrate p-values", NULL},
    {SECTION_DATA, "calibrated_groups_pos", "groups with such positives", NULL},
    {SECTION_DATA, "calibrated_groups_neg", "groups with such negatives", NULL},
    {SECTION_DATA, "repeats", "repeats", NULL},
    {SECTION_DATA, "repeat", "repeat", NULL},
    {SECTION_DATA, "fold", "fold", NULL},
    {SECTION_DATA, "probability_pos", "positives that calibrate probabilities", NULL},
    {SECTION_DATA, "probability_neg", "negatives that calibrate probabilities", NULL},
    {SECTION_DATA, "probability", "rows that calibrate probabilities", NULL},
    {SECTION_DATA, "probability_statement", "probabilities", NULL},
    {SECTION_DATA, "folds", "folds", NULL},
    {SECTION_DATA, "rows_read", "rows read in all runs", NULL},
    {SECTION_DATA, "rows_seen", "rows used in training", NULL},
    {SECTION_DATA, "scored_out_of_fold", "rows scored out of fold", NULL},
    {SECTION_DATA, "chosen_on", "chosen on", NULL},
    {SECTION_DATA, "assumption", "assumption", NULL},

    {SECTION_CHOSEN, "C", "C", NULL},
    {SECTION_CHOSEN, "c", "C", NULL},
    {SECTION_CHOSEN, "gamma", "gamma", NULL},
    {SECTION_CHOSEN, "criterion", "criterion", NULL},
    {SECTION_CHOSEN, "loss", "loss", NULL},
    {SECTION_CHOSEN, "loss_error", "standard error of the loss", NULL},
    {SECTION_CHOSEN, "points", "points", NULL},
    {SECTION_CHOSEN, "tuned_by", "tuned by", NULL},
    {SECTION_CHOSEN, "tuned_points", "points tried", NULL},
    {SECTION_CHOSEN, "tuned_folds", "folds of the tuning", NULL},
    {SECTION_CHOSEN, "tuned_loss", "loss of the tuning", NULL},
    {SECTION_CHOSEN, "at_edge", "at the edge of the grid", NULL},
    {SECTION_CHOSEN, "table", "table of all points", NULL},

    {SECTION_DISCOVERIES, "discoveries", "accepted targets", NULL},
    {SECTION_DISCOVERIES, "accepted", "accepted targets", NULL},
    {SECTION_DISCOVERIES, "accepted_decoys", "accepted decoys", NULL},
    {SECTION_DISCOVERIES, "discoveries_on", "counted on", NULL},
    {SECTION_DISCOVERIES, "discoveries_feature", "accepted by the best feature alone", NULL},
    {SECTION_DISCOVERIES, "discoveries_svm", "accepted by the SVM", NULL},
    {SECTION_DISCOVERIES, "discoveries_online", "accepted by the online stage", NULL},
    {SECTION_DISCOVERIES, "discoveries_trees", "accepted by the trees", NULL},
    {SECTION_DISCOVERIES, "fdr_estimate", "estimate of the FDR", NULL},
    {SECTION_DISCOVERIES, "fdr_control", "control of the FDR", NULL},
    {SECTION_DISCOVERIES, "fdr_reason", "reason", NULL},
    {SECTION_DISCOVERIES, "competition", "competition", NULL},
    {SECTION_DISCOVERIES, "estimate", "ratio", NULL},
    {SECTION_DISCOVERIES, "fdr_convention", "share of false targets among", NULL},
    {SECTION_DISCOVERIES, "plus_one", "adds one decoy", NULL},
    {SECTION_DISCOVERIES, "size_correct", "corrects for unequal numbers", NULL},
    {SECTION_DISCOVERIES, "best_matches", "rows that win a competition", NULL},
    {SECTION_DISCOVERIES, "best_targets", "targets among them", NULL},
    {SECTION_DISCOVERIES, "best_decoys", "decoys among them", NULL},
    {SECTION_DISCOVERIES, "levels", "Matches, peptides and proteins", NULL},
    {SECTION_DISCOVERIES, "level", "level", NULL},
    {SECTION_DISCOVERIES, "entrapment", "Entrapment", NULL},
    {SECTION_DISCOVERIES, "accepted_entrapment", "accepted entrapment", NULL},
    {SECTION_DISCOVERIES, "fdp_lower", "share false, at least", NULL},
    {SECTION_DISCOVERIES, "fdp_combined", "share false, upper estimate", NULL},

    {SECTION_SPLIT, "best_share", "share to hold out", NULL},
    {SECTION_SPLIT, "best_holdout", "rows to hold out", NULL},
    {SECTION_SPLIT, "best_mistakes", "errors allowed among them", NULL},
    {SECTION_SPLIT, "train_loss", "assumed loss if all rows were learned from", NULL},
    {SECTION_SPLIT, "training_assumption", "assumed learning curve", NULL},
    {SECTION_SPLIT, "certification_loss", "detection rate lost by certifying", NULL},
    {SECTION_SPLIT, "training_loss", "detection rate lost by learning from fewer rows", NULL},
    {SECTION_SPLIT, "total_loss", "detection rate lost in total", NULL},
    {SECTION_SPLIT, "mistakes", "errors allowed", NULL},
    {SECTION_SPLIT, "expected_rate", "expected rate", NULL},
    {SECTION_SPLIT, "expected_power", "expected detection rate", NULL},

    {SECTION_TEST, "alarm", "alarm", NULL},
    {SECTION_TEST, "alarm_row", "row of the alarm", NULL},
    {SECTION_TEST, "rate", "rate", NULL},
    {SECTION_TEST, "errors", "errors", NULL},
    {SECTION_TEST, "log_evidence", "log of the evidence", NULL},
    {SECTION_TEST, "log_needed", "log of the evidence that raises an alarm", "needed"},
    {SECTION_TEST, "window", "window", NULL},
    {SECTION_TEST, "rows_after_alarm", "rows after the alarm", NULL},
    {SECTION_TEST, "renewed", "threshold renewed", NULL},
    {SECTION_TEST, "missing_neg", "negatives missing to renew", NULL},
    {SECTION_TEST, "missing_pos", "positives missing to renew", NULL},
    {SECTION_TEST, "valid_if", "valid if", NULL},
    {SECTION_TEST, "bounds", "bounds", NULL},

    {SECTION_COSTS, "c_plus", "C+", NULL},
    {SECTION_COSTS, "c_minus", "C-", NULL},
    {SECTION_COSTS, "from_c_plus", "from C+", NULL},
    {SECTION_COSTS, "from_c_minus", "from C-", NULL},
    {SECTION_COSTS, "to_c_plus", "to C+", NULL},
    {SECTION_COSTS, "to_c_minus", "to C-", NULL},
    {SECTION_COSTS, "p_pos", "probability of the positive class", "P(positive)"},
    {SECTION_COSTS, "dims", "dimensions", NULL},
    {SECTION_COSTS, "components_pos", "Gaussian components of positives", NULL},
    {SECTION_COSTS, "components_neg", "Gaussian components of negatives", NULL},
    {SECTION_COSTS, "component_pos", "component of positives", NULL},
    {SECTION_COSTS, "component_neg", "component of negatives", NULL},
    {SECTION_COSTS, "discriminant", "discriminant", NULL},
    {SECTION_COSTS, "evaluated_on", "evaluated on", NULL},
    {SECTION_COSTS, "from_gamma", "from gamma", NULL},
    {SECTION_COSTS, "to_gamma", "to gamma", NULL},
    {SECTION_COSTS, "end", "gamma", NULL},
    {SECTION_COSTS, "beta", "beta", NULL},
    {SECTION_COSTS, "cost_same", "cost if trained with the test costs", "cost at test costs"},
    {SECTION_COSTS, "cost_constant", "cost of the better constant decision", "cost of a constant"},
    {SECTION_COSTS, "cost_error", "standard error of the cost", "error of cost"},
    {SECTION_COSTS, "gain_error", "standard error of the gain", "error of gain"},
    {SECTION_COSTS, "log_slope", "log of the slope", NULL},
    {SECTION_COSTS, "b", "intercept", NULL},
    {SECTION_COSTS, "consistent", "consistent", NULL},
    {SECTION_COSTS, "answers", "training costs for test costs", NULL},
    {SECTION_COSTS, "expansions", "expansions at the ends", NULL},
    {SECTION_COSTS, "limit_at_0", "limit at gamma = 0", NULL},
    {SECTION_COSTS, "limit_at_1", "limit at gamma = 1", NULL},
    {SECTION_COSTS, "curve", "curve", NULL},
    {SECTION_COSTS, "envelope", "best points", NULL},

    {SECTION_THRESHOLD, "threshold", "threshold", NULL},
    {SECTION_THRESHOLD, "threshold_rule", "rule", NULL},
    {SECTION_THRESHOLD, "rule", "reject rule", NULL},
    {SECTION_THRESHOLD, "delta0", "delta0 of the reject rule", NULL},
    {SECTION_THRESHOLD, "threshold_from", "threshold set on", NULL},
    {SECTION_THRESHOLD, "threshold_low", "lower threshold (reject between)", NULL},
    {SECTION_THRESHOLD, "threshold_high", "upper threshold", NULL},
    {SECTION_THRESHOLD, "new_threshold", "new threshold", NULL},
    {SECTION_THRESHOLD, "new_threshold_low", "new lower threshold", NULL},

    {SECTION_RATES, "rates_on", "measured on", NULL},
    {SECTION_RATES, "rates_count", "every rate counts", NULL},
    {SECTION_RATES, "fpr", "false-positive rate (FPR)", "FPR"},
    {SECTION_RATES, "fnr", "false-negative rate (FNR)", "FNR"},
    {SECTION_RATES, "tpr", "true-positive rate (TPR)", "TPR"},
    {SECTION_RATES, "fpr_error", "standard error of the FPR", "error of FPR"},
    {SECTION_RATES, "tpr_error", "standard error of the TPR", "error of TPR"},
    {SECTION_RATES, "test_fpr", "FPR of test rows", "test FPR"},
    {SECTION_RATES, "test_tpr", "TPR of test rows", "test TPR"},
    {SECTION_RATES, "error_rate", "error rate", NULL},
    {SECTION_RATES, "precision", "precision", NULL},
    {SECTION_RATES, "fdr", "false-discovery rate (FDR)", "FDR"},
    {SECTION_RATES, "reject_rate", "reject rate", NULL},
    {SECTION_RATES, "reject_rate_pos", "reject rate of positives", NULL},
    {SECTION_RATES, "reject_rate_neg", "reject rate of negatives", NULL},
    {SECTION_RATES, "sensitivity", "sensitivity", NULL},
    {SECTION_RATES, "specificity", "specificity", NULL},
    {SECTION_RATES, "ppv", "positive predictive value (PPV)", "PPV"},
    {SECTION_RATES, "npv", "negative predictive value (NPV)", "NPV"},
    {SECTION_RATES, "lr_positive", "positive likelihood ratio", NULL},
    {SECTION_RATES, "lr_negative", "negative likelihood ratio", NULL},
    {SECTION_RATES, "f1", "F1", NULL},
    {SECTION_RATES, "mcc", "Matthews correlation coefficient (MCC)", "MCC"},
    {SECTION_RATES, "prevalence", "share of positives assumed", NULL},
    {SECTION_RATES, "range_kind", "brackets of ratios, F1 and MCC", NULL},
    {SECTION_RATES, "fpr_bound", "the model's bound on the FPR", NULL},
    {SECTION_RATES, "fpr_verdict", "this bound on the FPR is", NULL},
    {SECTION_RATES, "fnr_bound", "the model's bound on the FNR", NULL},
    {SECTION_RATES, "fnr_verdict", "this bound on the FNR is", NULL},
    {SECTION_RATES, "interval_kind", "intervals", NULL},
    {SECTION_RATES, "by", "rates by value", NULL},
    {SECTION_RATES, "value", "value", NULL},
    {SECTION_RATES, "fpr_exceeds", "FPR exceeds the bound", NULL},
    {SECTION_RATES, "fnr_exceeds", "FNR exceeds the bound", NULL},
    {SECTION_RATES, "by_test", "flags", NULL},
    {SECTION_RATES, "cost_range", "range of the cost", NULL},
    {SECTION_RATES, "reliability", "reliability of probabilities", NULL},
    {SECTION_RATES, "from", "from", NULL},
    {SECTION_RATES, "to", "to", NULL},
    {SECTION_RATES, "mean_probability", "mean probability", NULL},
    {SECTION_RATES, "frequency", "frequency of positives", NULL},
    {SECTION_RATES, "brier", "Brier score of probabilities", NULL},
    {SECTION_RATES, "log_loss", "log loss of probabilities", NULL},
    {SECTION_RATES, "positive_predictivity", "precision of the rows not rejected", NULL},
    {SECTION_RATES, "error_rate_without_reject", "error rate if no row were rejected", NULL},
    {SECTION_RATES, "error_reject_ratio", "share of errors among rejected rows", NULL},
    {SECTION_RATES, "cost", "cost per row", "cost"},
    {SECTION_RATES, "auc", "area under the ROC curve (AUC)", "AUC"},
    {SECTION_RATES, "auc_interval_kind", "interval of the AUC", NULL},
    {SECTION_RATES, "auc_error", "standard error of the AUC", NULL},
    {SECTION_RATES, "partial_auc", "partial AUC", NULL},
    {SECTION_RATES, "partial_max_fpr", "partial AUC up to an FPR of", NULL},
    {SECTION_RATES, "valid_fpr", "FPR of validation rows", NULL},
    {SECTION_RATES, "valid_fnr", "FNR of validation rows", NULL},
    {SECTION_RATES, "valid_reject_rate", "reject rate of validation rows", NULL},
    {SECTION_RATES, "valid_rates_on", "validation rows", NULL},
    {SECTION_RATES, "group_rate", "mean rate over groups", NULL},
    {SECTION_RATES, "auc_intercept", "AUC with one classifier", NULL},
    {SECTION_RATES, "auc_asymmetry", "AUC with all costs", NULL},
    {SECTION_RATES, "auc_both", "AUC with all costs and thresholds", NULL},
    {SECTION_RATES, "test_auc_intercept", "test AUC with one classifier", NULL},
    {SECTION_RATES, "test_auc_asymmetry", "test AUC with all costs", NULL},
    {SECTION_RATES, "test_auc_both", "test AUC with all costs and thresholds", NULL},
    {SECTION_RATES, "coverage_pos", "sets of positives with the true class", NULL},
    {SECTION_RATES, "coverage_neg", "sets of negatives with the true class", NULL},
    {SECTION_RATES, "sets_of_one", "sets of one class", NULL},
    {SECTION_RATES, "sets_of_both", "sets of both classes", NULL},
    {SECTION_RATES, "sets_of_none", "empty sets", NULL},
    {SECTION_RATES, "matched", "other error rate at the bound", "other rate at bound"},
    {SECTION_RATES, "difference", "difference", NULL},
    {SECTION_RATES, "p_adjusted", "p-value (adjusted)", NULL},
    {SECTION_RATES, "methods", "methods", NULL},

    {SECTION_COUNTS, "tp", "true positives", NULL},
    {SECTION_COUNTS, "fp", "false positives", NULL},
    {SECTION_COUNTS, "tn", "true negatives", NULL},
    {SECTION_COUNTS, "fn", "false negatives", NULL},
    {SECTION_COUNTS, "predicted_pos", "rows classified as positive", NULL},
    {SECTION_COUNTS, "predicted_neg", "rows classified as negative", NULL},
    {SECTION_COUNTS, "called_positive", "classified as positive", NULL},
    {SECTION_COUNTS, "called_negative", "classified as negative", NULL},
    {SECTION_COUNTS, "rejected", "rejected", NULL},
    {SECTION_COUNTS, "rejected_pos", "rejected positives", NULL},
    {SECTION_COUNTS, "rejected_neg", "rejected negatives", NULL},
    {SECTION_COUNTS, "outcomes", "outcomes", NULL},

    {SECTION_CERTIFICATE, "certified", "certified", NULL},
    {SECTION_CERTIFICATE, "guarantee", "guarantee", NULL},
    {SECTION_CERTIFICATE, "bound", "upper confidence bound", NULL},
    {SECTION_CERTIFICATE, "tightest_rate", "smallest bound these rows certify", NULL},
    {SECTION_CERTIFICATE, "rank", "rank of the threshold", "rank"},
    {SECTION_CERTIFICATE, "misclassified", "calibration rows misclassified", "misclassified"},
    {SECTION_CERTIFICATE, "delta", "probability of failure (delta)", "delta"},
    {SECTION_CERTIFICATE, "delta_share", "delta of each rate", NULL},
    {SECTION_CERTIFICATE, "delta_sharing", "how delta is shared", NULL},
    {SECTION_CERTIFICATE, "calibration_hash", "checksum of the calibration rows", "checksum"},
    {SECTION_CERTIFICATE, "hash", "checksum of the calibration rows", NULL},
    {SECTION_CERTIFICATE, "certificates", "certificates", NULL},
    {SECTION_CERTIFICATE, "certificate", "certificate", NULL},

    {SECTION_MODEL, "kernel", "kernel", NULL},
    {SECTION_MODEL, "coef0", "coef0", NULL},
    {SECTION_MODEL, "degree", "degree", NULL},
    {SECTION_MODEL, "conformal", "calibration of p-values", NULL},
    {SECTION_MODEL, "scaling", "scaling", NULL},
    {SECTION_MODEL, "intercept", "intercept", NULL},
    {SECTION_MODEL, "nonzero_weights", "nonzero weights", NULL},
    {SECTION_MODEL, "weights", "weights", NULL},
    {SECTION_MODEL, "largest_weights", "largest weights", NULL},
    {SECTION_MODEL, "permutations", "permutations of each column", NULL},
    {SECTION_MODEL, "weight_per_deviation", "weight per standard deviation", "weight"},
    {SECTION_MODEL, "fpr_increase", "increase of the FPR", "FPR"},
    {SECTION_MODEL, "fpr_deviation", "standard deviation of the increase of the FPR", "+-"},
    {SECTION_MODEL, "fnr_increase", "increase of the FNR", "FNR"},
    {SECTION_MODEL, "fnr_deviation", "standard deviation of the increase of the FNR", "+-"},
    {SECTION_MODEL, "auc_loss", "loss of AUC", "AUC loss"},
    {SECTION_MODEL, "auc_deviation", "standard deviation of the loss of AUC", "+-"},
    {SECTION_MODEL, "importance", "importance: change of the rates when a column is permuted",
     NULL},
    {SECTION_MODEL, "weight", "weight", NULL},
    {SECTION_MODEL, "summary", "training", NULL},
    {SECTION_MODEL, "choices", "choices to pick from", NULL},
    {SECTION_MODEL, "fingerprint", "knows its training rows", NULL},
    {SECTION_MODEL, "fingerprint_rows", "training rows it knows", NULL},
    {SECTION_MODEL, "fingerprint_hashes", "hashes stored of them", NULL},

    {SECTION_SOLVER, "objective", "objective", NULL},
    {SECTION_SOLVER, "dual_objective", "dual objective", NULL},
    {SECTION_SOLVER, "gap", "duality gap", NULL},
    {SECTION_SOLVER, "relative_gap", "relative duality gap", NULL},

    {SECTION_SOLVER, "stop", "stopped by", NULL},
    {SECTION_SOLVER, "iterations", "iterations", NULL},
    {SECTION_SOLVER, "support_vectors", "support vectors", NULL},
    {SECTION_SOLVER, "lambda", "multiplier of the constraint", "multiplier"},
    {SECTION_SOLVER, "constraint", "constraint", NULL},
    {SECTION_SOLVER, "ramp_fpr", "ramp loss of negatives (mean)", "ramp FPR"},
    {SECTION_SOLVER, "ramp_fnr", "ramp loss of positives (mean)", "ramp FNR"},
    {SECTION_SOLVER, "planes", "cutting planes", NULL},
    {SECTION_SOLVER, "epochs", "epochs", NULL},
    {SECTION_SOLVER, "trees", "trees", NULL},
    {SECTION_SOLVER, "boosters", "boosters averaged", NULL},
    {SECTION_SOLVER, "depth", "depth of trees", NULL},
    {SECTION_SOLVER, "learning_rate", "learning rate", NULL},
    {SECTION_SOLVER, "min_child", "least curvature in a leaf", NULL},
    {SECTION_SOLVER, "subsample", "share of rows per tree", NULL},
    {SECTION_SOLVER, "weight_fn", "weight of a positive", NULL},
    {SECTION_SOLVER, "weight_fp", "weight of a negative", NULL},
    {SECTION_SOLVER, "last_rate", "last learning rate", NULL},
    {SECTION_SOLVER, "starts", "starts", NULL},
    {SECTION_SOLVER, "step", "step", NULL},
    {SECTION_SOLVER, "steps", "steps", NULL},
    {SECTION_SOLVER, "changed", "changed", NULL},
    {SECTION_SOLVER, "eta", "step size (eta)", NULL},
    {SECTION_SOLVER, "tol", "tolerance", NULL},
    {SECTION_SOLVER, "rows_checksum", "checksum of the rows", NULL},
    {SECTION_SOLVER, "fits", "fits of the search", NULL},
    {SECTION_SOLVER, "reused", "fits read from the table", NULL},
    {SECTION_SOLVER, "extensions", "extensions of the grid", NULL},
    {SECTION_SOLVER, "averaged", "points averaged", NULL},
    {SECTION_SOLVER, "search_stop", "search stopped by", NULL},
    {SECTION_SOLVER, "kkt_residual", "KKT residual", NULL},
    {SECTION_SOLVER, "largest_kkt_residual", "largest KKT residual", NULL},
    {SECTION_SOLVER, "left", "rows inside the margin or misclassified", "inside margin"},
    {SECTION_SOLVER, "margin", "rows on the margin", "on margin"},
    {SECTION_SOLVER, "right", "rows beyond the margin", "beyond margin"},
    {SECTION_SOLVER, "largest_margin", "most rows on the margin", NULL},
    {SECTION_SOLVER, "breakpoints", "breakpoints", NULL},
    {SECTION_SOLVER, "regime_at_0", "regime at gamma = 0", NULL},
    {SECTION_SOLVER, "regime_at_1", "regime at gamma = 1", NULL},

    {SECTION_RUN, "converged", "converged", NULL},
    {SECTION_RUN, "seed", "seed", NULL},
    {SECTION_RUN, "lines", "lines", NULL},
    {SECTION_RUN, "n_breakpoints", "breakpoints", NULL},
    {SECTION_RUN, "curve_kind", "curve", NULL},
    {SECTION_RUN, "curve_points", "points of the curve", NULL},
    {SECTION_RUN, "thresholds", "thresholds drawn", NULL},
    {SECTION_RUN, "threshold_gap", "largest change of a rate between two of them", NULL},
    {SECTION_RUN, "bytes", "size in bytes", NULL},
    {SECTION_RUN, "model", "model", NULL},
    {SECTION_RUN, "output", "output", NULL},
    {SECTION_RUN, "header", "header", NULL},
    {SECTION_OTHER, "purpose", "purpose", NULL},
    {SECTION_OTHER, "explanation", "explanation", NULL},
    {SECTION_OTHER, "assumptions", "assumptions", NULL},
    {SECTION_OTHER, "performance", "performance", NULL},
    {SECTION_OTHER, "limits", "limits", NULL},
    {SECTION_OTHER, "reproduce", "how to reproduce", NULL},
    {SECTION_RUN, "path", "path", NULL},
    {SECTION_RUN, "state", "state", NULL},
    {SECTION_RUN, "seconds", "seconds", NULL},
};

enum { N_ROWS = sizeof rows / sizeof *rows };

static const struct row *find(const char *key)
{
    for (int k = 0; k < N_ROWS; k++) {
        if (strcmp(rows[k].key, key) == 0) {
            return &rows[k];
        }
    }
    return NULL;
}

const char *section_title(section in)
{
    return titles[in];
}

bool section_is_internal(section in)
{
    return in == SECTION_SOLVER;
}

section section_of(const char *key)
{
    const struct row *at = find(key);

    return at ? at->in : SECTION_OTHER;
}

/* A key that no row has, as a file may bring one: with spaces. */
static void spell(const char *key, char *text, size_t n_text)
{
    escape_text(key, text, n_text);
    for (char *c = text; *c; c++) {
        *c = *c == '_' ? ' ' : *c;
    }
}

void label_of(const char *key, label_use use, char *text, size_t n_text)
{
    static const char *const prefix[][2] = {{"fpr_", "FPR: "}, {"fnr_", "FNR: "}};
    const size_t n_key = strlen(key), n_end = strlen("_interval");
    const struct row *at = find(key);
    const char *rate = "";

    for (int k = 0; k < 2 && !at; k++) { /* of a certificate in a model file */
        if (strncmp(key, prefix[k][0], 4) == 0 && (at = find(key + 4)) != NULL) {
            rate = prefix[k][1];
        }
    }
    if (!at && n_key > n_end && strcmp(key + n_key - n_end, "_interval") == 0) {
        snprintf(text, n_text, "95 %% interval");
        return;
    }
    if (!at) {
        spell(key, text, n_text);
        return;
    }
    snprintf(text, n_text, "%s%s", rate, use == LABEL_HEAD && at->head ? at->head : at->label);
    if (use == LABEL_TITLE) {
        text[0] = (char)toupper((unsigned char)text[0]);
    }
}
