/* Score rows with an exported model, without the library:
 *
 *     neyman export MODEL --format c -o model.c --header model.h
 *     cc -O2 -ffp-contract=off -o exported exported.c model.c -lm
 *     exported < NUMBERS
 *
 * NUMBERS are the cells of the rows, model_INPUTS of them per row. */
#include "model.h"

#include <stdio.h>

int main(void)
{
    double x[model_INPUTS];
    int n = 0;

    while (scanf("%lf", &x[n]) == 1) {
        if (++n == model_INPUTS) {
            printf("%s %.17g\n", model_label(model_predict(x)), model_score(x));
            fflush(stdout);
            n = 0;
        }
    }
    return n == 0 ? 0 : 1;
}
