/* bench_memory: bytes a second that one thread reads from memory, and that it moves (read and
 * written) when it copies. The best of ten passes over 256 MB, by the time of the processor. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { PASSES = 10 };
static const size_t bytes = (size_t)1 << 28;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* A sum that depends on every word, in eight accumulators. */
static uint64_t read_all(const uint64_t *from, size_t n)
{
    uint64_t sum[8] = {0};
    for (size_t k = 0; k + 8 <= n; k += 8) {
        for (size_t i = 0; i < 8; i++) {
            sum[i] += from[k + i];
        }
    }
    return sum[0] + sum[1] + sum[2] + sum[3] + sum[4] + sum[5] + sum[6] + sum[7];
}

int main(void)
{
    uint64_t *const from = malloc(bytes), *const to = malloc(bytes);
    double read = 0, copied = 0;
    uint64_t sum = 0;
    if (!from || !to) {
        free(from);
        free(to);
        return 1;
    }
    memset(from, 1, bytes);
    memset(to, 2, bytes);
    for (int k = 0; k < PASSES; k++) {
        from[k] = (uint64_t)k; /* so that no pass is that of before */
        double begin = now();
        sum += read_all(from, bytes / sizeof *from);
        const double read_now = (double)bytes / (now() - begin);
        begin = now();
        memcpy(to, from, bytes);
        const double copied_now = 2 * (double)bytes / (now() - begin);
        sum += to[bytes / sizeof *to - 1 - (size_t)k];
        read = read_now > read ? read_now : read;
        copied = copied_now > copied ? copied_now : copied;
    }
    printf("{\"read\": %.6g, \"copied\": %.6g, \"sum\": %llu}\n", read, copied,
           (unsigned long long)sum);
    free(from);
    free(to);
    return 0;
}
