/* header, then the trail, v, u, b, b_sum, the best weights and dual coordinates as they lie in
 * memory: a checkpoint is for the machine and build that made it. */
#include "learn/checkpoint.h"

#include "base/file.h"
#include "learn/reject.h"

#include <string.h>
#include <unistd.h>

#include <xxhash.h>

static const char MAGIC[] = "NEYPOINT"; /* without its NUL */

enum { VERSION = 2 };

typedef struct header {
    char magic[8];
    int64_t version, bytes;
    uint64_t purpose;  /* hash of data and options */
    uint64_t checksum; /* of what follows */
} header;

/* What must agree for the state to mean the same. Pointers, limits and places are left out: a run
 * may go on with another limit of time or from another kind of file. */
static ney_status hash_purpose(const ney_online *r, uint64_t *hash, ney_error *err)
{
    const ney_train_opts *o = &r->o;
    const ney_parts *p = &r->parts;
    const ney_costs c = ney_reject_costs(o);
    const double numbers[] = {(double)r->feed->rows,
                              (double)r->feed->cols,
                              (double)r->feed->chunk_rows,
                              (double)p->all[0],
                              (double)p->all[1],
                              (double)p->learn[0],
                              (double)p->learn[1],
                              (double)p->n_held,
                              p->weight[0],
                              p->weight[1],
                              o->C,
                              r->rate,
                              (double)r->sign,
                              o->eta,
                              (double)o->loss,
                              (double)o->seed,
                              (double)o->network,
                              (double)r->many.most,
                              (double)o->features,
                              o->gamma,
                              (double)o->epochs,
                              r->by_cost,
                              c.fn,
                              c.fp,
                              r->by_cost ? c.reject_fn : 0,
                              r->by_cost ? c.reject_fp : 0};
    ney_text text;
    ney_text_init(&text, &r->env);
    ney_text_add(&text, (const char *)numbers, sizeof numbers);
    ney_text_add(&text, (const char *)&r->content, sizeof r->content);
    ney_recipe_format(r->feed->recipe, &text);
    if (p->group) {
        const uint64_t groups = XXH3_64bits(p->group, (size_t)r->feed->rows * sizeof *p->group);
        ney_text_add(&text, (const char *)&groups, sizeof groups);
    }
    const bool failed = text.failed;
    *hash = failed ? 0 : XXH3_64bits(text.bytes, (size_t)text.length);
    ney_text_deinit(&text);
    return failed ? ney_no_memory(err, 1, "checkpoint") : NEY_OK;
}

/* The numbers behind the trail. */
static int64_t n_numbers(const ney_online *r)
{
    return 2 * r->sgd.n + 2 * r->sgd.m + r->sgd.n + r->sgd.m;
}

static int64_t n_bytes(const ney_online *r)
{
    return (int64_t)sizeof r->at + n_numbers(r) * (int64_t)sizeof(double) + r->dual.bytes;
}

static void pack(ney_online *r, char *to)
{
    const size_t moving = (size_t)(2 * r->sgd.n + 2 * r->sgd.m) * sizeof(double);
    r->at.scale = r->sgd.scale;
    r->at.mass = r->sgd.mass;
    r->at.count = r->sgd.count;
    memcpy(to, &r->at, sizeof r->at);
    memcpy(to + sizeof r->at, r->sgd.block, moving);
    memcpy(to + sizeof r->at + moving, r->best_w, (size_t)(r->sgd.n + r->sgd.m) * sizeof(double));
    if (r->dual.block) {
        memcpy(to + n_bytes(r) - r->dual.bytes, r->dual.block, (size_t)r->dual.bytes);
    }
}

static void unpack(ney_online *r, const char *from)
{
    const size_t moving = (size_t)(2 * r->sgd.n + 2 * r->sgd.m) * sizeof(double);
    memcpy(&r->at, from, sizeof r->at);
    memcpy(r->sgd.block, from + sizeof r->at, moving);
    memcpy(r->best_w, from + sizeof r->at + moving, (size_t)(r->sgd.n + r->sgd.m) * sizeof(double));
    if (r->dual.block) {
        memcpy(r->dual.block, from + n_bytes(r) - r->dual.bytes, (size_t)r->dual.bytes);
    }
    r->sgd.scale = r->at.scale;
    r->sgd.mass = r->at.mass;
    r->sgd.count = r->at.count;
}

ney_status ney_checkpoint_check(const char *path, ney_error *err)
{
    return ney_own_file_check(path, MAGIC, err);
}

ney_status ney_checkpoint_write(ney_online *r, ney_error *err)
{
    header h = {.version = VERSION, .bytes = n_bytes(r)};
    ney_outfile file = {.fd = -1};
    char *body = ney_alloc(&r->env, h.bytes, 1);
    ney_status st;

    if (!body) {
        return ney_no_memory(err, h.bytes, "bytes of a checkpoint");
    }
    memcpy(h.magic, MAGIC, sizeof h.magic);
    pack(r, body);
    h.checksum = XXH3_64bits(body, (size_t)h.bytes);
    if ((st = hash_purpose(r, &h.purpose, err)) == NEY_OK &&
        (st = ney_outfile_open(&file, &r->env, r->o.checkpoint, err)) == NEY_OK) {
        if ((st = ney_outfile_write(&file, &h, sizeof h, err)) == NEY_OK &&
            (st = ney_outfile_write(&file, body, h.bytes, err)) == NEY_OK) {
            st = ney_outfile_commit(&file, err);
        } else {
            ney_outfile_give_up(&file);
        }
    }
    ney_release(&r->env, body);
    return st;
}

static ney_status take(ney_online *r, const char *bytes, int64_t n, ney_error *err)
{
    const ney_place place = {.file = r->o.checkpoint};
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
    if (h.version != VERSION || h.bytes != n - (int64_t)sizeof h ||
        h.checksum != XXH3_64bits(bytes + sizeof h, (size_t)(n - (int64_t)sizeof h))) {
        return ney_fail_at(err, NEY_EFORMAT, place, "is damaged, or of another version");
    }
    if (h.purpose != purpose || h.bytes != n_bytes(r)) {
        return ney_fail_at(err, NEY_EFORMAT, place,
                           "is of other data or other options: start without --resume");
    }
    unpack(r, bytes + sizeof h);
    return NEY_OK;
}

ney_status ney_checkpoint_read(ney_online *r, ney_error *err)
{
    char *bytes = NULL;
    int64_t n = 0;
    if (access(r->o.checkpoint, F_OK) != 0) {
        ney_log(&r->env, NEY_LOG_INFO, "there is no checkpoint %s: starting from the beginning",
                r->o.checkpoint);
        return NEY_OK;
    }
    ney_status st = ney_file_read(&bytes, &n, &r->env, r->o.checkpoint, NULL, err);
    if (st == NEY_OK) {
        st = take(r, bytes, n, err);
        ney_release(&r->env, bytes);
    }
    if (st == NEY_OK) {
        ney_log(&r->env, NEY_LOG_INFO, "going on after %lld visits, in epoch %lld",
                (long long)r->at.visits, (long long)r->at.epoch + 1);
    }
    return st;
}
