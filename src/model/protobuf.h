/* Protocol buffers, written: enough of the wire format for ONNX files. */
#ifndef NEY_MODEL_PROTOBUF_H
#define NEY_MODEL_PROTOBUF_H

#include "base/text.h"

/* A field with a whole number, not negative. */
void ney_protobuf_int(ney_text *t, int field, int64_t value);

/* A whole number of a packed field. */
void ney_protobuf_varint(ney_text *t, uint64_t value);

/* A field with bytes, or with a text up to its NUL. */
void ney_protobuf_bytes(ney_text *t, int field, const char *bytes, int64_t length);
void ney_protobuf_text(ney_text *t, int field, const char *words);

/* Everything that is added between the two calls is a message in the field; `begin` is what the
 * first returned. A message has less than 2^35 bytes. */
int64_t ney_protobuf_begin(ney_text *t, int field);
void ney_protobuf_end(ney_text *t, int64_t begin);

/* The low `n_bytes` bytes of a number, lowest first. */
void ney_protobuf_little(ney_text *t, uint64_t bits, int n_bytes);

#endif
