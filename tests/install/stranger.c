/* A stranger's program: knows nothing of the tree, includes the installed header, links the
 * installed library, and prints the version of each. */
#include <neyman/neyman.h>

#include <stdio.h>
#include <string.h>

int main(void)
{
    char header[32];
    ney_env env = ney_env_default();
    double low, high;

    snprintf(header, sizeof header, "%d.%d.%d", NEY_VERSION_MAJOR, NEY_VERSION_MINOR,
             NEY_VERSION_PATCH);
    printf("header %s, library %s\n", header, ney_version());
    ney_interval(5, 100, 0.95, &low, &high);
    return strcmp(header, ney_version()) == 0 && env.resize && low < 0.05 && 0.05 < high ? 0 : 1;
}
