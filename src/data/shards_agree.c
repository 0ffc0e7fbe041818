/* One preprocessing for files that were read one by one. It goes from rank to rank, and each adds
 * its files in their order: the result depends on the files alone. */
#include "data/rows.h"
#include "data/shards.h"

#include <stdlib.h>
#include <string.h>

/* ---- what a file adds */

static bool same_text(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) == 0 : a == b;
}

static const char *shown(const char *text)
{
    return text ? text : "none";
}

static ney_status refuse_other(ney_place place, const char *what, const char *found,
                               const char *expected, ney_error *err)
{
    return ney_fail_at(err, NEY_EPARSE, place,
                       "has as %s '%.100s', expected '%.100s' as in the files before it", what,
                       shown(found), shown(expected));
}

/* What must be the same in all files. */
static ney_status compare_names(const ney_preprocessing *all, const ney_preprocessing *own,
                                ney_place place, ney_error *err)
{
    const struct {
        const char *what, *of_all, *of_own;
    } names[] = {
        {"column of labels", all->label_column, own->label_column},
        {"column of weights", all->weight_column, own->weight_column},
        {"columns that are not features", all->note_columns, own->note_columns},
        {"column of identifiers", all->id_column, own->id_column},
        {"column of groups", all->group_column, own->group_column},
        {"columns to keep", all->kept_columns, own->kept_columns},
        {"words for missing cells", all->na_words, own->na_words},
        {"negative labels", all->pooled, own->pooled},
    };
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        if (!same_text(names[k].of_all, names[k].of_own)) {
            return refuse_other(place, names[k].what, names[k].of_own, names[k].of_all, err);
        }
    }
    if (all->format != own->format || all->missing != own->missing || own->prepared) {
        return ney_fail_at(err, NEY_EPARSE, place,
                           own->prepared ? "has been filled and scaled, expected raw rows"
                                         : "has another format than the files before it");
    }
    return NEY_OK;
}

static ney_status compare_inputs(const ney_preprocessing *all, const ney_preprocessing *own,
                                 ney_place place, ney_error *err)
{
    if (all->n_input != own->n_input) {
        return ney_fail_at(err, NEY_EPARSE, place,
                           "has %lld columns of features, expected %lld as in the files before it",
                           (long long)own->n_input, (long long)all->n_input);
    }
    for (int64_t k = 0; k < own->n_input; k++) {
        const ney_input *const a = &all->input[k], *const b = &own->input[k];
        if (strcmp(a->name, b->name) != 0) {
            return refuse_other(place, "a column of features", b->name, a->name, err);
        }
        if (!a->category != !b->category || a->form != b->form) {
            return ney_fail_at(
                err, NEY_EPARSE, place,
                "column '%.60s' holds %s, and %s in the files before it: correct it, or name it "
                "under --words %.60s",
                b->name, b->category ? "words" : ney_number_form_meaning(b->form),
                a->category ? "words" : ney_number_form_meaning(a->form), b->name);
        }
    }
    return NEY_OK;
}

static bool has_label(const ney_preprocessing *r, const char *name)
{
    return (r->label[0] && ney_same_label(r->label[0], name)) ||
           (r->label[1] && ney_same_label(r->label[1], name));
}

static ney_status add_labels(ney_preprocessing *all, const ney_preprocessing *own, ney_place place,
                             ney_error *err)
{
    for (int k = 0; k < 2; k++) {
        const char *const name = own->label[k];
        if (!name || has_label(all, name)) {
            continue;
        }
        char **const to = !all->label[0] ? &all->label[0] : &all->label[1];
        if (*to) {
            return ney_fail_at(err, NEY_EPARSE, place,
                               "has the label '%.40s', expected '%.40s' or '%.40s' as in the files "
                               "before it",
                               name, all->label[0], all->label[1]);
        }
        if (!(*to = ney_strdup(&all->env, name, strlen(name)))) {
            return ney_no_memory(err, 1, "label name");
        }
    }
    return NEY_OK;
}

