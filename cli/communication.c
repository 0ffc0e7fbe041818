#include "communication.h"

#include <neyman/experimental/comm.h>

#include <sys/resource.h>

/* False where there is nothing to count. */
static bool add_up(const session *s, communication *out)
{
    const ney_comm *const comm = s->env.comm;
    struct rusage used;

    if (!comm || !comm->traffic) {
        return false;
    }
    int64_t sum[2] = {comm->traffic->bytes, comm->traffic->messages};
    double most[2] = {(double)comm->traffic->calls, 0};
    if (getrusage(RUSAGE_SELF, &used) == 0) {
        most[1] = 1024.0 * (double)used.ru_maxrss;
    }
    comm->add_counts(comm->state, sum, 2);
    comm->maximum(comm->state, most, 2);
    *out = (communication){.ranks = comm->size,
                           .bytes = sum[0],
                           .messages = sum[1],
                           .calls = (int64_t)most[0],
                           .peak_memory = most[1]};
    return true;
}

void communication_say(session *s, const char *what)
{
    communication t;

    if (add_up(s, &t)) {
        session_say(s, NEY_LOG_DETAIL,
                    "%s: all ranks have received %lld bytes in %lld messages, "
                    "%lld calls each",
                    what, (long long)t.bytes, (long long)t.messages, (long long)t.calls);
    }
}

void communication_count(session *s)
{
    (void)add_up(s, &s->traffic);
}

void communication_add(const session *s, ney_result *root)
{
    const communication *t = &s->traffic;

    if (t->ranks > 0) {
        ney_result_add_int(root, "ranks", t->ranks);
        ney_result_add_int(root, "bytes_received", t->bytes);
        ney_result_add_int(root, "messages_received", t->messages);
        ney_result_add_int(root, "communication_calls", t->calls);
        ney_result_add_real(root, "peak_memory", t->peak_memory);
    }
}
