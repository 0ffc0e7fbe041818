#include "data/sequences.h"

#include <string.h>
#include <xxhash.h>

ney_span ney_peptide_core(ney_span text)
{
    const bool flanked = text.length > 4 && text.at[1] == '.' && text.at[text.length - 2] == '.';
    return flanked ? (ney_span){text.at + 2, text.length - 4} : text;
}

/* Where the residue that begins at `from` ends. */
static int64_t residue_end(ney_span core, int64_t from)
{
    int depth = 0;
    int64_t i = from;
    bool begun = false; /* its letter was passed: what stands before the first one belongs to it */
    for (; i < core.length; i++) {
        const char c = core.at[i];
        const bool letter = depth == 0 && c >= 'A' && c <= 'Z';
        if (letter && begun) {
            break;
        }
        begun = begun || letter;
        depth += memchr("[({", c, 3) != NULL;
        depth -= depth > 0 && memchr("])}", c, 3) != NULL;
    }
    return i;
}

enum { MOST_RESIDUES = 256 }; /* of a longer peptide the rest is one residue */

static uint64_t mix(uint64_t a, uint64_t b)
{
    return XXH3_64bits_withSeed(NULL, 0, a ^ (b << 32 | b >> 32));
}

/* Hashes of the residues; returns their number. */
static int hash_residues(ney_span core, uint64_t residue[MOST_RESIDUES])
{
    int n = 0;
    for (int64_t i = 0; i < core.length;) {
        const int64_t end = n < MOST_RESIDUES - 1 ? residue_end(core, i) : core.length;
        residue[n++] = XXH3_64bits(core.at + i, (size_t)(end - i));
        i = end;
    }
    return n;
}

ney_peptide_key ney_peptide_key_of(ney_span core)
{
    uint64_t residue[MOST_RESIDUES], inner = 0, forward = 0, backward = 0;
    const int n = hash_residues(core, residue);
    const uint64_t last = n > 0 ? residue[n - 1] : 0;
    for (int k = 0; k < n - 1; k++) {
        inner += k > 0 ? residue[k] : 0;
        forward = mix(forward, residue[k]);
        backward = mix(backward, residue[n - 2 - k]);
    }
    return (ney_peptide_key){.sequence = XXH3_64bits(core.at, (size_t)core.length),
                             .shuffled = mix(mix(inner, n > 1 ? residue[0] : 0), last),
                             .reversed = mix(forward + backward, last)};
}

static bool is_separator(char c)
{
    return c == '\t' || c == ';';
}

/* "P02769(767)" without "(767)". */
static int64_t without_position(const char *name, int64_t length)
{
    int64_t i = length - 1;
    if (length < 3 || name[i] != ')') {
        return length;
    }
    while (i > 0 && name[i - 1] >= '0' && name[i - 1] <= '9') {
        i--;
    }
    return i > 1 && i < length - 1 && name[i - 1] == '(' ? i - 1 : length;
}

bool ney_protein_next(ney_span *list, ney_span *name)
{
    while (list->length > 0 && is_separator(*list->at)) {
        list->at++;
        list->length--;
    }
    int64_t end = 0;
    while (end < list->length && !is_separator(list->at[end])) {
        end++;
    }
    *name = (ney_span){list->at, without_position(list->at, end)};
    list->at += end;
    list->length -= end;
    return end > 0;
}

bool ney_protein_begins(ney_span name, const char *prefix)
{
    const size_t n = strlen(prefix);
    return (size_t)name.length >= n && memcmp(name.at, prefix, n) == 0;
}

ney_span ney_protein_base(ney_span name, const char *prefix)
{
    const int64_t n = (int64_t)strlen(prefix);
    while (n > 0 && name.length > n && ney_protein_begins(name, prefix)) {
        name.at += n;
        name.length -= n;
    }
    return name;
}
