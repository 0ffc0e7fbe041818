#include "data/npy_arrays.h"

#include <string.h>

static ney_status read_bytes(ney_npy_arrays *a, ney_source *source, ney_error *err)
{
    int64_t cap = 0, got = 0;
    do {
        const int64_t total = ney_source_total(source);
        const int64_t want = a->n_bytes == 0 && total > 0 ? total + 1 : 2 * a->n_bytes + (1 << 16);
        if (a->n_bytes == cap && !ney_grow(&a->env, &a->bytes, &cap, want, 1)) {
            return ney_no_memory(err, want, "bytes of a file");
        }
        const ney_status st =
            ney_source_read(source, a->bytes + a->n_bytes, cap - a->n_bytes, &got, err);
        if (st != NEY_OK) {
            return st;
        }
        a->n_bytes += got;
        if (!ney_poll(&a->env, "reading", (double)ney_source_done(source), (double)total)) {
            return ney_fail(err, NEY_ECANCELLED, "cancelled while reading");
        }
    } while (got > 0);
    return NEY_OK;
}

const ney_npz_member *ney_npz_find_first(const ney_npz *archive, const char *names)
{
    const ney_npz_member *found = NULL;
    for (const char *p = names; *p && !found;) {
        char name[64] = "";
        const size_t length = strcspn(p, " ");
        memcpy(name, p, length < sizeof name ? length : 0);
        p += length + (p[length] == ' ');
        found = ney_npz_find(archive, name);
    }
    return found;
}

/* A megabyte of an archive can hold a gigabyte of zeros: they are unpacked only where the header of
 * the array announces them. */
static ney_status check_announced(const ney_npy_arrays *a, const ney_npz_member *m, ney_error *err)
{
    unsigned char first[NEY_NPY_FIRST_BYTES], *header = NULL;
    ney_npy array;
    ney_status st = ney_npz_unpack_first(
        &a->archive, m, first, m->size < NEY_NPY_FIRST_BYTES ? m->size : NEY_NPY_FIRST_BYTES, err);
    const int64_t n = st == NEY_OK ? ney_npy_header_within(first, m->size) : 0;
    if (st == NEY_OK && !(header = ney_alloc(&a->env, n, 1))) {
        st = ney_no_memory(err, n, "bytes of a header");
    }
    if (st == NEY_OK && (st = ney_npz_unpack_first(&a->archive, m, header, n, err)) == NEY_OK) {
        st = ney_npy_check_header(&array, a->file, m->name, header, n, m->size, err);
    }
    ney_release(&a->env, header);
    return st;
}

static ney_status take_part(ney_npy_arrays *a, const char *names, ney_npy_part *part,
                            ney_error *err)
{
    const ney_npz_member *const m = ney_npz_find_first(&a->archive, names);
    const void *bytes = NULL;
    if (!m) {
        return NEY_OK;
    }
    ney_status st = check_announced(a, m, err);
    if (st == NEY_OK && (st = ney_npz_unpack(&a->archive, m, &bytes, &part->own, err)) == NEY_OK) {
        st = ney_npy_parse(&part->array, a->file, m->name, bytes, m->size, err);
    }
    part->present = st == NEY_OK;
    return st;
}

void ney_npy_arrays_arrange(ney_npy_arrays *a)
{
    a->sparse = a->indptr.present || a->indices.present || a->form.present;
    if (!a->sparse && !a->x.present && a->data.present) {
        a->x = a->data; /* a dense array of that name */
        a->data = (ney_npy_part){0};
    }
}

static ney_status take_parts(ney_npy_arrays *a, ney_error *err)
{
    const struct {
        const char *names;
        ney_npy_part *part;
    } all[] = {
        {"format", &a->form},         {"indices", &a->indices},   {"indptr", &a->indptr},
        {"shape", &a->shape},         {NEY_NPY_X, &a->x},         {NEY_NPY_Y, &a->y},
        {NEY_NPY_WEIGHT, &a->weight}, {NEY_NPY_NAMES, &a->names}, {"data", &a->data},
    };
    ney_status st = NEY_OK;
    for (size_t k = 0; st == NEY_OK && k < sizeof all / sizeof *all; k++) {
        st = take_part(a, all[k].names, all[k].part, err);
    }
    ney_npy_arrays_arrange(a);
    return st;
}

NEY_PRINTF(3, 4)
static ney_status fail(const ney_npy_arrays *a, ney_error *err, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const ney_status st =
        ney_vfail_at(err, NEY_EFORMAT, (ney_place){.file = a->file}, format, args);
    va_end(args);
    return st;
}

