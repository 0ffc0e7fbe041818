#include "levels.h"

#include <stdlib.h>

#include "file_memory.h"

/* clang-format off */
static const ney_param level_rows[] = {
#define AT(field) offsetof(level_args, field)
    /* name                    flag kind            offset                             default low high arg   choices help */
    {"results-psms",            0, NEY_KIND_TEXT,   AT(file[LEVEL_PSM].targets),       0, 0, 0, "FILE",   NULL, "file for all targets among the matches, best score first, with q-values and posterior error probabilities"},
    {"decoy-results-psms",      0, NEY_KIND_TEXT,   AT(file[LEVEL_PSM].decoys),        0, 0, 0, "FILE",   NULL, "the same for decoys"},
    {"results-peptides",        0, NEY_KIND_TEXT,   AT(file[LEVEL_PEPTIDE].targets),   0, 0, 0, "FILE",   NULL, "file for all target peptides, each with its best match"},
    {"decoy-results-peptides",  0, NEY_KIND_TEXT,   AT(file[LEVEL_PEPTIDE].decoys),    0, 0, 0, "FILE",   NULL, "the same for decoys"},
    {"results-proteins",        0, NEY_KIND_TEXT,   AT(file[LEVEL_PROTEIN].targets),   0, 0, 0, "FILE",   NULL, "file for all target proteins, each with the score of its best peptide"},
    {"decoy-results-proteins",  0, NEY_KIND_TEXT,   AT(file[LEVEL_PROTEIN].decoys),    0, 0, 0, "FILE",   NULL, "the same for decoys"},
    {"layout",                  0, NEY_KIND_CHOICE, AT(layout),                        0, 0, 1, "NAME",   "percolator mokapot", "columns of these files"},
    {"peptide-pairs",           0, NEY_KIND_CHOICE, AT(pairing),                       0, 0, 3, "HOW",    "auto shuffled reversed none", "how the decoy of a target peptide was made, so that the two compete: residues between the first and the last shuffled, or residues before the last reversed; auto: determined from the peptides"},
    {"shared-peptides",         0, NEY_KIND_CHOICE, AT(shared),                        0, 0, 1, "HOW",    "drop group", "peptides of several proteins: not used, or used for a group of proteins that have the same peptides"},
    {"peptide",                 0, NEY_KIND_TEXT,   AT(peptide),                       0, 0, 0, "COLUMN", NULL, "column of the peptide; default: Peptide"},
    {"protein",                 0, NEY_KIND_TEXT,   AT(protein),                       0, 0, 0, "COLUMN", NULL, "column of the proteins, separated by tabs or semicolons; default: Proteins or proteinIds"},
    {"decoy-prefix",            0, NEY_KIND_TEXT,   AT(decoy_prefix),                  0, 0, 0, "TEXT",   NULL, "prefix of the names of decoy proteins; default: decoy_, rev_ or another usual prefix that all of them have"},
    {"entrapment",              0, NEY_KIND_TEXT,   AT(entrapment),                    0, 0, 0, "PREFIX", NULL, "proteins with this prefix are known to be absent: report the share of false discoveries that they show"},
    {"entrapment-ratio",        0, NEY_KIND_REAL,   AT(entrapment_ratio),              1, 1e-6, 1e6, "R", NULL, "number of entrapment sequences per target sequence in the database that was searched"},
    {"entrapment-curve",        0, NEY_KIND_TEXT,   AT(entrapment_curve),              0, 0, 0, "FILE",   NULL, "file for the share at the q-value of every target"},
#undef AT
};
/* clang-format on */

const option_set level_options = {.title = "Matches, peptides and proteins",
                                  .rows = level_rows,
                                  .n_rows = COUNT(level_rows),
                                  .bytes = sizeof(level_args)};

const char *const level_names[] = {"match", "peptide", "protein"};

static bool is_asked(const level_args *a, enum level_kind kind)
{
    return a->file[kind].targets || a->file[kind].decoys;
}

bool levels_have_entrapment(const invocation *call)
{
    return ((const level_args *)options_of(call, &level_options))->entrapment != NULL;
}

/* ------------------------------------------------------------------ levels above the matches */

/* Memory of one level: q-values, error probabilities and units, one per row, then winners. */
typedef struct level_memory {
    double *q, *pep;
    uint64_t *unit;
    bool *best;
} level_memory;

