/* Comparing data sets bit by bit, and reading small texts in one statement. */
#ifndef TEST_SAME_H
#define TEST_SAME_H

#include <neyman/experimental.h>

/* The default options. */
ney_read_opts read_defaults(void);

/* Read a text that must be good; opts may be NULL. */
ney_data *parse(const char *words, const ney_read_opts *opts);
ney_data *parse_with(const char *words, const ney_read_opts *opts,
                     const ney_preprocessing *preprocessing);

/* Read a text that must be refused with `status`, at `line`; the message must hold `part`. */
void refuse(const char *words, const ney_read_opts *opts, ney_status status, int64_t line,
            const char *part);

/* Read a file that must be good. */
ney_data *read_file(const char *path, const ney_read_opts *opts, int threads);

/* Cell (i, c), whatever the representation. */
float cell(const ney_data *d, int64_t i, int64_t c);

/* Fail unless features (representation included), labels and weights have the same bits. */
void assert_same_data(const ney_data *a, const ney_data *b);

/* The same of the preprocessing, as text. */
void assert_same_preprocessing(const ney_preprocessing *a, const ney_preprocessing *b);

#endif
