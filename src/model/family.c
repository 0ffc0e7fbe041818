#include "model/family.h"

#include <string.h>

static const ney_family *const families[] = {
    &ney_family_linear,
    &ney_family_kernel,
    &ney_family_features,
    &ney_family_network,
};

const ney_family *ney_family_find(const char *name)
{
    for (size_t i = 0; i < sizeof families / sizeof *families; i++) {
        if (strcmp(families[i]->name, name) == 0) {
            return families[i];
        }
    }
    return NULL;
}
