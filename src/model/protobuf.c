/* The wire format of protocol buffers: a field is its number and kind, then a whole number in
 * groups of seven bits, lowest first, or a length and that many bytes. */
#include "model/protobuf.h"

#include <string.h>

enum { KIND_INT = 0, KIND_BYTES = 2, LENGTH_BYTES = 5 };

/* With zero groups up to `least` bytes; readers accept them. */
static void put_varint(ney_text *t, uint64_t value, int least)
{
    char byte[10];
    int n = 0;
    do {
        const bool more = value > 127 || n + 1 < least;
        byte[n++] = (char)(unsigned char)((value & 127) | (more ? 128 : 0));
        value >>= 7;
    } while (value > 0 || n < least);
    ney_text_add(t, byte, n);
}

static void put_head(ney_text *t, int field, int kind)
{
    put_varint(t, (uint64_t)(field * 8 + kind), 1);
}

void ney_protobuf_varint(ney_text *t, uint64_t value)
{
    put_varint(t, value, 1);
}

void ney_protobuf_int(ney_text *t, int field, int64_t value)
{
    put_head(t, field, KIND_INT);
    put_varint(t, (uint64_t)value, 1);
}

void ney_protobuf_bytes(ney_text *t, int field, const char *bytes, int64_t length)
{
    put_head(t, field, KIND_BYTES);
    put_varint(t, (uint64_t)length, 1);
    ney_text_add(t, bytes, length);
}

void ney_protobuf_text(ney_text *t, int field, const char *words)
{
    ney_protobuf_bytes(t, field, words, (int64_t)strlen(words));
}

int64_t ney_protobuf_begin(ney_text *t, int field)
{
    put_head(t, field, KIND_BYTES);
    put_varint(t, 0, LENGTH_BYTES); /* until the length is known */
    return t->length;
}

void ney_protobuf_end(ney_text *t, int64_t begin)
{
    if (t->failed) {
        return;
    }
    uint64_t length = (uint64_t)(t->length - begin);
    for (int i = 0; i < LENGTH_BYTES; i++, length >>= 7) {
        const bool more = i + 1 < LENGTH_BYTES;
        t->bytes[begin - LENGTH_BYTES + i] =
            (char)(unsigned char)((length & 127) | (more ? 128 : 0));
    }
}

void ney_protobuf_little(ney_text *t, uint64_t bits, int n_bytes)
{
    char byte[8];
    for (int i = 0; i < n_bytes; i++) {
        byte[i] = (char)(unsigned char)(bits >> (8 * i) & 255);
    }
    ney_text_add(t, byte, n_bytes);
}
