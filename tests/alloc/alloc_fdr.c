/* Training of linear models and networks under a false-discovery rate with every request refused in
 * turn; and reading a model with folds. */
#include "alloc/fdr_data.h"

static ney_status use_parse(const void *what, const ney_env *env, ney_error *err)
{
    ney_model *m = (ney_model *)(uintptr_t)1;
    double score[ROWS];
    int64_t known;
    ney_status st = ney_model_parse(&m, env, "m", what, strlen(what), err);
    assert_true((st == NEY_OK) == (m != NULL));
    if (st == NEY_OK) {
        st = ney_model_score_data(m, env, training, score, &known, err);
    }
    ney_model_free(m);
    return st;
}

static void memory_of_linear(void **state)
{
    const ney_train_opts o = fdr_options();
    (void)state;
    sweep_memory("linear", use_train, &o);
}

static ney_train_opts network_options(void)
{
    ney_train_opts o = fdr_options();
    o.network[0] = 2;
    o.max_iter = 2; /* what is refused does not hang on how long it goes on */
    return o;
}

static void memory_of_network(void **state)
{
    const ney_train_opts o = network_options();
    (void)state;
    sweep_memory("network", use_train, &o);
}

static void memory_of_folds(void **state)
{
    const ney_train_opts o = network_options();
    ney_model *m = NULL;
    char *text;
    size_t n_text;
    (void)state;
    assert_int_equal(ney_train(&m, NULL, training, &o, NULL, NULL), NEY_OK);
    assert_int_equal(ney_model_format(m, &text, &n_text, NULL), NEY_OK);
    sweep_memory("a model with folds", use_parse, text);
    ney_model_text_free(m, text);
    ney_model_free(m);
}

static void memory_of_online(void **state)
{
    ney_train_opts o = network_options();
    (void)state;
    o.method = NEY_METHOD_ONLINE;
    o.epochs = 1;
    sweep_memory("online", use_train, &o);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_of_linear),
        cmocka_unit_test(memory_of_network),
        cmocka_unit_test(memory_of_folds),
        cmocka_unit_test(memory_of_online),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
