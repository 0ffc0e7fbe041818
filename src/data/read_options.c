/* The options of reading: their table, and the formats that each applies to. */
#include "data/reader.h"

#include <string.h>

#define AT(field) offsetof(ney_read_opts, field)

/* clang-format off */
static const ney_param read_params[] = {
    {"format",     0, NEY_KIND_CHOICE, AT(format),    0, 0, 7, "FORMAT", "auto svmlight csv tsv pin cache npy npz",
     "format of DATA; auto: recognised from the content"},
    {"label",      0, NEY_KIND_TEXT,   AT(label),     0, 0, 0, "COLUMN", NULL,
     "table column that holds the label, by name or number; default: the column named label, class, target or y"},
    {"positive",   0, NEY_KIND_TEXT,   AT(positive),  0, 0, 0, "VALUE",  NULL,
     "label value of the positive class; default: the larger of the two"},
    {"rest",       0, NEY_KIND_FLAG,   AT(rest),      0, 0, 1, NULL, NULL,
     "with --positive: all other label values together are the negative class"},
    {"negative",   0, NEY_KIND_TEXT,   AT(negative),  0, 0, 0, "VALUES", NULL,
     "with --positive: label values that together are the negative class, separated by commas"},
    {"decoys",     0, NEY_KIND_TEXT,   AT(decoys),    0, 0, 0, "FILES", NULL,
     "files of decoys, the negative class: the rows of DATA are targets, the positive class, and file k of the decoys belongs to file k of the targets; a pattern in quotes, or the option once per file"},
    {"weight",     0, NEY_KIND_TEXT,   AT(weight),    0, 0, 0, "COLUMN", NULL,
     "table column that holds the weight of each row"},
    {"id",         0, NEY_KIND_TEXT,   AT(id),        0, 0, 0, "COLUMN", NULL,
     "table column that identifies each row: not a feature, and written beside the score"},
    {"group",      0, NEY_KIND_TEXT,   AT(group),     0, 0, 0, "COLUMN", NULL,
     "table column that names the group of a row, such as a patient: the rows of a group stay together; qid for svmlight; FILE: the file that a row is from"},
    {"keep",       0, NEY_KIND_TEXT,   AT(keep),      0, 0, 0, "COLUMNS", NULL,
     "table columns, separated by commas, that are not features and are written beside the score; FILE: the name of the file"},
    {"ignore",     0, NEY_KIND_TEXT,   AT(ignore),    0, 0, 0, "COLUMNS", NULL,
     "table columns that are not features, separated by commas"},
    {"words",      0, NEY_KIND_TEXT,   AT(words),     0, 0, 0, "COLUMNS", NULL,
     "table columns whose values are categories even if they are numbers, separated by commas"},
    {"score",      0, NEY_KIND_TEXT,   AT(score),     0, 0, 0, "COLUMN", NULL,
     "column of a score file that holds the scores, by name or number; default: score"},
    {"delimiter",  0, NEY_KIND_TEXT,   AT(delimiter), 0, 0, 0, "CHAR", NULL,
     "character between the fields of a table, or tab or space; default: recognised among , ; | and tab"},
    {"decimal",    0, NEY_KIND_TEXT,   AT(decimal),   0, 0, 0, "MARK", NULL,
     "decimal mark of the numbers of a table, '.' or ','; default: recognised, and an error where both are possible"},
    {"na",         0, NEY_KIND_TEXT,   AT(na),        0, 0, 0, "WORDS", NULL,
     "more words that stand for missing cells, separated by commas"},
    {"missing",    0, NEY_KIND_CHOICE, AT(missing),   0, 0, 4, "WHAT", "error mean keep median indicator",
     "missing cells (empty, NA, N/A, NULL, NaN, None, ?, -, .): report an error, replace by the column's mean or median, or keep (for convert, and trees); indicator: the median, and for every column of numbers with missing cells among the training rows a feature that is 1 where the cell is missing"},
    {"no-header",  0, NEY_KIND_FLAG,   AT(no_header), 0, 0, 1, NULL, NULL,
     "the table has no header; its columns are named c1, c2 and so on"},
    {"zero-based", 0, NEY_KIND_FLAG,   AT(zero_based), 0, 0, 1, NULL, NULL,
     "svmlight feature numbers start at 0"},
    {"max-categories", 0, NEY_KIND_INT, AT(max_categories), 1000, 1, 1e9, "N", NULL,
     "most distinct values that a column of categories may have"},
    {"max-columns", 0, NEY_KIND_INT, AT(max_columns), 0, 0, NEY_MOST_COLUMNS, "N", NULL,
     "most columns that DATA may have; 0: 2,000,000, or 10 per stored entry if that is more"},
    {"max-line",   0, NEY_KIND_INT, AT(max_line), NEY_USUAL_LINE, 1, NEY_LONGEST_LINE, "MB", NULL,
     "longest line of text that is read, in MB; bounds the memory per line"},
};
/* clang-format on */

