#include "result.h"

#include <stdio.h>
#include <stdlib.h>

#include "clean.h"
#include "progress.h"

const char warnings_key[] = "warnings", headline_key[] = "headline", next_key[] = "next";

/* By the time there is a result the work is done: without memory for it there is only one way out.
 */
static void require(ney_status st, const ney_error *err)
{
    if (st != NEY_OK) {
        fprintf(stderr, "neyman: %s\n", err->message);
        exit(EXIT_FAILED);
    }
}

ney_result *result_new(void)
{
    ney_result *root;
    ney_error err;

    require(ney_result_new(&root, NULL, &err), &err);
    return root;
}

/* @param env  that of the tree; NULL: the default. */
static void print_json(const ney_result *root, const ney_env *env, FILE *file)
{
    ney_error err;
    char *text;
    size_t n_text;

    require(ney_result_format(root, &text, &n_text, &err), &err);
    for (const char *from = text; *from;) { /* valid UTF-8 */
        char escaped[ESCAPE_TEXT];
        const size_t n = harmless_span(from, "\n\t");
        fwrite(from, 1, n, file);
        from += n;
        if (*from) {
            from += escape_one(from, escaped);
            fputs(escaped, file);
        }
    }
    fputc('\n', file);
    ney_free(env, text);
}

void result_print_json(const ney_result *root, FILE *file)
{
    print_json(root, NULL, file);
}

static void print_and_free(const session *s, ney_result *root, const ney_env *env)
{
    progress_clear();
    if (s->common->json) {
        print_json(root, env, stdout);
    } else {
        result_print_text(root, s->common->verbose);
    }
    ney_result_free(root);
}

void result_print(const session *s, ney_result *root)
{
    print_and_free(s, root, NULL);
}

void result_print_fit(const session *s, ney_result *root)
{
    print_and_free(s, root, &s->env);
}

void result_name(ney_result *in, const char *key, const char *name)
{
    ney_result_add_text(in, key, name && name[0] ? name : NULL);
}

void result_rate(ney_result *in, const char *key, int64_t hits, int64_t n)
{
    char interval_key[64];
    double low, high;

    snprintf(interval_key, sizeof interval_key, "%s_interval", key);
    if (n == 0) {
        ney_result_add_text(in, key, NULL);
        ney_result_add_text(in, interval_key, NULL);
        return;
    }
    ney_result_add_real(in, key, (double)hits / (double)n);
    ney_interval(hits, n, 0.95, &low, &high);
    ney_result_add_interval(in, interval_key, low, high);
}
