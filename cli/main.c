/* neyman: the program. */
#include "program.h"

#include <stddef.h>

int main(int argc, char **argv)
{
    return program_run(argc, argv, NULL);
}
