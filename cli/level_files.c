/* The files of one level, in the layouts of Percolator and mokapot. */
#include <stdlib.h>

#include "file_memory.h"
#include "levels.h"
#include "tsv.h"

ney_status level_rank(const level *v, session *s, const evidence *in, int label, ney_ranked **item,
                      int64_t *n)
{
    *n = 0;
    if (!(*item = memory_new((size_t)in->n + 1, sizeof **item))) {
        return out_of_memory(&s->err, "the rows in order");
    }
    for (int64_t i = 0; i < in->n; i++) {
        if (v->best[i] && in->label[i] == label) {
            (*item)[(*n)++] = (ney_ranked){in->score[i], i};
        }
    }
    return ney_rank(&s->env, *item, *n, &s->err);
}

/* ------------------------------------------------------------------ peptides of proteins */

typedef struct unit_row {
    uint64_t unit;
    int64_t row;
} unit_row;

static int by_unit(const void *a, const void *b)
{
    const unit_row *x = a, *y = b;

    return x->unit != y->unit ? (x->unit > y->unit) - (x->unit < y->unit)
                              : (x->row > y->row) - (x->row < y->row);
}

/* The rows of all units, those of one unit side by side; NULL without memory. */
static unit_row *sort_by_unit(const level *v, const evidence *in, int label, int64_t *n)
{
    unit_row *const item = memory_new((size_t)in->n + 1, sizeof *item);

    *n = 0;
    for (int64_t i = 0; i < in->n && item; i++) {
        if (v->taken[i] && v->unit[i] && in->label[i] == label) {
            item[(*n)++] = (unit_row){v->unit[i], i};
        }
    }
    if (item) {
        qsort(item, (size_t)*n, sizeof *item, by_unit);
    }
    return item;
}

