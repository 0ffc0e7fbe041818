/* q-values of the rows at hand, which estimate they rest on, and whether a theorem covers it. */
#ifndef CLI_DISCOVERIES_H
#define CLI_DISCOVERIES_H

#include "result.h"
#include "session.h"

typedef struct discovery_rows {
    const double *score;
    const int8_t *label;
    int64_t n;
    const ney_data *data;   /* NULL: a score file */
    bool in_sample;         /* as in `scored` */
    const ney_model *model; /* NULL: a score file */
    int64_t out_of_fold;
} discovery_rows;

typedef struct discoveries {
    double *q, *pep; /* of each row; 1 for rows that lose a competition */
    bool *best;      /* whether it won, or did not have to compete */
    bool competed;
    ney_competition competition;
    bool is_covered; /* by the theorem */
    char reason[320];
} discoveries;

/* @param opts      NULL: the defaults.
 * @param spectrum  columns whose rows compete; NULL: those of a PIN file.
 * @param by        column whose values are estimated separately; NULL: all together.
 * discoveries_deinit() is due in either case. */
ney_status discoveries_init(discoveries *d, session *s, const discovery_rows *in,
                            const ney_qvalue_opts *opts, const char *spectrum, const char *by);
void discoveries_deinit(discoveries *d);

/* Which estimate was used, and why. */
void discoveries_say(session *s, const discoveries *d);
void discoveries_add(ney_result *root, const discoveries *d);

#endif
