/* An environment that counts what is alive, refuses memory and asks for a stop on request. */
#ifndef TESTS_SUPPORT_COUNTING_H
#define TESTS_SUPPORT_COUNTING_H

#include <neyman/experimental.h>

typedef struct counting {
    int64_t refuse_at;   /* the request to refuse, from 0; -1: none */
    bool refuse_on;      /* and all that follow it */
    int64_t stop_at;     /* the poll that says stop, from 0; -1: none */
    int64_t requests;    /* for memory, so far */
    int64_t refused;     /* of them */
    int64_t polls, live; /* calls of poll; blocks not given back */
    bool stopped;        /* a poll has said stop */
} counting;

/* One thread, so that the k-th request is the same in every run. */
ney_env counting_env(counting *c);

/* One use of the library from beginning to end: all that it made is freed when it returns. It
 * checks by itself that a failure leaves its `out` NULL. */
typedef ney_status counted_use(const void *what, const ney_env *env, ney_error *err);

/* Refuse the k-th request alone, and the k-th with all later ones, for every k: the use must say
 * ENOMEM or succeed, and leave nothing alive. Without a refusal it must succeed. */
void sweep_memory(const char *name, counted_use *use, const void *what);

/* Say stop at the k-th poll for every k: the use must say ECANCELLED (or succeed, where
 * `may_succeed`) and leave nothing alive. Returns the number of polls of a full run. */
int64_t sweep_polls(const char *name, counted_use *use, const void *what, bool may_succeed);

#endif
