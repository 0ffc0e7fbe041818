/* The verdict of 'asymmetry' in one sentence. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "asymmetry.h"

/* A sentence that grows. */
typedef struct sentence {
    char *text;
    size_t used;
} sentence;

PRINTF_LIKE(2, 3) static void say(sentence *to, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    const int more = vsnprintf(to->text + to->used, VERDICT_TEXT - to->used, format, args);
    va_end(args);
    to->used += more > 0 ? (size_t)more : 0;
    to->used = to->used < VERDICT_TEXT ? to->used : VERDICT_TEXT - 1;
}

enum { RATIO = 48 };

/* Costs of a false negative to a false positive, the smaller being 1: 0.1 is 1:9. */
static void ratio_text(double share, char text[RATIO])
{
    if (share <= 0.5) {
        snprintf(text, RATIO, "1:%.3g", (1 - share) / share);
    } else {
        snprintf(text, RATIO, "%.3g:1", share / (1 - share));
    }
}

static void say_advice(sentence *to, const training_advice *a, bool from_data)
{
    char test[RATIO], train[RATIO];

    ratio_text(a->answer.beta, test);
    if (a->answer.gamma <= 0 || a->answer.gamma >= 1) {
        say(to,
            "for test costs %s no classifier of this loss%s has a lower cost than always deciding "
            "%s",
            test, from_data ? " that was trained" : "",
            a->answer.gamma <= 0 ? "negative" : "positive");
        return;
    }
    ratio_text(a->answer.gamma, train);
    if (!from_data) {
        say(to, "to be optimal for test costs %s train with %s", test, train);
        return;
    }
    say(to, "for test costs %s training with %s has the lowest measured cost, %.3g", test, train,
        a->answer.cost);
    if (!(a->answer.cost_same - a->answer.cost > 2 * a->gain_error)) { /* NAN: one split */
        say(to, " (%.3g with %s: within two standard errors)", a->answer.cost_same, test);
    } else {
        say(to, " (%.3g with %s)", a->answer.cost_same, test);
    }
}

static void say_ranges(sentence *to, const findings *f)
{
    const double low = f->range[0], high = f->range[2 * f->n_ranges - 1];
    const char *joint = "; ";

    if (low > 0) {
        say(to, "%sbelow gamma = %.2g", joint, low);
        joint = " and ";
    }
    for (int64_t k = 0; k + 1 < f->n_ranges; k++) {
        say(to, "%sbetween %.2g and %.2g", joint, f->range[2 * k + 1], f->range[2 * k + 2]);
        joint = " and ";
    }
    if (high < 1) {
        say(to, "%sabove gamma = %.4g", joint, high);
        joint = " and ";
    }
    if (joint[0] == ' ') {
        say(to, " the classifiers of this loss are optimal for no test costs");
    }
}

void verdict_text(const findings *f, char text[VERDICT_TEXT])
{
    sentence to = {text, 0};

    text[0] = '\0';
    if (f->constant) {
        say(&to, "the class means are equal: this loss gives the same score to every row, whatever "
                 "the training costs");
        return;
    }
    if (f->from_data) {
        say(&to, "on held-out rows, ");
    }
    for (int k = 0; k < f->n_advice; k++) {
        say(&to, "%s", k ? ", and " : "");
        say_advice(&to, &f->advice[k], f->from_data);
    }
    if (f->from_data) { /* estimated rates: no gamma is called useless */
        return;
    }
    if (f->n_ranges == 0) {
        say(&to, "; no gamma gives a classifier that is optimal for any costs");
    } else {
        say_ranges(&to, f);
    }
}
