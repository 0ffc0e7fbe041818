/* A threshold with a guarantee for the scores of any classifier.
 *
 *     certify_scores MAX_FPR CONFIDENCE < SCORES
 *
 * SCORES are those of negatives that the classifier was not trained on. Calling positive what
 * scores above the threshold keeps the false-positive rate on new data below MAX_FPR, with that
 * confidence. Exit code 4: there are too few, and the message says how many are needed. */
#include <neyman/neyman.h>

#include <stdio.h>
#include <stdlib.h>

enum { MOST = 100000 };

int main(int argc, char **argv)
{
    static double score[MOST];
    ney_error err = {0};
    ney_certificate certificate;
    char text[NEY_GUARANTEE_TEXT];
    int64_t n = 0;

    if (argc != 3) {
        fprintf(stderr, "usage: certify_scores MAX_FPR CONFIDENCE < SCORES\n");
        return 2;
    }
    while (n < MOST && scanf("%lf", &score[n]) == 1) {
        n++;
    }
    const double max_fpr = atof(argv[1]), confidence = atof(argv[2]);
    const ney_status st = ney_certify(&certificate, NULL, NEY_FALSE_POSITIVES, score, n, max_fpr,
                                      ney_delta_of_confidence(confidence), &err);
    if (st != NEY_OK) {
        fprintf(stderr, "%s\n", err.message);
        return st == NEY_EGOAL ? 4 : 1;
    }
    const ney_guarantee guarantee = {
        .fpr = &certificate, .confidence = confidence, .evidence = "calibration"};
    ney_guarantee_text(text, &guarantee);
    printf("threshold %.17g\n%s\n", certificate.threshold, text);
    return 0;
}
