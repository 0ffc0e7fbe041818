/* A reading of a text that passes over rows it cannot parse, for their description. */
#ifndef NEY_DATA_PROFILE_H
#define NEY_DATA_PROFILE_H

#include "data/column_survey.h"
#include "data/svmlight.h"
#include "data/value_counts.h"

#include <neyman/experimental/profile.h>

/* Distinct values are counted up to this number per column, and up to as many cells in all. */
enum { NEY_DISTINCT_LIMIT = 1 << 16, NEY_DISTINCT_CELLS = 1 << 23, NEY_FAULTS_SHOWN = 5 };

typedef struct ney_column_profile {
    ney_column_survey cells;
    ney_value_counts values; /* of the cells that are not missing */
    int64_t present, missing, infinite, zeros;
    bool has_twin; /* another column has its name */
} ney_column_profile;

typedef struct ney_fault {
    int64_t line;
    char reason[200];
} ney_fault;

typedef struct ney_profile_state {
    ney_env env;
    ney_read_opts opts;
    ney_files *files;
    ney_format format;
    ney_lines lines;
    ney_rows rows; /* for line numbers and failures */
    ney_table table;
    ney_column_profile *column; /* of a table, as many as it has columns */
    int64_t distinct_limit;
    ney_value_counts labels; /* of all rows */
    int64_t n, faulty, cols, missing;
    int64_t lines_before; /* svmlight: lines so far */
    ney_fault fault[NEY_FAULTS_SHOWN];
    bool stopped; /* at a fault behind which nothing can be read */
    uint64_t *row_hash, *label_hash;
    int64_t row_cap, label_cap;
} ney_profile_state;

/* Open the input and read it to its end. ney_profile_deinit() is due in either case. */
ney_status ney_profile_read(ney_profile_state *p, const ney_env *env, const ney_profile_input *in,
                            ney_error *err);
void ney_profile_deinit(ney_profile_state *p);

/* Rows of a table that repeat an earlier one, and distinct rows that have several labels. */
ney_status ney_profile_repeats(const ney_profile_state *p, int64_t *duplicates,
                               int64_t *contradictory, ney_error *err);

/* What one column is, in words: `type`, and a note with the next step, "" for none. */
typedef struct ney_column_verdict {
    const char *role, *type;
    char note[256];
} ney_column_verdict;

/* Which decimal mark the columns show. */
ney_decimal_evidence ney_profile_evidence(const ney_profile_state *p);

ney_column_verdict ney_profile_verdict(ney_profile_state *p, ney_decimal_evidence e, int64_t c);

#endif
