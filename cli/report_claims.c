/* What a model promises, where a report comes from. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "commands.h"
#include "groups.h"
#include "model_json.h"
#include "report.h"
#include "report_parts.h"

/* ------------------------------------------------------------------ claims */

static double certificate_number(const ney_model *model, const char *rate, const char *name)
{
    char key[64];

    snprintf(key, sizeof key, "%s_%s", rate, name);
    return model ? model_number(model, NEY_METADATA_CERTIFICATE, key) : (double)NAN;
}

/* The confidence of all that the certificate says: two independent ones share what may be missed,
 * of groups by halves. */
static double confidence_of(const ney_model *model)
{
    const double a = certificate_number(model, "fpr", "delta");
    const double b = certificate_number(model, "fnr", "delta");
    double confidence = 1 - (isnan(a) ? b : a);

    if (!isnan(a) && !isnan(b)) {
        confidence = groups_certified(model) ? 1 - a - b : (1 - a) * (1 - b);
    }
    return round(confidence * 1e12) / 1e12; /* the decimal fraction that was asked for */
}

static void add_claim(ney_result *list, const char *rate, const ney_model *model, double given)
{
    const bool own = isnan(given);
    const double bound = own && model
                             ? model_number(model, NEY_METADATA_SUMMARY,
                                            strcmp(rate, "fpr") == 0 ? "max_fpr" : "max_fnr")
                             : given;
    const bool certified = own && !isnan(certificate_number(model, rate, "delta"));

    if (isnan(bound)) {
        return;
    }
    ney_result *claim = ney_result_add_object(list, NULL);
    ney_result_add_text(claim, "rate", rate);
    ney_result_add_real(claim, "max_rate", bound);
    ney_result_add_real(claim, "confidence", certified ? confidence_of(model) : (double)NAN);
    ney_result_add_real(claim, "calibration_rows",
                        certified ? certificate_number(model, rate, "n") : (double)NAN);
}

static ney_certificate certificate_of(const ney_model *model, const char *rate)
{
    const double groups = certificate_number(model, rate, "n_groups");

    return (ney_certificate){
        .kind = strcmp(rate, "fpr") == 0 ? NEY_FALSE_POSITIVES : NEY_FALSE_NEGATIVES,
        .max_rate = certificate_number(model, rate, "max_rate"),
        .delta = certificate_number(model, rate, "delta"),
        .n = (int64_t)certificate_number(model, rate, "n"),
        .misclassified = (int64_t)certificate_number(model, rate, "misclassified"),
        .group_rate = certificate_number(model, rate, "group_rate"),
        .n_groups = isnan(groups) ? 0 : (int64_t)groups};
}

/* The sentence that training printed. */
static void add_guarantee(ney_result *root, const ney_model *model)
{
    const bool fpr = !isnan(certificate_number(model, "fpr", "delta"));
    const bool fnr = !isnan(certificate_number(model, "fnr", "delta"));
    const ney_preprocessing *p = model ? ney_model_preprocessing(model) : NULL;
    char text[NEY_GUARANTEE_TEXT];

    if (!fpr && !fnr) {
        return;
    }
    const ney_certificate of[2] = {fpr ? certificate_of(model, "fpr") : (ney_certificate){0},
                                   fnr ? certificate_of(model, "fnr") : (ney_certificate){0}};
    ney_guarantee_text(text, &(ney_guarantee){.fpr = fpr ? &of[0] : NULL,
                                              .fnr = fnr ? &of[1] : NULL,
                                              .confidence = confidence_of(model),
                                              .negative = ney_preprocessing_label(p, -1),
                                              .positive = ney_preprocessing_label(p, 1),
                                              .evidence = "held-out"});
    ney_result_add_text(root, "guarantee", text);
}

void report_add_claims(ney_result *root, const ney_model *model, double max_fpr, double max_fnr)
{
    ney_result *list = ney_result_add_array(root, "claims");
    const bool given = !isnan(max_fpr) || !isnan(max_fnr);

    add_claim(list, "fpr", given ? NULL : model, max_fpr);
    add_claim(list, "fnr", given ? NULL : model, max_fnr);
    add_guarantee(root, model);
}

/* ------------------------------------------------------------------ provenance */

