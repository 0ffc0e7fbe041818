#include "mixture_json.h"

#include <cjson/cJSON.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

bool is_json_file(const char *path)
{
    struct stat there;

    if (stat(path, &there) != 0 || !S_ISREG(there.st_mode)) {
        return false;
    }
    FILE *file = fopen(path, "rb");
    if (!file) {
        return false;
    }
    int first = getc(file);
    while (first == ' ' || first == '\t' || first == '\r' || first == '\n') {
        first = getc(file);
    }
    fclose(file);
    return first == '{';
}

enum { MOST_BYTES = 1 << 28 };

/* The whole file as text, to be freed; NULL after a report. */
static char *file_text(session *s, const char *path)
{
    FILE *file = fopen(path, "rb");
    size_t used = 0, capacity = 1 << 16;
    char *text = malloc(capacity);

    while (file && text) {
        used += fread(text + used, 1, capacity - used - 1, file);
        if (used < capacity - 1 || capacity > MOST_BYTES) {
            break;
        }
        char *more = realloc(text, capacity *= 2);
        if (!more) {
            free(text);
        }
        text = more;
    }
    const bool failed = !file || !text || ferror(file) || capacity > MOST_BYTES;
    if (failed) {
        s->err = (ney_error){.code = text ? NEY_EIO : NEY_ENOMEM};
        snprintf(s->err.file, sizeof s->err.file, "%s", path);
        snprintf(s->err.message, sizeof s->err.message, "cannot be read: %s",
                 capacity > MOST_BYTES ? "it is too large" : strerror(errno ? errno : EIO));
        session_fail(s, s->err.code);
        free(text);
        text = NULL;
    } else {
        text[used] = '\0';
    }
    if (file) {
        fclose(file);
    }
    if (text && strlen(text) < used) {
        session_bad_input(s, path, "has a NUL at byte %zu, expected JSON text", strlen(text) + 1);
        free(text);
        text = NULL;
    }
    return text;
}

/* ------------------------------------------------------------------ from JSON to numbers */

/* The numbers of all components, and the name of the file. */
typedef struct reading {
    session *s;
    const char *path;
    int64_t dims;
    double *numbers; /* mean and covariance of each component, one after the other */
    ney_gaussian *all;
} reading;

/* Read exactly `n` numbers of an array; anything else is reported. */
static bool read_numbers(const reading *r, const cJSON *array, int64_t n, double *to,
                         const char *where)
{
    const int found = cJSON_IsArray(array) ? cJSON_GetArraySize(array) : -1;
    const cJSON *item;
    int64_t i = 0;

    if (found != n) {
        if (found < 0) {
            session_bad_input(r->s, r->path, "%s is not an array; expected %lld numbers", where,
                              (long long)n);
        } else {
            session_bad_input(r->s, r->path, "%s has %d entries, expected %lld numbers", where,
                              found, (long long)n);
        }
        return false;
    }
    cJSON_ArrayForEach(item, array)
    {
        if (!cJSON_IsNumber(item)) {
            session_bad_input(r->s, r->path, "entry %lld of %s is not a number", (long long)i + 1,
                              where);
            return false;
        }
        to[i++] = item->valuedouble;
    }
    return true;
}

static bool read_component(const reading *r, const cJSON *component, const char *side, int k,
                           int64_t at)
{
    const cJSON *weight = cJSON_GetObjectItemCaseSensitive(component, "weight");
    const cJSON *cov = cJSON_GetObjectItemCaseSensitive(component, "cov");
    const int64_t d = r->dims;
    double *mean_to = r->numbers + at * (d + d * d), *cov_to = mean_to + d;
    char where[96];

    if (!cJSON_IsObject(component) || (weight && !cJSON_IsNumber(weight))) {
        session_bad_input(
            r->s, r->path,
            "%s[%d] is not an object with a number \"weight\", a \"mean\" and a \"cov\"", side, k);
        return false;
    }
    snprintf(where, sizeof where, "the mean of %s[%d]", side, k);
    if (!read_numbers(r, cJSON_GetObjectItemCaseSensitive(component, "mean"), d, mean_to, where)) {
        return false;
    }
    if (!cJSON_IsArray(cov) || cJSON_GetArraySize(cov) != d) {
        session_bad_input(
            r->s, r->path,
            "the cov of %s[%d] does not have %lld rows, as many as its mean has entries", side, k,
            (long long)d);
        return false;
    }
    int64_t i = 0;
    const cJSON *row;
    cJSON_ArrayForEach(row, cov)
    {
        snprintf(where, sizeof where, "row %lld of the cov of %s[%d]", (long long)i + 1, side, k);
        if (!read_numbers(r, row, d, cov_to + i++ * d, where)) {
            return false;
        }
    }
    r->all[at] = (ney_gaussian){weight ? weight->valuedouble : 1, mean_to, cov_to};
    return true;
}

static bool read_side(const reading *r, const cJSON *side, const char *name, int64_t at)
{
    const cJSON *component;
    int k = 0;

    cJSON_ArrayForEach(component, side)
    {
        if (!read_component(r, component, name, k, at + k)) {
            return false;
        }
        k++;
    }
    return true;
}