static ney_status level_memory_new(levels *l, session *s, int64_t n, level_memory *m)
{
    const size_t rows = (size_t)n + 1;
    char *const block = memory_new(rows, 2 * sizeof(double) + sizeof(uint64_t) + sizeof(bool));

    l->owned[l->n] = block;
    if (!block) {
        return out_of_memory(&s->err, "the q-values");
    }
    m->q = (double *)(void *)block;
    m->pep = m->q + rows;
    m->unit = (uint64_t *)(void *)(m->pep + rows);
    m->best = (bool *)(void *)(m->unit + rows);
    return NEY_OK;
}

static void count_accepted(level *v, const evidence *in, double max_fdr)
{
    for (int64_t i = 0; i < in->n; i++) {
        if (v->best[i] && v->q[i] <= max_fdr) {
            v->accepted += in->label[i] > 0;
            v->decoys += in->label[i] < 0;
        }
    }
}

/* The best row of each unit among the winners of the level below. */
static ney_status compete(levels *l, session *s, const evidence *in, enum level_kind kind,
                          const level_memory *m, const ney_qvalue_opts *opts, double max_fdr)
{
    const level *const below = &l->level[l->n - 1];
    const ney_labelled_scores rows = {
        .score = in->score, .label = in->label, .group = m->unit, .n = in->n};
    level *const v = &l->level[l->n];
    ney_unit_qvalues found = {.q = m->q, .pep = m->pep, .best = m->best};
    const ney_status st = ney_qvalues_of_units(&found, &s->env, &rows, below->best, opts, &s->err);

    if (st != NEY_OK) {
        return st;
    }
    v->kind = kind;
    v->competition = found.competition;
    v->q = m->q;
    v->pep = m->pep;
    v->best = m->best;
    v->taken = below->best;
    v->unit = m->unit;
    count_accepted(v, in, max_fdr);
    l->n++;
    return NEY_OK;
}

static ney_status peptide_units(session *s, const evidence *in, const char *column,
                                ney_peptide_pairing *pairing, uint64_t *unit)
{
    uint64_t *const key = memory_new(3 * ((size_t)in->n + 1), sizeof *key);
    ney_status st;

    if (!key) {
        return out_of_memory(&s->err, "the peptides");
    }
    if ((st = ney_data_peptides(in->of_model.data, column, key, &s->err)) == NEY_OK) {
        st = ney_peptide_units(&s->env, key, in->label, in->n, pairing, unit, &s->err);
    }
    memory_free(key);
    return st;
}

static ney_status add_peptides(levels *l, session *s, const evidence *in,
                               const ney_qvalue_opts *opts, double max_fdr)
{
    static const char *const reasons[] = {
        [NEY_PAIRING_SHUFFLED] =
            "a target peptide and the decoy that has its residues in another order compete; that a "
            "false target and its decoy are equally likely to win is not known",
        [NEY_PAIRING_REVERSED] =
            "a target peptide and the decoy that is its reverse compete; that a false target and "
            "its decoy are equally likely to win is not known",
        [NEY_PAIRING_NONE] = "the best match of each peptide takes part; which decoy belongs to "
                             "which target peptide is not known"};
    const level_args *const a = options_of(s->call, &level_options);
    ney_peptide_pairing pairing = a->pairing;
    level_memory m = {0};
    ney_status st = level_memory_new(l, s, in->n, &m);

    if (st == NEY_OK && (st = peptide_units(s, in, a->peptide, &pairing, m.unit)) == NEY_OK &&
        (st = compete(l, s, in, LEVEL_PEPTIDE, &m, opts, max_fdr)) == NEY_OK) {
        l->level[LEVEL_PEPTIDE].reason = reasons[pairing];
    }
    return st;
}

static ney_status add_proteins(levels *l, session *s, const evidence *in,
                               const ney_qvalue_opts *opts, double max_fdr)
{
    const level_args *const a = options_of(s->call, &level_options);
    const ney_protein_opts o = {
        .column = a->protein, .decoy_prefix = a->decoy_prefix, .group = a->shared == 1};
    level_memory m = {0};
    ney_status st = level_memory_new(l, s, in->n, &m);

    if (st == NEY_OK &&
        (st = ney_data_proteins(in->of_model.data, &o, l->level[LEVEL_PEPTIDE].best, m.unit,
                                &s->err)) == NEY_OK &&
        (st = compete(l, s, in, LEVEL_PROTEIN, &m, opts, max_fdr)) == NEY_OK) {
        l->level[LEVEL_PROTEIN].reason =
            a->shared == 1 ? "a protein and its decoy compete by their best peptide, proteins with "
                             "the same peptides as one; that a false protein and its decoy are "
                             "equally likely to win is not known"
                           : "a protein and its decoy compete by their best peptide, without "
                             "peptides of several proteins; that a false protein and its decoy "
                             "are equally likely to win is not known";
    }
    return st;
}

