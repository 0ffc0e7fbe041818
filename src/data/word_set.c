#include "data/word_set.h"

#include <string.h>

#include <xxhash.h>

static bool set_grow(ney_word_set *s)
{
    const int64_t slots = s->slots ? 2 * s->slots : 16;
    ney_word_set bigger = {.env = s->env, .slots = slots, .n = s->n, .owns = s->owns};
    bigger.word = ney_alloc_zeroed(&s->env, slots, sizeof *bigger.word);
    bigger.length = ney_alloc(&s->env, slots, sizeof *bigger.length);
    if (!bigger.word || !bigger.length) {
        ney_release(&s->env, bigger.word);
        ney_release(&s->env, bigger.length);
        return false;
    }
    for (int64_t i = 0; i < s->slots; i++) {
        if (s->word[i]) {
            uint64_t k = XXH3_64bits(s->word[i], (size_t)s->length[i]);
            while (bigger.word[k & (uint64_t)(slots - 1)]) {
                k++;
            }
            bigger.word[k & (uint64_t)(slots - 1)] = s->word[i];
            bigger.length[k & (uint64_t)(slots - 1)] = s->length[i];
        }
    }
    ney_release(&s->env, s->word);
    ney_release(&s->env, s->length);
    *s = bigger;
    return true;
}

bool ney_word_set_add(ney_word_set *s, const char *word, int length)
{
    if (2 * (s->n + 1) > s->slots && !set_grow(s)) {
        return false;
    }
    const uint64_t mask = (uint64_t)(s->slots - 1);
    uint64_t k = XXH3_64bits(word, (size_t)length) & mask;
    for (; s->word[k]; k = (k + 1) & mask) {
        if (s->length[k] == length && memcmp(s->word[k], word, (size_t)length) == 0) {
            return true;
        }
    }
    const char *kept = s->owns ? ney_strdup(&s->env, word, (size_t)length) : word;
    if (!kept) {
        return false;
    }
    s->word[k] = kept;
    s->length[k] = length;
    s->n++;
    return true;
}

void ney_word_set_clear(ney_word_set *s)
{
    for (int64_t i = 0; i < s->slots; i++) {
        if (s->owns) {
            ney_release(&s->env, (void *)(uintptr_t)s->word[i]);
        }
        s->word[i] = NULL;
    }
    s->n = 0;
}

void ney_word_set_deinit(ney_word_set *s)
{
    ney_word_set_clear(s);
    ney_release(&s->env, s->word);
    ney_release(&s->env, s->length);
}
