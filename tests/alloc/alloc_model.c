/* Models, training and decisions, with every request refused in turn and stops at every poll. */
#include "support/counting.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static ney_data *training; /* prepared, from the default environment */
static char folder[] = "alloc_model.XXXXXX", path[64];

static const double weights[] = {0.5, -1, 2, 0.25};

static ney_status make(ney_model **out, const ney_env *env, ney_error *err)
{
    return ney_model_new_linear(out, env, ney_data_preprocessing(training), weights, 0.125, err);
}

static ney_status use_new(const void *what, const ney_env *env, ney_error *err)
{
    ney_model *m = (ney_model *)(uintptr_t)1;
    (void)what;
    const ney_status st = make(&m, env, err);
    assert_true((st == NEY_OK) == (m != NULL));
    ney_model_free(m);
    return st;
}

static ney_status use_metadata(const void *what, const ney_env *env, ney_error *err)
{
    ney_model *m;
    (void)what;
    ney_status st = make(&m, env, err);
    if (st == NEY_OK &&
        (st = ney_model_set_number(m, NEY_METADATA_SUMMARY, "n", 4, err)) == NEY_OK &&
        (st = ney_model_set_text(m, NEY_METADATA_SUMMARY, "goal", "cost", err)) == NEY_OK &&
        (st = ney_model_set_text(m, NEY_METADATA_SUMMARY, "n", "four", err)) == NEY_OK &&
        (st = ney_model_set_number(m, NEY_METADATA_CERTIFICATE, "bound", 0.01, err)) == NEY_OK) {
        st = ney_model_set_thresholds(m, -1, 1, err);
    }
    ney_model_free(m);
    return st;
}

static ney_status use_format(const void *what, const ney_env *env, ney_error *err)
{
    ney_model *m, *back = NULL;
    char *text = NULL;
    size_t n_text;
    (void)what;
    ney_status st = make(&m, env, err);
    if (st == NEY_OK) {
        st = ney_model_format(m, &text, &n_text, err);
        assert_true((st == NEY_OK) == (text != NULL));
    }
    if (st == NEY_OK) {
        back = (ney_model *)(uintptr_t)1;
        st = ney_model_parse(&back, env, "text", text, n_text, err);
        assert_true((st == NEY_OK) == (back != NULL));
    }
    if (m) {
        ney_model_text_free(m, text);
    }
    ney_model_free(back);
    ney_model_free(m);
    return st;
}

static ney_status use_write(const void *what, const ney_env *env, ney_error *err)
{
    ney_model *m;
    (void)what;
    ney_status st = make(&m, env, err);
    if (st == NEY_OK) {
        st = ney_model_write(m, path, err);
        assert_true((st == NEY_OK) == (access(path, F_OK) == 0));
        unlink(path);
    }
    ney_model_free(m);
    return st;
}

static ney_status use_read(const void *what, const ney_env *env, ney_error *err)
{
    ney_model *m = (ney_model *)(uintptr_t)1;
    (void)what;
    const ney_status st = ney_model_read(&m, env, path, err);
    assert_true((st == NEY_OK) == (m != NULL));
    ney_model_free(m);
    return st;
}

static ney_status use_score(const void *what, const ney_env *env, ney_error *err)
{
    double score[8];
    return ney_model_score(what, env, ney_data_matrix(training), score, err);
}

static ney_status use_train(const void *what, const ney_env *env, ney_error *err)
{
    ney_model *m = (ney_model *)(uintptr_t)1;
    ney_train_info info;
    const ney_status st = ney_train(&m, env, training, what, &info, err);
    assert_true((st == NEY_OK) == (m != NULL));
    const counting *c = env->user;
    if (st == NEY_OK && c->stopped) { /* a stop gives the best model so far, and says so */
        assert_int_equal(info.stop, NEY_STOP_CANCELLED);
    }
    ney_model_free(m);
    return st;
}

static ney_status use_auc(const void *what, const ney_env *env, ney_error *err)
{
    static const double score[] = {3, 1, 2, 2, 5};
    static const int8_t label[] = {1, -1, 1, -1, 1};
    double auc;
    (void)what;
    return ney_auc(env, score, label, 5, &auc, err);
}

