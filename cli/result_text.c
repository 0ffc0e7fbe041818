/* A result as text. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clean.h"
#include "result.h"

enum { CELL = 640 }; /* a sentence fits */

/* The fewest digits (15, 16 or 17) that read back as the same bits; whole numbers without exponent.
 */
static void real_text(double value, char text[CELL])
{
    char digits[32];

    snprintf(digits, sizeof digits, "%.15g", value);
    snprintf(text, CELL, "%s", digits);
    if (strpbrk(digits, ".e") || strtod(digits, NULL) != value) {
        snprintf(text, CELL, "%.6g", value);
    }
}

/* What a value looks like to a person. */
static void cell_text(const ney_result *item, char text[CELL])
{
    double real = 0, high = 0;
    int64_t whole;
    bool truth;

    if (ney_result_get_text(item, "")) { /* names come from files */
        escape_text(ney_result_get_text(item, ""), text, CELL);
    } else if (ney_result_get_bool(item, "", &truth)) {
        snprintf(text, CELL, "%s", truth ? "yes" : "no");
    } else if (ney_result_get_int(item, "", &whole)) {
        snprintf(text, CELL, "%" PRId64, whole);
    } else if (ney_result_get_real(item, "", &real)) {
        real_text(real, text);
    } else if (ney_result_kind_of(item) == NEY_RESULT_ARRAY && ney_result_count(item) == 2) {
        (void)ney_result_get_real(item, "0", &real); /* an interval in a table */
        (void)ney_result_get_real(item, "1", &high);
        snprintf(text, CELL, "[%.4g, %.4g]", real, high);
    } else {
        snprintf(text, CELL, "-");
    }
}

static void key_text(const char *key, char text[CELL])
{
    escape_text(key, text, CELL);
    for (char *c = text; *c; c++) {
        *c = *c == '_' ? ' ' : *c;
    }
}

/* Whether `item` is the interval of the rate before it. */
static bool is_interval(const ney_result *rate, const ney_result *item)
{
    const char *of = ney_result_key(rate), *key = ney_result_key(item);
    const size_t n = strlen(of);

    return strncmp(key, of, n) == 0 && strcmp(key + n, "_interval") == 0;
}

static int width_of(const char *text)
{
    int width = 0;

    for (; *text; text++) { /* bytes that continue a UTF-8 character take no place */
        width += ((unsigned char)*text & 0xC0) != 0x80;
    }
    return width;
}

enum { MOST_COLUMNS = 16 }; /* what is beyond shares the width of the last */

/* Print one line of a table, or only let it claim its width. */
static void table_line(const ney_result *row, bool heading, bool print, int width[MOST_COLUMNS])
{
    int k = 0;
    char text[CELL];
    const ney_result *item;

    for (item = ney_result_first(row); item; item = ney_result_next(item)) {
        if (heading) {
            key_text(ney_result_key(item), text);
        } else {
            cell_text(item, text);
        }
        const int here = width_of(text);
        width[k] = here > width[k] ? here : width[k];
        if (print) {
            printf("  %s%*s", text, ney_result_next(item) ? width[k] - here : 0, "");
        }
        k += k < MOST_COLUMNS - 1;
    }
    if (print) {
        putchar('\n');
    }
}

static void print_table(const ney_result *rows)
{
    int width[MOST_COLUMNS] = {0};
    const ney_result *row;

    table_line(ney_result_first(rows), true, false, width);
    for (row = ney_result_first(rows); row; row = ney_result_next(row)) {
        table_line(row, false, false, width);
    }
    table_line(ney_result_first(rows), true, true, width);
    for (row = ney_result_first(rows); row; row = ney_result_next(row)) {
        table_line(row, false, true, width);
    }
}

static bool is_kind(const ney_result *item, ney_result_kind kind)
{
    return ney_result_kind_of(item) == kind;
}

