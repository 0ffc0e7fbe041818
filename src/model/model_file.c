/* The model file: lines of text, the same under every locale, that give back the same bits.
 *
 *   neyman-model 1
 *   family NAME
 *   recipe ...                  as ney_preprocessing_format() writes it
 *   thresholds LOW HIGH
 *   summary N                   N lines " KEY number X" or " KEY text WORD"
 *   certificate N               likewise
 *   calibration N M [G H]       N scores of negatives, M of positives, a line each, ascending; may
 *                               be left out. Version 3: of G and H groups, each score with its
 * weight
 *   probability KIND N          version 6: N distinct scores of calibration rows, see
 * probability.c; may be left out training_rows ...           version 4: a sketch of the training
 * rows, see training_rows.h; may be left out
 *   ...                         the family's lines
 *   folds ...                   version 2: the models of a cross-validation, see folds.c
 *   end CHECKSUM                XXH3, 64 bits, of all bytes before this line, 16 hexadecimal digits
 *
 * The checksum is compared before anything is read, the version before the checksum: a later
 * version may end otherwise.
 */
#include "base/checksum.h"
#include "base/file.h"
#include "data/sniff.h"
#include "model/exchange.h"
#include "model/folds.h"
#include "model/metadata_range.h"
#include "model/online.h"
#include "model/percolator.h"
#include "model/training_rows.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char magic[] = NEY_MODEL_MAGIC;

/* A model is of the lowest version that can hold it. */
enum {
    WITH_FOLDS = 2,
    WITH_GROUPS = 3,
    WITH_TRAINING_ROWS = 4,
    WITH_COLUMN_MAPS = 5, /* ranks; forms of numbers; missing values kept, or filled by medians */
    WITH_PROBABILITY = 6,
    WITH_LAYERS = 7, /* networks of two hidden layers, or of ReLU */
    VERSION = WITH_LAYERS
};

static const char *const list_name[NEY_N_LISTS] = {
    [NEY_METADATA_SUMMARY] = "summary",
    [NEY_METADATA_CERTIFICATE] = "certificate",
};

/* ---------------------------------------------------------------- writing */

static void format_metadata(const ney_metadata *list, const char *name, ney_text *t)
{
    ney_text_line_int(t, name, list->n);
    for (int64_t k = 0; k < list->n; k++) {
        const ney_metadata_item *const item = &list->item[k];
        ney_text_put(t, " ");
        ney_text_put(t, item->key);
        if (item->text) {
            ney_text_put(t, " text ");
            ney_text_word(t, item->text);
        } else {
            ney_text_put(t, " number ");
            ney_text_number(t, item->value);
        }
        ney_text_put(t, "\n");
    }
}

static void format_calibration(const ney_calibration *c, ney_text *t)
{
    if (c[0].n == 0) {
        return;
    }
    ney_text_put(t, "calibration ");
    ney_text_int(t, c[0].n);
    ney_text_field_int(t, c[1].n);
    for (int k = 0; k < 2 && c[0].weight; k++) {
        ney_text_field_int(t, c[k].groups);
    }
    ney_text_put(t, "\n");
    for (int k = 0; k < 2; k++) {
        for (int64_t i = 0; i < c[k].n; i++) {
            ney_text_field_number(t, c[k].score[i]);
            if (c[k].weight) {
                ney_text_field_number(t, c[k].weight[i]);
            }
            ney_text_put(t, "\n");
        }
    }
}

static bool has_groups(const ney_model *m)
{
    return m->calibration[0].weight || m->preprocessing->group_column ||
           m->preprocessing->id_column || m->preprocessing->kept_columns;
}

static bool has_column_maps(const ney_preprocessing *r)
{
    bool formed = r->na_words || r->pooled;
    for (int64_t i = 0; i < r->n_input; i++) {
        formed = formed || r->input[i].form != NEY_NUMBER_PLAIN;
    }
    return formed || r->ranks || r->scaling > NEY_SCALING_UNIT || r->missing > NEY_MISSING_MEAN;
}

