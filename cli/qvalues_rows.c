#include "qvalues.h"

#include "tsv.h"

static const char *name_of(const evidence *in, int64_t row)
{
    return in->label[row] > 0 ? in->positive : in->negative;
}

/* The columns of a PIN file that results repeat; -1 where they are missing. */
typedef struct id_columns {
    ney_notes *notes;
    int64_t id, peptide, proteins;
} id_columns;

static ney_status id_columns_init(id_columns *c, session *s, const evidence *in)
{
    *c = (id_columns){0};
    if (!in->of_model.data || ney_data_format(in->of_model.data) != NEY_FORMAT_PIN) {
        return NEY_OK;
    }
    const ney_status st = ney_notes_new(&c->notes, in->of_model.data, &s->err);
    if (st == NEY_OK) {
        c->id = ney_notes_find(c->notes, "SpecId");
        c->id = c->id < 0 ? ney_notes_find(c->notes, "PSMId") : c->id;
        c->peptide = ney_notes_find(c->notes, "Peptide");
        c->proteins = ney_notes_find(c->notes, "Proteins");
        c->proteins = c->proteins < 0 ? ney_notes_find(c->notes, "proteinIds") : c->proteins;
    }
    return st;
}

static void put_note(tsv *t, const id_columns *c, int64_t row, int64_t column)
{
    int64_t length = 0;
    const char *text = column < 0 ? "" : ney_notes_text(c->notes, row, column, &length);

    tsv_plain(t, text, length);
}

/* Percolator's columns, or those of any table. */
static void write_row(tsv *t, const evidence *in, const found *f, const ney_ranked *item,
                      const id_columns *c)
{
    const int64_t row = item->row;
    const double score = item->score;

    if (c->notes) {
        put_note(t, c, row, c->id);
        tsv_real(t, score);
        tsv_real(t, f->d.q[row]);
        tsv_real(t, f->d.pep[row]);
        put_note(t, c, row, c->peptide);
        put_note(t, c, row, c->proteins);
        return;
    }
    tsv_int(t, row + 1);
    tsv_real(t, score);
    tsv_text(t, name_of(in, row));
    tsv_real(t, f->d.q[row]);
}

/* Rows in the order of their scores are anywhere in memory: have what is written of a later one on
 * its way while this one is written. */
static void look_ahead(const evidence *in, const found *f, int64_t i)
{
    enum { AHEAD = 24 };

    if (i + AHEAD < f->n) {
        const int64_t row = f->item[i + AHEAD].row;
        __builtin_prefetch(&in->label[row]);
        __builtin_prefetch(&f->d.q[row]);
    }
}

ney_status found_write(const found *f, session *s, const evidence *in, const char *path)
{
    id_columns c;
    tsv t;
    ney_status st = id_columns_init(&c, s, in);

    if (st == NEY_OK &&
        (st = tsv_open(&t, path,
                       c.notes ? "PSMId score q-value posterior_error_prob peptide proteinIds"
                               : "row score label q",
                       &s->err)) == NEY_OK) {
        for (int64_t i = 0; i < f->n; i++) {
            look_ahead(in, f, i);
            write_row(&t, in, f, &f->item[i], &c);
            if (!tsv_end(&t)) {
                break;
            }
        }
        st = tsv_close(&t, &s->err);
    }
    ney_notes_free(c.notes);
    return st;
}

void found_add_rows(const found *f, const evidence *in, ney_result *root)
{
    ney_result *rows = ney_result_add_object(root, "rows");
    ney_result *row = ney_result_add_array(rows, "row"),
               *score = ney_result_add_array(rows, "score");
    ney_result *label = ney_result_add_array(rows, "label"), *q = ney_result_add_array(rows, "q");
    ney_result *pep = ney_result_add_array(rows, "posterior_error_prob");

    for (int64_t i = 0; i < f->n; i++) {
        const int64_t at = f->item[i].row;
        ney_result_add_int(row, NULL, at + 1);
        ney_result_add_real(score, NULL, f->item[i].score);
        ney_result_add_text(label, NULL, name_of(in, at));
        ney_result_add_real(q, NULL, f->d.q[at]);
        ney_result_add_real(pep, NULL, f->d.pep[at]);
    }
}