enum { N_READ = sizeof read_params / sizeof *read_params };

const ney_param *ney_read_params(int64_t *n_params)
{
    *n_params = N_READ;
    return read_params;
}

ney_read_opts ney_read_opts_or_default(const ney_read_opts *opts)
{
    ney_read_opts o;
    if (opts) {
        return *opts;
    }
    ney_params_init(read_params, N_READ, &o);
    return o;
}

ney_status ney_read_check_values(const ney_read_opts *opts, ney_error *err)
{
    return ney_params_check(read_params, N_READ, opts, err);
}

enum {
    SVMLIGHT = 1 << NEY_FORMAT_SVMLIGHT,
    CSV = 1 << NEY_FORMAT_CSV,
    TSV = 1 << NEY_FORMAT_TSV,
    PIN = 1 << NEY_FORMAT_PIN,
    CACHE = 1 << NEY_FORMAT_CACHE,
    NUMPY = 1 << NEY_FORMAT_NPY | 1 << NEY_FORMAT_NPZ,
    TABLES = CSV | TSV | PIN,
    TEXT = TABLES | SVMLIGHT,
    ANY = TEXT | CACHE | NUMPY
};

/* One entry for every row above: the formats that it is read for, and whether the columns of a
 * model leave it something to say. */
static const struct use {
    const char *name;
    unsigned formats;
    bool with_model;
    const char *where; /* NULL: everything */
} uses[] = {
    {"format", ANY, true, NULL},
    {"label", TABLES | NUMPY, true, "tables (CSV, TSV, PIN) and dense NumPy arrays"},
    {"positive", ANY, true, NULL},
    {"rest", TEXT | NUMPY, false,
     "text (svmlight, CSV, TSV, PIN) and NumPy arrays read without a model, which keeps it"},
    {"negative", TEXT | NUMPY, false,
     "text (svmlight, CSV, TSV, PIN) and NumPy arrays read without a model, which keeps it"},
    {"decoys", TEXT, true, "text (svmlight, CSV, TSV, PIN)"},
    {"weight", TABLES | NUMPY, true, "tables (CSV, TSV, PIN) and dense NumPy arrays"},
    {"id", TABLES | CACHE | NUMPY, true,
     "tables (CSV, TSV, PIN), caches made from them and dense NumPy arrays"},
    {"group", ANY, true, NULL},
    {"keep", ANY, true, NULL},
    {"ignore", TABLES | NUMPY, false,
     "tables (CSV, TSV, PIN) and dense NumPy arrays read without a model"},
    {"words", TABLES, false, "tables (CSV, TSV, PIN) read without a model"},
    {"score", 0, false, "score files (--from-scores, certify)"},
    {"delimiter", CSV | TSV, true, "CSV and TSV"},
    {"decimal", TABLES, true, "tables (CSV, TSV, PIN)"},
    {"na", TABLES, false, "tables (CSV, TSV, PIN) read without a model, which keeps the words"},
    {"missing", ANY, false, "data read without a model, which fills missing cells as in training"},
    {"no-header", CSV | TSV, true, "CSV and TSV"},
    {"zero-based", SVMLIGHT, true, "svmlight"},
    {"max-categories", TABLES, false, "tables (CSV, TSV, PIN) read without a model"},
    {"max-columns", ANY, true, NULL},
    {"max-line", TEXT, true, "text (svmlight, CSV, TSV, PIN)"},
};

static const struct use *use_of(const char *name)
{
    for (size_t k = 0; k < sizeof uses / sizeof *uses; k++) {
        if (strcmp(uses[k].name, name) == 0) {
            return &uses[k];
        }
    }
    return NULL;
}

const char *ney_read_where(const char *name)
{
    const struct use *const use = use_of(name);
    return use ? use->where : NULL;
}

ney_status ney_read_check(const ney_read_opts *opts, ney_format format, bool with_model,
                          ney_error *err)
{
    static const char *const names[] = {"",    "svmlight", "CSV",           "TSV",
                                        "PIN", "a cache",  "a NumPy array", "a NumPy archive"};
    for (size_t k = 0; k < N_READ; k++) {
        const struct use *const use = use_of(read_params[k].name);
        if (ney_param_is_default(&read_params[k], opts) ||
            (use && (use->formats >> format & 1) != 0 && (!with_model || use->with_model))) {
            continue;
        }
        return ney_fail(err, NEY_EINVAL, "--%s applies to %s; the data are %s%s",
                        read_params[k].name, use ? use->where : "of unknown format", names[format],
                        with_model ? ", read with a model" : "");
    }
    return NEY_OK;
}