static ney_status check_csr(ney_npy_arrays *a, ney_error *err)
{
    char form[NEY_NPY_TEXT] = "csr";
    if (a->form.present && a->form.array.n == 1) {
        ney_npy_text(&a->form.array, 0, form);
    }
    if (strcmp(form, "csr") != 0) {
        return fail(a, err,
                    "holds a sparse matrix in the form '%.20s', expected 'csr': save "
                    "X.tocsr()",
                    form);
    }
    if (!a->data.present || !a->indices.present || !a->indptr.present || !a->shape.present) {
        return fail(a, err,
                    "lacks one of the arrays 'data', 'indices', 'indptr' and 'shape' of a "
                    "sparse matrix");
    }
    const ney_npy *const shape = &a->shape.array, *const start = &a->indptr.array;
    if (shape->n != 2 || !ney_npy_is_whole(shape) || !ney_npy_is_whole(start) ||
        !ney_npy_is_whole(&a->indices.array) || !ney_npy_is_number(&a->data.array)) {
        return fail(a, err,
                    "has arrays of other types than those of a sparse matrix: expected "
                    "whole numbers in 'indices', 'indptr' and 'shape' (of 2) and numbers in "
                    "'data'");
    }
    a->rows = ney_npy_integer(shape, 0);
    a->cols = ney_npy_integer(shape, 1);
    if (a->rows < 0 || a->cols < 0 || a->cols > INT32_MAX || start->n - 1 != a->rows ||
        a->indices.array.n != a->data.array.n) {
        return fail(a, err,
                    "a shape of %lld rows and %lld columns does not fit 'indptr' of %lld, "
                    "'indices' of %lld and 'data' of %lld numbers",
                    (long long)a->rows, (long long)a->cols, (long long)start->n,
                    (long long)a->indices.array.n, (long long)a->data.array.n);
    }
    return NEY_OK;
}

static bool holds_arrays(const ney_npz *archive)
{
    bool any = false;
    for (int64_t i = 0; i < archive->n; i++) {
        any = any || archive->member[i].name[0];
    }
    return any;
}

static ney_status check_dense(ney_npy_arrays *a, ney_error *err)
{
    const ney_npy *const x = &a->x.array;
    if (!a->x.present && a->archive.n > 0 && !holds_arrays(&a->archive)) {
        return fail(a, err,
                    "is a zip archive without arrays of NumPy: unpack it with unzip, or, if it is "
                    "a spreadsheet (.xlsx, .ods), save the sheet as CSV UTF-8");
    }
    if (!a->x.present) {
        return fail(a, err,
                    "has no array 'X' (rows and columns), and none of a sparse matrix: "
                    "save it with numpy.savez(FILE, X=X, y=y) or scipy.sparse.save_npz()");
    }
    if (x->dims == 0 || !ney_npy_is_number(x)) {
        return fail(a, err, "holds %s, expected an array of numbers with rows and columns",
                    x->dims == 0 ? "a single value" : "texts");
    }
    a->rows = x->shape[0];
    a->cols = x->shape[1];
    return a->cols <= INT32_MAX
               ? NEY_OK
               : fail(a, err, "has %lld columns, expected at most 2147483647", (long long)a->cols);
}

/* One value per row, or per column. */
static ney_status check_length(const ney_npy_arrays *a, const ney_npy_part *p, const char *name,
                               int64_t n, ney_error *err)
{
    const ney_npy *const v = &p->array;
    if (!p->present || (v->n == n && (v->dims == 1 || v->shape[0] == 1 || v->shape[1] == 1))) {
        return NEY_OK;
    }
    return fail(a, err, "array '%s' has %lld values, expected %lld, one per %s", name,
                (long long)v->n, (long long)n, p == &a->names ? "column" : "row");
}

ney_status ney_npy_arrays_check(ney_npy_arrays *a, ney_error *err)
{
    ney_status st = a->sparse ? check_csr(a, err) : check_dense(a, err);
    if (st == NEY_OK && (st = check_length(a, &a->y, "y", a->rows, err)) == NEY_OK &&
        (st = check_length(a, &a->weight, "weight", a->rows, err)) == NEY_OK) {
        st = check_length(a, &a->names, "names", a->cols, err);
    }
    if (st == NEY_OK && a->weight.present && !ney_npy_is_number(&a->weight.array)) {
        st = fail(a, err, "array 'weight' holds texts, expected numbers");
    }
    return st;
}

ney_status ney_npy_arrays_read(ney_npy_arrays *a, const ney_env *env, ney_source *source,
                               ney_format format, ney_error *err)
{
    *a = (ney_npy_arrays){.env = *env, .file = ney_source_name(source), .archive = {.env = *env}};
    ney_status st = read_bytes(a, source, err);
    if (st != NEY_OK) {
        return st;
    }
    if (format == NEY_FORMAT_NPY) {
        a->x.present = true;
        st = ney_npy_parse(&a->x.array, a->file, NULL, a->bytes, a->n_bytes, err);
    } else if ((st = ney_npz_open(&a->archive, env, a->file, a->bytes, a->n_bytes, err)) ==
               NEY_OK) {
        st = take_parts(a, err);
    }
    return st == NEY_OK ? ney_npy_arrays_check(a, err) : st;
}

void ney_npy_arrays_deinit(ney_npy_arrays *a)
{
    ney_release_all(&a->env, a->x.own, a->y.own, a->weight.own, a->names.own, a->data.own,
                    a->indices.own, a->indptr.own, a->shape.own, a->form.own);
    ney_npz_close(&a->archive);
    ney_release(&a->env, a->bytes);
    *a = (ney_npy_arrays){.env = a->env, .archive = {.env = a->env}};
}
