/* Peptides and proteins as search engines write them. */
#include "support/cmocka_all.h"

#include "data/sequences.h"

#include <string.h>

static ney_span piece(const char *text)
{
    return (ney_span){text, (int64_t)strlen(text)};
}

static void assert_piece(ney_span p, const char *text)
{
    assert_int_equal(p.length, strlen(text));
    assert_memory_equal(p.at, text, strlen(text));
}

static void test_flanking_residues_are_no_part(void **state)
{
    (void)state;
    assert_piece(ney_peptide_core(piece("K.PEPTIDE.R")), "PEPTIDE");
    assert_piece(ney_peptide_core(piece("-.PEP.TIDE.-")), "PEP.TIDE");
    assert_piece(ney_peptide_core(piece("n[42.01]PEPM[15.99]K")), "n[42.01]PEPM[15.99]K");
    assert_piece(ney_peptide_core(piece("K.A.R")), "A");
    assert_piece(ney_peptide_core(piece("K..R")), "K..R");
    assert_piece(ney_peptide_core(piece("")), "");
}

static bool is_shuffled(const char *a, const char *b)
{
    return ney_peptide_key_of(piece(a)).shuffled == ney_peptide_key_of(piece(b)).shuffled;
}

static bool is_reversed(const char *a, const char *b)
{
    return ney_peptide_key_of(piece(a)).reversed == ney_peptide_key_of(piece(b)).reversed;
}

static void test_shuffled_peptides_share_a_key(void **state)
{
    (void)state;
    assert_true(is_shuffled("GFGSFR", "GSGFFR"));
    assert_true(is_shuffled("AM[15.99]CK", "ACM[15.99]K"));
    assert_false(is_shuffled("AM[15.99]CK", "ACMK"));
    assert_false(is_shuffled("ABCK", "BACK")); /* another first residue */
    assert_false(is_shuffled("ABCK", "ABCR"));
    assert_false(is_shuffled("AABK", "ABK"));
    assert_false(is_shuffled("AABK", "ABBK"));
    assert_true(is_shuffled("", ""));
    assert_false(is_shuffled("", "K"));
    /* capitals inside brackets begin no residue */
    assert_true(is_shuffled("AB[UNIMOD:4]CK", "ACB[UNIMOD:4]K"));
    assert_false(is_shuffled("AB[UNIMOD:4]CK", "AB[UNIDOM:4]CK"));
}

static void test_reversed_peptides_share_a_key(void **state)
{
    (void)state;
    assert_true(is_reversed("ABCDK", "DCBAK"));
    assert_true(is_reversed("ABCDK", "ABCDK"));
    assert_false(is_reversed("ABCDK", "KDCBA"));
    assert_false(is_reversed("ABCDK", "DBCAK"));
    assert_true(is_reversed("AM[15.99]CK", "CM[15.99]AK"));
    assert_false(is_reversed("AM[15.99]CK", "CMA[15.99]K"));
    assert_true(is_reversed("K", "K"));
}

static void test_long_peptides_have_keys(void **state)
{
    (void)state;
    char a[1000], b[1000];
    memset(a, 'A', sizeof a);
    memset(b, 'A', sizeof b);
    a[998] = b[997] = 'B';
    a[999] = b[999] = '\0';
    assert_false(ney_peptide_key_of(piece(a)).shuffled == ney_peptide_key_of(piece(b)).shuffled);
    assert_false(ney_peptide_key_of(piece(a)).sequence == ney_peptide_key_of(piece(b)).sequence);
}

static void test_names_of_proteins(void **state)
{
    (void)state;
    ney_span list = piece("sp|P1|A_HUMAN(767)\t;Q2(x)\tR3()\t(4)\tS5"), name;
    static const char *const names[] = {"sp|P1|A_HUMAN", "Q2(x)", "R3()", "(4)", "S5"};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        assert_true(ney_protein_next(&list, &name));
        assert_piece(name, names[k]);
    }
    assert_false(ney_protein_next(&list, &name));
}

static void test_prefixes(void **state)
{
    (void)state;
    assert_piece(ney_protein_base(piece("decoy_decoy_P1"), "decoy_"), "P1");
    assert_piece(ney_protein_base(piece("P1"), "decoy_"), "P1");
    assert_piece(ney_protein_base(piece("decoy_"), "decoy_"), "decoy_");
    assert_piece(ney_protein_base(piece("P1"), ""), "P1");
    assert_false(ney_protein_begins(piece("dec"), "decoy_"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_flanking_residues_are_no_part),
        cmocka_unit_test(test_shuffled_peptides_share_a_key),
        cmocka_unit_test(test_reversed_peptides_share_a_key),
        cmocka_unit_test(test_long_peptides_have_keys),
        cmocka_unit_test(test_names_of_proteins),
        cmocka_unit_test(test_prefixes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
