/* How a function says why it failed. */
#ifndef NEY_BASE_ERROR_H
#define NEY_BASE_ERROR_H

#include <neyman/experimental.h>

#include <stdarg.h>

#if defined(__GNUC__)
#define NEY_PRINTF(at, first) __attribute__((format(printf, at, first)))
#else
#define NEY_PRINTF(at, first)
#endif

/* Where in an input something was found; file may be NULL, line and column 0. */
typedef struct ney_place {
    const char *file;
    int64_t line, column;
} ney_place;

/* Fill *err (if not NULL) and return `code`, so that failing is one statement. */
NEY_PRINTF(3, 4)
ney_status ney_fail(ney_error *err, ney_status code, const char *format, ...);

NEY_PRINTF(4, 5)
ney_status ney_fail_at(ney_error *err, ney_status code, ney_place place, const char *format, ...);

NEY_PRINTF(4, 0)
ney_status ney_vfail_at(ney_error *err, ney_status code, ney_place place, const char *format,
                        va_list args);

/* For public functions, before anything else: arguments that a caller must not leave out. */
#define NEY_REQUIRE(condition, err)                                                                \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            return ney_fail(err, NEY_EINVAL, "invalid argument: expected %s", #condition);         \
        }                                                                                          \
    } while (0)

/* NEY_EINVAL unless all bytes of the reserved members are 0: a later version gives them a meaning.
 * `what` names the struct to a caller. */
ney_status ney_check_reserved(const void *reserved, size_t bytes, const char *what, ney_error *err);
#define NEY_CHECK_RESERVED(p, what, err)                                                           \
    ney_check_reserved((p)->reserved, sizeof(p)->reserved, what, err)

/* After NEY_REQUIRE(): the same as a statement that returns. */
#define NEY_REQUIRE_RESERVED(p, what, err)                                                         \
    do {                                                                                           \
        if (NEY_CHECK_RESERVED(p, what, err) != NEY_OK) {                                          \
            return NEY_EINVAL;                                                                     \
        }                                                                                          \
    } while (0)

/* Before NEY_REQUIRE(): what is returned through `out` is NULL after a failure. */
#define NEY_CLEAR(out) ((void)((out) && (*(out) = NULL)))

/* Name the file that a failure is about, unless it names one already. Returns `code`. */
ney_status ney_error_in(ney_error *err, ney_status code, const char *file);

#endif
