/* A model of trees as the JSON text that libxgboost reads (its versions 1.6 to 2): prediction is
 * the score, up to single precision. Features are cells there, so that scaling is folded into the
 * thresholds: a feature is a monotone function of its cell, and the least cell that goes right is
 * found among all floats. */
#include "base/file.h"
#include "base/number.h"
#include "data/scale.h"
#include "model/exchange.h"
#include "model/model.h"
#include "model/trees.h"

#include <neyman/experimental/trees.h>

#include <float.h>
#include <math.h>
#include <string.h>

/* ---------------------------------------------------------------- thresholds */

/* The float at a place in the order of all finite floats, 0 at place 0. */
static float float_at(int64_t place)
{
    const uint32_t bits = (uint32_t)(place < 0 ? -place : place);
    float size;
    memcpy(&size, &bits, sizeof size);
    return place < 0 ? -size : size;
}

/* The feature of a cell. */
static float feature_of(const ney_preprocessing *r, int64_t c, float cell)
{
    const double moved = (double)cell - (r->shift ? r->shift[c] : 0);
    const double limit = (double)FLT_MAX;
    return ney_scale_value(r, c, (float)fmin(fmax(moved, -limit), limit));
}

/* The least float whose feature is not below the threshold; the largest where there is none. */
static float cell_threshold(const ney_preprocessing *r, int64_t c, float threshold)
{
    const int64_t most = 0x7f7fffff; /* the place of FLT_MAX */
    int64_t low = -most, high = most;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (feature_of(r, c, float_at(middle)) >= threshold) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return float_at(low);
}

/* Whether every feature is a function of its cell that does not decrease. */
static bool is_monotone(const ney_preprocessing *r)
{
    for (int64_t c = 0; r->factor && c < r->cols; c++) {
        if (!(r->factor[c] >= 0)) {
            return false;
        }
    }
    return r->scaling != NEY_SCALING_UNIT;
}

static bool goes_left_missing(const ney_preprocessing *r, const ney_tree_node *node)
{
    return r->fill ? ney_scale_value(r, node->column, (float)NAN) < node->value
                   : node->missing_left;
}

/* ---------------------------------------------------------------- text */

typedef struct xgboost_text {
    ney_text *text;
    const ney_preprocessing *r;
    const ney_trees *t;
    int64_t n; /* nodes of the tree at hand; for each */
    struct {
        int64_t node;
        int32_t left, parent; /* places in the file; the right child follows the left one */
    } * place;
} xgboost_text;

/* With an exponent: a number that looks like an integer is one to the library. */
static void put_float(const xgboost_text *x, float value)
{
    char digits[NEY_NUMBER_SIZE];
    ney_number_format_float(value, digits);
    ney_text_put(x->text, digits);
    ney_text_put(x->text, strpbrk(digits, ".eE") ? "" : "E0");
}

typedef void put_node_number(const xgboost_text *x, int64_t at);

static const ney_tree_node *node_at(const xgboost_text *x, int64_t at)
{
    return &x->t->node[x->place[at].node];
}

static bool is_leaf(const xgboost_text *x, int64_t at)
{
    return node_at(x, at)->column == NEY_LEAF;
}

static void put_base_weight(const xgboost_text *x, int64_t at)
{
    put_float(x, is_leaf(x, at) ? node_at(x, at)->value : 0);
}

static void put_default_left(const xgboost_text *x, int64_t at)
{
    ney_text_int(x->text, !is_leaf(x, at) && goes_left_missing(x->r, node_at(x, at)));
}

static void put_left(const xgboost_text *x, int64_t at)
{
    ney_text_int(x->text, is_leaf(x, at) ? -1 : x->place[at].left);
}

static void put_right(const xgboost_text *x, int64_t at)
{
    ney_text_int(x->text, is_leaf(x, at) ? -1 : x->place[at].left + 1);
}

static void put_parent(const xgboost_text *x, int64_t at)
{
    ney_text_int(x->text, at > 0 ? x->place[at].parent : INT32_MAX);
}

static void put_gain(const xgboost_text *x, int64_t at)
{
    put_float(x, node_at(x, at)->gain);
}

static void put_condition(const xgboost_text *x, int64_t at)
{
    const ney_tree_node *const node = node_at(x, at);
    put_float(x, is_leaf(x, at) ? node->value : cell_threshold(x->r, node->column, node->value));
}

static void put_column(const xgboost_text *x, int64_t at)
{
    ney_text_int(x->text, is_leaf(x, at) ? 0 : node_at(x, at)->column);
}

static void put_zero(const xgboost_text *x, int64_t at)
{
    (void)at;
    ney_text_put(x->text, "0");
}

static void put_cover(const xgboost_text *x, int64_t at)
{
    put_float(x, node_at(x, at)->cover);
}

/* The library takes the node after a left child for the right one: level by level. */
static void place_nodes(xgboost_text *x, int64_t tree)
{
    int32_t next = 1;
    x->n = x->t->start[tree + 1] - x->t->start[tree];
    x->place[0].node = x->t->start[tree];
    for (int32_t at = 0; at < x->n; at++) {
        if (!is_leaf(x, at)) {
            x->place[at].left = next;
            x->place[next].node = x->place[at].node + 1;
            x->place[next + 1].node = node_at(x, at)->right;
            x->place[next].parent = x->place[next + 1].parent = at;
            next += 2;
        }
    }
}