static int read_root(ney_mixture **out, session *s, const char *path, const cJSON *root,
                     size_t n_text)
{
    const cJSON *p_pos = cJSON_GetObjectItemCaseSensitive(root, "p_pos");
    const cJSON *pos = cJSON_GetObjectItemCaseSensitive(root, "positive");
    const cJSON *neg = cJSON_GetObjectItemCaseSensitive(root, "negative");

    if (!cJSON_IsNumber(p_pos)) {
        return session_bad_input(s, path,
                                 "has no number \"p_pos\", expected the share of the "
                                 "positive class, such as 0.5");
    }
    if (!cJSON_IsArray(pos) || !cJSON_IsArray(neg) || !pos->child || !neg->child) {
        return session_bad_input(s, path,
                                 "has no \"%s\", expected an array of components such as "
                                 "{\"weight\": 1, \"mean\": [0], \"cov\": [[1]]}",
                                 cJSON_IsArray(pos) && pos->child ? "negative" : "positive");
    }
    const cJSON *first = cJSON_GetObjectItemCaseSensitive(pos->child, "mean");
    const int64_t d = cJSON_IsArray(first) ? cJSON_GetArraySize(first) : 0;
    const int64_t n_pos = cJSON_GetArraySize(pos), n_neg = cJSON_GetArraySize(neg);
    if (d < 1 || d > 4096) {
        return session_bad_input(
            s, path, "the mean of positive[0] has %lld entries, expected 1 to 4096", (long long)d);
    }
    if ((n_pos + n_neg) * (d + d * d) > (int64_t)n_text) { /* each number is a character at least */
        return session_bad_input(s, path,
                                 "has %lld components and %lld entries in the mean of positive[0], "
                                 "expected as many in each mean and row of each cov",
                                 (long long)(n_pos + n_neg), (long long)d);
    }
    reading r = {.s = s, .path = path, .dims = d};
    r.numbers = malloc((size_t)((n_pos + n_neg) * (d + d * d)) * sizeof *r.numbers);
    r.all = malloc((size_t)(n_pos + n_neg) * sizeof *r.all);
    int code = EXIT_INPUT;
    if (!r.numbers || !r.all) {
        code = session_fail(s, out_of_memory(&s->err, "the mixture"));
    } else if (read_side(&r, pos, "positive", 0) && read_side(&r, neg, "negative", n_pos)) {
        const ney_mixture_parts parts = {.dims = d,
                                         .p_pos = p_pos->valuedouble,
                                         .positive = r.all,
                                         .n_positive = n_pos,
                                         .negative = r.all + n_pos,
                                         .n_negative = n_neg};
        const ney_status st = ney_mixture_new(out, &s->env, &parts, &s->err);
        if (st == NEY_EINVAL) { /* what is wrong came from the file */
            char why[sizeof s->err.message];
            snprintf(why, sizeof why, "%s", s->err.message);
            code = session_bad_input(s, path, "%s", why);
        } else {
            code = st == NEY_OK ? EXIT_OK : session_fail(s, st);
        }
    }
    free(r.numbers);
    free(r.all);
    return code;
}

int mixture_read(ney_mixture **out, session *s, const char *path)
{
    char *text = file_text(s, path);
    int code = EXIT_FAILED;

    *out = NULL;
    if (!text) {
        return exit_code_of(s->err.code);
    }
    const char *end = NULL;
    cJSON *root = cJSON_ParseWithOpts(text, &end, true);
    if (root) {
        code = read_root(out, s, path, root, strlen(text));
    } else {
        int64_t line = 1, column = 1;
        for (const char *c = text; c < end; c++) {
            column = *c == '\n' ? 1 : column + 1;
            line += *c == '\n';
        }
        s->err = (ney_error){.line = line, .column = column};
        snprintf(s->err.file, sizeof s->err.file, "%s", path);
        snprintf(s->err.message, sizeof s->err.message,
                 "is not JSON from here on, expected an object with p_pos, positive and negative");
        code = session_fail(s, NEY_EPARSE);
    }
    cJSON_Delete(root);
    free(text);
    return code;
}

/* ------------------------------------------------------------------ and back */

static void add_side(ney_result *root, const char *name, const ney_mixture *mixture, int sign)
{
    const int64_t d = ney_mixture_dims(mixture);
    ney_result *side = ney_result_add_array(root, name);
    int64_t n;
    const ney_gaussian *all = ney_mixture_class_of(mixture, sign, &n);

    for (int64_t k = 0; k < n; k++) {
        ney_result *component = ney_result_add_object(side, NULL);
        ney_result_add_real(component, "weight", all[k].weight);
        ney_result *mean = ney_result_add_array(component, "mean"),
                   *cov = ney_result_add_array(component, "cov");
        for (int64_t i = 0; i < d; i++) {
            ney_result_add_real(mean, NULL, all[k].mean[i]);
            ney_result *row = ney_result_add_array(cov, NULL);
            for (int64_t j = 0; j < d; j++) {
                ney_result_add_real(row, NULL, all[k].cov[i * d + j]);
            }
        }
    }
}

void mixture_add(ney_result *root, const ney_mixture *mixture)
{
    ney_result_add_real(root, "p_pos", ney_mixture_p_pos(mixture));
    add_side(root, "positive", mixture, 1);
    add_side(root, "negative", mixture, -1);
}
