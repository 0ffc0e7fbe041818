/* Header, then the state, v, u, b, b_sum, the best weights and dual coordinates as they lie in
 * memory: a checkpoint is for machines of the same byte order. */
#include "learn/online/online.h"

#include "base/clock.h"
#include "base/file.h"
#include "base/little.h"
#include "learn/batch/reject.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

#include <xxhash.h>

static const char MAGIC[] = "NEYPOINT"; /* without its NUL */

enum { VERSION = 5 };

typedef struct header {
    char magic[8];
    int64_t version, bytes;
    uint64_t purpose;  /* hash of data and options */
    uint64_t checksum; /* of what follows */
} header;

static double number_or_0(double x)
{
    return isnan(x) ? 0 : x;
}

/* What must agree for the state to mean the same. Pointers, limits and places are left out: a run
 * may go on with another limit of time or from another kind of file. */
static ney_status hash_purpose(const ney_online *r, uint64_t *hash, ney_error *err)
{
    const ney_train_opts *o = &r->o;
    const ney_parts *p = &r->parts;
    const ney_costs c = r->request.costs;
    const double numbers[] = {(double)r->feed->all_rows,
                              (double)r->feed->cols,
                              (double)r->feed->chunk_rows,
                              (double)p->all[0],
                              (double)p->all[1],
                              (double)p->learn[0],
                              (double)p->learn[1],
                              (double)p->n_held,
                              o->C,
                              r->problem.rate,
                              (double)r->problem.sign,
                              o->eta,
                              (double)o->loss,
                              (double)o->seed,
                              (double)o->network[0],
                              (double)o->network[1],
                              (double)o->activation,
                              (double)r->learner.batch.most,
                              (double)o->features,
                              o->gamma,
                              (double)o->epochs,
                              (double)r->request.kind,
                              c.fn,
                              c.fp,
                              number_or_0(c.reject_fn),
                              number_or_0(c.reject_fp),
                              number_or_0(r->request.max_rate[NEY_FALSE_POSITIVES]),
                              number_or_0(r->request.max_rate[NEY_FALSE_NEGATIVES])};
    ney_text text;
    ney_text_init(&text, &r->env);
    ney_text_add(&text, (const char *)numbers, sizeof numbers);
    ney_text_add(&text, (const char *)&r->checkpoint.content, sizeof r->checkpoint.content);
    ney_preprocessing_format(r->feed->preprocessing, &text);
    if (p->group) {
        const uint64_t groups = XXH3_64bits(p->group, (size_t)r->feed->rows * sizeof *p->group);
        ney_text_add(&text, (const char *)&groups, sizeof groups);
    }
    const bool failed = text.failed;
    *hash = failed ? 0 : XXH3_64bits(text.bytes, (size_t)text.length);
    ney_text_deinit(&text);
    return failed ? ney_no_memory(err, 1, "checkpoint") : NEY_OK;
}

/* ---- dual coordinates: those of the rows of all processes, in their order */

static int64_t dual_bytes(const ney_online *r)
{
    const ney_dual *const d = &r->learner.dual;
    return d->block ? d->fixed + r->feed->all_rows * (int64_t)sizeof *d->alpha : 0;
}

/* `to` is where the first process has them. */
static void gather_dual(const ney_online *r, char *to)
{
    const ney_dual *const d = &r->learner.dual;
    const ney_comm *const comm = r->rounds.comm;
    int64_t bytes = r->feed->rows * (int64_t)sizeof *d->alpha;
    if (!d->block) {
        return;
    }
    if (ney_comm_rank(comm) > 0) {
        comm->send(comm->state, 0, &bytes, (int64_t)sizeof bytes);
        comm->send(comm->state, 0, d->alpha, bytes);
        return;
    }
    memcpy(to, d->block, (size_t)(d->fixed + bytes));
    to += d->fixed + bytes;
    for (int rank = 1; rank < ney_comm_size(comm); rank++, to += bytes) {
        comm->receive(comm->state, rank, &bytes, (int64_t)sizeof bytes);
        comm->receive(comm->state, rank, to, bytes);
    }
}