/* ------------------------------------------------------------------ all levels */

/* A level that was not asked for is left out where the data do not allow it. */
static ney_status forgive(session *s, ney_status st, bool asked)
{
    if (st == NEY_EINVAL && !asked) {
        s->err = (ney_error){0};
        return NEY_OK;
    }
    return st;
}

static ney_status find_entrapment(levels *l, session *s, const evidence *in)
{
    const level_args *const a = options_of(s->call, &level_options);

    if (!a->entrapment) {
        return NEY_OK;
    }
    l->entrapment = memory_new((size_t)in->n + 1, 1);
    return l->entrapment ? ney_data_proteins_begin(in->of_model.data, a->protein, a->entrapment,
                                                   l->entrapment, &s->err)
                         : out_of_memory(&s->err, "the entrapment");
}

ney_status levels_init(levels *l, session *s, const evidence *in, const discoveries *matches,
                       const ney_qvalue_opts *opts, double max_fdr)
{
    const level_args *const a = options_of(s->call, &level_options);
    const bool proteins = is_asked(a, LEVEL_PROTEIN);
    ney_status st;

    *l = (levels){.n = 1};
    l->level[0] = (level){.kind = LEVEL_PSM,
                          .q = matches->q,
                          .pep = matches->pep,
                          .best = matches->best,
                          .competition = matches->competition,
                          .is_covered = matches->is_covered,
                          .reason = matches->reason};
    count_accepted(&l->level[0], in, max_fdr);
    if (!in->of_model.data) {
        return NEY_OK;
    }
    if ((st = find_entrapment(l, s, in)) != NEY_OK) {
        return st;
    }
    st = forgive(s, add_peptides(l, s, in, opts, max_fdr), is_asked(a, LEVEL_PEPTIDE) || proteins);
    return st == NEY_OK && l->n > LEVEL_PEPTIDE
               ? forgive(s, add_proteins(l, s, in, opts, max_fdr), proteins)
               : st;
}

void levels_deinit(levels *l)
{
    for (int k = 0; k < N_LEVELS; k++) {
        memory_free(l->owned[k]);
    }
    memory_free(l->entrapment);
    *l = (levels){0};
}

ney_status levels_write(const levels *l, session *s, const evidence *in)
{
    const level_args *const a = options_of(s->call, &level_options);
    ney_status st = NEY_OK;

    for (int k = 0; k < l->n && st == NEY_OK; k++) {
        const level *const v = &l->level[k];
        const level_files *const f = &a->file[v->kind];
        if (f->targets) {
            st = level_write(v, s, in, false, f->targets);
        }
        if (st == NEY_OK && f->decoys) {
            st = level_write(v, s, in, true, f->decoys);
        }
    }
    return st == NEY_OK && a->entrapment_curve ? entrapment_write(l, s, in, a->entrapment_curve)
                                               : st;
}

/* ------------------------------------------------------------------ reporting */

void levels_add(ney_result *root, const levels *l, const session *s, const evidence *in,
                double max_fdr)
{
    if (l->n > 1) {
        ney_result *const list = ney_result_add_array(root, "levels");
        for (int k = 0; k < l->n; k++) {
            const level *const v = &l->level[k];
            ney_result *const o = ney_result_add_object(list, NULL);
            ney_result_add_text(o, "level", level_names[v->kind]);
            ney_result_add_int(o, "best_targets", v->competition.n_pos);
            ney_result_add_int(o, "best_decoys", v->competition.n_neg);
            ney_result_add_int(o, "accepted", v->accepted);
            ney_result_add_int(o, "accepted_decoys", v->decoys);
            ney_result_add_text(o, "fdr_estimate", ney_qvalue_formula(&v->competition.estimate));
            ney_result_add_text(o, "fdr_control", v->is_covered ? "theorem" : "estimate");
            ney_result_add_text(o, "fdr_reason", v->reason);
        }
    }
    if (l->entrapment) {
        entrapment_add(root, l, s, in, max_fdr);
    }
}
