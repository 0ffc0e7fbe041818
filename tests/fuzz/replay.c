/* A main() for fuzz targets where libFuzzer is not: hands the target each file named on the command
 * line. The target aborts on what it finds wrong. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);

static int replay(const char *path)
{
    FILE *f = fopen(path, "rb");
    uint8_t *bytes = NULL;
    size_t len = 0, room = 0, got;

    if (!f) {
        perror(path);
        return 1;
    }
    do {
        if (len == room) {
            room = room ? 2 * room : 4096;
            uint8_t *more = realloc(bytes, room);
            if (!more) {
                free(bytes);
                fclose(f);
                return 1;
            }
            bytes = more;
        }
        got = fread(bytes + len, 1, room - len, f);
        len += got;
    } while (got > 0);
    fclose(f);

    /* An exact copy, so that a tool watching memory sees a read past the end. */
    uint8_t *exact = malloc(len ? len : 1);
    for (size_t i = 0; exact && i < len; i++) {
        exact[i] = bytes[i];
    }
    free(bytes);
    if (!exact) {
        return 1;
    }
    LLVMFuzzerTestOneInput(exact, len);
    free(exact);
    return 0;
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        printf("%s\n", argv[i]);
        fflush(stdout); /* the name of the input that aborts must not be lost */
        if (replay(argv[i]) != 0) {
            return 1;
        }
    }
    printf("%d inputs\n", argc - 1);
    return argc > 1 ? 0 : 1;
}
