#include "select/job_share.h"

#include <time.h>

typedef struct request {
    int64_t most;    /* jobs wanted */
    int64_t n_found; /* results that follow */
    ney_status status;
    int64_t failed_job;
    ney_error err;
    ney_stop stop; /* if stopped */
    bool stopped;
} request;

typedef struct answer {
    int64_t first, n;
} answer;

void ney_job_share_init(ney_job_share *s, ney_tuner *t, int64_t n)
{
    *s = (ney_job_share){.t = t, .comm = t->env.comm, .n = n, .n_asking = t->env.comm->size - 1};
}

bool ney_job_share_is_first(const ney_job_share *s)
{
    return s->comm->rank == 0;
}

/* ---- the first process */

/* The next jobs, unless the search has ended or one has failed: then all before it are handed out.
 */
static answer hand_out(ney_job_share *s, int64_t most)
{
    ney_tuner *const t = s->t;
    pthread_mutex_lock(&t->lock);
    const bool go_on = !t->stopped && t->status == NEY_OK;
    pthread_mutex_unlock(&t->lock);
    answer a = {.first = s->next};
    if (go_on) {
        a.n = s->n - s->next < most ? s->n - s->next : most;
    }
    s->next += a.n;
    return a;
}

static void merge_end(ney_tuner *t, const request *r)
{
    if (r->status != NEY_OK) {
        ney_tuner_fail(t, r->failed_job, r->status, &r->err);
    }
    pthread_mutex_lock(&t->lock);
    if (r->stopped && !t->stopped) {
        t->stopped = true;
        t->stop = r->stop;
    }
    pthread_mutex_unlock(&t->lock);
}

static void answer_rank(ney_job_share *s, int rank)
{
    const ney_comm *const comm = s->comm;
    request r;
    comm->receive(comm->state, rank, &r, (int64_t)sizeof r);
    for (int64_t k = 0; k < r.n_found; k++) {
        ney_job_result found;
        ney_error err = {0};
        comm->receive(comm->state, rank, &found, (int64_t)sizeof found);
        const ney_status st = ney_tuner_keep(s->t, found.point, &found.result, &err);
        if (st != NEY_OK) {
            ney_tuner_fail(s->t, 0, st, &err);
        }
    }
    merge_end(s->t, &r);
    const answer a = hand_out(s, r.most);
    comm->send(comm->state, rank, &a, (int64_t)sizeof a);
    s->n_asking -= a.n == 0;
}

void ney_job_share_serve(ney_job_share *s)
{
    int rank;
    while (ney_job_share_is_first(s) && s->n_asking > 0 &&
           (rank = s->comm->waiting(s->comm->state)) >= 0) {
        answer_rank(s, rank);
    }
}

/* Until all others have heard that there are no more jobs. */
static void serve_all(ney_job_share *s)
{
    const struct timespec pause = {0, 1000000};
    while (s->n_asking > 0) {
        (void)ney_tuner_poll(s->t); /* serves */
        if (s->n_asking > 0) {
            nanosleep(&pause, NULL);
        }
    }
}

/* ---- the others */

ney_status ney_job_share_report(ney_job_share *s, int64_t point, const ney_fold_result *r,
                                ney_error *err)
{
    if (!ney_grow(&s->t->env, &s->found, &s->cap, s->n_found + 1, sizeof *s->found)) {
        return ney_no_memory(err, s->n_found, "results");
    }
    s->found[s->n_found++] = (ney_job_result){.point = point, .result = *r};
    return NEY_OK;
}

static answer ask(ney_job_share *s, int64_t most)
{
    const ney_comm *const comm = s->comm;
    const ney_tuner *const t = s->t;
    const request r = {.most = most,
                       .n_found = s->n_found,
                       .status = t->status,
                       .failed_job = t->failed_job,
                       .err = t->err,
                       .stop = t->stop,
                       .stopped = t->stopped};
    answer a;
    comm->send(comm->state, 0, &r, (int64_t)sizeof r);
    for (int64_t k = 0; k < s->n_found; k++) {
        comm->send(comm->state, 0, &s->found[k], (int64_t)sizeof s->found[k]);
    }
    s->n_found = 0;
    comm->receive(comm->state, 0, &a, (int64_t)sizeof a);
    return a;
}

