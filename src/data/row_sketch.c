#include "data/row_sketch.h"

#include "data/row_hash.h"

#include <stdlib.h>

enum { BUFFER = 4 * NEY_SKETCH_MOST }; /* entries before they are sorted and the largest dropped */

void ney_row_sketch_init(ney_row_sketch *s, const ney_env *env)
{
    *s = (ney_row_sketch){.env = *env, .cut = NEY_SKETCH_ALL};
}

void ney_row_sketch_deinit(ney_row_sketch *s)
{
    if (s->entry) {
        ney_release(&s->env, s->entry);
        s->entry = NULL;
    }
}

static int by_hash(const void *a, const void *b)
{
    const ney_hash_count *x = a, *y = b;
    return (x->hash > y->hash) - (x->hash < y->hash);
}

/* Sort, join equal hashes and keep the smallest. The cut only ever falls, so every row of a hash
 * below it was counted. */
static void compact(ney_row_sketch *s)
{
    int64_t n = 0;
    if (s->n == 0) {
        return;
    }
    qsort(s->entry, (size_t)s->n, sizeof *s->entry, by_hash);
    for (int64_t i = 1; i < s->n; i++) {
        if (s->entry[i].hash == s->entry[n].hash) {
            s->entry[n].count += s->entry[i].count;
        } else {
            s->entry[++n] = s->entry[i];
        }
    }
    s->n = n + 1;
    if (s->n > NEY_SKETCH_MOST) {
        s->n = NEY_SKETCH_MOST;
        s->cut = s->entry[NEY_SKETCH_MOST].hash;
    }
}

static void add_hash(ney_row_sketch *s, uint64_t hash, int64_t count)
{
    if (hash >= s->cut || s->no_memory) {
        return;
    }
    if (s->n == BUFFER) {
        compact(s);
    }
    if (!ney_grow(&s->env, &s->entry, &s->cap, s->n + 1, sizeof *s->entry)) {
        s->no_memory = true;
        return;
    }
    s->entry[s->n++] = (ney_hash_count){hash, count};
}

void ney_row_sketch_add(ney_row_sketch *s, const ney_matrix *x)
{
    for (int64_t i = 0; i < x->rows; i++) {
        const uint64_t hash = ney_row_hash(x, i);
        s->checksum += hash;
        add_hash(s, hash, 1);
    }
    s->checksum += (uint64_t)x->rows;
    s->rows += x->rows;
}

void ney_row_sketch_merge(ney_row_sketch *s, const ney_row_sketch *other)
{
    s->cut = other->cut < s->cut ? other->cut : s->cut;
    for (int64_t i = 0; i < other->n; i++) {
        add_hash(s, other->entry[i].hash, other->entry[i].count);
    }
    s->rows += other->rows;
}

/* A cut that fell in ney_row_sketch_merge() may leave entries above it. */
ney_status ney_row_sketch_sort(ney_row_sketch *s, ney_error *err)
{
    if (s->no_memory) {
        return ney_no_memory(err, s->n, "hashes of rows");
    }
    compact(s);
    while (s->n > 0 && s->entry[s->n - 1].hash >= s->cut) {
        s->n--;
    }
    return NEY_OK;
}

int64_t ney_row_sketch_count(const ney_row_sketch *s, uint64_t hash)
{
    int64_t low = 0, high = s->n;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (s->entry[middle].hash < hash) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < s->n && s->entry[low].hash == hash ? s->entry[low].count : 0;
}
