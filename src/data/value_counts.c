#include "data/value_counts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <xxhash.h>

static uint64_t hash_of(const char *text, int64_t length)
{
    const uint64_t h = XXH3_64bits(text, (size_t)length);
    return h ? h : 1; /* 0 marks a free slot */
}

static int64_t slot_of(const ney_value_counts *v, uint64_t hash)
{
    const uint64_t mask = (uint64_t)v->slots - 1;
    uint64_t k = hash & mask;
    while (v->hash[k] && v->hash[k] != hash) {
        k = (k + 1) & mask;
    }
    return (int64_t)k;
}

static bool grow_slots(ney_value_counts *v)
{
    ney_value_counts bigger = *v;
    bigger.slots = v->slots ? 2 * v->slots : 16;
    bigger.hash = ney_alloc_zeroed(&v->env, bigger.slots, sizeof *bigger.hash);
    bigger.value =
        v->keeps_text ? ney_alloc(&v->env, bigger.slots, sizeof *bigger.value) : bigger.value;
    if (!bigger.hash || (v->keeps_text && !bigger.value)) {
        ney_release(&v->env, bigger.hash);
        if (v->keeps_text) {
            ney_release(&v->env, bigger.value);
        }
        return false;
    }
    for (int64_t i = 0; i < v->slots; i++) {
        if (v->hash[i]) {
            const int64_t k = slot_of(&bigger, v->hash[i]);
            bigger.hash[k] = v->hash[i];
            if (v->keeps_text) {
                bigger.value[k] = v->value[i];
            }
        }
    }
    ney_release(&v->env, v->hash);
    if (v->keeps_text) {
        ney_release(&v->env, v->value);
    }
    *v = bigger;
    return true;
}

static bool keep_value(ney_value_counts *v, int64_t slot, const char *text, int64_t length,
                       int64_t line)
{
    if (v->keeps_text) {
        if (!ney_grow(&v->env, &v->counts, &v->cap, v->n + 1, sizeof *v->counts)) {
            return false;
        }
        ney_value_count *const c = &v->counts[v->n];
        *c = (ney_value_count){.line = line};
        snprintf(c->text, sizeof c->text, "%.*s", (int)(length < NEY_SHOWN_VALUE ? length : 39),
                 text);
        v->value[slot] = v->n;
    }
    v->n++;
    return true;
}

bool ney_value_counts_add(ney_value_counts *v, const char *text, int64_t length, int64_t line)
{
    if (2 * (v->n + 1) > v->slots && !grow_slots(v)) {
        return false;
    }
    const uint64_t hash = hash_of(text, length);
    const int64_t k = slot_of(v, hash);
    if (!v->hash[k]) {
        if (v->n >= v->most) {
            v->overflow = true;
            return true;
        }
        if (!keep_value(v, k, text, length, line)) {
            return false;
        }
        v->hash[k] = hash;
    }
    if (v->keeps_text) {
        v->counts[v->value[k]].hash = hash;
        v->counts[v->value[k]].n++;
    }
    return true;
}

static int by_frequency(const void *a, const void *b)
{
    const ney_value_count *x = a, *y = b;
    return x->n != y->n ? (x->n < y->n) - (x->n > y->n) : (x->line > y->line) - (x->line < y->line);
}

void ney_value_counts_sort(ney_value_counts *v)
{
    if (v->counts) {
        qsort(v->counts, (size_t)v->n, sizeof *v->counts, by_frequency);
    }
}

void ney_value_counts_deinit(ney_value_counts *v)
{
    ney_release_all(&v->env, v->hash, v->value, v->counts);
    *v = (ney_value_counts){.env = v->env};
}
