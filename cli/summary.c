#include "summary.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { SENTENCE = 1024 };

void summary_add(ney_result *root, const char *format, ...)
{
    ney_result *list = ney_result_member(root, headline_key);
    char text[SENTENCE];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    ney_result_add_text(list ? list : ney_result_add_array(root, headline_key), NULL, text);
}

void summary_next(const session *s, ney_result *root, const char *format, ...)
{
    char text[SENTENCE];
    va_list args;

    if (s->common->json) {
        return;
    }
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    ney_result_add_text(root, next_key, text);
}

void shell_word(char text[SHELL_WORD], const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "_-./,:=@%+";
    const bool bare = word[0] && word[strspn(word, plain)] == '\0';

    snprintf(text, SHELL_WORD, bare ? "%s" : "'%s'", word);
}

void class_name(char text[CLASS_NAME], const char *name)
{
    snprintf(text, CLASS_NAME, name && name[0] ? " ('%.64s')" : "", name);
}

void summary_share(ney_result *root, const class_share *of)
{
    char interval[64] = "", name[CLASS_NAME];

    if (isnan(of->share)) {
        return;
    }
    class_name(name, of->name);
    if (of->bounds) {
        snprintf(interval, sizeof interval, " (95 %% interval %.3g to %.3g %%)",
                 100 * of->bounds[0], 100 * of->bounds[1]);
    }
    summary_add(root, "%s %.3g %% of %s%s%s%s%s.", of->verb, 100 * of->share,
                of->positive ? "positives" : "negatives", name, of->outcome, interval, of->rows);
}
