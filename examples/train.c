/* Fit a model to a CSV file with a bounded false-positive rate, and keep it.
 *
 *     train DATA.csv MAX_FPR MODEL
 *
 * Prints the result as JSON: the same tree as `neyman train --json`. */
#include <neyman/neyman.h>

#include <stdio.h>

int main(int argc, char **argv)
{
    ney_error err = {0};
    ney_options *options = NULL;
    ney_data *data = NULL;
    ney_model *model = NULL;
    ney_result *result = NULL;
    char *json = NULL;
    size_t n_json;
    ney_status st;

    if (argc != 4) {
        fprintf(stderr, "usage: train DATA.csv MAX_FPR MODEL\n");
        return 2;
    }
    /* Options have the names of the command line. ney_fit() fills and scales the features, holds
     * out rows for the certificate, trains and certifies: the order cannot be got wrong. */
    if ((st = ney_options_new(&options, NULL, &err)) == NEY_OK &&
        (st = ney_options_set(options, "max-fpr", argv[2], &err)) == NEY_OK &&
        (st = ney_data_read(&data, NULL, argv[1], NULL, NULL, &err)) == NEY_OK &&
        (st = ney_fit(&model, &result, NULL, data, options, &err)) == NEY_OK &&
        (st = ney_model_write(model, argv[3], &err)) == NEY_OK &&
        (st = ney_result_format(result, &json, &n_json, &err)) == NEY_OK) {
        const char *guarantee = ney_result_get_text(result, "guarantee");
        fprintf(stderr, "%s\n", guarantee ? guarantee : "nothing is certified");
        puts(json);
    } else {
        fprintf(stderr, "%s%s%s\n", err.file, err.file[0] ? ": " : "", err.message);
    }
    ney_free(NULL, json);
    ney_result_free(result);
    ney_model_free(model);
    ney_data_free(data);
    ney_options_free(options);
    return st == NEY_OK ? 0 : 1;
}
