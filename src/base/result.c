#include "base/number.h"
#include "base/result_tree.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ------------------------------------------------------------------ building */

static ney_result *value_new(ney_result_tree *owner, ney_result_kind kind, const char *key,
                             const char *text)
{
    const size_t n_key = strlen(key) + 1, n_text = text ? strlen(text) + 1 : 0;
    ney_result *value = ney_alloc(&owner->env, 1, sizeof *value + n_key + n_text);

    if (value) {
        *value = (ney_result){.tree = owner, .kind = kind};
        memcpy(value->bytes, key, n_key);
        if (text) {
            memcpy(value->bytes + n_key, text, n_text);
            value->text = value->bytes + n_key;
        }
    }
    return value;
}

ney_status ney_result_new(ney_result **out, const ney_env *env, ney_error *err)
{
    NEY_CLEAR(out);
    NEY_REQUIRE(out, err);
    const ney_env e = ney_env_of(env);
    ney_result_tree *owner = ney_alloc(&e, 1, sizeof *owner);

    *out = NULL;
    if (owner) {
        *owner = (ney_result_tree){.env = e};
        *out = value_new(owner, NEY_RESULT_OBJECT, "", NULL);
    }
    if (!*out) {
        ney_release(&e, owner);
        return ney_no_memory(err, 1, "result");
    }
    return NEY_OK;
}

/* Free a list of values and all below them: children are hung before what is left of the list. */
static void free_list(ney_result *list)
{
    while (list) {
        ney_result *next = list->next;
        if (list->first) {
            list->last->next = next;
            next = list->first;
        }
        ney_release(&list->tree->env, list);
        list = next;
    }
}

void ney_result_free(ney_result *root)
{
    if (!root) {
        return;
    }
    ney_result_tree *const owner = root->tree;
    const ney_env env = owner->env;
    free_list(root);
    ney_release(&env, owner);
}

static ney_result *refuse(ney_result *in, ney_status status)
{
    if (in->tree->status == NEY_OK) {
        in->tree->status = status;
    }
    return NULL;
}

static ney_result *add_value(ney_result *in, ney_result_kind kind, const char *key,
                             const char *text)
{
    if (!in) {
        return NULL;
    }
    const bool named = in->kind == NEY_RESULT_OBJECT;
    if ((!named && in->kind != NEY_RESULT_ARRAY) || named != (key != NULL) ||
        in->depth >= NEY_RESULT_MOST_NESTED) {
        return refuse(in, NEY_EINVAL);
    }
    ney_result *value = value_new(in->tree, kind, key ? key : "", text);
    if (!value) {
        return refuse(in, NEY_ENOMEM);
    }
    value->depth = in->depth + 1;
    if (in->last) {
        in->last->next = value;
    } else {
        in->first = value;
    }
    in->last = value;
    in->count++;
    return value;
}

ney_result *ney_result_add_object(ney_result *in, const char *key)
{
    return add_value(in, NEY_RESULT_OBJECT, key, NULL);
}

ney_result *ney_result_add_array(ney_result *in, const char *key)
{
    return add_value(in, NEY_RESULT_ARRAY, key, NULL);
}

void ney_result_add_real(ney_result *in, const char *key, double value)
{
    ney_result *to = add_value(in, isfinite(value) ? NEY_RESULT_REAL : NEY_RESULT_NULL, key, NULL);
    if (to) {
        to->value.real = value;
    }
}

void ney_result_add_int(ney_result *in, const char *key, int64_t value)
{
    ney_result *to = add_value(in, NEY_RESULT_INT, key, NULL);
    if (to) {
        to->value.integer = value;
    }
}

void ney_result_add_bool(ney_result *in, const char *key, bool value)
{
    ney_result *to = add_value(in, NEY_RESULT_BOOL, key, NULL);
    if (to) {
        to->value.truth = value;
    }
}

void ney_result_add_null(ney_result *in, const char *key)
{
    (void)add_value(in, NEY_RESULT_NULL, key, NULL);
}

void ney_result_add_text(ney_result *in, const char *key, const char *text)
{
    (void)add_value(in, text ? NEY_RESULT_TEXT : NEY_RESULT_NULL, key, text);
}

void ney_result_add_interval(ney_result *in, const char *key, double low, double high)
{
    ney_result *pair = ney_result_add_array(in, key);
    ney_result_add_real(pair, NULL, low);
    ney_result_add_real(pair, NULL, high);
}

/* Recursion is at most NEY_RESULT_MOST_NESTED deep: no tree is deeper, and add_value() refuses to
 * make one. */
void ney_result_add_copy(ney_result *in, const char *key, const ney_result *from)
{
    ney_result *to = from ? add_value(in, from->kind, key, from->text) : NULL;
    if (!to) {
        return;
    }
    to->value = from->value;
    for (const ney_result *child = from->first; child; child = child->next) {
        ney_result_add_copy(to, from->kind == NEY_RESULT_OBJECT ? child->bytes : NULL, child);
    }
}

