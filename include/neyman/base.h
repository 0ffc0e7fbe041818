/* Status and errors, the environment (allocator, cancellation, log, threads), files that are
 * replaced as a whole. */
#ifndef NEYMAN_BASE_H
#define NEYMAN_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define NEY_API __attribute__((visibility("default")))
#define NEY_MUST_CHECK __attribute__((warn_unused_result))
#define NEY_LIKE_PRINTF(at, first) __attribute__((format(printf, at, first)))
#else
#define NEY_API
#define NEY_MUST_CHECK
#define NEY_LIKE_PRINTF(at, first)
#endif

/* Marks functions that any release may change or remove: see VERSIONING.md. */
#define NEY_EXPERIMENTAL NEY_API

#define NEY_VERSION_MAJOR 1
#define NEY_VERSION_MINOR 0
#define NEY_VERSION_PATCH 0

/** The version of the library that is linked, as "major.minor.patch". A static string. */
NEY_API const char *ney_version(void);

/* ------------------------------------------------------------------ status and error */

/* name, value (never reused), meaning */
#define NEY_STATUS_LIST(X)                                                                         \
    X(NEY_OK, 0, "ok")                                                                             \
    X(NEY_ENOMEM, 1, "out of memory")                                                              \
    X(NEY_EINVAL, 2, "invalid argument")                                                           \
    X(NEY_EIO, 3, "input or output failed")                                                        \
    X(NEY_EPARSE, 4, "malformed input")                                                            \
    X(NEY_EFORMAT, 5, "unknown file format or version")                                            \
    X(NEY_ENUMERIC, 6, "numerical breakdown")                                                      \
    X(NEY_ECANCELLED, 7, "cancelled by the caller")                                                \
    X(NEY_EGOAL, 8, "the goal cannot be met")

typedef enum ney_status {
#define NEY_AS_ENUM(name, value, text) name = (value),
    NEY_STATUS_LIST(NEY_AS_ENUM)
#undef NEY_AS_ENUM
} ney_status;

/** The meaning of a status in a few words, a static string; "unknown status" for other numbers. */
NEY_API const char *ney_status_text(ney_status status);

/* Description of a failure, in the caller's storage: nothing to free. It is written only by a
 * function that fails. */
typedef struct ney_error {
    ney_status code;
    int64_t line;      /* 1-based line of the input, 0 when the error is not about a line */
    int64_t column;    /* 1-based byte in that line, 0 when unknown */
    char file[256];    /* "" when the error is not about a file; a long path keeps its end */
    char message[512]; /* what was found, and what was expected */
    int64_t reserved[4];
} ney_error;

/* ------------------------------------------------------------------ environment */

/* Progress of a long computation. Allocated by the library, valid during the callback. */
typedef struct ney_progress {
    const char *stage;  /* "reading", "training", ... */
    double done, total; /* amount of work, in the unit of the stage; total is 0 where unknown */
    double value;       /* figure of merit of the stage, NAN where there is none */
} ney_progress;

typedef enum ney_log_level {
    NEY_LOG_WARNING = 0,
    NEY_LOG_INFO = 1,
    NEY_LOG_DETAIL = 2
} ney_log_level;

/* One outer step of a learner, measured on the training rows. Allocated by the library, valid
 * during the callback. */
typedef struct ney_step {
    int64_t index;             /* from 1 */
    double lambda;             /* multiplier of the bounded error rate, in units of the other */
    double ramp_fpr, ramp_fnr; /* rates under the ramp loss */
    double fpr, fnr;           /* rates of the decision at score 0 */
    double objective;          /* Lagrangian */
    double gap;                /* duality gap of the convex problem of this step */
    int64_t iterations;        /* of the solver */
    int64_t changed;           /* examples clipped or unclipped after the step */
    double seconds;            /* wall-clock seconds since the start of the run */
} ney_step;

/* Allocator, callbacks and number of threads. Start from ney_env_default() and set the members that
 * you need; objects keep a copy, so `user` and the functions must be valid as long as the objects
 * are. One environment may be used by several threads if its functions allow that. */
typedef struct ney_env {
    void *user; /* first argument of the functions below */
    /* As realloc(): a NULL block allocates, 0 bytes free the block and return NULL. May be called
     * from any thread. Memory is aligned as by malloc(). NULL: malloc() and free(). */
    void *(*resize)(void *user, void *block, size_t bytes);
    /* Called from time to time by long computations, on the calling thread; returning false asks
     * for a stop. May be NULL. */
    bool (*poll)(void *user, const ney_progress *progress);
    /* One sentence per call, on the calling thread; valid during the call. May be NULL. */
    void (*log)(void *user, ney_log_level level, const char *message);
    int threads; /* most threads to use; 0: one per core. The library stops those that it starts. */
    /* Called after every outer step of a learner, on the calling thread. May be NULL. */
    void (*step)(void *user, const ney_step *step);
    struct ney_team *team; /* these two are for the library; leave them NULL */
    struct ney_result *steps;
    /* Other processes that work on the same rows; NULL: none (neyman/experimental/comm.h). */
    const struct ney_comm *comm;
    void *reserved[5];
} ney_env;

/** malloc() and free(), no callbacks, one thread per core. */
NEY_API ney_env ney_env_default(void);

/** Free a block that the library allocated and gave to the caller, such as the text of
 * ney_result_format(). @param env  The environment that the block was allocated with; NULL: the
 * defaults. @param block  May be NULL. */
NEY_API void ney_free(const ney_env *env, void *block);

/* ------------------------------------------------------------------ files replaced as a whole */

/* A file that is being written under a temporary name beside its final place, and renamed when it
 * is committed: a reader never sees a part of it. Standard output ("-", or a name of the same file
 * such as /dev/stdout), pipes and devices cannot be replaced and are written directly. One thread
 * at a time may use a handle. */
typedef struct ney_output ney_output;

/** Start a file. @param path  Its final place. @retval NEY_EIO  the file cannot be created there.
 */
NEY_API NEY_MUST_CHECK ney_status ney_output_open(ney_output **out, const ney_env *env,
                                                  const char *path, ney_error *err);
/** Append `n_bytes` >= 0 bytes. Not buffered: write large blocks. @retval NEY_EIO  e.g. a full
 * disk; the handle remains valid, to be discarded. */
NEY_API NEY_MUST_CHECK ney_status ney_output_write(ney_output *output, const void *bytes,
                                                   int64_t n_bytes, ney_error *err);
/** Sync the file to disk, rename it to its final place and free the handle. On failure (NEY_EIO)
 * the final place is unchanged, and the handle is freed too. */
NEY_API NEY_MUST_CHECK ney_status ney_output_commit(ney_output *output, ney_error *err);
/** Remove the temporary file and free the handle; NULL is allowed. */
NEY_API void ney_output_discard(ney_output *output);

/** Whether writing to `path` writes to standard output. False for /dev/null and for NULL. */
NEY_API bool ney_output_is_stdout(const char *path);

#ifdef __cplusplus
}
#endif

#endif
