/* Any bytes as the JSON file of a mixture: a refusal with a message and exit code 3, or a mixture
 * that is written and read back to the same numbers. What the program would print of a refusal is
 * kept here instead. */
#include "fuzz/fuzz.h"

#include "mixture_json.h"

#include <stdarg.h>

int exit_code_of(ney_status status)
{
    return status == NEY_EPARSE ? EXIT_INPUT : EXIT_FAILED;
}

ney_status out_of_memory(ney_error *err, const char *what)
{
    (void)what;
    err->code = NEY_ENOMEM;
    return NEY_ENOMEM;
}

int session_fail(session *s, ney_status status)
{
    s->err.code = status;
    return exit_code_of(status);
}

int session_bad_input(session *s, const char *file, const char *format, ...)
{
    va_list args;
    REQUIRE(file != NULL);
    s->err = (ney_error){.code = NEY_EPARSE};
    va_start(args, format);
    vsnprintf(s->err.message, sizeof s->err.message, format, args);
    va_end(args);
    return EXIT_INPUT;
}

static ney_mixture *read_bytes(const void *bytes, size_t len, session *s, int *code)
{
    char path[128];
    ney_mixture *found = NULL;
    *s = (session){.env = fuzz_env()};
    FILE *const f = fopen(fuzz_path(path, "a.txt"), "wb");
    REQUIRE(f != NULL && fwrite(bytes, 1, len, f) == len && fclose(f) == 0);
    *code = mixture_read(&found, s, path);
    REQUIRE((*code == EXIT_OK) == (found != NULL));
    return found;
}

static void require_same(const double *a, const double *b, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        REQUIRE(isfinite(a[i]) && a[i] == b[i]);
    }
}

static void require_same_class(const ney_mixture *a, const ney_mixture *b, int sign)
{
    const int64_t d = ney_mixture_dims(a);
    int64_t n, m;
    const ney_gaussian *const p = ney_mixture_class_of(a, sign, &n);
    const ney_gaussian *const q = ney_mixture_class_of(b, sign, &m);
    REQUIRE(n == m && n > 0);
    for (int64_t k = 0; k < n; k++) {
        REQUIRE(p[k].weight > 0 && fabs(p[k].weight - q[k].weight) <= 1e-12);
        require_same(p[k].mean, q[k].mean, d);
        require_same(p[k].cov, q[k].cov, d * d);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    session s;
    int code;
    ney_mixture *const found = read_bytes(bytes, len, &s, &code), *back;
    if (!found) {
        REQUIRE(code == EXIT_INPUT || s.err.code == NEY_ENOMEM);
        REQUIRE(s.err.message[0] != '\0');
        return 0;
    }
    REQUIRE(ney_mixture_p_pos(found) > 0 && ney_mixture_p_pos(found) < 1);
    ney_result *root;
    char *text;
    size_t n_text;
    REQUIRE(ney_result_new(&root, NULL, &s.err) == NEY_OK);
    mixture_add(root, found);
    REQUIRE(ney_result_format(root, &text, &n_text, &s.err) == NEY_OK);
    back = read_bytes(text, n_text, &s, &code);
    REQUIRE(back != NULL && ney_mixture_dims(back) == ney_mixture_dims(found));
    require_same_class(found, back, 1);
    require_same_class(found, back, -1);
    ney_free(NULL, text);
    ney_result_free(root);
    ney_mixture_free(back);
    ney_mixture_free(found);
    return 0;
}
