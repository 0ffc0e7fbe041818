#include "summary.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { SENTENCE = 1024 };

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
