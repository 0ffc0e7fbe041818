#include "support/asymmetry_cases.h"

#include "support/cmocka_all.h"
#include "support/temp.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The next word of the text, cut off; NULL at its end. */
static char *next_word(char **at)
{
    char *word = *at + strspn(*at, " \n");
    const size_t length = strcspn(word, " \n");

    if (length == 0) {
        return NULL;
    }
    *at = word + length + (word[length] != '\0');
    word[length] = '\0';
    return word;
}

static double number(char **at)
{
    const char *word = next_word(at);
    char *end;

    assert_non_null(word);
    const double value = strtod(word, &end);
    assert_true(*end == '\0');
    return value;
}

static void numbers(char **at, double *to, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        to[i] = number(at);
    }
}

static void read_case(char **at, asymmetry_case *c)
{
    snprintf(c->name, sizeof c->name, "%s", next_word(at));
    c->loss = strcmp(next_word(at), "square") == 0 ? NEY_LOSS_SQUARE : NEY_LOSS_ERF;
    c->dims = (int64_t)number(at);
    c->p_pos = number(at);
    c->n_pos = (int64_t)number(at);
    c->n_neg = (int64_t)number(at);
    assert_true(c->dims <= CASE_DIMS && c->n_pos + c->n_neg <= CASE_COMPONENTS);
    for (int64_t k = 0; k < c->n_pos + c->n_neg; k++) {
        assert_string_equal(next_word(at), "component");
        c->weight[k] = number(at);
        numbers(at, c->mean[k], c->dims);
        numbers(at, c->cov[k], c->dims * c->dims);
    }
    for (const char *word; (word = next_word(at)) && strcmp(word, "end") != 0;) {
        asymmetry_at *p = &c->at[c->n_at++];
        assert_true(c->n_at <= CASE_POINTS);
        assert_string_equal(word, "at");
        p->gamma = number(at);
        numbers(at, p->w, c->dims);
        p->b = number(at);
        p->log_fpr = number(at);
        p->log_tpr = number(at);
        p->log_slope = number(at);
    }
}

asymmetry_cases asymmetry_cases_read(void)
{
    const char *source = getenv("NEY_SOURCE");
    asymmetry_cases all = {calloc(CASES, sizeof *all.cases), 0};
    char path[1024];
    size_t n;

    assert_non_null(source);
    assert_non_null(all.cases);
    snprintf(path, sizeof path, "%s/tests/reference/asymmetry.txt", source);
    char *text = slurp(path, &n), *at = text;
    assert_non_null(text);
    for (const char *word; (word = next_word(&at));) {
        assert_string_equal(word, "case");
        assert_true(all.n < CASES);
        read_case(&at, &all.cases[all.n++]);
    }
    free(text);
    return all;
}

void asymmetry_cases_free(asymmetry_cases *cases)
{
    free(cases->cases);
}

ney_mixture *asymmetry_mixture(const asymmetry_case *c)
{
    ney_gaussian all[CASE_COMPONENTS];
    ney_mixture *mixture;
    ney_error err = {0};

    for (int64_t k = 0; k < c->n_pos + c->n_neg; k++) {
        all[k] = (ney_gaussian){c->weight[k], c->mean[k], c->cov[k]};
    }
    const ney_mixture_parts parts = {.dims = c->dims,
                                     .p_pos = c->p_pos,
                                     .positive = all,
                                     .n_positive = c->n_pos,
                                     .negative = all + c->n_pos,
                                     .n_negative = c->n_neg};
    if (ney_mixture_new(&mixture, NULL, &parts, &err) != NEY_OK) {
        fail_msg("%s: %s", c->name, err.message);
    }
    return mixture;
}

ney_mixture *two_gaussians(int64_t dims, double p_pos, const double *mean_pos,
                           const double *cov_pos, const double *mean_neg, const double *cov_neg)
{
    const ney_gaussian pos = {1, mean_pos, cov_pos}, neg = {1, mean_neg, cov_neg};
    ney_mixture *mixture;
    ney_error err = {0};

    const ney_mixture_parts parts = {.dims = dims,
                                     .p_pos = p_pos,
                                     .positive = &pos,
                                     .n_positive = 1,
                                     .negative = &neg,
                                     .n_negative = 1};
    if (ney_mixture_new(&mixture, NULL, &parts, &err) != NEY_OK) {
        fail_msg("%s", err.message);
    }
    return mixture;
}
