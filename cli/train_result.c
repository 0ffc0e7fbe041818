#include "train_result.h"

#include <math.h>
#include <stdlib.h>

#include "labelled.h"
#include "rates.h"
#include "result.h"

/* ------------------------------------------------------------------ steps */

static void on_step(void *user, const ney_step *step)
{
    step_list *list = user;
    cJSON *row = json_object(list->steps, NULL);

    json_int(row, "step", step->index);
    json_real(row, "lambda", step->lambda);
    json_real(row, "ramp_fpr", step->ramp_fpr);
    json_real(row, "ramp_fnr", step->ramp_fnr);
    json_real(row, "fpr", step->fpr);
    json_real(row, "fnr", step->fnr);
    json_real(row, "objective", step->objective);
    json_real(row, "gap", step->gap);
    json_int(row, "iterations", step->iterations);
    json_int(row, "changed", step->changed);
    json_real(row, "seconds", step->seconds);
}

static bool on_poll(void *user, const ney_progress *progress)
{
    const step_list *list = user;

    return list->s->env.poll(list->s->env.user, progress);
}

static void on_log(void *user, ney_log_level level, const char *message)
{
    const step_list *list = user;

    list->s->env.log(list->s->env.user, level, message);
}

ney_env step_list_env(step_list *list, session *s)
{
    ney_env env = s->env;

    *list = (step_list){.s = s, .holder = json_new()};
    list->steps = json_array(list->holder, "steps");
    env.user = list;
    env.poll = on_poll;
    env.log = on_log;
    env.step = on_step;
    return env;
}

/* ------------------------------------------------------------------ figures */

static bool has_bound(const ney_train_opts *o)
{
    return !isnan(o->max_fpr) || !isnan(o->max_fnr);
}

static void add_bound(cJSON *root, const train_result *r)
{
    const ney_train_opts *o = r->opts;
    const ney_train_info *info = r->info;

    json_real(root, isnan(o->max_fnr) ? "max_fpr" : "max_fnr",
              isnan(o->max_fnr) ? o->max_fpr : o->max_fnr);
    json_real(root, "lambda", info->lambda);
    json_text(root, "constraint", ney_end_text(info->end));
    json_real(root, "ramp_fpr", info->ramp_fpr);
    json_real(root, "ramp_fnr", info->ramp_fnr);
}

static void add_certificate(cJSON *root, const train_result *r)
{
    const ney_certificate *c = &r->info->certificate;
    char hash[32];

    json_bool(root, "certified", r->info->certified);
    if (!r->info->certified) {
        return;
    }
    json_real(root, "confidence", r->opts->confidence);
    json_real(root, "delta", c->delta);
    json_real(root, "bound", c->bound);
    json_int(root, "held_out", c->n);
    json_int(root, "rank", c->rank);
    json_int(root, "mistaken", c->mistaken);
    snprintf(hash, sizeof hash, "%016llx", (unsigned long long)c->hash);
    json_text(root, "calibration_hash", hash);
}

/* Rates on the very rows that were learned from: marked as such, and without intervals, which
 * would claim that these rows are new. */
static void add_rates(cJSON *root, const ney_counts *c)
{
    json_real(root, "fpr", (double)c->fp / (double)(c->fp + c->tn));
    json_real(root, "fnr", (double)c->fn / (double)(c->fn + c->tp));
    json_text(root, "rates_on", "training rows");
}

/* What the model says of its training rows, where training has not counted it. Who interrupts does
 * not wait for that: scoring asks before it begins, and counts of nothing come back. */
static ney_status count_rows(session *s, const train_result *r, ney_counts *c)
{
    const ney_matrix *x = ney_data_matrix(r->data);
    double *score = malloc((size_t)x->rows * sizeof *score), low, high;

    *c = (ney_counts){0};
    if (!score) {
        s->err = (ney_error){.code = NEY_ENOMEM, .message = "no memory for the scores"};
        return NEY_ENOMEM;
    }
    const ney_status st = ney_model_score(r->model, &s->env, x, score, &s->err);
    if (st == NEY_OK) {
        ney_model_thresholds(r->model, &low, &high);
        *c = ney_count(score, ney_data_label(r->data), x->rows, low, high);
    }
    free(score);
    return st == NEY_ECANCELLED ? NEY_OK : st;
}

