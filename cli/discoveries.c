#include "discoveries.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "file_memory.h"

static ney_status no_memory(session *s)
{
    return out_of_memory(&s->err, "the q-values");
}

/* Weights of Percolator are mostly of the rows that it reports. */
static bool is_of_unknown_rows(const ney_model *model)
{
    const char *key, *text;
    double value;
    bool unknown = false;

    for (int64_t k = 0;
         model && ney_model_metadata(model, NEY_METADATA_SUMMARY, k, &key, &value, &text); k++) {
        unknown =
            unknown || (text && strcmp(key, "source") == 0 && strcmp(text, "percolator") == 0);
    }
    return unknown;
}

/* ------------------------------------------------------------------ keys of rows */

static ney_status spectra_of(session *s, const discovery_rows *in, const char *columns,
                             uint64_t **key)
{
    bool known = false;
    ney_status st = NEY_OK;

    *key = NULL;
    if (!in->data) {
        return NEY_OK;
    }
    if (!(*key = memory_new((size_t)in->n + 1, sizeof **key))) {
        return no_memory(s);
    }
    st = ney_data_spectra(in->data, columns, *key, &known, &s->err);
    if (!known) {
        memory_free(*key);
        *key = NULL;
    }
    return st;
}

static ney_status values_of(session *s, const discovery_rows *in, const char *column,
                            uint64_t **key)
{
    int64_t used;

    *key = NULL;
    if (!column) {
        return NEY_OK;
    }
    if (!(*key = memory_new((size_t)in->n + 1, sizeof **key))) {
        return no_memory(s);
    }
    return ney_data_keys(in->data, column, *key, &used, &s->err);
}

