/* Peptides and proteins of search results, with every request for memory refused in turn. */
#include "data/groups.h"
#include "support/counting.h"

#include <neyman/experimental.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { ROWS = 12 };

static const char pin[] = "SpecId\tLabel\tScanNr\tf\tPeptide\tProteins\n"
                          "a1\t1\t1\t1.5\tK.ABCDK.R\tP1\tP2\n"
                          "a2\t-1\t1\t0.5\tK.DCBAK.R\trev_P1\trev_P2\n"
                          "b1\t1\t2\t2.5\tK.ABCDK.R\tP1\tP2\n"
                          "b2\t-1\t2\t0.1\tK.XYZK.R\trev_P3\n"
                          "c1\t1\t3\t2.1\tK.ZYXK.R\tP3\n"
                          "c2\t-1\t3\t0.2\tK.QWEK.R\trev_P4\n"
                          "d1\t1\t4\t0.3\tK.EWQK.R\tP4\n"
                          "d2\t-1\t4\t0.4\tK.RTYK.R\trev_P5\n"
                          "e1\t1\t5\t0.7\tK.YTRK.R\tP5\n"
                          "e2\t-1\t5\t0.8\tK.FGHK.R\trev_P6\n"
                          "f1\t1\t6\t0.9\tK.HGFK.R\tP6\n"
                          "f2\t-1\t6\t0.6\tK.VBNK.R\trev_P7\n";

static ney_status use_units(const ney_env *env, const ney_data *data, const uint64_t *unit,
                            const bool *taken, bool *best, ney_error *err)
{
    double score[ROWS], q[ROWS], pep[ROWS];
    for (int i = 0; i < ROWS; i++) {
        score[i] = (double)ney_data_matrix(data)->dense[i];
    }
    const ney_labelled_scores rows = {
        .score = score, .label = ney_data_label(data), .group = unit, .n = ROWS};
    ney_unit_qvalues out = {.q = q, .pep = pep, .best = best};
    ney_ranked item[ROWS];
    for (int i = 0; i < ROWS; i++) {
        item[i] = (ney_ranked){score[i], i};
    }
    const ney_status st = ney_rank(env, item, ROWS, err);
    return st != NEY_OK ? st : ney_qvalues_of_units(&out, env, &rows, taken, NULL, err);
}

static ney_status use_levels(const ney_env *env, const ney_data *data, bool group, ney_error *err)
{
    uint64_t key[3 * ROWS], unit[ROWS];
    bool best[ROWS], all[ROWS];
    int part[ROWS];
    ney_peptide_pairing pairing = NEY_PAIRING_AUTO;
    const ney_protein_opts o = {.group = group};
    ney_groups g = {0};
    ney_status st;
    if ((st = ney_data_peptides(data, NULL, key, err)) == NEY_OK &&
        (st = ney_peptide_units(env, key, ney_data_label(data), ROWS, &pairing, unit, err)) ==
            NEY_OK &&
        (st = use_units(env, data, unit, NULL, best, err)) == NEY_OK &&
        (st = ney_data_proteins(data, &o, best, unit, err)) == NEY_OK &&
        (st = use_units(env, data, unit, best, all, err)) == NEY_OK &&
        (st = ney_data_proteins_begin(data, NULL, "P", all, err)) == NEY_OK) {
        st = ney_groups_deal(&g, data, "ScanNr", NULL, 3, 1, part, err);
        ney_groups_deinit(&g);
    }
    return st;
}

static ney_status use_pin(const void *what, const ney_env *env, ney_error *err)
{
    ney_data *data = NULL;
    ney_read_opts o;
    int64_t n;
    const ney_param *const params = ney_read_params(&n);
    ney_params_init(params, n, &o);
    o.format = NEY_FORMAT_PIN;
    ney_status st = ney_data_parse_with(&data, env, "a.pin", pin, sizeof pin - 1, &o, NULL, err);
    if (st == NEY_OK) {
        st = use_levels(env, data, *(const bool *)what, err);
    }
    ney_data_free(data);
    return st;
}

static void memory_of_levels(void **state)
{
    static const bool yes = true, no = false;
    (void)state;
    sweep_memory("peptides and proteins", use_pin, &no);
    sweep_memory("groups of proteins", use_pin, &yes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(memory_of_levels)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
