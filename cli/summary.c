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

/* One file. */
static size_t put_word(char *text, size_t n_text, const char *word, size_t length)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "_-./,:=@%+";
    const bool bare = length > 0 && strspn(word, plain) >= length;
    const int n = snprintf(text, n_text, bare ? "%.*s" : "'%.*s'", (int)length, word);

    return n < 0 ? 0 : (size_t)n < n_text ? (size_t)n : n_text - 1;
}

void shell_word(char text[SHELL_WORD], const char *word)
{
    size_t used = 0;

    do { /* a path may be several files, one per line */
        const size_t length = strcspn(word, "\n");
        used += put_word(text + used, SHELL_WORD - used, word, length);
        word += length + (word[length] == '\n');
        if (*word && used + 1 < SHELL_WORD) {
            text[used++] = ' ';
            text[used] = '\0';
        }
    } while (*word);
}