static void print_figure(const ney_result *item, const ney_result *interval, int indent, int width)
{
    char key[CELL], text[CELL], high[CELL];

    key_text(ney_result_key(item), key);
    cell_text(item, text);
    printf("%*s%-*s  %s", indent, "", width, key, text);
    if (is_kind(interval, NEY_RESULT_ARRAY)) {
        cell_text(ney_result_at(interval, 0), text);
        cell_text(ney_result_at(interval, 1), high);
        printf("  [%s, %s]", text, high);
    }
    putchar('\n');
}

static bool ends_with(const char *text, const char *end)
{
    const size_t n = strlen(text), m = strlen(end);

    return n >= m && strcmp(text + n - m, end) == 0;
}

/* An interval is printed beside its rate. */
static bool is_figure(const ney_result *item)
{
    const char *key = ney_result_key(item);

    return !is_kind(item, NEY_RESULT_OBJECT) && !is_kind(item, NEY_RESULT_ARRAY) &&
           !ends_with(key, "_interval") && !word_in("next verdict", key, strlen(key));
}

/* ------------------------------------------------------------------ sections */

/* The details of a result that begins with a headline, in this order. */
static const struct section {
    const char *title;
    bool internals; /* only with --verbose */
    const char *keys;
} sections[] = {
    {"Goal", false,
     "goal method family max_fpr max_fnr max_fdr confidence cost_fn cost_fp reject_cost_fn "
     "reject_cost_fp rejection_pays rows_of needed power power_assumption"},
    {"Data", false,
     "positive negative n n_pos n_neg n_test splits cols n_groups unit rate_definition held_out "
     "learned_from calibrated_pos calibrated_neg calibrated_groups_pos calibrated_groups_neg folds "
     "rows_read rows_seen scored_out_of_fold chosen_on assumption"},
    {"Chosen settings", false, "C gamma criterion loss loss_error points at_edge table"},
    {"Discoveries", false,
     "discoveries discoveries_on accepted accepted_decoys discoveries_feature discoveries_svm "
     "discoveries_online fdr_estimate fdr_control fdr_reason competition estimate plus_one "
     "size_correct best_matches best_targets best_decoys"},
    {"Best split", false,
     "rows best_share best_holdout best_mistakes train_loss training_assumption certification_loss "
     "training_loss total_loss"},
    {"Test", false,
     "alarm alarm_row log_evidence log_needed renewed missing_neg missing_pos valid_if"},
    {"Costs", false, "c_plus c_minus p_pos dims components_pos components_neg evaluated_on"},
    {"Threshold", false,
     "threshold threshold_rule threshold_low threshold_high new_threshold new_threshold_low"},
    {"Rates", false,
     "rates_on rates_count fpr fnr tpr error_rate precision fdr reject_rate cost auc "
     "auc_interval_kind auc_error partial_auc partial_max_fpr reject_rate_pos reject_rate_neg "
     "sensitivity positive_predictivity error_rate_without_reject error_reject_ratio valid_fpr "
     "valid_fnr valid_reject_rate valid_rates_on group_rate auc_intercept test_auc_intercept "
     "auc_asymmetry test_auc_asymmetry auc_both test_auc_both coverage_pos coverage_neg "
     "sets_of_one "
     "sets_of_both sets_of_none"},
    {"Counts", false, "tp fp tn fn predicted_pos predicted_neg rejected rejected_pos rejected_neg"},
    {"Certificate", false,
     "certified guarantee bound rank misclassified delta delta_share delta_sharing "
     "calibration_hash"},
    {"Solver", true,
     "objective dual_objective gap relative_gap stop iterations support_vectors lambda constraint "
     "ramp_fpr ramp_fnr starts fits reused extensions averaged search_stop kkt_residual "
     "largest_kkt_residual "
     "largest_margin regime_at_0 regime_at_1"},
    {"Run", false,
     "converged seed seconds model output bytes thresholds threshold_gap path lines n_breakpoints "
     "state curve_kind curve_points"},
    {"Other", false, ""},
};

enum { N_SECTIONS = sizeof sections / sizeof *sections };

