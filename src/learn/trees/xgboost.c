#include "learn/trees/booster.h"

#include "base/number.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#ifdef NEY_XGBOOST

#include <dlfcn.h>
#include <xgboost/c_api.h>

#define FUNCTIONS(X)                                                                               \
    X(XGBGetLastError)                                                                             \
    X(XGBRegisterLogCallback)                                                                      \
    X(XGDMatrixCreateFromMat_omp)                                                                  \
    X(XGDMatrixFree)                                                                               \
    X(XGBoosterCreate)                                                                             \
    X(XGBoosterFree)                                                                               \
    X(XGBoosterSetParam)                                                                           \
    X(XGBoosterBoostOneIter)                                                                       \
    X(XGBoosterPredictFromDMatrix)                                                                 \
    X(XGBoosterSaveModelToBuffer)

#define MEMBER(name) __typeof__(&name) name;
struct ney_xgboost {
    FUNCTIONS(MEMBER)
};

/* The functions as members of a struct: none is linked, so that the library is needed to train
 * only. It stays loaded: threads of its own outlive a call. */
static ney_status load_library(struct ney_xgboost *x, ney_error *err)
{
    static const char *const names[] = {"libxgboost.so.0", "libxgboost.so"};
    void *library = NULL;
    for (size_t k = 0; k < sizeof names / sizeof *names && !library; k++) {
        library = dlopen(names[k], RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    }
    if (!library) {
        return ney_fail(err, NEY_EINVAL,
                        "--trees needs libxgboost to train, and %s was not found: install it "
                        "(apt-get install libxgboost0)",
                        names[0]);
    }
#define FIND(name)                                                                                 \
    {                                                                                              \
        void *const found = dlsym(library, #name);                                                 \
        if (!found) {                                                                              \
            return ney_fail(err, NEY_EINVAL,                                                       \
                            "libxgboost has no function %s: expected version "                     \
                            "1.6 or later",                                                        \
                            #name);                                                                \
        }                                                                                          \
        memcpy(&x->name, &found, sizeof found);                                                    \
    }
    FUNCTIONS(FIND)
    return NEY_OK;
}

static void drop_message(const char *message)
{
    (void)message;
}

/* The library's last error as ours; its text is cut at the first line, where a stack trace begins.
 */
static ney_status booster_fail(const struct ney_xgboost *x, ney_error *err)
{
    const char *const text = x->XGBGetLastError();
    const char *const mark = strstr(text, ": ");
    const char *const at = mark && mark - text < 200 && text[0] == '[' ? mark + 2 : text;
    const bool no_memory = strstr(text, "bad_alloc") != NULL;
    return ney_fail(err, no_memory ? NEY_ENOMEM : NEY_ENUMERIC, "libxgboost: %.*s",
                    (int)strcspn(at, "\n"), at);
}

/* ---------------------------------------------------------------- rows */

/* Some rows with their zeros. */
static float *new_dense(const ney_env *env, const ney_matrix *x, const int64_t *row, int64_t n)
{
    float *const dense = ney_alloc_zeroed(env, n * x->cols, sizeof *dense);
    for (int64_t i = 0; dense && i < n; i++) {
        float *const to = dense + i * x->cols;
        if (x->dense) {
            memcpy(to, x->dense + row[i] * x->cols, (size_t)x->cols * sizeof *to);
            continue;
        }
        for (int64_t k = x->start[row[i]]; k < x->start[row[i] + 1]; k++) {
            to[x->index[k]] = x->value[k];
        }
    }
    return dense;
}

static ney_status make_matrix(ney_booster *b, int part, const ney_matrix *x, const int64_t *row,
                              int64_t n, ney_error *err)
{
    if (n == 0) {
        return NEY_OK;
    }
    float *const dense = new_dense(&b->env, x, row, n);
    ney_status st = NEY_OK;
    if (!dense) {
        return ney_no_memory(err, n, "rows with their zeros");
    }
    if (b->library->XGDMatrixCreateFromMat_omp(dense, (bst_ulong)n, (bst_ulong)x->cols, (float)NAN,
                                               &b->matrix[part], 1) != 0) {
        b->matrix[part] = NULL;
        st = booster_fail(b->library, err);
    }
    b->rows[part] = n;
    ney_release(&b->env, dense);
    return st;
}

/* ---------------------------------------------------------------- boosting */

static ney_status set_number(const ney_booster *b, const char *name, double value, ney_error *err)
{
    const struct ney_xgboost *const x = b->library;
    char text[NEY_NUMBER_SIZE];
    ney_number_format(value, text);
    return x->XGBoosterSetParam(b->handle, name, text) == 0 ? NEY_OK : booster_fail(x, err);
}

static ney_status set_shape(const ney_booster *b, const ney_booster_shape *shape, ney_error *err)
{
    const struct {
        const char *name;
        double value;
    } numbers[] = {{"verbosity", 0},
                   {"nthread", 1},
                   {"base_score", 0},
                   {"max_depth", (double)shape->depth},
                   {"eta", shape->learning_rate},
                   {"min_child_weight", shape->min_child},
                   {"lambda", shape->penalty}};
    const struct ney_xgboost *const x = b->library;
    ney_status st = NEY_OK;
    if (x->XGBoosterSetParam(b->handle, "tree_method", "hist") != 0 ||
        x->XGBoosterSetParam(b->handle, "objective", "reg:squarederror") != 0) {
        return booster_fail(x, err);
    }
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers && st == NEY_OK; k++) {
        st = set_number(b, numbers[k].name, numbers[k].value, err);
    }
    return st;
}

ney_status ney_booster_init(ney_booster *b, const ney_env *env, const ney_matrix *x,
                            const ney_booster_rows *rows, const ney_booster_shape *shape,
                            ney_error *err)
{
    struct ney_xgboost *const library = ney_alloc_zeroed(env, 1, sizeof *library);
    ney_status st;
    *b = (ney_booster){.env = *env, .cols = x->cols};
    if (!library) {
        return ney_no_memory(err, 1, "library");
    }
    if ((st = load_library(library, err)) != NEY_OK) {
        ney_release(env, library);
        return st;
    }
    b->library = library;
    (void)library->XGBRegisterLogCallback(drop_message); /* of this thread */
    if ((st = make_matrix(b, 0, x, rows->learn, rows->n_learn, err)) != NEY_OK ||
        (st = make_matrix(b, 1, x, rows->held, rows->n_held, err)) != NEY_OK) {
        return st;
    }
    if (library->XGBoosterCreate(b->matrix, rows->n_held > 0 ? 2 : 1, &b->handle) != 0) {
        b->handle = NULL;
        return booster_fail(library, err);
    }
    return set_shape(b, shape, err);
}

void ney_booster_deinit(ney_booster *b)
{
    if (b->handle) {
        (void)b->library->XGBoosterFree(b->handle);
    }
    for (int part = 0; part < 2; part++) {
        if (b->matrix[part]) {
            (void)b->library->XGDMatrixFree(b->matrix[part]);
        }
    }
    if (b->library) {
        ney_release(&b->env, (void *)(uintptr_t)b->library);
    }
    *b = (ney_booster){0};
}

ney_status ney_booster_add_tree(ney_booster *b, float *gradient, float *curvature, ney_error *err)
{
    const struct ney_xgboost *const x = b->library;
    if (x->XGBoosterBoostOneIter(b->handle, b->matrix[0], gradient, curvature,
                                 (bst_ulong)b->rows[0]) != 0) {
        return booster_fail(x, err);
    }
    b->rounds++;
    return NEY_OK;
}

ney_status ney_booster_scores(ney_booster *b, int part, const float **score, ney_error *err)
{
    static const char config[] = "{\"type\":1,\"training\":true,\"iteration_begin\":0,"
                                 "\"iteration_end\":0,\"strict_shape\":false}";
    const struct ney_xgboost *const x = b->library;
    const bst_ulong *shape;
    bst_ulong dim;
    return x->XGBoosterPredictFromDMatrix(b->handle, b->matrix[part], config, &shape, &dim,
                                          score) == 0
               ? NEY_OK
               : booster_fail(x, err);
}

ney_status ney_booster_trees(ney_booster *b, int64_t n, ney_trees **out, ney_error *err)
{
    const struct ney_xgboost *const x = b->library;
    const char *text;
    bst_ulong length;
    *out = NULL;
    if (x->XGBoosterSaveModelToBuffer(b->handle, "{\"format\":\"json\"}", &length, &text) != 0) {
        return booster_fail(x, err);
    }
    char *const copy = ney_strdup(&b->env, text, (size_t)length); /* with a NUL */
    if (!copy) {
        return ney_no_memory(err, (int64_t)length, "bytes of trees");
    }
    const ney_status st = ney_booster_parse(out, &b->env, copy, b->cols, n, err);
    ney_release(&b->env, copy);
    return st;
}

#else

ney_status ney_booster_init(ney_booster *b, const ney_env *env, const ney_matrix *x,
                            const ney_booster_rows *rows, const ney_booster_shape *shape,
                            ney_error *err)
{
    (void)env, (void)x, (void)rows, (void)shape;
    *b = (ney_booster){0};
    return ney_fail(err, NEY_EINVAL,
                    "--trees needs libxgboost to train, and this program was built without it: "
                    "install it (apt-get install libxgboost-dev) and build again");
}

void ney_booster_deinit(ney_booster *b)
{
    *b = (ney_booster){0};
}

static ney_status no_library(ney_error *err)
{
    return ney_fail(err, NEY_EINVAL, "built without libxgboost");
}

ney_status ney_booster_add_tree(ney_booster *b, float *gradient, float *curvature, ney_error *err)
{
    (void)b, (void)gradient, (void)curvature;
    return no_library(err);
}

ney_status ney_booster_scores(ney_booster *b, int part, const float **score, ney_error *err)
{
    (void)b, (void)part, (void)score;
    return no_library(err);
}

ney_status ney_booster_trees(ney_booster *b, int64_t n, ney_trees **out, ney_error *err)
{
    (void)b, (void)n;
    *out = NULL;
    return no_library(err);
}

#endif

/* The library keeps 8 bytes for a cell and up to 2 more while it trains, besides our copy. */
ney_status ney_booster_check_size(const ney_task *t, int at_once, ney_error *err)
{
    const double ram = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE) / 1e6;
    const double limit = t->o.memory > 0 ? t->o.memory : ram / 2;
    const double need = 14e-6 * at_once * (double)t->x->rows * (double)t->x->cols;
    return need <= limit
               ? NEY_OK
               : ney_fail(err, NEY_EINVAL,
                          "--trees stores rows with their zeros: %lld rows of %lld columns take "
                          "%.0f MB on %d threads, and --memory allows %.0f",
                          (long long)t->x->rows, (long long)t->x->cols, need, at_once, limit);
}
