/* Visits: the rows of a window in their random order, mapped where there are random features. */
#ifndef NEY_LEARN_ONLINE_VISITS_H
#define NEY_LEARN_ONLINE_VISITS_H

#include "kernel/fourier.h"
#include "learn/online/window.h"

enum { NEY_ONLINE_BATCH = 256 }; /* visits between two polls */

/* The next visits as rows to train on: those of the window or, with random features, these rows
 * mapped. */
typedef struct ney_visits {
    ney_fourier map; /* n 0: none */
    double gamma;
    float *phi;           /* NEY_ONLINE_BATCH rows */
    char *scratch;        /* of every thread */
    int64_t scratch_size; /* of one thread */
    ney_matrix mapped;
} ney_visits;

/* Draw the map of random features, or take that of a model. @param rows  determine gamma where it
 * is not given. */
ney_status ney_visits_init(ney_visits *b, const ney_env *env, const ney_data *rows,
                           const ney_train_opts *o, const ney_model *from, ney_error *err);
void ney_visits_deinit(ney_visits *b, const ney_env *env);

/* Make visits first .. first + n - 1 of a window ready, on all threads. */
void ney_visits_load(ney_visits *b, const ney_env *env, const ney_window *w, int64_t first,
                     int64_t n);

/* Map these rows of a window, at most NEY_ONLINE_BATCH: row[i] becomes row i. */
void ney_visits_map(ney_visits *b, const ney_env *env, const ney_window *w, const int64_t *row,
                    int64_t n);

/* A row to train on. */
typedef struct ney_visit {
    const ney_matrix *x;
    int64_t row;
    int label;
    double weight;
} ney_visit;

/* Visit first + i, once it is loaded. */
static inline ney_visit ney_visits_at(const ney_visits *b, const ney_window *w, int64_t first,
                                      int64_t i)
{
    const int64_t row = w->visit[first + i];
    return (ney_visit){.x = b->map.n > 0 ? &b->mapped : &w->x,
                       .row = b->map.n > 0 ? i : row,
                       .label = w->label[row],
                       .weight = (double)w->weight[row]};
}

#endif