static int by_value(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

/* Whether two winners are spectra of one peptide. */
static ney_status find_repeated_peptide(session *s, const discovery_rows *in, const bool *best,
                                        bool *found)
{
    int64_t used = 0, n = 0;
    uint64_t *const key = in->data ? memory_new((size_t)in->n + 1, sizeof *key) : NULL;
    ney_status st = NEY_OK;

    *found = false;
    if (in->data && !key) {
        return no_memory(s);
    }
    if (key && (st = ney_data_keys(in->data, "Peptide?", key, &used, &s->err)) == NEY_OK &&
        used > 0) {
        for (int64_t i = 0; i < in->n; i++) {
            key[n] = key[i];
            n += best[i];
        }
        qsort(key, (size_t)n, sizeof *key, by_value);
        for (int64_t i = 1; i < n; i++) {
            *found = *found || key[i] == key[i - 1];
        }
    }
    memory_free(key);
    return st;
}

/* ------------------------------------------------------------------ what covers the estimate */

/* Why the theorem does not cover the estimate; NULL where it does. */
static const char *find_objection(const discoveries *d, const discovery_rows *in, bool has_spectra,
                                  bool is_split, bool repeated_peptide)
{
    const ney_competition *c = &d->competition;
    const bool single_rows = c->n_groups == in->n;

    return c->estimate.no_plus_one
               ? "without the added decoy the realised rate can be several times the q-value"
           : c->estimate.kind == NEY_FDR_DECOYS_PER_ALL ? "the theorem is about decoys over targets"
           : in->in_sample                              ? "the model was trained on these rows"
           : in->out_of_fold > 0
               ? "the score function was chosen by its discoveries among these rows"
           : is_of_unknown_rows(in->model)
               ? "a weights file does not say which rows it was learned from"
           : is_split ? "the theorem covers the rows of each value, not all of them together"
           : has_spectra && !d->competed ? "rows of one spectrum depend on each other"
           : c->basis == NEY_BASIS_BALANCED
               ? "that decoys win as often as false targets is inferred from low scores, not known"
           : c->basis == NEY_BASIS_UNBALANCED
               ? "decoys are fewer than 40 % of the low-scoring winners, so that the lists are "
                 "taken as unequal in size"
           : c->basis == NEY_BASIS_STATED && d->competed && !single_rows
               ? "some spectra have unequal numbers of targets and decoys"
           : repeated_peptide ? "several spectra of one peptide depend on each other"
                              : NULL;
}

static ney_status judge_estimate(session *s, discoveries *d, const discovery_rows *in,
                                 bool has_spectra, bool is_split)
{
    bool repeated;
    const ney_status st = find_repeated_peptide(s, in, d->best, &repeated);
    const char *const objection = find_objection(d, in, has_spectra, is_split, repeated);

    d->is_covered = st == NEY_OK && !objection;
    snprintf(d->reason, sizeof d->reason, "%s",
             objection ? objection
             : d->competition.estimate.compete
                 ? "the expected rate is at most the q-value if the score function was made "
                   "without these rows, pairs are independent, and a false target and its decoy "
                   "are equally likely to win"
                 : "the expected rate is at most the q-value if the score function was made "
                   "without these rows, rows are independent, and decoys score as false targets "
                   "do");
    return st;
}

ney_status discoveries_init(discoveries *d, session *s, const discovery_rows *in,
                            const ney_qvalue_opts *opts, const char *spectrum, const char *by)
{
    uint64_t *unit = NULL, *value = NULL;
    const size_t n = (size_t)in->n + 1;
    ney_status st = NEY_OK;

    *d =
        (discoveries){.q = memory_new(2 * n, sizeof *d->q), .best = memory_new(n, sizeof *d->best)};
    if (!d->q || !d->best) {
        return no_memory(s);
    }
    d->pep = d->q + n;
    if ((st = spectra_of(s, in, spectrum, &unit)) == NEY_OK &&
        (st = values_of(s, in, by, &value)) == NEY_OK) {
        const ney_labelled_scores rows = {
            .score = in->score, .label = in->label, .group = unit, .within = value, .n = in->n};
        st = ney_qvalues_competed(&s->env, &rows, opts, d->q, d->pep, d->best, &d->competition,
                                  &s->err);
    }
    if (st == NEY_OK) {
        d->competed = unit && !d->competition.estimate.no_compete;
        st = judge_estimate(s, d, in, unit != NULL, by != NULL);
    }
    memory_free(value);
    memory_free(unit);
    return st;
}

void discoveries_deinit(discoveries *d)
{
    memory_free(d->q);
    memory_free(d->best);
    *d = (discoveries){0};
}

/* ------------------------------------------------------------------ reporting */

static const char *basis_sentence(ney_fdr_basis basis)
{
    switch (basis) {
    case NEY_BASIS_PAIRS:
        return "every spectrum has as many decoys as targets";
    case NEY_BASIS_STATED:
        return "--compete states that one decoy competed with each target";
    case NEY_BASIS_BALANCED:
        return "decoys are about half of the low-scoring winners";
    case NEY_BASIS_UNBALANCED:
        return "decoys are fewer than 40 % of the low-scoring winners (--compete states that one "
               "decoy competed with each target)";
    case NEY_BASIS_ROWS:
        break;
    }
    return "no rows compete";
}

void discoveries_say(session *s, const discoveries *d)
{
    const ney_competition *c = &d->competition;

    if (d->competed) {
        session_say(s, NEY_LOG_INFO,
                    "%lld best matches of a spectrum: %lld targets and %lld decoys",
                    (long long)(c->n_pos + c->n_neg), (long long)c->n_pos, (long long)c->n_neg);
    }
    session_say(s, NEY_LOG_INFO, "q-values by %s: %s. %s: %s", ney_qvalue_formula(&c->estimate),
                basis_sentence(c->basis), d->is_covered ? "Theorem" : "Estimate", d->reason);
}

void discoveries_add(ney_result *root, const discoveries *d)
{
    const ney_competition *c = &d->competition;

    ney_result_add_text(root, "estimate",
                        c->estimate.kind == NEY_FDR_DECOYS_PER_ALL ? "decoys/all"
                                                                   : "decoys/targets");
    ney_result_add_text(root, "fdr_estimate", ney_qvalue_formula(&c->estimate));
    ney_result_add_text(root, "fdr_control", d->is_covered ? "theorem" : "estimate");
    ney_result_add_text(root, "fdr_reason", d->reason);
    ney_result_add_text(root, "competition", ney_fdr_basis_text(c->basis));
    if (d->competed) {
        ney_result_add_int(root, "best_matches", c->n_pos + c->n_neg);
        ney_result_add_int(root, "best_targets", c->n_pos);
        ney_result_add_int(root, "best_decoys", c->n_neg);
    }
    ney_result_add_bool(root, "size_correct", !c->estimate.compete);
    ney_result_add_bool(root, "plus_one", !c->estimate.no_plus_one);
}
