/* Included ahead of every file that clang-tidy looks at, and by nothing else: says in the call what
 * the contracts say in words, that these functions return the code they are given. */
#if __has_include("base/error.h")
#include "base/env.h"
#include "base/error.h"
#define ney_fail(err, code, ...) ((void)(ney_fail)(err, code, __VA_ARGS__), (code))
#define ney_fail_at(err, code, ...) ((void)(ney_fail_at)(err, code, __VA_ARGS__), (code))
#define ney_no_memory(err, ...) ((void)(ney_no_memory)(err, __VA_ARGS__), NEY_ENOMEM)
#endif
