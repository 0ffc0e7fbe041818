/* A result as JSON. */
#include "base/result_tree.h"
#include "base/text.h"

static void put_leaf(ney_text *t, const ney_result *value)
{
    switch (value->kind) {
    case NEY_RESULT_BOOL:
        ney_text_put(t, value->value.truth ? "true" : "false");
        break;
    case NEY_RESULT_INT:
        ney_text_int(t, value->value.integer);
        break;
    case NEY_RESULT_REAL:
        ney_text_number(t, value->value.real);
        break;
    case NEY_RESULT_TEXT:
        (void)ney_text_json(t, value->text);
        break;
    default:
        ney_text_put(t, "null");
    }
}

static void put_tabs(ney_text *t, int n)
{
    for (int i = 0; i < n; i++) {
        ney_text_put(t, "\t");
    }
}

/* A member a line; elements of arrays one after the other. Recursion is at most
 * NEY_RESULT_MOST_NESTED deep.
 */
static void put_value(ney_text *t, const ney_result *value, int depth)
{
    const bool is_array = value->kind == NEY_RESULT_ARRAY;

    if (!is_array && value->kind != NEY_RESULT_OBJECT) {
        put_leaf(t, value);
        return;
    }
    ney_text_put(t, is_array ? "[" : "{\n");
    for (const ney_result *child = value->first; child; child = child->next) {
        if (!is_array) {
            put_tabs(t, depth + 1);
            (void)ney_text_json(t, child->bytes);
            ney_text_put(t, ":\t");
        }
        put_value(t, child, depth + 1);
        ney_text_put(t, child->next ? is_array ? ", " : ",\n" : is_array ? "" : "\n");
    }
    if (!is_array) {
        put_tabs(t, depth);
    }
    ney_text_put(t, is_array ? "]" : "}");
}

ney_status ney_result_format(const ney_result *result, char **text, size_t *n_text, ney_error *err)
{
    NEY_CLEAR(text);
    NEY_REQUIRE(result && text, err);
    const ney_status st = ney_result_status(result, err);
    ney_text t;

    if (n_text) {
        *n_text = 0;
    }
    if (st != NEY_OK) {
        return st;
    }
    ney_text_init(&t, &result->tree->env);
    put_value(&t, result, 0);
    if (t.failed) {
        ney_text_deinit(&t);
        return ney_no_memory(err, 1, "text of the result");
    }
    *text = t.bytes;
    if (n_text) {
        *n_text = (size_t)t.length;
    }
    return NEY_OK;
}
