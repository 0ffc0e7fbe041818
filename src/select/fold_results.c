#include "select/fold_results.h"

#include "base/number.h"
#include "base/text.h"
#include "data/hash.h"
#include "learn/method.h"
#include "model/model.h"
#include "select/folds.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char header[] =
    "method\tkernel\tC\tgamma\teta\tcost_fn\tcost_fp\tdegree\tcoef0\tdepth\tlearning_rate\tmin_"
    "child\tat_k\tfold\trows\tloss\tfpr\tfnr\t"
    "threshold\tauc\tsupport_vectors\titerations\tconverged\tseconds\t"
    "key\n";

enum { N_NUMBERS = 22 }; /* between the kernel and the key */

/* ---- the key */

/* As text: a NaN has many bits. */
static void hash_number(XXH3_state_t *h, double value)
{
    char text[NEY_NUMBER_SIZE];
    XXH3_64bits_update(h, text, (size_t)ney_number_format(value, text) + 1);
}

ney_status ney_fold_results_key(uint64_t *key, const ney_data *data, const ney_data *valid,
                                const ney_fold_groups *groups, const ney_train_opts *o,
                                const ney_rule *rule, int folds, ney_error *err)
{
    const double options[] = {
        o->max_fpr, o->max_fnr, (double)o->kernel, o->tol, (double)o->max_iter, (double)o->seed,
        (double)o->start, (double)rule->criterion, rule->rate, (double)rule->n_rows, rule->delta,
        rule->band.low, rule->band.high, rule->band.costs.fn, rule->band.costs.fp,
        rule->band.costs.reject_fn, rule->band.costs.reject_fp, folds, valid != NULL,
        2 /* folds scaled by their own rows */,
        /* of the online method */
        (double)o->loss, (double)o->epochs, (double)o->network[0], (double)o->network[1],
        (double)o->activation, (double)o->batch, (double)o->features, o->validation,
        /* of trees */
        (double)o->trees, o->subsample,
        /* of a bounded FDR */
        (double)o->qvalue.kind, o->qvalue.no_plus_one, o->qvalue.compete, o->qvalue.no_compete};
    XXH3_state_t *const h = XXH3_createState();
    if (!h) {
        return ney_no_memory(err, 1, "hash state");
    }
    XXH3_64bits_reset(h);
    for (size_t k = 0; k < sizeof options / sizeof *options; k++) {
        hash_number(h, options[k]);
    }
    if (!isnan(ney_request_of(o).goal_option)) {
        hash_number(h, ney_request_of(o).goal_option);
    }
    if (o->max_fdr) {
        XXH3_64bits_update(h, o->max_fdr, strlen(o->max_fdr) + 1);
    }
    if (groups) {
        XXH3_64bits_update(h, groups->columns, strlen(groups->columns) + 1);
    }
    if (groups && groups->peptide) {
        XXH3_64bits_update(h, groups->peptide, strlen(groups->peptide) + 1);
    }
    ney_hash_rows(h, ney_data_matrix(data), ney_data_label(data), ney_data_weight(data));
    if (ney_data_group_column(data)) { /* folds keep their rows together */
        const char *const column = ney_data_group_column(data);
        XXH3_64bits_update(h, column, strlen(column) + 1);
        XXH3_64bits_update(h, data->notes, (size_t)data->n_notes);
    }
    if (valid) {
        ney_hash_rows(h, ney_data_matrix(valid), ney_data_label(valid), ney_data_weight(valid));
    }
    *key = XXH3_64bits_digest(h);
    XXH3_freeState(h);
    return NEY_OK;
}

/* ---- lines */

static void key_text(uint64_t key, char out[17])
{
    snprintf(out, 17, "%016llx", (unsigned long long)key);
}

static void numbers_of_result(const ney_fold_result *r, double number[N_NUMBERS])
{
    const ney_criterion_value *const j = &r->found;
    const double all[N_NUMBERS] = {r->C,
                                   r->gamma,
                                   r->eta,
                                   r->cost_fn,
                                   r->cost_fp,
                                   r->degree,
                                   r->coef0,
                                   r->depth,
                                   r->learning_rate,
                                   r->min_child,
                                   r->at_k,
                                   r->fold + 1,
                                   (double)r->rows,
                                   j->loss,
                                   j->fpr,
                                   j->fnr,
                                   j->threshold,
                                   j->auc,
                                   (double)r->support_vectors,
                                   (double)r->iterations,
                                   r->converged,
                                   r->seconds};
    memcpy(number, all, sizeof all);
}

