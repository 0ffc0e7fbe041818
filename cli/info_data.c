#include "info.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "rates.h"
#include "result.h"
#include "summary.h"

enum { MOST_COLUMNS = 100 }; /* a table with more columns lists those with a note */

/* ------------------------------------------------------------------ the figures of the data */

static const char *const format_names[] = {"auto", "svmlight", "csv", "tsv", "pin", "cache"};

static void add_shape(ney_result *root, const info_file *f, const ney_data_summary *d)
{
    const ney_preprocessing *preprocessing = ney_data_preprocessing(f->data);
    const bool labelled = ney_data_label(f->data) != NULL;

    ney_result_add_text(root, "format",
                        f->container ? f->container : format_names[ney_data_format(f->data)]);
    if (f->container && strcmp(f->container, "cache") == 0) {
        ney_result_add_text(root, "source", format_names[ney_data_format(f->data)]);
    }
    ney_result_add_text(root, "storage", ney_data_matrix(f->data)->dense ? "dense" : "sparse");
    ney_result_add_int(root, "n", d->rows);
    ney_result_add_int(root, "cols", d->cols);
    ney_result_add_bool(root, "labelled", labelled);
    if (labelled) {
        result_name(root, "positive", ney_preprocessing_label(preprocessing, 1));
        ney_result_add_int(root, "n_pos", d->positives);
        result_name(root, "negative", ney_preprocessing_label(preprocessing, -1));
        ney_result_add_int(root, "n_neg", d->negatives);
    }
    ney_result_add_bool(root, "weighted", ney_data_weight(f->data) != NULL);
    ney_result_add_int(root, "stored", d->stored);
    ney_result_add_real(root, "density", (double)d->stored / ((double)d->rows * (double)d->cols));
    ney_result_add_real(root, "low", d->low);
    ney_result_add_real(root, "high", d->high);
    ney_result_add_int(root, "constant_columns", d->constant_columns);
    ney_result_add_int(root, "duplicate_rows", d->duplicate_rows);
    ney_result_add_int(root, "contradictory_rows", d->contradictory_rows);
}

/* ------------------------------------------------------------------ problems */

static void add_problem(ney_result *list, const char *format, ...) PRINTF_LIKE(2, 3);

static void add_problem(ney_result *list, const char *format, ...)
{
    char text[640];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    ney_result_add_text(list, NULL, text);
}

/* An error with its place, as it is reported. */
static void add_error(ney_result *list, const ney_error *err)
{
    char place[64] = "";

    if (err->line > 0 && err->column > 0) {
        snprintf(place, sizeof place, "line %" PRId64 ", byte %" PRId64 ": ", err->line,
                 err->column);
    } else if (err->line > 0) {
        snprintf(place, sizeof place, "line %" PRId64 ": ", err->line);
    }
    add_problem(list, "%s%s", place, err->message);
}

static bool is_feature(const ney_result *column)
{
    const char *const role = ney_result_get_text(column, "role");

    return role && strcmp(role, "feature") == 0;
}

/* Cells of features. The features of categories have none that are missing; their columns do. */
static int64_t count_missing(const ney_result *root, const ney_data_summary *d)
{
    const ney_result *c = ney_result_first(ney_result_find(root, "columns"));
    int64_t cells = 0;

    for (; c; c = ney_result_next(c)) {
        int64_t n = 0;
        if (is_feature(c)) {
            (void)ney_result_get_int(c, "missing", &n);
            cells += n;
        }
    }
    return cells > d->missing ? cells : d->missing; /* of wide tables not all columns are listed */
}

