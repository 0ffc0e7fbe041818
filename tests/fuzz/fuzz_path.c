/* Any bytes as a path file: a clean refusal, or a path whose lines and choices can be looked at. */
#include "fuzz/checksummed.h"
#include "path/path.h"

static void check_path(const ney_path *p)
{
    int64_t n;
    double share;

    REQUIRE(ney_data_matrix(ney_path_data(p))->rows > 0);
    for (int64_t line = 0; line < ney_path_lines(p); line++) {
        const ney_path_point *point = ney_path_points(p, line, &n);
        for (int64_t k = 0; k < n; k++) {
            REQUIRE(isfinite(point[k].c.plus) && isfinite(point[k].c.minus));
        }
    }
    (void)ney_path_choices(p, &n, &share);
    REQUIRE(ney_path_cheapest(p, 1, 5) < n && ney_path_within(p, 0.1) < n);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    const ney_env env = fuzz_env();
    ney_path *p = NULL;
    ney_error err = {0};
    size_t n_text;

    if (len < 1) {
        return 0;
    }
    char *const text = sealed_text(bytes, len, &n_text);
    const ney_status st = ney_path_parse(&p, &env, "fuzz", text, (int64_t)n_text, &err);
    free(text);
    if (st != NEY_OK) {
        require_refusal(st, p, &err);
        return 0;
    }
    check_path(p);
    ney_path_free(p);
    return 0;
}
