#include "path_data.h"

#include "groups.h"
#include "labelled.h"
#include "learning.h"
#include "result.h"

const option_set path_kernel_options = {.title = "Model",
                                        .from = ney_train_params,
                                        .bytes = sizeof(ney_train_opts),
                                        .only = "kernel gamma degree coef0 cache",
                                        .where = ney_train_where};

int path_read_rows(session *s, const char *path, ney_data **data)
{
    const ney_read_opts *read = options_of(s->call, &read_options);
    ney_status st;
    int code = learning_check_missing(s);

    *data = NULL;
    if (code != EXIT_OK) {
        return code;
    }
    if ((st = ney_data_read_with(data, &s->env, path, read, NULL, &s->err)) != NEY_OK) {
        return session_fail(s, st);
    }
    code = groups_refuse(s, *data, "it does not keep the rows of a group together");
    if (code != EXIT_OK || (code = learning_check(s, path, *data)) != EXIT_OK) {
        return code;
    }
    return EXIT_OK;
}

int path_read_data(session *s, const char *path, int scale, ney_data **data)
{
    const int code = path_read_rows(s, path, data);
    const ney_status st =
        code == EXIT_OK ? ney_data_prepare(*data, learning_scaling(scale, *data), NULL, 0, &s->err)
                        : NEY_OK;

    return st == NEY_OK ? code : session_fail(s, st);
}

int path_exit(double worst)
{
    return worst <= NEY_PATH_RESIDUAL ? EXIT_OK : EXIT_UNFINISHED;
}

void path_warn_residual(ney_result *root, double worst)
{
    if (path_exit(worst) != EXIT_OK) {
        ney_result_warn(
            root,
            "not solved exactly: the largest KKT residual is %.3g, above %g, the limit of "
            "floating-point precision for these data and costs; --scale standard or "
            "smaller costs would help",
            worst, NEY_PATH_RESIDUAL);
    }
}

void path_add_residual(ney_result *root, double worst)
{
    ney_result_add_real(root, "largest_kkt_residual", worst);
    ney_result_add_bool(root, "converged", path_exit(worst) == EXIT_OK);
    path_warn_residual(root, worst);
}
