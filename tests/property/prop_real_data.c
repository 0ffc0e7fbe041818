/* Real data, where they are: read, described, cached and written again. */
#include "data/data.h"
#include "support/cmocka_all.h"
#include "support/random_data.h"
#include "support/same.h"
#include "support/temp.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The parts of a set, one after the other: gzip members may be joined. False when it is not there.
 */
static bool join(const char *name, char path[512])
{
    static const char *const parts[] = {"train", "valid", "test"};
    text t = {0};
    for (int i = 0; i < 3; i++) {
        char part[100];
        size_t n;
        snprintf(part, sizeof part, "%s.%s.svm.gz", name, parts[i]);
        const char *file = shared_file(part);
        if (file) {
            char *bytes = slurp(file, &n);
            text_bytes(&t, bytes, n);
            free(bytes);
        }
    }
    if (t.length > 0) {
        strcpy(path, temp_file("joined", t.bytes, t.length));
    }
    const bool found = t.length > 0;
    text_free(&t);
    return found;
}

static void counts_are_the_known_ones(void **state)
{
    static const struct {
        const char *name;
        int64_t rows, cols, positives, duplicates, contradictory; /* -1: not known */
    } sets[] = {{"spambase", 4601, 57, 2788, 394, 3}, {"page_blocks", 5473, 10, 4913, 80, 10},
                {"breast", 683, 9, 444, 234, 0},      {"adult", 48842, 123, 11687, 13565, 1697},
                {"w8a", 49749, 300, 1479, 15045, -1}, {"magic", 19020, 10, 12332, -1, -1}};
    (void)state;
    for (size_t k = 0; k < sizeof sets / sizeof *sets; k++) {
        char path[512];
        if (!join(sets[k].name, path)) {
            print_message("no shared data\n");
            skip();
        }
        ney_data *d = read_file(path, NULL, 2);
        ney_data_summary s;
        assert_int_equal(ney_data_describe(d, &s, NULL, NULL), NEY_OK);
        assert_int_equal(s.rows, sets[k].rows);
        assert_int_equal(s.cols, sets[k].cols);
        assert_int_equal(s.positives, sets[k].positives);
        assert_true(sets[k].duplicates < 0 || s.duplicate_rows == sets[k].duplicates);
        assert_true(sets[k].contradictory < 0 || s.contradictory_rows == sets[k].contradictory);
        ney_data_free(d);
    }
}

static void check_ways(const char *file, const ney_read_opts *o, ney_format format)
{
    char in[1024], cache[512], again[512];
    strcpy(in, file);
    ney_data *d = read_file(in, o, 2), *e;
    assert_int_equal(ney_data_format(d), format);
    strcpy(cache, temp_path("real.ney"));
    assert_int_equal(ney_cache_build_with(NULL, in, cache, o, NULL), NEY_OK);
    e = read_file(cache, NULL, 1);
    assert_same_data(d, e);
    assert_same_preprocessing(ney_data_preprocessing(d), ney_data_preprocessing(e));
    ney_data_free(e);
    if (format == NEY_FORMAT_PIN) {
        strcpy(again, temp_path("real.pin"));
        assert_int_equal(ney_data_write(d, NULL, again, NEY_FORMAT_PIN, NULL), NEY_OK);
        e = read_file(again, o, 3);
        assert_same_data(d, e);
        ney_data_free(e);
    }
    assert_int_equal(ney_data_prepare(d, NEY_SCALING_STANDARD, NULL, 0, NULL), NEY_OK);
    ney_read_opts with_model = *o; /* cells are filled as when the preprocessing was made */
    with_model.missing = read_defaults().missing;
    assert_int_equal(ney_data_read_with(&e, NULL, in, &with_model, ney_data_preprocessing(d), NULL),
                     NEY_OK);
    assert_same_data(d, e);
    ney_data_free(e);
    ney_data_free(d);
}

static void every_way_gives_the_same(void **state)
{
    ney_read_opts o = read_defaults();
    (void)state;
    if (!shared_file("spambase.csv.gz")) {
        print_message("no shared data\n");
        skip();
    }
    o.label = "type";
    o.positive = "spam";
    check_ways(shared_file("spambase.csv.gz"), &o, NEY_FORMAT_CSV);
    o = read_defaults();
    check_ways(shared_file("psm.pin.gz"), &o, NEY_FORMAT_PIN);
    check_ways(shared_file("ionosphere.train.svm.gz"), &o, NEY_FORMAT_SVMLIGHT);
    check_ways(shared_file("rcv1.test.svm.gz"), &o, NEY_FORMAT_SVMLIGHT);
    o.no_header = true;
    o.label = "15";
    o.missing = NEY_MISSING_MEAN;
    check_ways(shared_file("adult-train.csv.gz"), &o, NEY_FORMAT_CSV);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_are_the_known_ones),
        cmocka_unit_test(every_way_gives_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