static void add_pair(ney_result *list, const char *name, const char *value)
{
    ney_result *pair = ney_result_add_object(list, NULL);

    ney_result_add_text(pair, "name", name);
    ney_result_add_text(pair, "value", value);
}

static void add_file(ney_result *list, const char *what, const char *path)
{
    ney_file_list *files = NULL;
    ney_error ignored;
    char hex[65], name[64];

    snprintf(name, sizeof name, "%s, SHA-256", what);
    if (ney_file_list_new(&files, NULL, path, &ignored) != NEY_OK) {
        add_pair(list, what, path); /* it is gone */
    }
    for (int64_t k = 0; k < ney_file_list_count(files); k++) {
        add_pair(list, what, ney_file_list_name(files, k));
        report_hash_file(ney_file_list_name(files, k), hex);
        if (hex[0]) {
            add_pair(list, name, hex);
        }
    }
    ney_file_list_free(files);
}

/* The value of an option as it would be typed. */
static void format_value(const ney_param *row, const void *opts, char *text, size_t n_text)
{
    const char *const at = (const char *)opts + row->offset;
    double real;
    int64_t whole;
    int choice;
    const char *word;

    text[0] = '\0';
    switch (row->kind) {
    case NEY_KIND_REAL:
        memcpy(&real, at, sizeof real);
        snprintf(text, n_text, "%.15g", real);
        break;
    case NEY_KIND_INT:
        memcpy(&whole, at, sizeof whole);
        snprintf(text, n_text, "%lld", (long long)whole);
        break;
    case NEY_KIND_CHOICE:
        memcpy(&choice, at, sizeof choice);
        (void)word_at(row->choices, choice, text, n_text);
        break;
    case NEY_KIND_TEXT:
        memcpy(&word, at, sizeof word);
        snprintf(text, n_text, "%s", word ? word : "");
        break;
    case NEY_KIND_SIZES:
        sizes_text((const int64_t *)(const void *)at, text, n_text);
        break;
    default:
        break;
    }
}

/* The options of the command line. */
static void add_options(ney_result *list, const invocation *call)
{
    char line[2048] = "";
    size_t used = 0;
    const option_set *set;

    for (int k = 0; (set = command_set(call->command, k)); k++) {
        int64_t n;
        const ney_param *rows = set_rows(set, &n);
        for (int64_t r = 0; r < n && used < sizeof line - 1; r++) {
            char value[512] = "";
            if (!(call->given[k] >> r & 1)) {
                continue;
            }
            format_value(&rows[r], call->opts[k], value, sizeof value);
            used += (size_t)snprintf(line + used, sizeof line - used, "%s--%s%s%s", used ? " " : "",
                                     rows[r].name, value[0] ? " " : "", value);
        }
    }
    add_pair(list, "Options", line);
}

void report_add_provenance(session *s, ney_result *root, const evidence *in)
{
    static const char *const facts[][3] = {{"fpr_hash", "Hash of the scores that certify the FPR"},
                                           {"fnr_hash", "Hash of the scores that certify the FNR"},
                                           {"rows_checksum", "Checksum of the training rows"}};
    const ney_model *model = in->of_model.model;
    ney_result *list = ney_result_add_array(root, "provenance");
    char program[64], number[32];
    const char *key, *text;
    double value;

    snprintf(program, sizeof program, "neyman %s", ney_version());
    add_pair(list, "Program", program);
    add_options(list, s->call);
    if (in->path) {
        add_file(list, model ? "Data" : "Scores", in->path);
    }
    if (!model) {
        return;
    }
    add_file(list, option_given(s->call, "test") ? "Path" : "Model", s->call->operands[0]);
    for (int l = NEY_METADATA_SUMMARY; l <= NEY_METADATA_CERTIFICATE; l++) {
        for (int64_t k = 0; ney_model_metadata(model, (ney_metadata_kind)l, k, &key, &value, &text);
             k++) {
            for (int64_t f = 0; f < COUNT(facts); f++) {
                if (text && strcmp(key, facts[f][0]) == 0) {
                    add_pair(list, facts[f][1], text);
                }
            }
            if (!text && strcmp(key, "seed") == 0) {
                snprintf(number, sizeof number, "%.0f", value);
                add_pair(list, "Seed of training", number);
            }
        }
    }
}