static void result_of_numbers(ney_fold_result *r, const double number[N_NUMBERS])
{
    *r = (ney_fold_result){.C = number[0],
                           .gamma = number[1],
                           .eta = number[2],
                           .cost_fn = number[3],
                           .cost_fp = number[4],
                           .degree = number[5],
                           .coef0 = number[6],
                           .depth = number[7],
                           .learning_rate = number[8],
                           .min_child = number[9],
                           .at_k = number[10],
                           .fold = (int)number[11] - 1,
                           .rows = (int64_t)number[12],
                           .found = {.loss = number[13],
                                     .fpr = number[14],
                                     .fnr = number[15],
                                     .threshold = number[16],
                                     .auc = number[17]},
                           .support_vectors = (int64_t)number[18],
                           .iterations = (int64_t)number[19],
                           .converged = number[20] != 0,
                           .seconds = number[21]};
}

static const char *method_name(int method)
{
    const ney_method_row *const row = ney_method_at(method);
    return row ? row->name : NULL;
}

static const char *kernel_name(int kind)
{
    return kind <= (int)NEY_KERNEL_SIGMOID ? ney_kernel_text((ney_kernel_kind)kind) : NULL;
}

/* A field that is one of the names. Returns the byte after it and its tab; NULL for an unknown
 * name. */
static const char *parse_name(const char *at, const char *end, const char *(*name)(int k), int *k)
{
    const char *const tab = memchr(at, '\t', (size_t)(end - at));
    for (*k = 0; tab && name(*k); ++*k) {
        const size_t length = strlen(name(*k));
        if ((size_t)(tab - at) == length && memcmp(at, name(*k), length) == 0) {
            return tab + 1;
        }
    }
    return NULL;
}

static bool is_share(double x)
{
    return isnan(x) || (x >= 0 && x <= 1);
}

/* -1 stands for a count that the method does not have. */
static bool is_count(double x, double low, double high)
{
    return x >= low && x <= high && x == floor(x);
}

/* Whether the numbers of a line are such as a search writes: options are finite, counts are whole,
 * rates are shares or unknown. */
static bool numbers_fit(const double number[N_NUMBERS])
{
    for (int k = 0; k < 11; k++) { /* those of the options */
        if (!isfinite(number[k]) && !isnan(number[k])) {
            return false;
        }
    }
    return is_count(number[11], 1, NEY_MOST_FOLDS) && is_count(number[12], 1, 0x1p53) &&
           !isinf(number[13]) && is_share(number[14]) && is_share(number[15]) &&
           is_share(number[17]) && is_count(number[18], -1, 0x1p53) &&
           is_count(number[19], -1, 0x1p53) && is_count(number[20], 0, 1) && number[21] >= 0 &&
           isfinite(number[21]);
}

/* One line; false when it is not of this search, or none of ours. */
static bool parse_line(const char *at, const char *end, uint64_t key, ney_fold_result *r)
{
    double number[N_NUMBERS];
    char own[17];
    int method, kernel;
    if (!(at = parse_name(at, end, method_name, &method)) ||
        !(at = parse_name(at, end, kernel_name, &kernel))) {
        return false;
    }
    for (int k = 0; k < N_NUMBERS; k++) {
        const char *const tab = memchr(at, '\t', (size_t)(end - at));
        if (!tab || !ney_number_parse(at, (size_t)(tab - at), &number[k])) {
            return false;
        }
        at = tab + 1;
    }
    key_text(key, own);
    if (end - at != 16 || memcmp(at, own, 16) != 0 || !numbers_fit(number)) {
        return false;
    }
    result_of_numbers(r, number);
    r->method = method;
    r->kernel = (ney_kernel_kind)kernel;
    return true;
}

