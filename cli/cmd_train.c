/* neyman train: learn a model. */
#include "commands.h"
#include "learning.h"
#include "output.h"
#include "result.h"
#include "train_stream.h"

/* From data in memory or, where there are none, from the rows of a cache. */
static int learn(session *s, ney_data *data, const char *cache)
{
    const model_args *args = options_of(s->call, &model_options);
    ney_options *options = NULL;
    ney_result *result = NULL;
    ney_model *model = NULL;
    ney_stop stop = NEY_STOP_CONVERGED;
    ney_status st = learning_fit_options(s, &options);

    if (st == NEY_OK) {
        st = data ? ney_fit(&model, &result, &s->env, data, options, &s->err)
                  : ney_fit_cache(&model, &result, &s->env, cache, options, &s->err);
    }
    if (st == NEY_OK) {
        stop = learning_stop(result, "stop");
        st = session_write_model(s, model, args->output);
    }
    if (st == NEY_OK) {
        learning_report(s, result, args->output);
    } else {
        ney_result_free(result);
    }
    ney_model_free(model);
    ney_options_free(options);
    return st == NEY_OK ? learning_exit(s, stop, args->output) : learning_refuse(s, st);
}

/* Rows that memory need not hold. */
static int learn_streamed(session *s, const char *path)
{
    const model_args *args = options_of(s->call, &model_options);
    const ney_read_opts *read = options_of(s->call, &read_options);
    row_file rows;
    const ney_status st = stream_open(&rows, s, path, args->output, read);
    const int code = st == NEY_OK ? learn(s, NULL, rows.name) : session_fail(s, st);

    stream_close(&rows);
    return code;
}

static int learn_in_memory(session *s)
{
    ney_data *data;
    int code = learning_read(s, &data);

    if (code == EXIT_OK) {
        code = learn(s, data, NULL);
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
    if (!stream_wanted(path, options_of(s->call, &learning_options))) {
        return learn_in_memory(s);
    }
    const int code = learning_begin(s);
    return code == EXIT_OK ? learn_streamed(s, path) : code;
}

const command command_train = {
    .name = "train",
    .operands = "DATA",
    .required = "output",
    .group = "Learning",
    .summary = "learn a model from labelled data",
    .description =
        "Learns a support vector machine, linear or with a kernel, or a network, for the goal you "
        "state. With --max-fpr RATE (or --max-fnr) one error is bounded and the other made as rare "
        "as possible (Neyman-Pearson). With --max-fdr Q most targets are to be accepted with a "
        "share of at most Q false ones among them, which the decoys, the negatives, tell of; see "
        "'neyman qvalues'. Else the two errors cost what you say: a false negative --cost-fn, a "
        "false positive --cost-fp. With --reject-cost the model may also answer neither, where "
        "that is cheaper than deciding. With --max-fpr and --max-fnr both errors are bounded, and "
        "rows "
        "that cannot be classified within these bounds are rejected. --conformal calibrates "
        "p-values "
        "besides, for 'neyman predict --conformal'.\n\n"
        "A bounded rate is certified for new data with 95 % confidence, or with that of "
        "--confidence "
        "P: a part of the bounded class is held out of training and decides the threshold, and the "
        "rate of new data drawn from the same distribution exceeds the bound with probability at "
        "most 1 - P. With too few rows for that the exit code is 4, the message states how many "
        "are "
        "needed, and no model is written. With --confidence none the bound holds on the training "
        "rows only, and the rate of new data is expected to exceed it.\n\n"
        "With --method online rows are learned from one at a time, in memory that does not grow "
        "with "
        "them: linear, as a --network or by random --features. --checkpoint and --resume let a "
        "run survive whatever ends it.\n\n"
        "DATA is svmlight/LIBSVM text, CSV or TSV with a header, Percolator PIN or a cache made by "
        "'neyman convert', as it is or compressed by gzip or zstd; - is standard input. The labels "
        "have exactly two values. The larger one, or the one named by --positive, is the positive "
        "class; which one it is and how many rows it has is printed at the start.\n\n"
        "The objective is printed with a duality gap: of the whole problem for costs, of the last "
        "convex step for a bounded rate. The rates are those of the training rows and are "
        "optimistic: use 'neyman evaluate' on rows it has not seen.\n\n"
        "The model keeps a fingerprint of its training rows, held-out rows included: up to 4096 "
        "hashes of their features. By it 'neyman update' and 'neyman certify' refuse rows that "
        "were "
        "used in training, and 'neyman evaluate' warns of them. With the model and a row at hand "
        "it can "
        "be tested whether the row was likely trained on; --no-fingerprint leaves the hashes "
        "out.\n\n"
        "Ctrl-C ends training with the best model so far: it is written, marked as cancelled, and "
        "the exit code is 130; once training has ended, the exit code is 0. While DATA are still "
        "being read nothing is written.",
    .examples =
        {{"At most 1 % of negatives flagged, with 95 % confidence:",
          "neyman train --max-fpr 0.01 mail.csv --label class --positive spam -o spam.model"},
         {"Miss at most 2 % of the positives, with 95 % confidence, step by step:",
          "neyman train --max-fnr 0.02 --kernel rbf train.svm -o careful.model -v"},
         {"More rows than memory, safe against interruption:",
          "neyman train --max-fpr 0.01 --method online big.ney -o m "
          "--checkpoint m.point --resume"},
         {"Peptide-spectrum matches at 1 % false discoveries, by a network:",
          "neyman train --max-fdr 0.01 --network 5 psms.pin -o psm.model"},
         {"A false alarm costs ten times a miss:",
          "neyman train train.svm --cost-fp 10 -C 0.1 -o careful.model"},
         {"A miss costs 10, a false alarm 1, asking a person 0.3:",
          "neyman train train.svm --cost-fn 10 --reject-cost 0.3 -o careful.model"},
         {"Both errors bounded, the unclear rows rejected:",
          "neyman train train.svm --max-fpr 0.01 --max-fnr 0.05 -o sure.model"}},
    .exits = {EXIT_FAILED, EXIT_USAGE, EXIT_INPUT, EXIT_GOAL, EXIT_UNFINISHED, EXIT_INTERRUPTED},
    .sets = {&learning_options, &model_options, &read_options},
    .run = run,
};
