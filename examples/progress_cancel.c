/* Progress of a long fit, and a stop that keeps the best model so far.
 *
 *     progress_cancel DATA POLLS
 *
 * Stops at the POLLS-th call of poll. */
#include <neyman/neyman.h>

#include <stdio.h>
#include <stdlib.h>

typedef struct watch {
    long polls, most;
} watch;

/* Called from the thread that called ney_fit(), never from another. */
static bool on_poll(void *user, const ney_progress *progress)
{
    watch *w = user;

    fprintf(stderr, "\r%s: %.0f of %.0f   ", progress->stage, progress->done, progress->total);
    return ++w->polls < w->most;
}

static void on_log(void *user, ney_log_level level, const char *message)
{
    (void)user;
    if (level == NEY_LOG_WARNING) {
        fprintf(stderr, "\nwarning: %s\n", message);
    }
}

int main(int argc, char **argv)
{
    watch w = {0, argc == 3 ? atol(argv[2]) : 0};
    ney_env env = ney_env_default();
    ney_error err = {0};
    ney_options *options = NULL;
    ney_data *data = NULL;
    ney_model *model = NULL;
    ney_result *result = NULL;
    ney_status st;

    if (w.most <= 0) {
        fprintf(stderr, "usage: progress_cancel DATA POLLS\n");
        return 2;
    }
    if ((st = ney_options_new(&options, NULL, &err)) == NEY_OK &&
        (st = ney_options_set(options, "kernel", "rbf", &err)) == NEY_OK &&
        (st = ney_options_set_double(options, "max-fpr", 0.1, &err)) == NEY_OK &&
        (st = ney_data_read(&data, NULL, argv[1], NULL, NULL, &err)) == NEY_OK) {
        env.user = &w;
        env.poll = on_poll;
        env.log = on_log;
        st = ney_fit(&model, &result, &env, data, options, &err);
    }
    fputc('\n', stderr);
    if (st == NEY_OK) {
        printf("stop: %s\n", ney_result_get_text(result, "stop"));
    } else { /* so early that there is no model yet */
        printf("no model: %s\n", st == NEY_ECANCELLED ? "cancelled" : err.message);
    }
    ney_result_free(result);
    ney_model_free(model);
    ney_data_free(data);
    ney_options_free(options);
    return st == NEY_OK || st == NEY_ECANCELLED ? 0 : 1;
}