/* Missing cells, which training fills with --missing only. */
static void add_missing(ney_result *list, const ney_result *root, const ney_data_summary *d)
{
    const ney_result *c = ney_result_first(ney_result_find(root, "columns"));
    const int64_t cells = count_missing(root, d);

    for (; c; c = ney_result_next(c)) {
        const char *const type = ney_result_get_text(c, "type");
        const char *const name = ney_result_get_text(c, "name");
        if (is_feature(c) && type && strcmp(type, "empty") == 0) {
            add_problem(list, "column '%.60s' has no values: leave it out with --ignore %.60s",
                        name, name);
        }
    }
    if (cells > 0) {
        add_problem(list,
                    "%" PRId64 " cells are missing: fill them with --missing mean or --missing "
                    "median, mark them with --missing indicator, or take --trees auto, which reads "
                    "them as they are",
                    cells);
    }
}

static void add_problems(session *s, ney_result *root, const info_file *f,
                         const ney_data_summary *d, const ney_error *refusal)
{
    ney_result *list = ney_result_add_array(root, "problems");

    if (!f->data) {
        add_error(list, refusal);
        return;
    }
    if (ney_data_unlabelled(f->data, &s->err) != NEY_OK) {
        add_error(list, &s->err);
    } else if (d->positives == 0 || d->negatives == 0) {
        add_problem(
            list, "all rows are of the class '%s': training needs rows of both classes",
            ney_preprocessing_label(ney_data_preprocessing(f->data), d->positives > 0 ? 1 : -1));
    }
    add_missing(list, root, d);
    if (d->infinite > 0) {
        add_problem(list,
                    "%" PRId64 " cells are infinite: correct them, or leave their columns out",
                    d->infinite);
    }
    if (d->cols == 0) {
        add_problem(list, "there is no column to learn from: name features, not only a label");
    }
}

/* ------------------------------------------------------------------ certificates */

/* The error probability of one certificate: that of two together is delta. */
static double delta_of_each(double delta, bool both, bool groups)
{
    return !both ? delta : groups ? delta / 2 : -expm1(log1p(-delta) / 2);
}

static void say_bound(ney_result *root, const rate_opts *rate, bool fpr, int64_t n, bool groups,
                      double delta)
{
    const double bound = fpr ? rate->max_fpr : rate->max_fnr;
    const double needed = ney_rows_needed(bound, delta);
    const char *const of = fpr ? "negatives" : "positives";
    const char *const unit = groups ? "groups with " : "";

    if (needed <= (double)(n - 1)) {
        ney_result_headline(root,
                            "The rows are enough to certify an %s of at most %.4g %% with %.4g %% "
                            "confidence: at least %.0f of the %" PRId64 " %s%s must be held out.",
                            fpr ? "FPR" : "FNR", 100 * bound, 100 * rate->confidence, needed, n,
                            unit, of);
    } else {
        ney_result_headline(root,
                            "The rows are too few to certify an %s of at most %.4g %% with %.4g "
                            "%% confidence: %.0f %s%s must be held out and one be left to learn "
                            "from, and there are %" PRId64 ".",
                            fpr ? "FPR" : "FNR", 100 * bound, 100 * rate->confidence, needed, unit,
                            of, n);
    }
}

static ney_status add_bound(session *s, ney_result *list, ney_result *root, const info_file *f,
                            bool fpr)
{
    const rate_opts *rate = options_of(s->call, &rate_options);
    const double bound = fpr ? rate->max_fpr : rate->max_fnr;
    const bool both = !isnan(rate->max_fpr) && !isnan(rate->max_fnr);
    const bool groups = ney_data_group_column(f->data) != NULL;
    const double delta = delta_of_each(ney_delta_of_confidence(rate->confidence), both, groups);
    int64_t n = 0;
    const ney_status st = ney_data_count_groups(f->data, fpr ? -1 : 1, &n, &s->err);

    if (st != NEY_OK) {
        return st;
    }
    ney_result *row = ney_result_add_object(list, NULL);
    ney_result_add_text(row, "rate", fpr ? "FPR" : "FNR");
    ney_result_add_text(row, "unit", groups ? "group" : "row");
    ney_result_add_int(row, "available", n);
    ney_result_add_real(row, "tightest_rate", n > 1 ? ney_tightest_rate(n - 1, delta) : 1);
    ney_result_add_real(row, "max_rate", bound);
    ney_result_add_real(row, "needed", isnan(bound) ? (double)NAN : ney_rows_needed(bound, delta));
    if (isnan(bound)) {
        ney_result_add_null(row, "certifiable");
    } else {
        ney_result_add_bool(row, "certifiable", ney_rows_needed(bound, delta) <= (double)(n - 1));
        say_bound(root, rate, fpr, n, groups, delta);
    }
    return NEY_OK;
}