/* The categories of both, ascending. */
static bool add_categories(const ney_env *env, ney_input *all, const ney_input *own)
{
    char **const both = ney_alloc(env, all->n_category + own->n_category, sizeof *both);
    int64_t n = 0, i = 0, k = 0;
    while (both && (i < all->n_category || k < own->n_category)) {
        const int order = i == all->n_category   ? 1
                          : k == own->n_category ? -1
                                                 : strcmp(all->category[i], own->category[k]);
        if (order <= 0) {
            both[n++] = all->category[i++];
            k += order == 0;
        } else if ((both[n] = ney_strdup(env, own->category[k], strlen(own->category[k])))) {
            n++;
            k++;
        } else {
            break;
        }
    }
    if (!both || i < all->n_category || k < own->n_category) {
        for (int64_t j = 0, at = 0; both && j < n; j++) { /* those of `all` stay its own */
            const bool is_own = at >= all->n_category || both[j] != all->category[at];
            at += !is_own;
            ney_release(env, is_own ? both[j] : NULL);
        }
        ney_release(env, both);
        return false;
    }
    ney_release(env, all->category);
    all->category = both;
    all->n_category = n;
    return true;
}

/* The shift of input k, or of numbered feature k. */
static double shift_of(const ney_preprocessing *r, int64_t k)
{
    return r->shift ? r->shift[r->input ? r->input[k].first : k] : 0;
}

/* Where features begin, and the first shift of a column in the order of files. */
static bool lay_out(ney_preprocessing *all, const ney_preprocessing *own)
{
    const int64_t n = all->input ? all->n_input : own->cols > all->cols ? own->cols : all->cols;
    double *const shift = ney_alloc_zeroed(&all->env, n, sizeof *shift);
    bool shifted = false;
    if (!shift) {
        return false;
    }
    for (int64_t k = 0; k < n; k++) {
        const double before = all->input || k < all->cols ? shift_of(all, k) : 0;
        shift[k] = before != 0 || (!own->input && k >= own->cols) ? before : shift_of(own, k);
        shifted = shifted || shift[k] != 0;
    }
    int64_t cols = all->input ? 0 : n;
    for (int64_t k = 0; all->input && k < n; k++) {
        all->input[k].first = cols;
        cols += all->input[k].category ? all->input[k].n_category : 1;
    }
    const bool fills = all->fill != NULL;
    ney_release_all(&all->env, all->shift, all->fill);
    all->cols = cols;
    all->fill = NULL;
    all->shift = shifted ? ney_alloc_zeroed(&all->env, cols, sizeof *all->shift) : NULL;
    for (int64_t k = 0; all->shift && k < n; k++) {
        all->shift[all->input ? all->input[k].first : k] = shift[k];
    }
    ney_release(&all->env, shift);
    return (!shifted || all->shift) && (!fills || ney_preprocessing_set_missing(all, all->missing));
}

static ney_status add_file(ney_preprocessing *all, const ney_preprocessing *own, ney_place place,
                           ney_error *err)
{
    ney_status st = compare_names(all, own, place, err);
    if (st != NEY_OK || (st = compare_inputs(all, own, place, err)) != NEY_OK ||
        (st = add_labels(all, own, place, err)) != NEY_OK) {
        return st;
    }
    bool fine = true;
    for (int64_t k = 0; k < all->n_input && fine; k++) {
        fine = !all->input[k].category || add_categories(&all->env, &all->input[k], &own->input[k]);
    }
    return fine && lay_out(all, own) ? NEY_OK : ney_no_memory(err, all->cols, "columns");
}

/* ---- from rank to rank */

static ney_status add_own(const ney_shards *s, ney_preprocessing **all, ney_data *const *part,
                          ney_error *err)
{
    ney_status st = NEY_OK;
    for (int64_t k = s->first; k < s->end && st == NEY_OK; k++) {
        const ney_preprocessing *const own = part[k - s->first]->preprocessing;
        if (!*all) {
            st = ney_preprocessing_copy(all, &s->env, own, err);
            continue;
        }
        char *const name = ney_shards_name(s, k);
        st = name ? add_file(*all, own, (ney_place){.file = name}, err)
                  : ney_no_memory(err, 1, "name of a file");
        ney_release(&s->env, name);
    }
    return st;
}

static ney_status parse(const ney_shards *s, const char *text, int64_t length,
                        ney_preprocessing **out, ney_error *err)
{
    ney_fields fields;
    ney_fields_init(&fields, &s->env, "preprocessing", text, length, err);
    *out = ney_preprocessing_parse(&fields);
    return fields.status;
}