static void add_threshold(cJSON *root, const ney_model *model)
{
    double low, high;

    ney_model_thresholds(model, &low, &high);
    json_real(root, "threshold", high);
}

static void add_head(cJSON *root, const train_result *r)
{
    const ney_recipe *recipe = ney_model_recipe(r->model);
    const class_counts n = count_classes(r->data);
    const char *key, *text;
    double value;

    for (int64_t k = 0; k < 2 && ney_model_fact(r->model, NEY_LIST_SUMMARY, k, &key, &value, &text);
         k++) { /* goal and method */
        json_text(root, key, text);
    }
    json_text(root, "family", ney_model_family(r->model));
    json_text(root, "positive", ney_recipe_label(recipe, 1));
    json_text(root, "negative", ney_recipe_label(recipe, -1));
    json_int(root, "n", n.pos + n.neg);
    json_int(root, "n_pos", n.pos);
    json_int(root, "n_neg", n.neg);
    json_int(root, "cols", ney_recipe_cols(recipe));
}

static void add_optimum(cJSON *root, const ney_train_info *info)
{
    const double size = fabs(info->convex_objective);

    json_real(root, "objective", info->objective);
    json_real(root, "dual_objective", info->dual_objective);
    json_real(root, "gap", info->gap);
    json_real(root, "relative_gap", size > 0 ? info->gap / size : NAN);
    json_bool(root, "converged", info->stop == NEY_STOP_CONVERGED);
    json_text(root, "stop", ney_stop_text(info->stop));
    json_int(root, "iterations", info->iterations);
    json_int(root, "support_vectors", info->support_vectors);
}

ney_status train_facts(session *s, const train_result *r, cJSON **facts)
{
    const bool bound = has_bound(r->opts);
    ney_counts counts = r->info->counts;
    cJSON *root = json_new();

    *facts = NULL;
    add_head(root, r);
    if (bound) {
        add_bound(root, r);
    }
    if (!bound || r->recount) {
        const ney_status st = count_rows(s, r, &counts);
        if (st != NEY_OK) {
            cJSON_Delete(root);
            return st;
        }
    }
    add_optimum(root, r->info);
    add_threshold(root, r->model);
    if (counts.tp + counts.fn > 0) {
        add_rates(root, &counts);
    }
    if (bound) {
        add_certificate(root, r);
    }
    json_int(root, "seed", r->opts->seed);
    json_real(root, "seconds", session_seconds(s));
    json_text(root, "model", r->output);
    if (bound && s->common->json) { /* for a person, -v tells them as they come */
        cJSON_AddItemToObject(root, "steps", cJSON_Duplicate(r->steps, true));
    }
    *facts = root;
    return NEY_OK;
}

ney_status train_tell(session *s, const train_result *r)
{
    cJSON *root;
    const ney_status st = train_facts(s, r, &root);

    if (st == NEY_OK) {
        result_print(s, root);
    }
    return st;
}

void train_say_bound(session *s, const train_result *r)
{
    const ney_train_opts *o = r->opts;
    const ney_counts *c = &r->info->counts;
    const ney_certificate *cert = &r->info->certificate;
    const bool fpr = isnan(o->max_fnr);
    const int64_t wrong = fpr ? c->fp : c->fn, of = fpr ? c->fp + c->tn : c->fn + c->tp;
    const double rate = fpr ? o->max_fpr : o->max_fnr;
    const char *const what = fpr ? "false positives" : "false negatives";

    if (!has_bound(o)) {
        return;
    }
    if (r->info->certified) {
        session_say(s, NEY_LOG_INFO,
                    "certified: with confidence %g at most %.6g of rows to come are %s (%lld of "
                    "%lld held-out rows are)",
                    o->confidence, rate, what, (long long)cert->mistaken, (long long)cert->n);
    }
    session_say(s, NEY_LOG_INFO, "on the training rows %lld of %lld are %s, %.4g: %s",
                (long long)wrong, (long long)of, what, (double)wrong / (double)of,
                (double)wrong <= rate * (double)of
                    ? "the bound is met there"
                    : "more than the bound, which the held-out rows vouch for");
    if (!r->info->certified) {
        session_say(s, NEY_LOG_INFO,
                    "nothing is claimed of rows to come: --confidence P does that");
    }
}