static bool has_layers(const ney_model *m)
{
    ney_network shape;
    const double *weight, *bias;
    return ney_model_network(m, &shape, &weight, &bias) &&
           (shape.units[1] > 0 || shape.activation != NEY_ACTIVATION_TANH);
}

static int version_of(const ney_model *m)
{
    if (has_layers(m)) {
        return WITH_LAYERS;
    }
    if (m->probability) {
        return WITH_PROBABILITY;
    }
    if (has_column_maps(m->preprocessing)) {
        return WITH_COLUMN_MAPS;
    }
    if (m->training_rows) {
        return WITH_TRAINING_ROWS;
    }
    return has_groups(m) ? WITH_GROUPS : m->folds ? WITH_FOLDS : 1;
}

static void format_model(const ney_model *m, ney_text *t)
{
    ney_text_put(t, magic);
    ney_text_field_int(t, version_of(m));
    ney_text_put(t, "\nfamily ");
    ney_text_put(t, m->family->name);
    ney_text_put(t, "\n");
    ney_preprocessing_format(m->preprocessing, t);
    ney_text_put(t, "thresholds ");
    ney_text_number(t, m->low);
    ney_text_field_number(t, m->high);
    ney_text_put(t, "\n");
    for (int l = 0; l < NEY_N_LISTS; l++) {
        format_metadata(&m->list[l], list_name[l], t);
    }
    t->has_nonfinite =
        false; /* thresholds and metadata may be infinite, what makes scores may not */
    format_calibration(m->calibration, t);
    ney_model_probability_format(m, t);
    if (m->training_rows) {
        ney_model_sketch_format(m->training_rows, t);
    }
    m->family->format(m->part, t);
    if (m->folds) {
        ney_model_folds_format(m, t);
    }
    ney_checksum_append(t);
}

ney_status ney_model_format(const ney_model *model, char **text, size_t *n_text, ney_error *err)
{
    NEY_CLEAR(text);
    NEY_REQUIRE(model && text && n_text, err);
    ney_text t;
    *text = NULL;
    *n_text = 0;
    ney_text_init(&t, &model->env);
    format_model(model, &t);
    if (t.failed) {
        const int64_t length = t.length;
        ney_text_deinit(&t);
        return ney_no_memory(err, length, "bytes of a model");
    }
    if (t.has_nonfinite) {
        ney_text_deinit(&t);
        return ney_fail(err, NEY_ENUMERIC,
                        "the model holds a number that is not finite and is not written");
    }
    *text = t.bytes;
    *n_text = (size_t)t.length;
    return NEY_OK;
}

void ney_model_text_free(const ney_model *model, char *text)
{
    if (!model) {
        return;
    }
    ney_release(&model->env, text);
}

ney_status ney_model_write(const ney_model *model, const char *path, ney_error *err)
{
    NEY_REQUIRE(model && path, err);
    char *text = NULL;
    size_t n_text;
    ney_status st = ney_model_format(model, &text, &n_text, err);
    if (st != NEY_OK) {
        return st;
    }
    st = ney_file_write(&model->env, path, text, (int64_t)n_text, err);
    ney_model_text_free(model, text);
    return st;
}

/* ---------------------------------------------------------------- reading */

