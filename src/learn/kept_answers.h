/* Answers of fits that are done, for means of which they are terms: a search that has fitted a
 * point on the rows that the model learns from need not fit it again. Fits that depend on those
 * before them (ney_task_chain()) are not kept. */
#ifndef NEY_LEARN_KEPT_ANSWERS_H
#define NEY_LEARN_KEPT_ANSWERS_H

#include "learn/method.h"

#include <pthread.h>

typedef struct ney_kept_answer {
    const ney_data *data; /* learned from; borrowed */
    ney_train_opts o;
    ney_answer a; /* without scores */
    ney_train_info info;
} ney_kept_answer;

typedef struct ney_kept_answers {
    ney_env env;
    pthread_mutex_t lock;
    ney_kept_answer *item;
    int64_t n, cap;
} ney_kept_answers;

void ney_kept_answers_init(ney_kept_answers *k, const ney_env *env);
void ney_kept_answers_deinit(ney_kept_answers *k);

/* Keep a copy of what a task has found. Where there is no memory for it nothing is kept. */
void ney_kept_answers_add(ney_kept_answers *k, const ney_task *t, const ney_answer *a,
                          const ney_train_info *info);

/* Copy the answer to the rows and options of a task: to a->v, and to a->w, which is allocated in
 * the task's environment. False where no answer is kept, or without memory; k may be NULL. */
bool ney_kept_answers_find(ney_kept_answers *k, const ney_task *t, ney_answer *a,
                           ney_train_info *info);

#endif
