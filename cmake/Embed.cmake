# cmake -DIN=FILE -DOUT=FILE.c -DNAME=NAME -P Embed.cmake: the bytes of a file as a C array.
file(READ "${IN}" hex HEX)
file(SIZE "${IN}" size)
string(REGEX REPLACE "(................................................................)" "\\1\n" hex "${hex}")
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," hex "${hex}")
file(WRITE "${OUT}" "/* Made from ${NAME} by the build. */
#include \"report_page.h\"

const unsigned char report_page[] = {
${hex}};
const size_t report_page_bytes = ${size};
")
