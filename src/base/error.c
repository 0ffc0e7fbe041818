#include "base/error.h"

#include <stdio.h>
#include <string.h>

const char *ney_version(void)
{
#define NEY_QUOTE(x) #x
#define NEY_DOTTED(a, b, c) NEY_QUOTE(a) "." NEY_QUOTE(b) "." NEY_QUOTE(c)
    return NEY_DOTTED(NEY_VERSION_MAJOR, NEY_VERSION_MINOR, NEY_VERSION_PATCH);
}

const char *ney_status_text(ney_status status)
{
    switch (status) {
#define AS_CASE(name, value, text)                                                                 \
    case name:                                                                                     \
        return text;
        NEY_STATUS_LIST(AS_CASE)
#undef AS_CASE
    }
    return "unknown status";
}

/* The end of a path is kept, not its beginning. */
static void set_file(ney_error *err, const char *file)
{
    const size_t length = strlen(file), capacity = sizeof err->file;
    if (length < capacity) {
        memcpy(err->file, file, length + 1);
    } else {
        memcpy(err->file, "...", 3);
        memcpy(err->file + 3, file + length - (capacity - 4), capacity - 3);
    }
}

ney_status ney_vfail_at(ney_error *err, ney_status code, ney_place place, const char *format,
                        va_list args)
{
    if (err) {
        *err = (ney_error){.code = code, .line = place.line, .column = place.column};
        if (place.file) {
            set_file(err, place.file);
        }
        vsnprintf(err->message, sizeof err->message, format, args);
    }
    return code;
}

ney_status ney_fail(ney_error *err, ney_status code, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    ney_vfail_at(err, code, (ney_place){0}, format, args);
    va_end(args);
    return code;
}

ney_status ney_fail_at(ney_error *err, ney_status code, ney_place place, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    ney_vfail_at(err, code, place, format, args);
    va_end(args);
    return code;
}

ney_status ney_error_in(ney_error *err, ney_status code, const char *file)
{
    if (err && code != NEY_OK && err->file[0] == '\0') {
        set_file(err, file);
    }
    return code;
}

ney_status ney_check_reserved(const void *reserved, size_t bytes, const char *what, ney_error *err)
{
    const unsigned char *const byte = reserved;

    for (size_t k = 0; k < bytes; k++) {
        if (byte[k] != 0) {
            return ney_fail(err, NEY_EINVAL,
                            "a reserved member of %s is not 0, expected 0: initialise the whole "
                            "struct",
                            what);
        }
    }
    return NEY_OK;
}
