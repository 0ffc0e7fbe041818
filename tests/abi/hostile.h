/* Objects and values for the calls that hostile.py writes, and what every call must do. */
#ifndef TEST_HOSTILE_H
#define TEST_HOSTILE_H

#include <neyman/neyman.h>

#include <limits.h>
#include <math.h>

typedef struct hostile_call {
    const char *function, *what;
    void (*call)(void);
} hostile_call;

extern const hostile_call hostile_calls[];
extern const int n_hostile_calls;

/* One of each handle, valid. */
extern ney_data *the_data;
extern ney_model *the_model;
extern ney_options *the_options;
extern ney_result *the_result;
extern const ney_preprocessing *the_preprocessing;
extern ney_cache *the_cache;
extern ney_notes *the_notes;
extern ney_output *the_output;
extern ney_scores *the_scores;
extern ney_score_stream *the_score_stream;
extern ney_roc *the_roc;
extern ney_path *the_path;
extern ney_exploration *the_exploration;
extern ney_mixture *the_mixture;
extern ney_asymmetry *the_asymmetry;
extern ney_monitor *the_monitor;
extern ney_predictor *the_predictor;

/* Files of each kind, and a name for a new one. */
extern const char *file_table, *file_cache, *file_model, *file_path, *file_scores, *file_new;

/* Arrays that are long enough for every valid length. */
extern const double numbers[], *const arrays[];
extern const int8_t labels[];
extern const uint64_t keys[];
extern const int64_t positions[];
extern const float floats[];
extern const char text[];

extern const ney_array one_ney_array[];
extern const ney_matrix one_ney_matrix[];
extern const ney_kernel one_ney_kernel[];
extern const ney_counts one_ney_counts[];
extern const ney_costs one_ney_costs[];
extern const ney_compare_opts one_ney_compare_opts[];
extern const ney_monitor_opts one_ney_monitor_opts[];
extern const ney_qvalue_opts one_ney_qvalue_opts[];
extern const ney_guarantee one_ney_guarantee[];
extern const ney_certified one_ney_certified[];
extern const ney_choice one_ney_choice[];
extern const ney_gaussian one_ney_gaussian[];
extern const ney_cost_pair one_ney_cost_pair[];
extern const ney_risk_point one_ney_risk_point[];

/* Structs and arrays of zeros. */
extern const void *const zeros;

/* Buffer `k` for results, filled with bytes that are no pointer. */
void *buffer(int k);

/* A known status; and unless it is NEY_OK, the same in `err` (if given) with a message. */
void check_status(ney_status st, const ney_error *err);

/* After a failure nothing is returned. */
void check_out(ney_status st, void *out);

#endif
