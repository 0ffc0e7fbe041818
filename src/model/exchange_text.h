/* The text of LIBSVM and LIBLINEAR model files: lines of words, and the lines before the numbers.
 */
#ifndef NEY_MODEL_EXCHANGE_TEXT_H
#define NEY_MODEL_EXCHANGE_TEXT_H

#include "base/env.h"

/* What the lines before the numbers say. */
typedef struct ney_exchange_header {
    bool liblinear;
    int kind; /* ney_kernel_kind, -1 until it is known */
    bool has_rho, has_label, has_gamma, has_coef0, has_degree;
    int64_t n_class, total_sv, degree, n_feature;
    double gamma, coef0, rho, bias;
    char label[2][24];
} ney_exchange_header;

/* A position in the text. */
typedef struct ney_exchange_reader {
    ney_env env;
    const char *name;
    const char *at, *end, *line_end;
    int64_t line;
    ney_error *err;
    ney_status status;
} ney_exchange_reader;

typedef struct ney_exchange_word {
    const char *text;
    size_t length; /* 0 at the end of the line */
} ney_exchange_word;

/* Characters of a word that a message shows. */
static inline int ney_exchange_shown(ney_exchange_word w)
{
    return w.length < 40 ? (int)w.length : 40;
}

/* Record a failure at the current line, unless one is recorded already. */
NEY_PRINTF(2, 3)
void ney_exchange_fail(ney_exchange_reader *r, const char *format, ...);

/* On to the next line that is not empty; false at the end of the file. */
bool ney_exchange_next_line(ney_exchange_reader *r);

ney_exchange_word ney_exchange_next_word(ney_exchange_reader *r);

/* The finite number that a word is; 0 after a failure. `what` is what a message calls it. */
double ney_exchange_number(ney_exchange_reader *r, ney_exchange_word w, const char *what);

/* The line must have no more words. */
void ney_exchange_end_of_line(ney_exchange_reader *r);

/* All lines before the numbers; a key that is missing is a failure. */
void ney_exchange_read_header(ney_exchange_reader *r, ney_exchange_header *h);

#endif