/* Whether bounds can be certified with these rows. */
static ney_status add_bounds(session *s, ney_result *root, const info_file *f)
{
    const rate_opts *rate = options_of(s->call, &rate_options);
    ney_result_add_real(root, "confidence", rate->confidence);
    ney_result *list = ney_result_add_array(root, "bounds");
    const ney_status st = add_bound(s, list, root, f, true);

    return st == NEY_OK ? add_bound(s, list, root, f, false) : st;
}

/* ------------------------------------------------------------------ the report */

enum { MOST_PROBLEMS = 8 }; /* in the text; JSON has all */

static void add_headline(ney_result *root, const info_file *f, const ney_data_summary *d)
{
    const ney_result *const problems = ney_result_find(root, "problems");
    const ney_preprocessing *r = ney_data_preprocessing(f->data);
    int64_t k = 0;

    if (ney_result_count(problems) > 0) {
        ney_result_headline(root, "train refuses this file as it is.");
    } else {
        ney_result_headline(root,
                            "%" PRId64 " rows with %" PRId64 " features: %" PRId64
                            " positives ('%s') and %" PRId64 " negatives ('%s').",
                            d->rows, d->cols, d->positives, ney_preprocessing_label(r, 1),
                            d->negatives, ney_preprocessing_label(r, -1));
    }
    for (const ney_result *p = ney_result_first(problems); p && k < MOST_PROBLEMS;
         p = ney_result_next(p), k++) {
        ney_result_headline(root, "Reason: %s.", ney_result_get_text(p, ""));
    }
}

static ney_status fill_report(session *s, ney_result *root, const info_file *f,
                              const ney_error *refusal)
{
    const ney_profile_input in = {.path = f->path,
                                  .bytes = f->bytes,
                                  .n_bytes = f->n_bytes,
                                  .read = &f->opts,
                                  .data = f->data,
                                  .most_columns = MOST_COLUMNS,
                                  .detailed = f->all_columns};
    ney_data_summary d = {0};
    ney_status st = NEY_OK;

    ney_result_add_text(root, "kind", "data");
    if (f->data && (st = ney_data_describe(f->data, &d, NULL, &s->err)) == NEY_OK) {
        add_shape(root, f, &d);
    }
    if (st == NEY_OK && (st = ney_profile(root, &s->env, &in, &s->err)) == NEY_OK) {
        if (f->data) {
            ney_result_add_int(root, "missing", count_missing(root, &d));
            ney_result_add_int(root, "infinite", d.infinite);
        }
        add_problems(s, root, f, &d, refusal);
        add_headline(root, f, &d);
    }
    if (st == NEY_OK && f->data && d.positives > 0 && d.negatives > 0) {
        st = add_bounds(s, root, f);
    }
    return st;
}

/* Problems that a description may follow. */
static bool is_content(ney_status st)
{
    return st == NEY_EPARSE || st == NEY_EFORMAT;
}

int info_report_data(session *s, const info_file *f)
{
    const ney_error refusal = s->err;
    ney_result *root;
    ney_status st = f->data ? NEY_OK : refusal.code;

    if (!f->data && !is_content(st)) {
        return session_fail(s, st);
    }
    root = result_new();
    st = fill_report(s, root, f, &refusal);
    if (st == NEY_OK) {
        result_print(s, root);
        return EXIT_OK;
    }
    ney_result_free(root);
    if (!f->data && is_content(st)) { /* nothing can be said but why */
        s->err = refusal;
    }
    return session_fail(s, st);
}