static void take_dual(ney_online *r, const char *from)
{
    const ney_dual *const d = &r->learner.dual;
    if (d->block) {
        const size_t row = sizeof *d->alpha;
        memcpy(d->block, from, (size_t)d->fixed);
        memcpy(d->alpha, from + d->fixed + (size_t)r->feed->first_row * row,
               (size_t)r->feed->rows * row);
    }
}

/* ---- the bytes */

/* The numbers behind the state. */
static int64_t n_numbers(const ney_online *r)
{
    return 2 * r->learner.sgd.n + 2 * r->learner.sgd.m + r->learner.sgd.n + r->learner.sgd.m;
}

static int64_t n_bytes(const ney_online *r)
{
    return (int64_t)sizeof r->state + n_numbers(r) * (int64_t)sizeof(double) + dual_bytes(r);
}

static void pack_state(const ney_online *r, char *to)
{
    const size_t moving = (size_t)(2 * r->learner.sgd.n + 2 * r->learner.sgd.m) * sizeof(double);
    ney_online_state state = r->state;
    if (r->rounds.comm) { /* of this process alone */
        state.window = state.position = 0;
    }
    state.share = ney_rounds_share(r);
    state.scale = r->learner.sgd.scale;
    state.mass = r->learner.sgd.mass;
    state.count = r->learner.sgd.count;
    memcpy(to, &state, sizeof state);
    memcpy(to + sizeof state, r->learner.sgd.block, moving);
    memcpy(to + sizeof state + moving, r->validation.best_w,
           (size_t)(r->learner.sgd.n + r->learner.sgd.m) * sizeof(double));
    gather_dual(r, to + n_bytes(r) - dual_bytes(r));
}

/* Window and position are places in the rows of one process. */
static void unpack_state(ney_online *r, const char *from)
{
    const size_t moving = (size_t)(2 * r->learner.sgd.n + 2 * r->learner.sgd.m) * sizeof(double);
    memcpy(&r->state, from, sizeof r->state);
    memcpy(r->learner.sgd.block, from + sizeof r->state, moving);
    memcpy(r->validation.best_w, from + sizeof r->state + moving,
           (size_t)(r->learner.sgd.n + r->learner.sgd.m) * sizeof(double));
    take_dual(r, from + n_bytes(r) - dual_bytes(r));
    if (r->rounds.comm || r->state.processes != 1) {
        r->state.window = r->state.position = 0;
    }
    r->learner.sgd.scale = r->state.scale;
    r->learner.sgd.mass = r->state.mass;
    r->learner.sgd.count = r->state.count;
}

ney_status ney_checkpoint_check(const char *path, ney_error *err)
{
    return ney_own_file_check(path, MAGIC, err);
}

ney_status ney_checkpoint_format(ney_online *r, char **bytes, int64_t *n, ney_error *err)
{
    header h = {.version = VERSION, .bytes = n_bytes(r)};
    const bool is_first = ney_comm_rank(r->rounds.comm) == 0;
    ney_status st = NEY_OK;

    *n = (int64_t)sizeof h + h.bytes;
    *bytes = is_first ? ney_alloc(&r->env, *n, 1) : NULL;
    if (is_first && !*bytes) {
        st = ney_no_memory(err, *n, "bytes of a checkpoint");
    }
    /* what the others send and the first does not receive would be taken for the next round */
    if ((st = ney_comm_agree(r->rounds.comm, st, err)) != NEY_OK) {
        return st;
    }
    if (!is_first) {
        gather_dual(r, NULL);
        return NEY_OK;
    }
    memcpy(h.magic, MAGIC, sizeof h.magic);
    pack_state(r, *bytes + sizeof h);
    h.checksum = XXH3_64bits(*bytes + sizeof h, (size_t)h.bytes);
    if ((st = hash_purpose(r, &h.purpose, err)) != NEY_OK) {
        ney_release(&r->env, *bytes);
        *bytes = NULL;
        return st;
    }
    memcpy(*bytes, &h, sizeof h);
    return NEY_OK;
}

