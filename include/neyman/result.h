/* Results by name: the figures of a fit as one tree of named values, the same tree that the program
 * prints as text and, with --json, as JSON. doc/claims.md lists the members. A later version may
 * add members; none is renamed or removed within a major version. */
#ifndef NEYMAN_RESULT_H
#define NEYMAN_RESULT_H

#include <neyman/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A value of the tree: an object with named members, an array, or a leaf. One thread at a time may
 * add values; while none does, any number of threads may read the tree. */
typedef struct ney_result ney_result;

typedef enum ney_result_kind {
    NEY_RESULT_NULL, /* no value: not estimable or not applicable */
    NEY_RESULT_BOOL,
    NEY_RESULT_INT,
    NEY_RESULT_REAL,
    NEY_RESULT_TEXT,
    NEY_RESULT_ARRAY,
    NEY_RESULT_OBJECT
} ney_result_kind;

/* ---- reading: values and texts are borrowed from the tree */

/** The kind of a value; NEY_RESULT_NULL for NULL. */
NEY_API ney_result_kind ney_result_kind_of(const ney_result *result);
/** The name of a member; "" for the root and for elements of arrays. */
NEY_API const char *ney_result_key(const ney_result *result);
/** The number of members of an object or elements of an array; 0 for a leaf. */
NEY_API int64_t ney_result_count(const ney_result *result);
/** Child `k`, from 0, in the order added; NULL when there is none. O(k): to visit all children use
 * ney_result_first() and ney_result_next(). */
NEY_API const ney_result *ney_result_at(const ney_result *result, int64_t k);
/** The first child of an object or array; NULL when there is none. */
NEY_API const ney_result *ney_result_first(const ney_result *result);
/** The next child of the same parent; NULL after the last one. */
NEY_API const ney_result *ney_result_next(const ney_result *result);

/** The value at a path of names and positions (from 0) separated by dots, such as "fpr" or
 * "certificates.0.rank"; NULL when there is none. The path "" is the value itself. */
NEY_API const ney_result *ney_result_find(const ney_result *result, const char *path);

/* Each of these functions reads the value at a path. They return false, and do not change *value,
 * where there is no value of that kind. An integer can be read as a real number. */
NEY_API bool ney_result_get_real(const ney_result *result, const char *path, double *value);
NEY_API bool ney_result_get_int(const ney_result *result, const char *path, int64_t *value);
NEY_API bool ney_result_get_bool(const ney_result *result, const char *path, bool *value);
/** The text at a path, borrowed; NULL where there is none. */
NEY_API const char *ney_result_get_text(const ney_result *result, const char *path);

/**
 * The tree as JSON text: numbers in the shortest form that reads back exactly, texts as valid
 * UTF-8 (bytes that are not become U+FFFD).
 *
 * @param[out] text    Allocated with the environment of the tree; free with ney_free().
 * @param[out] n_text  Its length in bytes, without the final NUL; may be NULL.
 */
NEY_API NEY_MUST_CHECK ney_status ney_result_format(const ney_result *result, char **text,
                                                    size_t *n_text, ney_error *err);

/* ---- building, for programs that add their own members */

/** An empty object. Free with ney_result_free(). */
NEY_API NEY_MUST_CHECK ney_status ney_result_new(ney_result **out, const ney_env *env,
                                                 ney_error *err);
/** Free a whole tree by its root; NULL is allowed. Only the root may be freed. */
NEY_API void ney_result_free(ney_result *root);

/* Each of these functions adds a member to an object, or an element to an array when `key` is NULL.
 * Keys and texts are copied. When memory runs out nothing is added and the tree remembers the
 * failure: see ney_result_status(). Adding to NULL does nothing. */
NEY_API ney_result *ney_result_add_object(ney_result *in, const char *key);
NEY_API ney_result *ney_result_add_array(ney_result *in, const char *key);
NEY_API void ney_result_add_real(ney_result *in, const char *key, double value);
NEY_API void ney_result_add_int(ney_result *in, const char *key, int64_t value);
NEY_API void ney_result_add_bool(ney_result *in, const char *key, bool value);
NEY_API void ney_result_add_null(ney_result *in, const char *key);
/** A text; null for NULL. */
NEY_API void ney_result_add_text(ney_result *in, const char *key, const char *text);
/** An array of two numbers. */
NEY_API void ney_result_add_interval(ney_result *in, const char *key, double low, double high);
/** A copy of a whole tree; NULL adds nothing. */
NEY_API void ney_result_add_copy(ney_result *in, const char *key, const ney_result *from);

/** A member of an object, so that values can be added to it; NULL where there is none. */
NEY_API ney_result *ney_result_member(ney_result *in, const char *key);
/** Replace the value of a member by null, if there is such a member. */
NEY_API void ney_result_set_null(ney_result *in, const char *key);

/** Append a sentence to the array "headline" of an object, the summary for a reader who reads
 * nothing else; the array is added where it is missing. `format` is that of printf(). */
NEY_API void ney_result_headline(ney_result *root, const char *format, ...) NEY_LIKE_PRINTF(2, 3);

/** Append a sentence to the array "warnings" of an object; the array is added where it is missing.
 * `format` is that of printf(). */
NEY_API void ney_result_warn(ney_result *root, const char *format, ...) NEY_LIKE_PRINTF(2, 3);

/** Whether all values were added. @retval NEY_ENOMEM  out of memory.
 * @retval NEY_EINVAL  a value was added to a leaf, a member without a name or an element with one,
 * or values are nested more than 32 deep. */
NEY_API NEY_MUST_CHECK ney_status ney_result_status(const ney_result *result, ney_error *err);

#ifdef __cplusplus
}
#endif

#endif