ney_result *ney_result_member(ney_result *in, const char *key)
{
    if (!key) {
        return NULL;
    }
    ney_result *child = in ? in->first : NULL;
    while (child && strcmp(child->bytes, key) != 0) {
        child = child->next;
    }
    return child;
}

void ney_result_set_null(ney_result *in, const char *key)
{
    if (!key) {
        return;
    }
    ney_result *member = ney_result_member(in, key);
    if (member) {
        free_list(member->first);
        member->first = member->last = NULL;
        member->count = 0;
        member->text = NULL;
        member->kind = NEY_RESULT_NULL;
    }
}

NEY_PRINTF(3, 0)
static void add_sentence(ney_result *root, const char *key, const char *format, va_list args)
{
    ney_result *list = ney_result_member(root, key);
    char text[1024];

    vsnprintf(text, sizeof text, format, args);
    ney_result_add_text(list ? list : ney_result_add_array(root, key), NULL, text);
}

void ney_result_headline(ney_result *root, const char *format, ...)
{
    if (!format) {
        return;
    }
    va_list args;
    va_start(args, format);
    add_sentence(root, "headline", format, args);
    va_end(args);
}

void ney_result_warn(ney_result *root, const char *format, ...)
{
    if (!format) {
        return;
    }
    va_list args;
    va_start(args, format);
    add_sentence(root, "warnings", format, args);
    va_end(args);
}

ney_status ney_result_status(const ney_result *result, ney_error *err)
{
    NEY_REQUIRE(result, err);
    switch (result->tree->status) {
    case NEY_OK:
        return NEY_OK;
    case NEY_ENOMEM:
        return ney_no_memory(err, 1, "result");
    default:
        return ney_fail(err, NEY_EINVAL,
                        "a value was added where a result has no place for it: members need an "
                        "object and a name, elements an array and none, at most %d levels deep",
                        (int)NEY_RESULT_MOST_NESTED);
    }
}

/* ------------------------------------------------------------------ reading */

ney_result_kind ney_result_kind_of(const ney_result *result)
{
    return result ? result->kind : NEY_RESULT_NULL;
}

const char *ney_result_key(const ney_result *result)
{
    return result ? result->bytes : "";
}

int64_t ney_result_count(const ney_result *result)
{
    return result ? result->count : 0;
}

const ney_result *ney_result_first(const ney_result *result)
{
    return result ? result->first : NULL;
}

const ney_result *ney_result_next(const ney_result *result)
{
    return result ? result->next : NULL;
}

const ney_result *ney_result_at(const ney_result *result, int64_t k)
{
    const ney_result *child = k >= 0 ? ney_result_first(result) : NULL;
    for (; child && k > 0; k--) {
        child = child->next;
    }
    return child;
}

/* The child that the next `length` bytes of a path name. */
static const ney_result *child_named(const ney_result *in, const char *name, size_t length)
{
    int64_t k;

    if (in->kind == NEY_RESULT_ARRAY) {
        return ney_integer_parse(name, length, &k) ? ney_result_at(in, k) : NULL;
    }
    for (const ney_result *child = in->first; child; child = child->next) {
        if (strncmp(child->bytes, name, length) == 0 && child->bytes[length] == '\0') {
            return child;
        }
    }
    return NULL;
}

const ney_result *ney_result_find(const ney_result *result, const char *path)
{
    if (!path) {
        return NULL;
    }
    while (result && *path) {
        const size_t length = strcspn(path, ".");
        result = child_named(result, path, length);
        path += length;
        path += *path == '.';
    }
    return result;
}

bool ney_result_get_real(const ney_result *result, const char *path, double *value)
{
    if (!path) {
        return false;
    }
    const ney_result *found = ney_result_find(result, path);
    const ney_result_kind kind = ney_result_kind_of(found);

    if (kind == NEY_RESULT_REAL) {
        *value = found->value.real;
    } else if (kind == NEY_RESULT_INT) {
        *value = (double)found->value.integer;
    }
    return kind == NEY_RESULT_REAL || kind == NEY_RESULT_INT;
}

bool ney_result_get_int(const ney_result *result, const char *path, int64_t *value)
{
    if (!path) {
        return false;
    }
    const ney_result *found = ney_result_find(result, path);
    const bool is_int = ney_result_kind_of(found) == NEY_RESULT_INT;
    if (is_int) {
        *value = found->value.integer;
    }
    return is_int;
}

bool ney_result_get_bool(const ney_result *result, const char *path, bool *value)
{
    if (!path) {
        return false;
    }
    const ney_result *found = ney_result_find(result, path);
    const bool is_bool = ney_result_kind_of(found) == NEY_RESULT_BOOL;
    if (is_bool) {
        *value = found->value.truth;
    }
    return is_bool;
}

const char *ney_result_get_text(const ney_result *result, const char *path)
{
    if (!path) {
        return NULL;
    }
    const ney_result *found = ney_result_find(result, path);
    return found ? found->text : NULL;
}
