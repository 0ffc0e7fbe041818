/* neyman train: train a model. */
#include "commands.h"
#include "learning.h"
#include "output.h"
#include "result.h"
#include "train_stream.h"
#include "trees_look.h"

/* On data in memory or, where they are NULL, on the rows of a cache. */
static int train(session *s, ney_data *data, const char *cache)
{
    const model_args *args = options_of(s->call, &model_options);
    learning_run run;
    ney_stop stop = NEY_STOP_CONVERGED;
    ney_status st = learning_start(&run, s);

    if (st == NEY_OK && data && learning_chooses(s)) {
        st = ney_options_set(run.options, "C", "auto", &s->err);
        session_say(s, NEY_LOG_DETAIL, "C is chosen on the rows learned from; -C 1 trains at once");
    }
    if (st == NEY_OK) {
        st = data ? ney_fit(&run.model, &run.result, &s->env, data, run.options, &s->err)
                  : ney_fit_cache(&run.model, &run.result, &s->env, cache, run.options, &s->err);
    }
    if (st == NEY_OK) {
        stop = learning_stop(run.result, "stop");
    }
    st = learning_finish(&run, s, st, args->output);
    if (st == NEY_OK && data && !session_processes() && ney_stop_is_complete(stop)) {
        look_at_trees(s, data);
    }
    return st == NEY_OK ? learning_exit(s, stop, args->output) : learning_refuse(s, st);
}

/* On rows that are read from a cache in blocks. */
static int train_streamed(session *s, const char *path)
{
    const model_args *args = options_of(s->call, &model_options);
    const ney_read_opts *read = options_of(s->call, &read_options);
    row_file rows;
    const ney_status st = stream_open(&rows, s, path, args->output, read);
    const int code = st == NEY_OK ? train(s, NULL, rows.name) : session_fail(s, st);

    stream_close(&rows);
    return code;
}

static int train_in_memory(session *s)
{
    ney_data *data;
    int code = learning_read(s, &data);

    if (code == EXIT_OK) {
        code = train(s, data, NULL);
    }
    ney_data_free(data);
    return code;
}

static int run(session *s)
{
    const char *path = s->call->operands[0];

    const ney_status st = ney_train_check(options_of(s->call, &learning_options), &s->err);

    if (st != NEY_OK) { /* before any data are read */
        return session_fail(s, st);
    }
    if (session_processes() || !stream_wanted(path, options_of(s->call, &learning_options))) {
        return train_in_memory(s);
    }
    const int code = learning_begin(s);
    return code == EXIT_OK ? train_streamed(s, path) : code;
}

static const option_rule rules[] = {{"protein", learning_has_fdr, "--max-fdr"}, {NULL, NULL, NULL}};

const command command_train = {
    .name = "train",
    .operands = "DATA...",
    .required = "output",
    .group = "Training",
    .summary = "train a model from labelled data",
    .description =
        "Trains a classifier for one goal: a bound on an error rate (--max-fpr or --max-fnr; with "
        "both, rows that cannot be classified within the bounds are rejected), a bound on the "
        "false-discovery rate (--max-fdr), or costs of the errors (--cost-fn, --cost-fp, and "
        "--reject-cost for a reject option). Without a goal both errors cost the same.\n\n"
        "A bound on a rate is certified for new data: it holds with 95 % confidence, or with that "
        "of --confidence. With too few rows for a certificate no model is written, the exit code "
        "is 4, and the message states how many rows are needed.\n\n"
        "DATA is svmlight/LIBSVM text, CSV or TSV with a header, Percolator PIN, NumPy or a cache "
        "of 'neyman convert', plain or compressed (gzip, zstd); - is standard input. Several "
        "files, or a pattern such as 'run*.csv', are read as one. There are two labels; the "
        "larger one, or that of --positive, is the positive class.",
    .details =
        "With one certified rate and a linear or rbf score, a small search on the rows that are "
        "learned from chooses C, the costs of an SVM, gamma, and the scaling of a linear score, "
        "unless they are given. Held-out rows take no part. A number for -C omits the search. So "
        "do --method, --max-time, --conformal-folds, --calibrate-folds, --confidence none, several "
        "processes, and too few rows for three folds: C is then 1 by default.\n\n"
        "How a rate is certified: part of the bounded class is held out of training and "
        "determines the threshold. The rate on new data drawn from the same distribution then "
        "exceeds the bound with probability at most 1 - P, where P is the confidence. With "
        "--confidence none the bound holds on the training rows only, and the rate on new data is "
        "expected to exceed it.\n\n"
        "--method online trains in memory that does not grow with the number of rows: a linear "
        "model, a --network, or random --features. With --checkpoint and --resume a run continues "
        "after an interruption.\n\n"
        "The rates in the result are those of the training rows, which are optimistic: use "
        "'neyman evaluate' on rows that were not used in training. With -v or --json the result "
        "has the objective and its duality gap: of the whole problem for costs, of the last "
        "convex subproblem for a bounded rate and for --method ramp.\n\n"
        "The model stores a fingerprint of its training rows, held-out rows included: up to 4096 "
        "hashes of their features. With it 'neyman update' and 'neyman certify' refuse rows that "
        "were used in training, and 'neyman evaluate' warns of them. A person who has the model "
        "and a row can test whether the row was probably used in training; --no-fingerprint omits "
        "the hashes.\n\n"
        "Ctrl-C during training writes the best model so far, marked as cancelled; the exit code "
        "is "
        "130. Ctrl-C while DATA is read writes no model. After the end of training it has no "
        "effect: the model is written, and the exit code is 0.",
    .everyday = "max-fpr max-fnr confidence cost-fn cost-fp reject-cost max-fdr C kernel trees "
                "output label positive json verbose help",
    .examples = {{"At most 1 % of negatives flagged, with 95 % confidence:",
                  "neyman train --max-fpr 0.01 --trees auto mail.csv --label class --positive spam "
                  "-o spam.model"},
                 {"Miss at most 2 % of the positives, with 95 % confidence, with solver messages:",
                  "neyman train --max-fnr 0.02 --kernel rbf train.svm -o careful.model -v"},
                 {"More rows than memory, resumable:",
                  "neyman train --max-fpr 0.01 --method online big.ney -o m "
                  "--checkpoint m.point --resume"},
                 {"Peptide-spectrum matches at an FDR of 1 %, with a network:",
                  "neyman train --max-fdr 0.01 --network 5 psms.pin -o psm.model"},
                 {"A false alarm costs ten times a miss:",
                  "neyman train train.svm --cost-fp 10 -C 0.1 -o careful.model"},
                 {"A miss costs 10, a false alarm 1, asking a person 0.3:",
                  "neyman train train.svm --cost-fn 10 --reject-cost 0.3 -o careful.model"},
                 {"Both rates bounded, rows that cannot be classified within the bounds rejected:",
                  "neyman train train.svm --max-fpr 0.01 --max-fnr 0.05 -o both.model"}},
    .exits = {EXIT_FAILED, EXIT_USAGE, EXIT_INPUT, EXIT_GOAL, EXIT_UNFINISHED, EXIT_INTERRUPTED},
    .sets = {&learning_options, &model_options, &read_options, &target_options},
    .distributed = true,
    .rules = rules,
    .run = run,
};