/* Whether the file is of this search: all its lines are. */
static ney_status parse_results(ney_fold_results *r, bool *same, ney_error *err)
{
    const char *at = r->journal.text + strlen(header), *end = r->journal.text + r->journal.length;
    *same = true;
    while (at < end && *same) {
        const char *const stop = memchr(at, '\n', (size_t)(end - at));
        if (!ney_grow(&r->journal.env, &r->old, &r->cap, r->n_old + 1, sizeof *r->old)) {
            return ney_no_memory(err, r->n_old, "results");
        }
        *same = parse_line(at, stop, r->key, &r->old[r->n_old]);
        r->n_old += *same;
        at = stop + 1;
    }
    return NEY_OK;
}

ney_status ney_fold_results_open(ney_fold_results *r, const ney_env *env, const char *path,
                                 uint64_t key, bool fresh, ney_error *err)
{
    *r = (ney_fold_results){.key = key, .journal = {.fd = -1}};
    if (!path) {
        return NEY_OK;
    }
    ney_journal *const j = &r->journal;
    bool same = false;
    ney_status st = ney_journal_open(j, env, path, header, err);
    if (st != NEY_OK) {
        return st;
    }
    const bool ours = j->length > 0;
    if (ours && !fresh && (st = parse_results(r, &same, err)) != NEY_OK) {
        return st;
    }
    if (same) {
        return NEY_OK;
    }
    if (ours && !fresh) {
        ney_log(env, NEY_LOG_INFO, "the results in %s are of other data or options: starting over",
                path);
    }
    r->n_old = 0;
    st = ney_journal_clear(j, err);
    return st == NEY_OK ? ney_journal_add(j, header, (int64_t)strlen(header), err) : st;
}

void ney_fold_results_close(ney_fold_results *r)
{
    if (r->old) {
        ney_release(&r->journal.env, r->old);
    }
    ney_journal_close(&r->journal);
    *r = (ney_fold_results){.journal = {.fd = -1}};
}

static bool is_like(const ney_fold_result *a, const ney_fold_result *b)
{
    return a->C == b->C && a->gamma == b->gamma && a->eta == b->eta && a->cost_fn == b->cost_fn &&
           a->cost_fp == b->cost_fp && a->degree == b->degree && a->coef0 == b->coef0 &&
           a->depth == b->depth && a->learning_rate == b->learning_rate &&
           a->min_child == b->min_child && a->at_k == b->at_k && a->fold == b->fold &&
           a->rows == b->rows && a->method == b->method && a->kernel == b->kernel;
}

const ney_fold_result *ney_fold_results_find(const ney_fold_results *r, const ney_fold_result *like)
{
    for (int64_t k = 0; k < r->n_old; k++) {
        if (is_like(&r->old[k], like)) {
            return &r->old[k];
        }
    }
    return NULL;
}

ney_status ney_fold_results_add(ney_fold_results *r, const ney_fold_result *result, ney_error *err)
{
    double number[N_NUMBERS];
    char key[17];
    ney_text line;
    if (!r->journal.path) {
        return NEY_OK;
    }
    ney_text_init(&line, &r->journal.env);
    numbers_of_result(result, number);
    ney_text_put(&line, ney_method_at(result->method)->name);
    ney_text_put(&line, "\t");
    ney_text_put(&line, ney_kernel_text(result->kernel));
    ney_text_put(&line, "\t");
    for (int k = 0; k < N_NUMBERS; k++) {
        ney_text_number(&line, number[k]);
        ney_text_put(&line, "\t");
    }
    key_text(r->key, key);
    ney_text_put(&line, key);
    ney_text_put(&line, "\n");
    const ney_status st = line.failed ? ney_no_memory(err, line.length, "bytes of a line")
                                      : ney_journal_add(&r->journal, line.bytes, line.length, err);
    ney_text_deinit(&line);
    return st;
}

ney_fold_result ney_fold_result_of(const ney_train_opts *o, int fold, int64_t rows)
{
    return (ney_fold_result){.method = (int)o->method,
                             .kernel = o->kernel,
                             .C = o->C,
                             .gamma = o->gamma,
                             .eta = o->eta,
                             .cost_fn = o->cost_fn,
                             .cost_fp = o->cost_fp,
                             .degree = (double)o->degree,
                             .coef0 = o->coef0,
                             .depth = (double)o->depth,
                             .learning_rate = o->learning_rate,
                             .min_child = o->min_child,
                             .at_k = (double)o->at_k,
                             .fold = fold,
                             .rows = rows};
}
