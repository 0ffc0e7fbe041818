/* One array in NumPy's format (.npy): a header that describes it, then its values. */
#ifndef NEY_DATA_NPY_H
#define NEY_DATA_NPY_H

#include "base/env.h"

typedef enum ney_npy_kind {
    NEY_NPY_FLOAT,
    NEY_NPY_INT,
    NEY_NPY_UINT,
    NEY_NPY_BOOL,
    NEY_NPY_UNICODE, /* 4 bytes per character */
    NEY_NPY_BYTES
} ney_npy_kind;

/* Points into the bytes that it was parsed from. */
typedef struct ney_npy {
    ney_npy_kind kind;
    int64_t item;     /* bytes of a value */
    bool reversed;    /* the bytes of a number are not in the order of this machine */
    bool fortran;     /* column after column */
    int dims;         /* 0, 1 or 2 */
    int64_t shape[2]; /* 1 beyond dims */
    int64_t n;        /* values */
    const unsigned char *values;
} ney_npy;

#define NEY_NPY_MAGIC "\x93NUMPY"
enum { NEY_NPY_MAGIC_BYTES = 6 };

/* `where` is the file, and `array` the name in an archive or NULL.
 * @retval NEY_EFORMAT  not an array, or one of a kind that is not read: the message has the byte,
 * what was found and what was expected. */
ney_status ney_npy_parse(ney_npy *a, const char *file, const char *array, const void *bytes,
                         int64_t n_bytes, ney_error *err);

/* The header alone, of the first n_bytes of an array: *header is its length, and *wanted that of
 * the values which follow. */
ney_status ney_npy_parse_header(ney_npy *a, const char *file, const char *array, const void *bytes,
                                int64_t n_bytes, int64_t *header, int64_t *wanted, ney_error *err);

/* The error of an array with another number of bytes after its header. */
ney_status ney_npy_fail_length(const char *file, const char *array, int64_t header, int64_t found,
                               int64_t wanted, ney_error *err);

/* How long the header is by its first 12 bytes; beyond 2^20 it is damaged. */
int64_t ney_npy_header_bytes(const void *bytes);
enum { NEY_NPY_FIRST_BYTES = 12 };

/* Bytes of the header of an array of `size` bytes by its first ones, NEY_NPY_FIRST_BYTES or all:
 * a header that is longer than the array is damaged, which parsing reports. */
int64_t ney_npy_header_within(const void *first, int64_t size);

/* That header, and whether the values are as many bytes as it says. */
ney_status ney_npy_check_header(ney_npy *a, const char *file, const char *array, const void *bytes,
                                int64_t n_bytes, int64_t size, ney_error *err);

static inline bool ney_npy_is_number(const ney_npy *a)
{
    return a->kind <= NEY_NPY_BOOL;
}

static inline bool ney_npy_is_whole(const ney_npy *a)
{
    return a->kind >= NEY_NPY_INT && a->kind <= NEY_NPY_BOOL;
}

/* Value k in the order of storage, as a number; NAN of texts. */
double ney_npy_number(const ney_npy *a, int64_t k);

/* The same of whole numbers; INT64_MIN of others and of numbers beyond the range. */
int64_t ney_npy_integer(const ney_npy *a, int64_t k);

/* The position in storage of row r, column c. */
static inline int64_t ney_npy_place(const ney_npy *a, int64_t r, int64_t c)
{
    return a->fortran ? r + c * a->shape[0] : r * a->shape[1] + c;
}

/* Value k as text: a number in its shortest form, or the text in UTF-8, cut to fit. Returns the
 * length. */
enum { NEY_NPY_TEXT = 256 };
int ney_npy_text(const ney_npy *a, int64_t k, char out[NEY_NPY_TEXT]);

#endif