/* What the ranks before have agreed on; NULL where they failed, or on the first. */
static ney_status receive(const ney_shards *s, ney_preprocessing **all, bool *failed,
                          ney_error *err)
{
    int64_t length;
    const int from = ney_comm_rank(s->comm) - 1;
    *all = NULL;
    if (from < 0) {
        return NEY_OK;
    }
    s->comm->receive(s->comm->state, from, &length, (int64_t)sizeof length);
    *failed = length < 0;
    if (*failed) {
        return NEY_OK;
    }
    char *const text = ney_alloc_zeroed(&s->env, length + 1, 1);
    if (!text) { /* the message must be taken all the same: the run ends */
        return ney_no_memory(err, length, "bytes of preprocessing");
    }
    s->comm->receive(s->comm->state, from, text, length);
    const ney_status st = parse(s, text, length, all, err);
    ney_release(&s->env, text);
    return st;
}

static void pass_on(const ney_shards *s, const ney_text *text, bool failed)
{
    const int to = ney_comm_rank(s->comm) + 1;
    const int64_t length = failed ? -1 : text->length;
    if (to < ney_comm_size(s->comm)) {
        s->comm->send(s->comm->state, to, &length, (int64_t)sizeof length);
        if (!failed) {
            s->comm->send(s->comm->state, to, text->bytes, length);
        }
    }
}

/* The text of the last rank is that of all. */
static ney_status take_last(const ney_shards *s, ney_text *text, ney_preprocessing **all,
                            ney_error *err)
{
    const int last = ney_comm_size(s->comm) - 1;
    int64_t length = text->length;
    ney_comm_broadcast(s->comm, last, &length, (int64_t)sizeof length);
    char *const bytes = ney_alloc_zeroed(&s->env, length + 1, 1);
    ney_status st = bytes ? NEY_OK : ney_no_memory(err, length, "bytes of preprocessing");
    if ((st = ney_comm_agree(s->comm, st, err)) == NEY_OK) {
        if (ney_comm_rank(s->comm) == last) {
            memcpy(bytes, text->bytes, (size_t)length);
        }
        ney_comm_broadcast(s->comm, last, bytes, length);
        ney_preprocessing_free(*all);
        st = parse(s, bytes, length, all, err);
    }
    ney_release(&s->env, bytes);
    return st;
}

static ney_status agree(const ney_shards *s, ney_preprocessing **all, ney_data *const *part,
                        ney_error *err)
{
    ney_text text;
    bool failed = false;
    ney_status st = receive(s, all, &failed, err);
    ney_text_init(&text, &s->env);
    if (st == NEY_OK && !failed && (st = add_own(s, all, part, err)) == NEY_OK) {
        ney_preprocessing_format(*all, &text);
        st = text.failed ? ney_no_memory(err, text.length, "bytes of preprocessing") : NEY_OK;
    }
    pass_on(s, &text, failed || st != NEY_OK);
    if ((st = ney_comm_agree(s->comm, st, err)) == NEY_OK) {
        st = take_last(s, &text, all, err);
    }
    ney_text_deinit(&text);
    return st;
}

/* ---- labels */

static ney_label label_of(const char *name)
{
    return ney_label_of(name, (int)strlen(name), 0);
}

/* Which of the label values is the positive one: by the rule of a single file. */
static ney_status order_labels(ney_preprocessing *all, const char *positive, ney_error *err)
{
    int which = -1, n = (all->label[0] != NULL) + (all->label[1] != NULL);
    if (n == 1 && !all->label[0]) {
        all->label[0] = all->label[1];
        all->label[1] = NULL;
    }
    for (int k = 0; k < n && positive; k++) {
        which = ney_same_label(positive, all->label[k]) ? k : which;
    }
    if (positive && which < 0 && n == 2) {
        return ney_fail(err, NEY_EPARSE,
                        "the files have labels '%.40s' and '%.40s', expected '%.40s' among them as "
                        "the positive one",
                        all->label[0], all->label[1], positive);
    }
    if (!positive && n == 2) {
        const ney_label a = label_of(all->label[0]), b = label_of(all->label[1]);
        which = ney_label_is_larger(&b, &a);
    } else if (!positive && n == 1) {
        const ney_label a = label_of(all->label[0]);
        which = a.is_number && a.number > 0 ? 0 : -1;
    }
    if (which == 0) {
        char *const kept = all->label[0];
        all->label[0] = all->label[1];
        all->label[1] = kept;
    }
    return NEY_OK;
}

/* ---- features and labels of a file as the agreed preprocessing says */