static void put_array(const xgboost_text *x, const char *name, put_node_number *put)
{
    ney_text_put(x->text, "\"");
    ney_text_put(x->text, name);
    ney_text_put(x->text, "\":[");
    for (int64_t at = 0; at < x->n; at++) {
        ney_text_put(x->text, at > 0 ? "," : "");
        put(x, at);
    }
    ney_text_put(x->text, "],");
}

static void put_text_int(const xgboost_text *x, const char *before, int64_t value)
{
    ney_text_put(x->text, before);
    ney_text_int(x->text, value);
}

static void put_tree(xgboost_text *x, int64_t k)
{
    static const struct {
        const char *name;
        put_node_number *put;
    } arrays[] = {{"base_weights", put_base_weight},
                  {"default_left", put_default_left},
                  {"left_children", put_left},
                  {"loss_changes", put_gain},
                  {"parents", put_parent},
                  {"right_children", put_right},
                  {"split_conditions", put_condition},
                  {"split_indices", put_column},
                  {"split_type", put_zero},
                  {"sum_hessian", put_cover}};
    place_nodes(x, k);
    ney_text_put(x->text, k ? ",\n{" : "\n{");
    for (size_t a = 0; a < sizeof arrays / sizeof *arrays; a++) {
        put_array(x, arrays[a].name, arrays[a].put);
    }
    ney_text_put(x->text, "\"categories\":[],\"categories_nodes\":[],\"categories_segments\":[],"
                          "\"categories_sizes\":[],");
    put_text_int(x, "\"id\":", k);
    put_text_int(x, ",\"tree_param\":{\"num_deleted\":\"0\",\"num_feature\":\"", x->t->cols);
    put_text_int(x, "\",\"num_nodes\":\"", x->n);
    ney_text_put(x->text, "\",\"size_leaf_vector\":\"0\"}}");
}

static void put_model(xgboost_text *x, const ney_model *m)
{
    ney_text *const text = x->text;
    ney_text_put(text, "{\"learner\":{\"attributes\":{\"neyman_threshold\":\"");
    ney_text_number(text, m->high);
    ney_text_put(text, "\",\"neyman_threshold_low\":\"");
    ney_text_number(text, m->low);
    ney_text_put(text, "\"},\"feature_names\":[],\"feature_types\":[],\"gradient_booster\":{"
                       "\"model\":{\"gbtree_model_param\":{\"num_parallel_tree\":\"1\","
                       "\"num_trees\":\"");
    ney_text_int(text, x->t->n);
    ney_text_put(text, "\",\"size_leaf_vector\":\"0\"},\"tree_info\":[");
    for (int64_t k = 0; k < x->t->n; k++) {
        ney_text_put(text, k ? ",0" : "0");
    }
    ney_text_put(text, "],\"trees\":[");
    for (int64_t k = 0; k < x->t->n; k++) {
        put_tree(x, k);
    }
    ney_text_put(text, "]},\"name\":\"gbtree\"},\"learner_model_param\":{\"base_score\":\"");
    put_float(x, (float)x->t->intercept); /* more digits would be read as 0.5 */
    put_text_int(x, "\",\"boost_from_average\":\"0\",\"num_class\":\"0\",\"num_feature\":\"",
                 x->t->cols);
    ney_text_put(text, "\",\"num_target\":\"1\"},\"objective\":{\"name\":\"reg:squarederror\","
                       "\"reg_loss_param\":{\"scale_pos_weight\":\"1\"}}},"
                       "\"version\":[1,7,4]}\n");
}

static int64_t most_nodes(const ney_trees *t)
{
    int64_t most = 1;
    for (int64_t k = 0; k < t->n; k++) {
        const int64_t n = t->start[k + 1] - t->start[k];
        most = n > most ? n : most;
    }
    return most;
}

static ney_status check_model(const ney_model *m, const ney_trees *t, ney_error *err)
{
    const ney_status st = ney_export_check(m, "an XGBoost file", err);
    if (st != NEY_OK) {
        return st;
    }
    if (!t) {
        return ney_fail(err, NEY_EINVAL,
                        "an XGBoost file holds trees, and the model is of family '%s'",
                        m->family->name);
    }
    if (t->cols == 0) {
        return ney_fail(err, NEY_EINVAL, "a model without features has no form in an XGBoost file");
    }
    if (m->preprocessing->n_indicator > 0) {
        return ney_fail(err, NEY_EINVAL,
                        "an XGBoost file has no form for indicators of missing cells: train with "
                        "--missing keep, with which trees find them by themselves");
    }
    if (!is_monotone(m->preprocessing)) {
        return ney_fail(err, NEY_EINVAL,
                        "an XGBoost file compares cells, and not every feature of this model grows "
                        "with its cell (--scale unit)");
    }
    return NEY_OK;
}

ney_status ney_model_export_xgboost(const ney_model *model, const char *path, ney_error *err)
{
    NEY_REQUIRE(model && path, err);
    ney_text text;
    xgboost_text x = {.text = &text, .r = model->preprocessing, .t = ney_model_trees(model)};
    ney_status st = check_model(model, x.t, err);
    if (st != NEY_OK) {
        return st;
    }
    x.place = ney_alloc(&model->env, most_nodes(x.t), sizeof *x.place);
    if (!x.place) {
        return ney_no_memory(err, most_nodes(x.t), "nodes of a tree");
    }
    ney_text_init(&text, &model->env);
    put_model(&x, model);
    st = text.failed ? ney_no_memory(err, text.length, "bytes of JSON")
                     : ney_file_write(&model->env, path, text.bytes, text.length, err);
    ney_text_deinit(&text);
    ney_release(&model->env, x.place);
    return st;
}