/* " KEY number X" or " KEY text WORD". */
static void parse_metadata_item(ney_fields *f, ney_model *m, ney_metadata_kind list)
{
    char *key = ney_fields_word(f), *kind = ney_fields_word(f), *text = NULL;
    double value = 0;

    if (key && (!ney_metadata_key_is_valid(key) || ney_metadata_find(&m->list[list], key) >= 0)) {
        ney_fields_fail(f, "found '%.40s', expected a new name of lower-case letters", key);
    }
    const bool is_text = kind && strcmp(kind, "text") == 0;
    if (kind && !is_text && strcmp(kind, "number") != 0) {
        ney_fields_fail(f, "found '%.40s', expected 'number' or 'text'", kind);
    }
    if (is_text) {
        text = ney_fields_word(f);
    } else {
        value = ney_fields_number(f);
    }
    const char *const expected =
        f->status == NEY_OK ? ney_metadata_expected(list, key, text, value) : NULL;
    if (expected) {
        ney_fields_fail(f, "%.40s is %s, expected %s", key, text ? "a word" : "out of range",
                        expected);
    }
    ney_fields_end(f);
    if (f->status == NEY_OK) {
        f->status = is_text ? ney_model_set_text(m, list, key, text, f->err)
                            : ney_model_set_number(m, list, key, value, f->err);
    }
    ney_release(f->env, key);
    ney_release(f->env, kind);
    ney_release(f->env, text);
}

static void parse_metadata(ney_fields *f, ney_model *m, ney_metadata_kind list)
{
    ney_fields_key(f, list_name[list]);
    const int64_t n = ney_fields_int(f, 0, NEY_MOST_METADATA);
    ney_fields_end(f);
    for (int64_t k = 0; k < n && f->status == NEY_OK; k++) {
        parse_metadata_item(f, m, list);
    }
}

static const ney_family *parse_family(ney_fields *f)
{
    ney_fields_key(f, "family");
    char *name = ney_fields_word(f);
    const ney_family *const family = name ? ney_family_find(name) : NULL;
    if (name && !family) {
        ney_fields_fail(f, "family '%.40s' is not known to this library", name);
    }
    ney_release(f->env, name);
    ney_fields_end(f);
    return family;
}

static void parse_thresholds(ney_fields *f, ney_model *m)
{
    ney_fields_key(f, "thresholds");
    m->low = ney_fields_number(f);
    m->high = ney_fields_number(f);
    if (!(m->low <= m->high)) { /* written so that NaN is refused too */
        ney_fields_fail(f, "thresholds %g and %g, expected the first not above the second", m->low,
                        m->high);
    }
    ney_fields_end(f);
}

/* A score takes two bytes at least, which bounds what may be asked for. */
static void parse_scores(ney_fields *f, ney_calibration *c, const ney_env *env)
{
    const int64_t n = c->n;
    c->n = 0;
    if (f->status == NEY_OK &&
        (!(c->score = ney_alloc(env, n, sizeof *c->score)) ||
         (c->groups > 0 && !(c->weight = ney_alloc(env, n, sizeof *c->weight))))) {
        f->status = ney_no_memory(f->err, n, "scores");
    }
    if (f->status != NEY_OK) {
        return;
    }
    for (int64_t i = 0; i < n && f->status == NEY_OK; i++) {
        const double score = ney_fields_number(f);
        if (f->status == NEY_OK && !(score >= (i > 0 ? c->score[i - 1] : -(double)INFINITY))) {
            ney_fields_fail(f, "score %g, expected none below the one before it", score);
        }
        c->score[i] = score;
        if (c->weight) {
            c->weight[i] = ney_fields_number(f);
            if (f->status == NEY_OK && !(c->weight[i] > 0 && c->weight[i] <= 1)) {
                ney_fields_fail(f, "weight %g, expected a number above 0 and at most 1",
                                c->weight[i]);
            }
        }
        c->n = i + 1;
        ney_fields_end(f);
    }
    if (f->status == NEY_OK && !ney_calibration_sum(c, env)) {
        f->status = ney_no_memory(f->err, n, "weights");
    }
}

static void parse_calibration(ney_fields *f, ney_model *m)
{
    if (f->status != NEY_OK || !ney_fields_is(f, "calibration")) {
        return;
    }
    ney_fields_key(f, "calibration");
    for (int k = 0; k < 2; k++) {
        m->calibration[k].n = ney_fields_int(f, 1, (f->end - f->at) / 2);
    }
    const bool groups = f->status == NEY_OK && !ney_fields_at_end(f);
    for (int k = 0; k < 2 && groups; k++) {
        m->calibration[k].groups = ney_fields_int(f, 1, m->calibration[k].n);
    }
    ney_fields_end(f);
    const int64_t n_pos = m->calibration[1].n;
    m->calibration[1].n = 0; /* nothing is there yet */
    parse_scores(f, &m->calibration[0], &m->env);
    m->calibration[1].n = n_pos;
    parse_scores(f, &m->calibration[1], &m->env);
}