static void flip_labels(ney_data *d, const ney_preprocessing *all)
{
    const ney_preprocessing *const own = d->preprocessing;
    const bool other =
        own->label[1]
            ? !all->label[1] || !ney_same_label(own->label[1], all->label[1])
            : own->label[0] && all->label[1] && ney_same_label(own->label[0], all->label[1]);
    for (int64_t i = 0; d->label && other && i < d->x.rows; i++) {
        d->label[i] = (int8_t)-d->label[i];
    }
}

/* place[c]: the feature of all files that feature c of this one is. */
static void place_features(const ney_preprocessing *all, const ney_preprocessing *own,
                           int32_t *place)
{
    for (int64_t c = 0; !own->input && c < own->cols; c++) {
        place[c] = (int32_t)c;
    }
    for (int64_t k = 0; k < own->n_input; k++) {
        const ney_input *const a = &all->input[k], *const b = &own->input[k];
        place[b->first] = (int32_t)a->first;
        for (int64_t i = 0, j = 0; b->category && i < b->n_category; i++) {
            while (strcmp(a->category[j], b->category[i]) != 0) {
                j++;
            }
            place[b->first + i] = (int32_t)(a->first + j);
        }
    }
}

static bool place_dense(ney_data *d, int64_t cols, const int32_t *place)
{
    float *const value = ney_alloc_zeroed(&d->env, d->x.rows * cols, sizeof *value);
    if (!value) {
        return false;
    }
    for (int64_t i = 0; i < d->x.rows; i++) {
        for (int64_t c = 0; c < d->x.cols; c++) {
            value[i * cols + place[c]] = d->value[i * d->x.cols + c];
        }
    }
    ney_release(&d->env, d->value);
    d->value = value;
    return true;
}

static bool move_features(ney_data *d, const ney_preprocessing *all)
{
    int32_t *const place = ney_alloc_zeroed(&d->env, d->x.cols, sizeof *place);
    bool same = true, fine = place != NULL;
    if (fine) {
        place_features(all, d->preprocessing, place);
    }
    for (int64_t c = 0; fine && c < d->x.cols; c++) {
        same = same && place[c] == c;
    }
    if (fine && d->start) {
        for (int64_t k = 0; !same && k < d->start[d->x.rows]; k++) {
            d->index[k] = place[d->index[k]];
        }
    } else if (fine && (!same || d->x.cols != all->cols)) {
        fine = place_dense(d, all->cols, place);
    }
    ney_release(&d->env, place);
    if (fine) {
        ney_data_refresh(d, d->x.rows, all->cols);
    }
    return fine;
}

/* Stored values are less the shift of their file: make it that of all. Zeros have moved too. */
static bool move_shift(ney_data *d, const ney_preprocessing *all)
{
    const ney_preprocessing *const own = d->preprocessing;
    const int64_t n = own->input ? own->n_input : own->cols;
    for (int64_t k = 0; k < n; k++) {
        const double by = shift_of(own, k) - shift_of(all, k);
        const int64_t c = own->input ? all->input[k].first : k;
        if (by == 0 || (own->input && own->input[k].category)) {
            continue;
        }
        if (!ney_data_to_dense(d)) {
            return false;
        }
        for (int64_t i = 0; i < d->x.rows; i++) {
            float *const at = &d->value[i * d->x.cols + c];
            *at = (float)((double)*at + by);
        }
    }
    return true;
}

static ney_status follow(ney_data *d, const ney_preprocessing *all, ney_error *err)
{
    ney_preprocessing *copy;
    flip_labels(d, all);
    if (!move_features(d, all) || !move_shift(d, all)) {
        return ney_no_memory(err, d->x.rows, "rows");
    }
    const ney_status st = ney_preprocessing_copy(&copy, &d->env, all, err);
    if (st == NEY_OK) {
        ney_preprocessing_free(d->preprocessing);
        d->preprocessing = copy;
    }
    return st;
}

ney_status ney_shards_agree(const ney_shards *s, ney_data **part, const char *positive,
                            ney_error *err)
{
    ney_preprocessing *all = NULL;
    ney_status st = agree(s, &all, part, err);
    if (st == NEY_OK) {
        st = order_labels(all, positive, err);
    }
    for (int64_t k = s->first; k < s->end && st == NEY_OK; k++) {
        st = follow(part[k - s->first], all, err);
    }
    ney_preprocessing_free(all);
    return ney_comm_agree(s->comm, st, err);
}
