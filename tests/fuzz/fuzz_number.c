/* Any text as a number: what ney_number_scan() reads is what strtod() reads, to the bit and to the
 * byte, except for the hexadecimal numbers and "nan(...)" that data files do not have. */
#include "fuzz/fuzz.h"

#include "base/number.h"

static bool same(double a, double b)
{
    return isnan(a) ? isnan(b) : memcmp(&a, &b, sizeof a) == 0;
}

static void check_format(double value)
{
    char text[NEY_NUMBER_SIZE];
    double back;
    int length = ney_number_format(value, text);
    REQUIRE(length > 0 && length < NEY_NUMBER_SIZE && text[length] == '\0');
    REQUIRE(ney_number_parse(text, (size_t)length, &back) && same(back, value));
    const float narrow = fabs(value) <= 3.4e38 || !isfinite(value) ? (float)value : 0;
    length = ney_number_format_float(narrow, text);
    REQUIRE(ney_number_parse(text, (size_t)length, &back) &&
            same((double)(float)back, (double)narrow));
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    char text[1024 + NEY_NUMBER_PAD];
    char *theirs_end;
    double ours = 0, theirs, parsed;

    if (len >= 1024) {
        return 0;
    }
    memset(text, 0, sizeof text);
    memcpy(text, bytes, len);
    const char *digits = text + strspn(text, "+-");
    const bool hexadecimal = digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X');
    const char *ours_end = ney_number_scan(text, &ours);
    REQUIRE(!ours_end || (ours_end > text && ours_end <= text + strlen(text)));
    if (strchr(" \t\n\v\f\r", text[0]) || hexadecimal) {
        return 0; /* strtod skips spaces and reads hexadecimal; neither is ours */
    }
    theirs = strtod(text, &theirs_end);
    REQUIRE((ours_end != NULL) == (theirs_end != text));
    if (!ours_end) {
        return 0;
    }
    REQUIRE(same(ours, theirs));
    REQUIRE(isnan(ours) || ours_end == theirs_end);
    const size_t length = (size_t)(ours_end - text);
    if (length < 512) {
        REQUIRE(ney_number_parse(text, length, &parsed) && same(parsed, ours));
    }
    check_format(ours);
    return 0;
}