/* What lies between the first and the last line; NULL after a failure. */
static ney_model *parse_body(ney_fields *f)
{
    ney_model *m = NULL;
    const ney_family *const family = parse_family(f);
    ney_preprocessing *const preprocessing = ney_preprocessing_parse(f);
    if (!preprocessing) {
        return NULL;
    }
    if (preprocessing->missing == NEY_MISSING_KEEP && !family->takes_missing) {
        ney_fields_fail(f, "missing values are kept, which family '%s' cannot score", family->name);
        ney_preprocessing_free(preprocessing);
        return NULL;
    }
    f->status = ney_model_new(&m, f->env, preprocessing, family, f->err);
    if (!m) {
        return NULL;
    }
    parse_thresholds(f, m);
    for (int l = 0; l < NEY_N_LISTS; l++) {
        parse_metadata(f, m, (ney_metadata_kind)l);
    }
    parse_calibration(f, m);
    ney_model_probability_parse(f, m);
    ney_model_sketch_parse(f, m);
    if (f->status == NEY_OK) {
        m->part = family->parse(f, ney_preprocessing_cols(preprocessing));
    }
    if (f->status == NEY_OK && f->at != f->end && ney_fields_is(f, "folds")) {
        ney_model_folds_parse(f, m);
    }
    ney_fields_finish(f, "a model of its family");
    if (f->status != NEY_OK) {
        ney_model_free(m);
        return NULL;
    }
    return m;
}

ney_status ney_model_parse(ney_model **out, const ney_env *env, const char *name, const char *text,
                           size_t n_text, ney_error *err)
{
    NEY_CLEAR(out);
    NEY_REQUIRE(out && (text || n_text == 0), err);
    const ney_env e = ney_env_of(env);
    ney_fields f;

    *out = NULL;
    if (ney_exchange_is(text, n_text)) {
        return ney_exchange_parse(out, &e, name, text, n_text, err);
    }
    if (ney_percolator_is(text, n_text)) {
        return ney_percolator_parse(out, &e, name, text, n_text, err);
    }
    /* The text need not be followed by a NUL: once its end is checked, every number that is
     * scanned is followed by a newline. The first line is scanned before, so it must have one. */
    if (n_text == 0 || !memchr(text, '\n', n_text)) {
        const bool is_start =
            n_text >= sizeof magic - 1 && memcmp(text, magic, sizeof magic - 1) == 0;
        return ney_fail_at(err, NEY_EFORMAT, (ney_place){.file = name}, "%s",
                           is_start ? "the file is truncated in its first line" : "not a model");
    }
    ney_fields_init(&f, &e, name, text, (int64_t)n_text, err);
    ney_checksum_begin(&f, magic, "a model", VERSION);
    if (f.status == NEY_OK) {
        *out = parse_body(&f);
    }
    return f.status;
}

ney_status ney_model_read(ney_model **out, const ney_env *env, const char *path, ney_error *err)
{
    NEY_CLEAR(out);
    NEY_REQUIRE(out && path, err);
    const ney_env e = ney_env_of(env);
    char *text = NULL;
    int64_t n_text;

    *out = NULL;
    static const char *const begins[] = {NEY_MODEL_MAGIC, "svm_type", "solver_type", NULL};
    ney_status st = ney_file_read(&text, &n_text, &e, path, begins, err);
    if (st == NEY_OK) {
        st = ney_model_parse(out, &e, path, text, (size_t)n_text, err);
    }
    ney_release(&e, text);
    return st;
}
