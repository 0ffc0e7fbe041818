#include "support/counting.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

static void *resize(void *user, void *block, size_t bytes)
{
    counting *c = user;
    if (bytes == 0) {
        c->live -= block != NULL;
        free(block);
        return NULL;
    }
    const int64_t k = c->requests++;
    if (c->refuse_at >= 0 && (k == c->refuse_at || (c->refuse_on && k > c->refuse_at))) {
        c->refused++;
        return NULL;
    }
    void *moved = realloc(block, bytes);
    c->live += !block && moved;
    return moved;
}

static bool poll(void *user, const ney_progress *progress)
{
    counting *c = user;
    assert_non_null(progress->stage);
    if (c->polls++ == c->stop_at) {
        c->stopped = true;
    }
    return !c->stopped;
}

static void swallow(void *user, ney_log_level level, const char *message)
{
    (void)user;
    (void)level;
    assert_true(message[0] != '\0');
}

ney_env counting_env(counting *c)
{
    return (ney_env){.user = c, .resize = resize, .poll = poll, .log = swallow, .threads = 1};
}

static ney_status run(counting *c, counted_use *use, const void *what, ney_error *err)
{
    const ney_env env = counting_env(c);
    *err = (ney_error){0};
    return use(what, &env, err);
}

static void check(const char *name, const counting *c, ney_status st, ney_status allowed,
                  const ney_error *err)
{
    if (c->live != 0) {
        fail_msg("%s: %lld blocks left alive after refusal %lld, poll %lld", name,
                 (long long)c->live, (long long)c->refuse_at, (long long)c->stop_at);
    }
    if (st != NEY_OK && (st != allowed || err->code != st || err->message[0] == '\0')) {
        fail_msg("%s: status %d, err.code %d '%s' after refusal %lld, poll %lld", name, (int)st,
                 (int)err->code, err->message, (long long)c->refuse_at, (long long)c->stop_at);
    }
}

/* How many requests (or polls) a run without trouble takes. */
static counting measure(const char *name, counted_use *use, const void *what)
{
    counting c = {.refuse_at = -1, .stop_at = -1};
    ney_error err;
    const ney_status st = run(&c, use, what, &err);
    check(name, &c, st, NEY_OK, &err);
    if (st != NEY_OK) {
        fail_msg("%s: fails without any refusal: %s", name, err.message);
    }
    return c;
}

/* The other builds and the long run refuse every request; the short run of a sanitizer, which is
 * some ten times slower, every second one, in one of the two ways. */
static int64_t sanitizer_stride(void)
{
    const char *const share = getenv("NEY_TEST_SHARE"), *const mult = getenv("NEY_TEST_MULT");
    return share && atoi(share) > 1 && !(mult && atoi(mult) > 1) ? 2 : 1;
}

void sweep_memory(const char *name, counted_use *use, const void *what)
{
    const counting full = measure(name, use, what);
    const int64_t stride = sanitizer_stride();
    int64_t failed = 0;
    for (int64_t k = 0; k < full.requests; k += stride) {
        for (int on = 0; on < 2; on++) {
            if (stride > 1 && on != k / stride % 2) {
                continue;
            }
            counting c = {.refuse_at = k, .refuse_on = on, .stop_at = -1};
            ney_error err;
            const ney_status st = run(&c, use, what, &err);
            check(name, &c, st, NEY_ENOMEM, &err);
            if (c.refused ==
                0) { /* texts that hold a time may be longer in one run than in another */
                assert_true(k + 8 >= full.requests);
                continue;
            }
            failed += st != NEY_OK;
        }
    }
    if (full.requests > 0 && failed == 0) {
        fail_msg("%s: no refusal was ever reported", name);
    }
    print_message("%s: %lld requests, %lld failures reported\n", name, (long long)full.requests,
                  (long long)failed);
}

int64_t sweep_polls(const char *name, counted_use *use, const void *what, bool may_succeed)
{
    const counting full = measure(name, use, what);
    const int64_t stride = sanitizer_stride();
    for (int64_t k = 0; k < full.polls; k += stride) {
        counting c = {.refuse_at = -1, .stop_at = k};
        ney_error err;
        const ney_status st = run(&c, use, what, &err);
        check(name, &c, st, NEY_ECANCELLED, &err);
        if (st == NEY_OK && !may_succeed) {
            fail_msg("%s: went on after poll %lld said stop", name, (long long)k);
        }
    }
    print_message("%s: %lld polls\n", name, (long long)full.polls);
    return full.polls;
}