static void memory_of_models(void **state)
{
    ney_model *m;
    (void)state;
    sweep_memory("new", use_new, NULL);
    sweep_memory("metadata", use_metadata, NULL);
    sweep_memory("format and parse", use_format, NULL);
    sweep_memory("write", use_write, NULL);
    assert_int_equal(make(&m, NULL, NULL), NEY_OK);
    assert_int_equal(ney_model_write(m, path, NULL), NEY_OK);
    sweep_memory("read", use_read, NULL);
    unlink(path);
    sweep_memory("score", use_score, m);
    (void)sweep_polls("score", use_score, m, true);
    ney_model_free(m);
}

static void memory_of_training(void **state)
{
    ney_train_opts o;
    int64_t n;
    const ney_param *p = ney_train_params(&n);
    (void)state;
    sweep_memory("train", use_train, NULL);
    assert_true(sweep_polls("train", use_train, NULL, true) > 0);
    ney_params_init(p, n, &o);
    o.kernel = NEY_KERNEL_RBF;
    sweep_memory("train with a kernel", use_train, &o);
    assert_true(sweep_polls("train with a kernel", use_train, &o, true) > 0);
}

/* A model as text, for the environment under test to read, and how it is exported. */
typedef struct exported {
    char *text;
    size_t n_text;
    ney_status (*write)(const ney_model *m, const char *path, ney_error *err);
} exported;

static ney_status write_c(const ney_model *m, const char *to, ney_error *err)
{
    return ney_model_export_c(m, to, "model", err);
}

static ney_status use_export(const void *what, const ney_env *env, ney_error *err)
{
    const exported *const e = what;
    ney_model *m = NULL;
    ney_status st = ney_model_parse(&m, env, "text", e->text, e->n_text, err);
    if (st == NEY_OK) {
        st = e->write(m, path, err);
        assert_true((st == NEY_OK) == (access(path, F_OK) == 0));
        unlink(path);
    }
    ney_model_free(m);
    return st;
}

/* Every family in ONNX, C and JSON. */
static void memory_of_exports(void **state)
{
    static ney_status (*const formats[])(const ney_model *, const char *, ney_error *) = {
        ney_model_export_onnx, write_c, ney_model_export_json};
    int64_t n;
    const ney_param *p = ney_train_params(&n);
    (void)state;
    for (int family = 0; family < 4; family++) {
        ney_train_opts o;
        ney_train_info info;
        ney_model *m = NULL;
        exported e = {0};
        ney_params_init(p, n, &o);
        o.kernel = family == 1 ? NEY_KERNEL_RBF : o.kernel;
        o.features = family == 2 ? 3 : o.features;
        o.network[0] = family == 3 ? 2 : o.network[0];
        assert_int_equal(ney_train(&m, NULL, training, &o, &info, NULL), NEY_OK);
        assert_int_equal(ney_model_format(m, &e.text, &e.n_text, NULL), NEY_OK);
        for (size_t k = 0; k < sizeof formats / sizeof *formats; k++) {
            e.write = formats[k];
            sweep_memory("export", use_export, &e);
        }
        ney_model_text_free(m, e.text);
        ney_model_free(m);
    }
}

static void memory_of_decisions(void **state)
{
    (void)state;
    sweep_memory("auc", use_auc, NULL);
}

static int set_up(void **state)
{
    static const char text[] = "label,colour,a,b\n1,red,1,2\n0,blue,3,1\n1,red,2,5\n0,blue,0,1\n"
                               "0,red,4,0\n1,blue,1,6\n";
    (void)state;
    if (!mkdtemp(folder)) {
        return -1;
    }
    snprintf(path, sizeof path, "%s/model", folder);
    if (ney_data_parse_with(&training, NULL, "text", text, strlen(text), NULL, NULL, NULL) !=
        NEY_OK) {
        return -1;
    }
    return ney_data_prepare(training, NEY_SCALING_STANDARD, NULL, 0, NULL) == NEY_OK ? 0 : -1;
}

/* Fails when a run left a temporary file. */
static int tear_down(void **state)
{
    (void)state;
    ney_data_free(training);
    return rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_of_models),
        cmocka_unit_test(memory_of_training),
        cmocka_unit_test(memory_of_decisions),
        cmocka_unit_test(memory_of_exports),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
