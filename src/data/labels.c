#include "data/labels.h"

#include "base/number.h"

#include <stdio.h>
#include <string.h>

/* Keep a value under the name it will have: numbers in their shortest form, so that +1, 1 and 1.0
 * are one label. */
static bool keep_label(ney_labels *l, const ney_label *label, int64_t line)
{
    char digits[NEY_NUMBER_SIZE];
    const char *text = label->text;
    int length = label->length;
    if (label->is_number) {
        length = ney_number_format(label->number, digits);
        text = digits;
    }
    char *name = ney_strdup(&l->env, text, (size_t)length);
    if (!name) {
        return false;
    }
    l->name[l->n] = name;
    l->value[l->n] = *label;
    l->value[l->n].text = name;
    l->value[l->n].length = length;
    l->value[l->n].line = line;
    l->origin[l->n] = l->file;
    l->n++;
    return true;
}

ney_status ney_labels_init(ney_labels *l, const ney_env *env, const char *title,
                           const ney_preprocessing *preprocessing, ney_error *err)
{
    *l = (ney_labels){.env = *env, .title = title, .file = title};
    if (!preprocessing) {
        return NEY_OK;
    }
    l->fixed = true;
    for (int i = 0; i < 2; i++) {
        const char *name = preprocessing->label[i] ? preprocessing->label[i] : "";
        const ney_label label = ney_label_of(name, (int)strlen(name), 0);
        if (!keep_label(l, &label, 0)) {
            return ney_no_memory(err, 2, "label names");
        }
    }
    return NEY_OK;
}

ney_status ney_labels_by_file(ney_labels *l, ney_format format, ney_error *err)
{
    const bool is_table = format == NEY_FORMAT_CSV || format == NEY_FORMAT_TSV;
    static const char *const names[2][2] = {{"-1", "1"}, {"decoy", "target"}};
    l->by_file = true;
    for (int i = 0; i < 2 && !l->fixed; i++) {
        const char *const name = names[is_table][i];
        const ney_label label = ney_label_of(name, (int)strlen(name), 0);
        if (!keep_label(l, &label, 0)) {
            return ney_no_memory(err, 2, "label names");
        }
    }
    return NEY_OK;
}

ney_status ney_pooling_of(ney_pooling *pooling, bool *pooled, const ney_read_opts *opts,
                          const ney_preprocessing *given, ney_error *err)
{
    const char *const option = opts->rest ? NEY_POOL_REST : opts->negative;
    const char *const negatives = opts->decoys ? NULL : given ? given->pooled : option;
    const char *const positive = given ? given->label[1] : opts->positive;
    *pooled = negatives != NULL;
    if (opts->decoys && (option || opts->positive)) {
        return ney_fail(err, NEY_EINVAL,
                        "--decoys and --%s exclude each other: the files are the classes",
                        opts->rest       ? "rest"
                        : opts->negative ? "negative"
                                         : "positive");
    }
    if (opts->rest && opts->negative) {
        return ney_fail(err, NEY_EINVAL, "--rest and --negative exclude each other, expected one");
    }
    if (negatives && !positive) {
        return ney_fail(err, NEY_EINVAL, "--%s needs --positive VALUE",
                        opts->rest ? "rest" : "negative");
    }
    if (negatives && strcmp(positive, ney_pooling_name(negatives)) == 0) {
        return ney_fail(err, NEY_EINVAL,
                        "--positive %.60s is also what the pooled negative labels are called: list "
                        "them with --negative A,B",
                        positive);
    }
    if (negatives) {
        *pooling = (ney_pooling){ney_label_of(positive, (int)strlen(positive), 0), negatives};
    }
    return NEY_OK;
}

void ney_labels_deinit(ney_labels *l)
{
    ney_release(&l->env, l->name[0]);
    ney_release(&l->env, l->name[1]);
    l->name[0] = l->name[1] = NULL;
}

enum { PLACE_TEXT = 160 };

/* A line, and its file where that is another than the present one. */
static const char *name_place(const ney_labels *l, ney_place place, char text[PLACE_TEXT])
{
    const bool same = !place.file || strcmp(place.file, l->file) == 0;
    snprintf(text, PLACE_TEXT, "line %lld%s%.100s", (long long)place.line, same ? "" : " of ",
             same ? "" : place.file);
    return text;
}

