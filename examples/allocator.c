/* An allocator of one's own, with a limit.
 *
 *     allocator DATA BYTES
 *
 * All memory of the library comes from it; more than BYTES is refused, and the library says so
 * instead of ending the program. Prints what was used at most, and what is left at the end: 0. */
#include <neyman/neyman.h>

#include <stdio.h>
#include <stdlib.h>

/* The size stands before each block. Threads allocate too: one is used here, for the count. */
typedef union header {
    size_t bytes;
    max_align_t align;
} header;

typedef struct budget {
    size_t used, peak, most;
} budget;

static void *resize(void *user, void *block, size_t bytes)
{
    budget *b = user;
    header *old = block ? (header *)block - 1 : NULL;
    const size_t before = old ? old->bytes : 0;

    if (bytes == 0) {
        b->used -= before;
        free(old);
        return NULL;
    }
    if (b->used - before + bytes > b->most) {
        return NULL;
    }
    header *new_block = realloc(old, sizeof *new_block + bytes);
    if (!new_block) {
        return NULL;
    }
    new_block->bytes = bytes;
    b->used += bytes - before;
    b->peak = b->used > b->peak ? b->used : b->peak;
    return new_block + 1;
}

int main(int argc, char **argv)
{
    budget b = {0, 0, argc == 3 ? (size_t)atoll(argv[2]) : 0};
    ney_env env = ney_env_default();
    ney_error err = {0};
    ney_data *data = NULL;
    ney_model *model = NULL;

    if (b.most == 0) {
        fprintf(stderr, "usage: allocator DATA BYTES\n");
        return 2;
    }
    env.user = &b;
    env.resize = resize;
    env.threads = 1;
    ney_status st = ney_data_read(&data, &env, argv[1], NULL, NULL, &err);
    if (st == NEY_OK) {
        st = ney_fit(&model, NULL, &env, data, NULL, &err);
    }
    printf("%s\n", st == NEY_OK ? "fitted" : ney_status_text(st));
    ney_model_free(model);
    ney_data_free(data);
    printf("left: %zu bytes\n", b.used);
    fprintf(stderr, "peak: %zu bytes\n", b.peak);
    return st == NEY_OK || st == NEY_ENOMEM ? 0 : 1;
}