static int section_of(const ney_result *item)
{
    const char *key = ney_result_key(item);
    int k = 0;

    while (k < N_SECTIONS - 1 && !word_in(sections[k].keys, key, strlen(key))) {
        k++;
    }
    return k;
}

enum { ANY_SECTION = -1 };

static bool is_shown(const ney_result *item, int section)
{
    return is_figure(item) && (section == ANY_SECTION || section_of(item) == section);
}

static int key_width(const ney_result *object, int section)
{
    int width = 0;

    for (const ney_result *item = ney_result_first(object); item; item = ney_result_next(item)) {
        const int here = is_shown(item, section) ? (int)strlen(ney_result_key(item)) : 0;
        width = here > width ? here : width;
    }
    return width;
}

/* Print a figure, and its interval if that comes next; returns the last item printed. */
static const ney_result *print_pair(const ney_result *item, int indent, int width)
{
    const ney_result *next = ney_result_next(item);
    const bool paired = is_interval(item, next);

    print_figure(item, paired ? next : NULL, indent, width);
    return paired ? next : item;
}

static void print_section(const ney_result *root, int section)
{
    const int width = key_width(root, section);

    if (width == 0) {
        return;
    }
    printf("\n%s\n", sections[section].title);
    for (const ney_result *item = ney_result_first(root); item; item = ney_result_next(item)) {
        if (is_shown(item, section)) {
            item = print_pair(item, 2, width);
        }
    }
}

/* ------------------------------------------------------------------ all of it */

static void print_object(const ney_result *object, int indent);

/* An object or a table under its name; other arrays are for programs. Objects within objects go one
 * level deep: recursion ends there. */
static void print_nested(const ney_result *item, int indent)
{
    char key[CELL];

    key_text(ney_result_key(item), key);
    if (is_kind(item, NEY_RESULT_OBJECT)) {
        printf("%*s%s:\n", indent, "", key);
        print_object(item, indent + 2);
    } else if (is_kind(item, NEY_RESULT_ARRAY) &&
               is_kind(ney_result_first(item), NEY_RESULT_OBJECT)) {
        printf("%*s%s:\n", indent, "", key);
        print_table(item);
    }
}

static void print_object(const ney_result *object, int indent)
{
    const int width = key_width(object, ANY_SECTION);

    for (const ney_result *item = ney_result_first(object); item; item = ney_result_next(item)) {
        if (is_figure(item)) {
            item = print_pair(item, indent, width);
        } else {
            print_nested(item, indent);
        }
    }
}

static void print_sections(const ney_result *root, bool internals)
{
    for (int k = 0; k < N_SECTIONS; k++) {
        if (internals || !sections[k].internals) {
            print_section(root, k);
        }
    }
    for (const ney_result *item = ney_result_first(root); item; item = ney_result_next(item)) {
        const char *const key = ney_result_key(item);
        const bool is_hidden = strcmp(key, "steps") == 0 || /* -v prints them during the run */
                               (!internals && strcmp(key, "breakpoints") == 0);
        if (!is_hidden && (is_kind(item, NEY_RESULT_OBJECT) ||
                           is_kind(ney_result_first(item), NEY_RESULT_OBJECT))) {
            putchar('\n');
            print_nested(item, 0);
        }
    }
}

static void print_line(const char *before, const char *sentence)
{
    char text[4096];

    escape_text(sentence, text, sizeof text);
    printf("%s%s\n", before, text);
}

static void print_sentences(const ney_result *list, const char *before)
{
    const ney_result *item;

    for (item = ney_result_first(list); item; item = ney_result_next(item)) {
        print_line(before, ney_result_get_text(item, ""));
    }
}

void result_print_text(const ney_result *root, bool internals)
{
    const ney_result *headline = ney_result_find(root, headline_key);
    const char *next = ney_result_get_text(root, next_key);

    print_sentences(headline, "");
    print_sentences(ney_result_find(root, warnings_key), "warning: ");
    if (next) {
        print_line("Next: ", next);
    }
    if (headline) {
        print_sections(root, internals);
    } else {
        print_object(root, 0);
    }
}