static ney_status unknown_label(ney_labels *l, const ney_label *label, int64_t line, ney_error *err)
{
    const ney_place place = {.file = l->file, .line = line};
    const int length = label->length < 40 ? label->length : 40;
    char first[PLACE_TEXT], second[PLACE_TEXT];
    if (l->fixed) {
        if (l->problem.code == NEY_OK) {
            ney_fail_at(&l->problem, NEY_EPARSE, place,
                        "found label '%.*s', expected '%.40s' or '%.40s' as in training", length,
                        label->text, l->name[0], l->name[1]);
        }
        return NEY_OK;
    }
    return ney_fail_at(err, NEY_EPARSE, place,
                       "found label '%.*s' after '%.40s' in %s and '%.40s' in %s, "
                       "expected two label values: for one against all others state --positive "
                       "VALUE --rest, or list every other value with --negative A,B",
                       length, label->text, l->name[0],
                       name_place(l, (ney_place){l->origin[0], l->value[0].line, 0}, first),
                       l->name[1],
                       name_place(l, (ney_place){l->origin[1], l->value[1].line, 0}, second));
}

/* Rows with a label and rows without cannot both be right. */
static ney_status check_mixed(ney_labels *l, ney_error *err)
{
    const ney_place with = l->labelled, without = l->unlabelled;
    char text[PLACE_TEXT];
    if (with.line == 0 || without.line == 0) {
        return NEY_OK;
    }
    const bool later =
        strcmp(with.file, without.file) == 0 ? without.line > with.line : without.file == l->file;
    return ney_fail_at(err, NEY_EPARSE, later ? without : with,
                       later ? "found no label, expected one as in %s: take out rows without one"
                             : "found a label, expected none as in %s: take out rows without one",
                       name_place(l, later ? with : without, text));
}

/* Note that the present file has the label at a position. */
static void note_seen(ney_labels *l, int position)
{
    l->seen = l->file_of_seen == l->file ? l->seen : 0;
    l->file_of_seen = l->file;
    l->seen |= 1U << position;
    l->met |= l->seen;
    l->is_joined = l->is_joined || l->seen == 3;
}

bool ney_labels_are_apart(const ney_labels *l)
{
    return l->met == 3 && !l->is_joined;
}

ney_status ney_labels_merge(ney_labels *l, ney_rows *rows, int64_t lines_before, ney_error *err)
{
    int8_t map[NEY_MOST_LABELS + 1] = {0};
    bool same = true;

    for (int i = 0; i < rows->n_labels; i++) {
        if (rows->label[i].line == 0) { /* of a model, and not met: no row has it */
            map[i] = (int8_t)i;
            continue;
        }
        const int64_t line = lines_before + rows->label[i].line;
        int k = 0;
        while (k < l->n && !ney_label_equal(&l->value[k], &rows->label[i])) {
            k++;
        }
        if (k == 2) {
            const ney_status st = unknown_label(l, &rows->label[i], line, err);
            if (st != NEY_OK) {
                return st;
            }
        } else if (k == l->n && !keep_label(l, &rows->label[i], line)) {
            return ney_no_memory(err, 1, "label name");
        }
        map[i] = (int8_t)(k == 2 ? NEY_NO_LABEL : k);
        if (k < 2) {
            note_seen(l, k);
        }
        same = same && map[i] == i;
        l->labelled = l->labelled.line ? l->labelled : (ney_place){l->file, line, 0};
    }
    if (rows->unlabelled && !l->unlabelled.line) {
        l->unlabelled = (ney_place){l->file, lines_before + rows->unlabelled, 0};
    }
    for (int64_t i = 0; !same && i < rows->n; i++) {
        rows->code[i] = rows->code[i] < 0 ? rows->code[i] : map[rows->code[i]];
    }
    return l->fixed ? NEY_OK : check_mixed(l, err);
}

/* A label column beside the files is compared with them: a file has one class, and what is marked
 * as a decoy is no target. Decoys may be marked as targets, as a search knows no other. */
static ney_status check_own_label(ney_labels *l, const ney_label *label, int64_t line,
                                  ney_error *err)
{
    const ney_place place = {l->file, line, 0};
    const int length =
        label->length < (int)sizeof l->own - 1 ? label->length : (int)sizeof l->own - 1;
    const ney_label own = ney_label_of(l->own, (int)strlen(l->own), 0);
    const ney_label here = ney_label_of(label->text, length, 0);
    if (!l->is_decoy && label->is_number && label->number <= 0) {
        return ney_fail_at(err, NEY_EPARSE, place,
                           "found label '%.*s', expected a target: files of decoys are named by "
                           "--decoys, and a file with both needs neither option",
                           length, label->text);
    }
    if (own.length > 0 && !ney_label_equal(&own, &here)) {
        return ney_fail_at(err, NEY_EPARSE, place,
                           "found label '%.*s' after '%s' in line %lld, expected %s alone: a file "
                           "with both classes is read without --decoys",
                           length, label->text, l->own, (long long)l->own_line,
                           l->is_decoy ? "decoys" : "targets");
    }
    if (own.length == 0) {
        snprintf(l->own, sizeof l->own, "%.*s", length, label->text);
        l->own_line = line;
    }
    return NEY_OK;
}

