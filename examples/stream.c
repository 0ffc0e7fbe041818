/* Predict lines of text as they arrive, in memory that does not grow with their number.
 *
 *     stream MODEL < LINES
 *
 * LINES are in any text format that the model's training data could have had. */
#include <neyman/neyman.h>

#include <stdio.h>

static void print_results(const ney_predictor *predictor)
{
    const double *score;
    const int8_t *decision;
    const int64_t n = ney_predictor_result(predictor, &score, &decision);

    for (int64_t i = 0; i < n; i++) {
        printf("%d %.17g\n", decision[i], score[i]);
    }
    fflush(stdout);
}

int main(int argc, char **argv)
{
    ney_error err = {0};
    ney_model *model = NULL;
    ney_predictor *predictor = NULL;
    char line[4096];
    ney_status st;

    if (argc != 2) {
        fprintf(stderr, "usage: stream MODEL < LINES\n");
        return 2;
    }
    st = ney_model_read(&model, NULL, argv[1], &err);
    if (st == NEY_OK) {
        st = ney_predictor_new(&predictor, NULL, model, NULL, &err);
    }
    /* Bytes may be cut anywhere; line by line, a row is scored as soon as it is there. */
    while (st == NEY_OK && fgets(line, sizeof line, stdin)) {
        size_t n = 0;
        while (line[n]) {
            n++;
        }
        if ((st = ney_predictor_feed(predictor, line, n, &err)) == NEY_OK) {
            print_results(predictor);
        }
    }
    if (st == NEY_OK && (st = ney_predictor_end(predictor, &err)) == NEY_OK) {
        print_results(predictor);
    }
    if (st != NEY_OK) {
        fprintf(stderr, "line %lld: %s\n", (long long)err.line, err.message);
    }
    ney_predictor_free(predictor);
    ney_model_free(model);
    return st == NEY_OK ? 0 : 1;
}