bool ney_checkpoint_is_due(const ney_online *r)
{
    return r->o.checkpoint && ney_now() - r->checkpoint.saved >= r->o.checkpoint_every;
}

void ney_checkpoint_save(ney_online *r)
{
    ney_checkpointing *const c = &r->checkpoint;
    char *bytes = NULL;
    int64_t n;
    c->status = ney_checkpoint_format(r, &bytes, &n, &c->error);
    if (c->status == NEY_OK && bytes) {
        c->status = ney_file_write(&r->env, r->o.checkpoint, bytes, n, &c->error);
    }
    ney_release(&r->env, bytes);
    c->saved = ney_now();
}

/* ---------------------------------------------------------------- reading */

/* A checksum detects damage; every field must be in its range even where the checksum was made to
 * fit. */

static bool is_count(int64_t n)
{
    return n >= 0 && n <= INT64_C(1) << 53; /* exact as a double, and doubled without overflow */
}

static bool is_size(double x)
{
    return x >= 0 && isfinite(x);
}

static const char *state_fault(const ney_online *r, const ney_online_state *state)
{
    const ney_rounds *const rounds = &r->rounds;
    const bool is_same = state->processes == ney_comm_size(rounds->comm);
    const int64_t windows = rounds->comm || !is_same            ? INT64_MAX
                            : r->schedule.shuffle.n_windows > 0 ? r->schedule.shuffle.n_windows
                                                                : 1;
    if (state->epoch < 0 || state->epoch > r->schedule.max_epochs || state->window < 0 ||
        state->window >= windows || !is_count(state->position) || !is_count(state->visits) ||
        !is_count(state->average_restart)) {
        return "its position in the data is out of range";
    }
    if (!(state->share >= 0 && state->share <= 1) || state->processes < 1 ||
        state->processes > INT32_MAX || state->round < 0 ||
        (is_same && rounds->comm && state->round > rounds->n)) {
        return "its share of an epoch is out of range";
    }
    if (state->best_epoch < 0 || state->best_epoch > state->epoch || state->n_checks < 0 ||
        state->n_checks > state->epoch + 1) {
        return "its validation checks are inconsistent";
    }
    if (isnan(state->best_merit) || (state->n_checks > 0 && !isfinite(state->best_merit)) ||
        !is_size(state->best_lambda)) {
        return "its best validation check is inconsistent";
    }
    if (!is_size(state->first_rate) || !is_size(state->t0) || !(fabs(state->log_lambda) <= 700) ||
        !is_size(state->bounded_loss) || !is_size(state->n_bounded)) {
        return "its learning rates are out of range";
    }
    return state->scale > 0 && isfinite(state->scale) && isfinite(state->mass) &&
                   is_size(state->count)
               ? NULL
               : "its averaged weights are inconsistent";
}

static bool all_finite(const char *from, int64_t n)
{
    double x;
    for (int64_t k = 0; k < n; k++) {
        memcpy(&x, from + k * (int64_t)sizeof x, sizeof x);
        if (!isfinite(x)) {
            return false;
        }
    }
    return true;
}

static const char *find_fault(const ney_online *r, const char *body)
{
    const char *const numbers = body + sizeof(ney_online_state);
    ney_online_state state;
    memcpy(&state, body, sizeof state);
    const char *const fault = state_fault(r, &state);
    if (fault) {
        return fault;
    }
    if (!all_finite(numbers, n_numbers(r))) {
        return "a weight is not finite";
    }
    return r->learner.dual.block && !ney_dual_fits(&r->learner.dual, dual_bytes(r),
                                                   numbers + n_numbers(r) * (int64_t)sizeof(double))
               ? "a dual coordinate is out of range"
               : NULL;
}