/* The rows have the class of their file. */
static ney_status label_by_file(ney_labels *l, ney_rows *rows, int64_t lines_before, ney_error *err)
{
    ney_status st = NEY_OK;
    for (int i = 0; i < rows->n_labels && st == NEY_OK; i++) {
        const int64_t line = rows->label[i].line;
        st = line == 0 ? NEY_OK : check_own_label(l, &rows->label[i], lines_before + line, err);
    }
    for (int64_t i = 0; i < rows->n; i++) {
        rows->code[i] = l->is_decoy ? 0 : 1;
    }
    l->labelled = (ney_place){l->file, lines_before + 1, 0};
    return st;
}

ney_status ney_labels_take(ney_labels *l, ney_rows *rows, int64_t *lines_before, ney_error *err)
{
    if (rows->status != NEY_OK) {
        const ney_place place = {l->file, rows->error.line + *lines_before, rows->error.column};
        return ney_fail_at(err, rows->status, place, "%s", rows->error.message);
    }
    const ney_status st = l->by_file ? label_by_file(l, rows, *lines_before, err)
                                     : ney_labels_merge(l, rows, *lines_before, err);
    *lines_before += rows->n_lines;
    return st;
}

/* The larger number or, unless both are numbers, the larger bytes. */
bool ney_label_is_larger(const ney_label *a, const ney_label *b)
{
    if (a->is_number && b->is_number) {
        return a->number > b->number;
    }
    return strcmp(a->text, b->text) > 0;
}

static ney_status choose_positive(const ney_labels *l, const char *positive, int *which,
                                  ney_error *err)
{
    *which = -1;
    if (positive) {
        const ney_label wanted = ney_label_of(positive, (int)strlen(positive), 0);
        for (int i = 0; i < l->n; i++) {
            *which = ney_label_equal(&wanted, &l->value[i]) ? i : *which;
        }
        if (*which < 0 && l->n == 2) {
            return ney_fail_at(err, NEY_EPARSE, (ney_place){.file = l->title},
                               "has labels '%.40s' and '%.40s', expected '%.40s' among them as the "
                               "positive one",
                               l->name[0], l->name[1], positive);
        }
    } else if (l->n == 2) {
        *which = ney_label_is_larger(&l->value[1], &l->value[0]);
    } else if (l->n == 1) { /* a single class: positive numbers, and nothing else, are positive */
        *which = l->value[0].is_number && l->value[0].number > 0 ? 0 : -1;
    }
    return NEY_OK;
}

static void say_why(const ney_labels *l, ney_error *problem)
{
    if (l->problem.code != NEY_OK) {
        *problem = l->problem;
    } else if (l->unlabelled.line > 0 && l->labelled.line > 0) {
        ney_fail_at(problem, NEY_EPARSE, l->unlabelled,
                    "found no label, expected one in every row");
    } else {
        ney_fail_at(problem, NEY_EPARSE, (ney_place){.file = l->title},
                    "has no labels (for a table, name the column: --label COLUMN)");
    }
}

ney_status ney_labels_finish(ney_labels *l, const char *positive, ney_preprocessing *preprocessing,
                             int8_t sign[2], ney_error *problem, ney_error *err)
{
    int which = 1;
    sign[0] = sign[1] = 0;
    if (l->labelled.line == 0 || l->unlabelled.line > 0 || l->problem.code != NEY_OK) {
        say_why(l, problem);
        return NEY_OK;
    }
    if (!l->fixed) {
        const ney_status st = choose_positive(l, positive, &which, err);
        if (st != NEY_OK) {
            return st;
        }
        for (int i = 0; i < l->n; i++) {
            preprocessing->label[i == which] = l->name[i];
            l->name[i] = NULL; /* the preprocessing owns it now */
        }
    }
    sign[0] = which == 0 ? 1 : -1;
    sign[1] = (int8_t)-sign[0]; /* also of a single class, whose other value does not occur */
    return NEY_OK;
}