/* ---- all */

int64_t ney_job_share_take(ney_job_share *s, int64_t most, int64_t *first)
{
    if (ney_job_share_is_first(s)) {
        ney_job_share_serve(s);
    }
    const answer a = ney_job_share_is_first(s) ? hand_out(s, most) : ask(s, most);
    *first = a.first;
    return a.n;
}

/* What the first process knows of the points of this round. */
static void send_points(ney_job_share *s)
{
    ney_tuner *const t = s->t;
    for (int64_t k = t->first_new; k < t->n_points; k++) {
        ney_point *const p = &t->point[k];
        ney_comm_broadcast(s->comm, 0, p->of_fold, t->folds.n * (int64_t)sizeof *p->of_fold);
        ney_comm_broadcast(s->comm, 0, &p->missing, (int64_t)sizeof p->missing);
        if (p->missing == 0) {
            ney_point_set_loss(t, p, -1);
        }
    }
}

ney_status ney_job_share_finish(ney_job_share *s, ney_error *err)
{
    ney_tuner *const t = s->t;
    if (ney_job_share_is_first(s)) {
        serve_all(s);
    }
    ney_release(&t->env, s->found);
    struct {
        request end;
        int64_t fits;
    } of = {{.status = t->status,
             .failed_job = t->failed_job,
             .err = t->err,
             .stop = t->stop,
             .stopped = t->stopped},
            t->fits};
    ney_comm_broadcast(s->comm, 0, &of, (int64_t)sizeof of);
    t->status = of.end.status;
    t->failed_job = of.end.failed_job;
    t->err = of.end.err;
    t->stop = of.end.stop;
    t->stopped = of.end.stopped;
    t->fits = of.fits;
    send_points(s);
    return ney_comm_agree(s->comm, NEY_OK, err);
}

/* The results that the table held. */
static ney_status send_old(ney_fold_results *r, const ney_env *env, ney_error *err)
{
    const ney_comm *const comm = env->comm;
    ney_comm_broadcast(comm, 0, &r->n_old, (int64_t)sizeof r->n_old);
    ney_status st = NEY_OK;
    if (comm->rank > 0 && r->n_old > 0) {
        r->journal.env = *env;
        r->old = ney_alloc(env, r->n_old, sizeof *r->old);
        st = r->old ? NEY_OK : ney_no_memory(err, r->n_old, "results");
    }
    if ((st = ney_comm_agree(comm, st, err)) == NEY_OK && r->n_old > 0) {
        ney_comm_broadcast(comm, 0, r->old, r->n_old * (int64_t)sizeof *r->old);
    }
    return st;
}

ney_status ney_job_share_begin(ney_tuner *t, const char *table, uint64_t key, bool fresh,
                               ney_error *err)
{
    const ney_comm *const comm = t->env.comm;
    const int rank = ney_comm_rank(comm);
    uint64_t first = key;
    ney_status st = NEY_OK;
    ney_comm_broadcast(comm, 0, &first, (int64_t)sizeof first);
    if (first != key) {
        st =
            ney_fail(err, NEY_EINVAL,
                     "the rows read here differ from those of rank 0: tune needs all rows on every "
                     "rank, expected the same files everywhere");
    }
    if ((st = ney_comm_agree(comm, st, err)) != NEY_OK) {
        return st;
    }
    st = ney_fold_results_open(&t->results, &t->env, rank == 0 ? table : NULL, key, fresh, err);
    st = ney_comm_agree(comm, st, err);
    return st == NEY_OK && ney_comm_size(comm) > 1 ? send_old(&t->results, &t->env, err) : st;
}
