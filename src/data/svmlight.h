/* svmlight/LIBSVM text: "label [qid:n] index:value ... # comment". */
#ifndef NEY_DATA_SVMLIGHT_H
#define NEY_DATA_SVMLIGHT_H

#include "data/limits.h"
#include "data/lines.h"
#include "data/rows.h"

typedef struct ney_svmlight {
    bool zero_based;
    bool keep_nan, keep_infinite; /* or they are errors */
    bool trained;        /* data for a model: whether gaps are allowed was settled in training */
    const double *shift; /* of a model's first `cols` columns (preprocessing.h); NULL: none */
    int64_t cols;
    bool grouped;    /* qid is kept as a note, and every row has one */
    bool file_noted; /* the file of every row is, before it */
} ney_svmlight;

/* Parse the lines of a piece; what fails is left in rows->error. */
void ney_svmlight_parse(const ney_svmlight *format, ney_piece piece, ney_rows *rows);

#endif
