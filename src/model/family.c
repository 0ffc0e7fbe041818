#include "model/family.h"

#include <string.h>

/* What a kernel is part of comes before it: a bounded FDR trains an SVM before a network. */
static const ney_family *const families[] = {
    &ney_family_trees,  &ney_family_network, &ney_family_features,
    &ney_family_kernel, &ney_family_linear,
};

const ney_family *ney_family_at(int64_t k)
{
    return k >= 0 && k < (int64_t)(sizeof families / sizeof *families) ? families[k] : NULL;
}

const ney_family *ney_family_find(const char *name)
{
    for (int64_t k = 0; ney_family_at(k); k++) {
        if (strcmp(families[k]->name, name) == 0) {
            return families[k];
        }
    }
    return NULL;
}
