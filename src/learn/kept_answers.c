#include "learn/kept_answers.h"

#include <string.h>

void ney_kept_answers_init(ney_kept_answers *k, const ney_env *env)
{
    *k = (ney_kept_answers){.env = *env};
    pthread_mutex_init(&k->lock, NULL);
}

void ney_kept_answers_deinit(ney_kept_answers *k)
{
    for (int64_t i = 0; i < k->n; i++) {
        ney_release(&k->env, k->item[i].a.v);
        ney_release(&k->env, k->item[i].a.w);
    }
    ney_release(&k->env, k->item);
    pthread_mutex_destroy(&k->lock);
}

static double *copy_of(const ney_env *env, const double *x, int64_t n)
{
    double *const copy = ney_alloc(env, n, sizeof *copy);
    if (copy) {
        memcpy(copy, x, (size_t)n * sizeof *copy);
    }
    return copy;
}

void ney_kept_answers_add(ney_kept_answers *k, const ney_task *t, const ney_answer *a,
                          const ney_train_info *info)
{
    pthread_mutex_lock(&k->lock);
    ney_kept_answer item = {.data = t->data, .o = t->o, .info = *info};
    item.a.intercept = a->intercept;
    item.a.v = copy_of(&k->env, a->v, t->x->rows);
    item.a.w = a->w ? copy_of(&k->env, a->w, t->x->cols) : NULL;
    if (item.a.v && (item.a.w || !a->w) &&
        ney_grow(&k->env, &k->item, &k->cap, k->n + 1, sizeof *k->item)) {
        k->item[k->n++] = item;
    } else {
        ney_release(&k->env, item.a.v);
        ney_release(&k->env, item.a.w);
    }
    pthread_mutex_unlock(&k->lock);
}

/* Of one run: the options that a grid varies are all that can differ. */
static bool is_like(const ney_train_opts *a, const ney_train_opts *b)
{
    return a->method == b->method && a->kernel == b->kernel && a->C == b->C && a->eta == b->eta &&
           a->cost_fn == b->cost_fn && a->cost_fp == b->cost_fp && a->at_k == b->at_k;
}

static bool copy_answer(const ney_kept_answer *item, const ney_task *t, ney_answer *a,
                        ney_train_info *info)
{
    if (item->a.w && !(a->w = copy_of(&t->env, item->a.w, t->x->cols))) {
        return false;
    }
    memcpy(a->v, item->a.v, (size_t)t->x->rows * sizeof *a->v);
    a->intercept = item->a.intercept;
    *info = item->info;
    return true;
}

bool ney_kept_answers_find(ney_kept_answers *k, const ney_task *t, ney_answer *a,
                           ney_train_info *info)
{
    bool found = false;
    if (!k) {
        return false;
    }
    pthread_mutex_lock(&k->lock);
    for (int64_t i = 0; i < k->n && !found; i++) {
        if (k->item[i].data == t->data && is_like(&k->item[i].o, &t->o)) {
            found = copy_answer(&k->item[i], t, a, info);
        }
    }
    pthread_mutex_unlock(&k->lock);
    return found;
}
