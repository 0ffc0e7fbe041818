/* Status and errors, the environment (allocator, cancellation, log, threads), files that appear
 * whole, options as tables. */
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

/* A function that may change or go in any release: see VERSIONING.md. */
#define NEY_EXPERIMENTAL NEY_API

#define NEY_VERSION_MAJOR 1
#define NEY_VERSION_MINOR 0
#define NEY_VERSION_PATCH 0

/** The version of the library that is linked, as "major.minor.patch". */
NEY_API const char *ney_version(void);

/* ------------------------------------------------------------------ status and error */

/* name, value (never reused), what it says to a person */
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

/** What a status means, in a few words; "unknown status" for an unknown number. */
NEY_API const char *ney_status_text(ney_status status);

/* What went wrong, in the caller's own storage: nothing to free. */
typedef struct ney_error {
    ney_status code;
    int64_t line;      /* 1-based line of the input, 0 when the error is not about a line */
    int64_t column;    /* 1-based byte in that line, 0 when it would not help */
    char file[256];    /* "" when the error is not about a file; a long path keeps its end */
    char message[512]; /* what was found, and what was expected */
} ney_error;

/* ------------------------------------------------------------------ environment */

/* How far a long piece of work has come. */
typedef struct ney_progress {
    const char *stage;  /* what is being done: "reading", "training", ... */
    double done, total; /* in any unit; total is 0 where it is not known */
    double value;       /* the stage's own figure of merit, NAN where there is none */
} ney_progress;

typedef enum ney_log_level {
    NEY_LOG_WARNING = 0,
    NEY_LOG_INFO = 1,
    NEY_LOG_DETAIL = 2
} ney_log_level;

/* What a learner found in one outer step, on the rows it learns from. */
typedef struct ney_step {
    int64_t index;             /* from 1 */
    double lambda;             /* multiplier of the bounded error rate, in units of the other */
    double ramp_fpr, ramp_fnr; /* rates under the ramp loss */
    double fpr, fnr;           /* rates of the decision at score 0 */
    double objective;          /* the Lagrangian */
    double gap;                /* of the convex problem of this step */
    int64_t iterations;        /* of the solver */
    int64_t changed;           /* examples clipped or unclipped after the step */
    double seconds;            /* since the run began */
} ney_step;

typedef struct ney_env {
    void *user; /* handed to the functions below */
    /* As realloc: block NULL allocates; bytes 0 frees and returns NULL. Called from any thread. */
    void *(*resize)(void *user, void *block, size_t bytes);
    /* Called now and then, from the calling thread; return false to ask for a stop. May be NULL. */
    bool (*poll)(void *user, const ney_progress *progress);
    /* What the user may want to know, one sentence a call, from the calling thread. May be NULL. */
    void (*log)(void *user, ney_log_level level, const char *message);
    int threads; /* 0: one for each core */
    /* Every outer step of a learner that has some, from the calling thread. May be NULL. */
    void (*step)(void *user, const ney_step *step);
    struct ney_team *team; /* the library's own; leave them NULL */
    struct ney_result *steps;
    void *reserved[6];
} ney_env;

/** malloc and friends, no poll, no log, one thread for each core. */
NEY_API ney_env ney_env_default(void);

/** Free what the library allocated and handed over, with the environment it was asked for with;
 * NULL is fine. */
NEY_API void ney_free(const ney_env *env, void *block);

/* ------------------------------------------------------------------ files that appear whole */

/* A file being written, which appears at its place whole or not at all: until it is committed it
 * lies beside it under another name. Standard output ("-", or a name of the same file, such as
 * /dev/stdout), pipes and devices cannot be replaced and are written directly. One thread at a time
 * may use a handle. */
typedef struct ney_output ney_output;

/** @retval NEY_EIO  the file cannot be created there. */
NEY_API NEY_MUST_CHECK ney_status ney_output_open(ney_output **out, const ney_env *env,
                                                  const char *path, ney_error *err);
/** Unbuffered: large pieces are cheap, small ones are not. */
NEY_API NEY_MUST_CHECK ney_status ney_output_write(ney_output *output, const void *bytes,
                                                   int64_t n_bytes, ney_error *err);
/** Sync to disk, put the file at its place and free the handle. On failure nothing appears; the
 * handle is freed all the same. */
NEY_API NEY_MUST_CHECK ney_status ney_output_commit(ney_output *output, ney_error *err);
/** Remove what was written and free the handle; NULL is fine. */
NEY_API void ney_output_discard(ney_output *output);

/** Whether what is written to `path` lands on standard output. /dev/null never counts: there is no
 * stream to share. */
NEY_API bool ney_output_is_stdout(const char *path);

#ifdef __cplusplus
}
#endif

#endif