/* The first row of a unit. */
static int64_t find_unit(const unit_row *item, int64_t n, uint64_t unit)
{
    int64_t low = 0, high = n;

    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (item[middle].unit < unit) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* ------------------------------------------------------------------ cells */

/* What a file repeats of its rows; -1: the data have no such column. */
typedef struct row_text {
    ney_notes *notes;
    int64_t id, scan, mass, peptide, proteins;
} row_text;

static int64_t find_one_of(const ney_notes *n, const char *named, const char *first,
                           const char *second)
{
    const int64_t at = ney_notes_find(n, named ? named : first);

    return at >= 0 || named ? at : ney_notes_find(n, second);
}

static ney_status row_text_init(row_text *t, session *s, const ney_data *data)
{
    const level_args *const a = options_of(s->call, &level_options);
    const ney_status st = ney_notes_new(&t->notes, data, &s->err);

    if (st == NEY_OK) {
        t->id = find_one_of(t->notes, ney_data_id_column(data), "SpecId", "PSMId");
        t->scan = ney_notes_find(t->notes, "ScanNr");
        t->mass = ney_notes_find(t->notes, "ExpMass");
        t->peptide = find_one_of(t->notes, a->peptide, "Peptide", "Peptide");
        t->proteins = find_one_of(t->notes, a->protein, "Proteins", "proteinIds");
    }
    return st;
}

static void put_text(tsv *t, const row_text *r, int64_t row, int64_t column)
{
    int64_t length = 0;
    const char *const text = column < 0 ? "" : ney_notes_text(r->notes, row, column, &length);

    tsv_plain(t, text, length);
}

/* A list that tabs separate, in one cell. */
static void put_joined(tsv *t, const row_text *r, int64_t row, int64_t column)
{
    int64_t length = 0;
    const char *const text = column < 0 ? "" : ney_notes_text(r->notes, row, column, &length);

    tsv_plain(t, "", 0);
    for (int64_t i = 0; i < length; i++) {
        output_put(&t->out, text[i] == '\t' ? "," : text + i, 1);
    }
}

static void put_names(tsv *t, const char *const *names, int n)
{
    for (int k = 0; k < n; k++) {
        tsv_text(t, names[k]);
    }
    tsv_end(t);
}

/* ------------------------------------------------------------------ rows */

/* One file: what its rows are written from. */
typedef struct level_output {
    const level *v;
    const evidence *in;
    row_text text;
    bool mokapot, decoys;
    unit_row *member; /* of proteins: the rows of each */
    int64_t n_members;
    tsv t;
} level_output;

static void put_header(level_output *o)
{
    static const char *const percolator[] = {
        "PSMId", "score", "q-value", "posterior_error_prob", "peptide", "proteinIds"};
    static const char *const mokapot[] = {"SpecId",          "Label",       "ScanNr",
                                          "ExpMass",         "Peptide",     "mokapot score",
                                          "mokapot q-value", "mokapot PEP", "Proteins"};
    static const char *const proteins[] = {"ProteinId", "ProteinGroupId", "q-value",
                                           "posterior_error_prob", "peptideIds"};
    static const char *const mokapot_proteins[] = {
        "mokapot protein group", "best peptide", "mokapot score", "mokapot q-value", "mokapot PEP"};

    if (o->v->kind == LEVEL_PROTEIN && o->mokapot) {
        put_names(&o->t, mokapot_proteins, COUNT(mokapot_proteins));
    } else if (o->v->kind == LEVEL_PROTEIN) {
        put_names(&o->t, proteins, COUNT(proteins));
    } else if (o->mokapot) {
        put_names(&o->t, mokapot, COUNT(mokapot));
    } else {
        put_names(&o->t, percolator, COUNT(percolator));
    }
}

static void put_numbers(level_output *o, int64_t row, bool with_score)
{
    if (with_score) {
        tsv_real(&o->t, o->in->score[row]);
    }
    tsv_real(&o->t, o->v->q[row]);
    tsv_real(&o->t, o->v->pep[row]);
}

static void put_match(level_output *o, int64_t row)
{
    const row_text *const r = &o->text;

    put_text(&o->t, r, row, r->id);
    if (o->mokapot) {
        tsv_text(&o->t, o->decoys ? "False" : "True");
        put_text(&o->t, r, row, r->scan);
        put_text(&o->t, r, row, r->mass);
        put_text(&o->t, r, row, r->peptide);
        put_numbers(o, row, true);
    } else {
        put_numbers(o, row, true);
        put_text(&o->t, r, row, r->peptide);
    }
    put_text(&o->t, r, row, r->proteins);
}

static void put_peptides(level_output *o, int64_t row)
{
    const uint64_t unit = o->v->unit[row];
    int64_t k = find_unit(o->member, o->n_members, unit);

    put_text(&o->t, &o->text, o->member[k].row, o->text.peptide);
    for (k++; k < o->n_members && o->member[k].unit == unit; k++) {
        int64_t length = 0;
        const char *const text =
            ney_notes_text(o->text.notes, o->member[k].row, o->text.peptide, &length);
        output_put(&o->t.out, " ", 1);
        output_put(&o->t.out, text, (size_t)length);
    }
}

static void put_protein(level_output *o, int64_t row, int64_t number)
{
    put_joined(&o->t, &o->text, row, o->text.proteins);
    if (o->mokapot) {
        put_text(&o->t, &o->text, row, o->text.peptide);
        put_numbers(o, row, true);
    } else {
        tsv_int(&o->t, number);
        put_numbers(o, row, false);
        put_peptides(o, row);
    }
}

static void put_rows(level_output *o, const ney_ranked *item, int64_t n)
{
    put_header(o);
    for (int64_t k = 0; k < n; k++) {
        if (o->v->kind == LEVEL_PROTEIN) {
            put_protein(o, item[k].row, k + 1);
        } else {
            put_match(o, item[k].row);
        }
        if (!tsv_end(&o->t)) {
            return;
        }
    }
}

ney_status level_write(const level *v, session *s, const evidence *in, bool decoys,
                       const char *path)
{
    const level_args *const a = options_of(s->call, &level_options);
    const int label = decoys ? -1 : 1;
    level_output o = {.v = v, .in = in, .mokapot = a->layout == 1, .decoys = decoys};
    int64_t n;
    ney_ranked *item;
    ney_status st = level_rank(v, s, in, label, &item, &n);

    if (st == NEY_OK && v->kind == LEVEL_PROTEIN &&
        !(o.member = sort_by_unit(v, in, label, &o.n_members))) {
        st = out_of_memory(&s->err, "the rows of a file");
    }
    if (st == NEY_OK && (st = row_text_init(&o.text, s, in->of_model.data)) == NEY_OK &&
        (st = tsv_open(&o.t, path, "", &s->err)) == NEY_OK) {
        put_rows(&o, item, n);
        st = tsv_close(&o.t, &s->err);
    }
    ney_notes_free(o.text.notes);
    memory_free(o.member);
    memory_free(item);
    return st;
}