static bool has_other_byte_order(header h)
{
    ney_reverse_bytes(&h.version, 1, sizeof h.version);
    return h.version > 0 && h.version <= VERSION;
}

ney_status ney_checkpoint_parse(ney_online *r, const char *bytes, int64_t n, ney_error *err)
{
    const ney_place place = {.file = r->o.checkpoint ? r->o.checkpoint : "checkpoint"};
    header h;
    uint64_t purpose;
    const ney_status st = hash_purpose(r, &purpose, err);
    if (st != NEY_OK) {
        return st;
    }
    if (n < (int64_t)sizeof h || memcmp(bytes, MAGIC, sizeof h.magic) != 0) {
        return ney_fail_at(err, NEY_EFORMAT, place, "is not a checkpoint");
    }
    memcpy(&h, bytes, sizeof h);
    if (has_other_byte_order(h)) {
        return ney_fail_at(
            err, NEY_EFORMAT, place,
            "was written on a machine with another byte order: start without --resume");
    }
    if (h.version != VERSION || h.bytes != n - (int64_t)sizeof h ||
        h.checksum != XXH3_64bits(bytes + sizeof h, (size_t)(n - (int64_t)sizeof h))) {
        return ney_fail_at(err, NEY_EFORMAT, place, "is damaged, or of another version");
    }
    if (h.purpose != purpose || h.bytes != n_bytes(r)) {
        return ney_fail_at(err, NEY_EFORMAT, place,
                           "was written for other data or options: start without --resume");
    }
    const char *const fault = find_fault(r, bytes + sizeof h);
    if (fault) {
        return ney_fail_at(err, NEY_EFORMAT, place, "is damaged (%s): start without --resume",
                           fault);
    }
    unpack_state(r, bytes + sizeof h);
    return NEY_OK;
}

/* The file, which the first process reads, on all of them. */
static ney_status read_everywhere(ney_online *r, char **bytes, int64_t *n, ney_error *err)
{
    const ney_comm *const comm = r->rounds.comm;
    ney_status st = NEY_OK;
    if (ney_comm_rank(comm) == 0) {
        st = ney_file_read(bytes, n, &r->env, r->o.checkpoint, NULL, err);
    }
    if ((st = ney_comm_agree(comm, st, err)) != NEY_OK || !comm) {
        return st;
    }
    ney_comm_broadcast(comm, 0, n, (int64_t)sizeof *n);
    if (comm->rank > 0 && !(*bytes = ney_alloc(&r->env, *n, 1))) {
        st = ney_no_memory(err, *n, "bytes of a checkpoint");
    }
    if ((st = ney_comm_agree(comm, st, err)) == NEY_OK) {
        ney_comm_broadcast(comm, 0, *bytes, *n);
    }
    return st;
}

ney_status ney_checkpoint_read(ney_online *r, ney_error *err)
{
    const ney_comm *const comm = r->rounds.comm;
    char *bytes = NULL;
    int64_t n = 0, exists = ney_comm_rank(comm) == 0 && access(r->o.checkpoint, F_OK) == 0;
    ney_comm_broadcast(comm, 0, &exists, (int64_t)sizeof exists);
    if (!exists) {
        ney_log(&r->env, NEY_LOG_INFO, "no checkpoint %s found: training starts from the beginning",
                r->o.checkpoint);
        return NEY_OK;
    }
    ney_status st = read_everywhere(r, &bytes, &n, err);
    if (st == NEY_OK) {
        st = ney_comm_agree(comm, ney_checkpoint_parse(r, bytes, n, err), err);
    }
    ney_release(&r->env, bytes);
    if (st == NEY_OK) {
        ney_log(&r->env, NEY_LOG_INFO, "resuming after %lld visits, in epoch %lld",
                (long long)r->state.visits, (long long)r->state.epoch + 1);
    }
    return st;
}
