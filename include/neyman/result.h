/* Results by name: what a fit, an evaluation or a certificate found, as one tree of named values.
 * The program prints the same tree as text and, with --json, as JSON. New members may appear in a
 * later version; none is renamed or removed within a major version. */
#ifndef NEYMAN_RESULT_H
#define NEYMAN_RESULT_H

#include <neyman/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A value of the tree: an object with named members, an array, or a leaf. Not for concurrent use
 * while it is being built; any number of threads may read it after that. */
typedef struct ney_result ney_result;

typedef enum ney_result_kind {
    NEY_RESULT_NULL, /* there is no such figure: not estimable, not applicable */
    NEY_RESULT_BOOL,
    NEY_RESULT_INT,
    NEY_RESULT_REAL,
    NEY_RESULT_TEXT,
    NEY_RESULT_ARRAY,
    NEY_RESULT_OBJECT
} ney_result_kind;

/* ---- reading */

/** NEY_RESULT_NULL for NULL. */
NEY_API ney_result_kind ney_result_kind_of(const ney_result *result);
/** The name of a member; "" for the root and for elements of arrays. */
NEY_API const char *ney_result_key(const ney_result *result);
/** Members of an object, elements of an array; 0 for a leaf. */
NEY_API int64_t ney_result_count(const ney_result *result);
/** Child `k` from 0, in the order added; NULL when there is none. Takes O(k) steps: to visit all
 * children use ney_result_first() and ney_result_next(). */
NEY_API const ney_result *ney_result_at(const ney_result *result, int64_t k);
NEY_API const ney_result *ney_result_first(const ney_result *result);
NEY_API const ney_result *ney_result_next(const ney_result *result);

/** The value at a path of names and positions separated by points, such as "fpr" or
 * "certificates.0.rank"; NULL when there is none. The path "" is the value itself. */
NEY_API const ney_result *ney_result_find(const ney_result *result, const char *path);

/* Each of these reads the value at a path, and leaves *value alone and returns false where there is
 * none of that kind. An integer can be read as a real number. */
NEY_API bool ney_result_get_real(const ney_result *result, const char *path, double *value);
NEY_API bool ney_result_get_int(const ney_result *result, const char *path, int64_t *value);
NEY_API bool ney_result_get_bool(const ney_result *result, const char *path, bool *value);
/** Borrowed; NULL where there is no text. */
NEY_API const char *ney_result_get_text(const ney_result *result, const char *path);

/**
 * The tree as JSON text: numbers in the shortest form that reads back exactly, texts as valid
 * UTF-8 (bytes that are not become U+FFFD).
 *
 * @param[out] text  From the allocator of the tree; free with ney_free().
 */
NEY_API NEY_MUST_CHECK ney_status ney_result_format(const ney_result *result, char **text,
                                                    size_t *n_text, ney_error *err);

/* ---- building, for programs that add figures of their own */

/** An empty object. */
NEY_API NEY_MUST_CHECK ney_status ney_result_new(ney_result **out, const ney_env *env,
                                                 ney_error *err);
/** Free a whole tree by its root; NULL is fine. */
NEY_API void ney_result_free(ney_result *root);

/* Each of these adds a member to an object, or an element to an array when `key` is NULL. Where
 * memory is refused nothing is added and the failure is kept: see ney_result_status(). Adding to
 * NULL does nothing. */
NEY_API ney_result *ney_result_add_object(ney_result *in, const char *key);
NEY_API ney_result *ney_result_add_array(ney_result *in, const char *key);
NEY_API void ney_result_add_real(ney_result *in, const char *key, double value);
NEY_API void ney_result_add_int(ney_result *in, const char *key, int64_t value);
NEY_API void ney_result_add_bool(ney_result *in, const char *key, bool value);
NEY_API void ney_result_add_null(ney_result *in, const char *key);
/** A text, copied; null where it is NULL. */
NEY_API void ney_result_add_text(ney_result *in, const char *key, const char *text);
/** An array of two numbers. */
NEY_API void ney_result_add_interval(ney_result *in, const char *key, double low, double high);
/** A copy of a whole tree; nothing for NULL. */
NEY_API void ney_result_add_copy(ney_result *in, const char *key, const ney_result *from);

/** A member of an object, to add to; NULL where there is none of that name. */
NEY_API ney_result *ney_result_member(ney_result *in, const char *key);
/** Turn a member of an object into null; nothing where there is none of that name. */
NEY_API void ney_result_set_null(ney_result *in, const char *key);

/** Append a sentence to the array "headline" of an object, which gets one if it has none: what a
 * reader who needs no other line must know. `format` is that of printf(). */
NEY_API void ney_result_headline(ney_result *root, const char *format, ...) NEY_LIKE_PRINTF(2, 3);

/** Append a sentence to the array "warnings" of an object, which gets one if it has none: what a
 * reader must know before the figures. `format` is that of printf(). */
NEY_API void ney_result_warn(ney_result *root, const char *format, ...) NEY_LIKE_PRINTF(2, 3);

/** Whether everything was added. @retval NEY_ENOMEM  an allocation was refused.
 * @retval NEY_EINVAL  a value was added to one that has no children, a member without a name or an
 *                     element with one, or values are nested more than 32 deep. */
NEY_API NEY_MUST_CHECK ney_status ney_result_status(const ney_result *result, ney_error *err);

#ifdef __cplusplus
}
#endif

#endif
