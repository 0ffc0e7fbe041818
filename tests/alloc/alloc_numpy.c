/* NumPy archives written and read again, with memory refused at every request. */
#include "support/cmocka_all.h"
#include "support/counting.h"

#include <string.h>
#include <unistd.h>

#define USUAL .max_categories = 1000, .max_line = 64 /* the defaults */

typedef struct input {
    const char *name, *text;
    ney_read_opts opts;
} input;

static const input inputs[] = {
    {"sparse, filled", "1 1:nan 20:1\n-1 1:2\n", {USUAL, .missing = NEY_MISSING_MEAN}},
    {"dense, words, weights",
     "label,colour,n,w\nyes,red,1,1\nno,blue,2,2\nyes,red,1700000003,1\n",
     {USUAL, .weight = "w"}},
};

static ney_status use_archive(const void *what, const ney_env *env, ney_error *err)
{
    const input *in = what;
    char path[] = "alloc_numpy.npz";
    ney_data *d = NULL, *back = (ney_data *)(uintptr_t)1;
    ney_status st =
        ney_data_parse_with(&d, env, in->name, in->text, strlen(in->text), &in->opts, NULL, err);
    if (st == NEY_OK) {
        st = ney_data_write(d, env, path, NEY_FORMAT_NPZ, err);
    }
    if (st == NEY_OK) {
        const ney_read_opts opts = {USUAL, .missing = in->opts.missing};
        st = ney_data_read_with(&back, env, path, &opts, NULL, err);
        assert_true((st == NEY_OK) == (back != NULL));
        ney_data_free(back);
    }
    ney_data_free(d);
    unlink(path);
    return st;
}

static void memory_of_archives(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof inputs / sizeof *inputs; i++) {
        sweep_memory(inputs[i].name, use_archive, &inputs[i]);
        assert_true(sweep_polls(inputs[i].name, use_archive, &inputs[i], false) > 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(memory_of_archives)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
