#include "output.h"

#include <neyman/experimental/comm.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "clean.h"
#include "progress.h"
#include "session.h"
#include "unnamed_file.h"

enum { BUFFER_BYTES = 1 << 20 };

bool output_is_stdout(const char *path)
{
    return !path || ney_output_is_stdout(path);
}

ney_status output_check(const char *path, ney_error *err)
{
    struct stat there;
    ney_output *trial;

    /* Opening a pipe or a device may wait for its reader, or be noticed by it. */
    if (output_is_stdout(path) || !session_writes() ||
        (stat(path, &there) == 0 && !S_ISREG(there.st_mode) && !S_ISDIR(there.st_mode))) {
        return NEY_OK;
    }
    const ney_status st = ney_output_open(&trial, NULL, path, err);
    if (st == NEY_OK) {
        ney_output_discard(trial);
    }
    return st;
}

int output_check_json(session *s, const char *path, const char *what)
{
    return output_is_stdout(path) && s->common->json
               ? session_misused(
                     s, "--json and %s cannot share standard output; name a file with -o", what)
               : EXIT_OK;
}

static ney_status fail_spool(ney_error *err)
{
    *err = (ney_error){.code = NEY_EIO};
    snprintf(err->message, sizeof err->message, "writing a temporary file failed: %s",
             strerror(errno));
    return NEY_EIO;
}

ney_status output_open(output *out, const char *path, ney_error *err)
{
    *out = (output){.to_stdout = output_is_stdout(path), .buffer = malloc(BUFFER_BYTES)};
    if (!out->buffer) {
        return out_of_memory(err, "the output");
    }
    if (out->to_stdout) {
        progress_clear();
        fflush(stdout); /* what follows goes past its buffer */
    }
    const ney_status st = ney_output_open(&out->to, NULL, out->to_stdout ? "-" : path, err);
    if (st != NEY_OK) {
        output_give_up(out);
    }
    return st;
}

static FILE *open_spool(void)
{
    const int fd = open_unnamed();
    FILE *const file = fd >= 0 ? fdopen(fd, "w+") : NULL;

    if (!file && fd >= 0) {
        close(fd);
    }
    return file;
}

ney_status output_open_spool(output *out, ney_error *err)
{
    *out = (output){.spool = open_spool(), .buffer = malloc(BUFFER_BYTES)};
    if (out->spool && out->buffer) {
        return NEY_OK;
    }
    const ney_status st = out->buffer ? fail_spool(err) : out_of_memory(err, "the output");
    output_give_up(out);
    return st;
}

static void write_bytes(output *out, const void *bytes, size_t n_bytes)
{
    if (out->spool) {
        if (out->status == NEY_OK && fwrite(bytes, 1, n_bytes, out->spool) != n_bytes) {
            out->status = fail_spool(&out->err);
        }
        return;
    }
    if (out->status == NEY_OK && !out->unread && n_bytes > 0) {
        const ney_status st = ney_output_write(out->to, bytes, (int64_t)n_bytes, &out->err);
        out->unread = st != NEY_OK && out->to_stdout && stdout_unread();
        out->status = out->unread ? NEY_OK : st;
    }
}

/* What cells hold never reaches a terminal as a command. */
static void write_escaped(output *out, const void *bytes, size_t n_bytes)
{
    char *const copy = malloc(n_bytes + 1);

    if (!copy) {
        out->status = out_of_memory(&out->err, "the output");
        return;
    }
    memcpy(copy, bytes, n_bytes);
    copy[n_bytes] = '\0';
    for (const char *from = copy; from < copy + n_bytes;) {
        char escaped[ESCAPE_TEXT];
        const size_t n = harmless_span(from, "\n\t");
        write_bytes(out, from, n);
        from += n;
        if (from < copy + n_bytes) {
            from += escape_one(from, escaped);
            write_bytes(out, escaped, strlen(escaped));
        }
    }
    free(copy);
}

static bool send(output *out, const void *bytes, size_t n_bytes)
{
    if (out->to_stdout && isatty(STDOUT_FILENO)) {
        write_escaped(out, bytes, n_bytes);
    } else {
        write_bytes(out, bytes, n_bytes);
    }
    return out->status == NEY_OK && !out->unread;
}

bool output_flush(output *out)
{
    const size_t n = out->used;

    out->used = 0;
    const bool fine = send(out, out->buffer, n);
    if (fine && out->spool && fflush(out->spool) != 0) {
        out->status = fail_spool(&out->err);
    }
    return fine && out->status == NEY_OK;
}

bool output_put(output *out, const void *bytes, size_t n_bytes)
{
    if (n_bytes > BUFFER_BYTES - out->used && !output_flush(out)) {
        return false;
    }
    if (n_bytes > BUFFER_BYTES) {
        return send(out, bytes, n_bytes);
    }
    memcpy(out->buffer + out->used, bytes, n_bytes);
    out->used += n_bytes;
    return true;
}

/* ------------------------------------------------------------------ several processes */

/* Pieces of the spool, each after its length; one of length 0 is the end, -1 a failure. */
static void send_spool(output *out, const ney_comm *comm)
{
    int64_t n = 1;

    rewind(out->spool);
    while (n > 0) {
        n = (int64_t)fread(out->buffer, 1, BUFFER_BYTES, out->spool);
        n = ferror(out->spool) ? -1 : n;
        comm->send(comm->state, 0, &n, (int64_t)sizeof n);
        if (n > 0) {
            comm->send(comm->state, 0, out->buffer, n);
        }
    }
}

/* All pieces are taken, even if writing fails: the other process waits for that. */
static void take_spool(output *out, const ney_comm *comm, int from, char *piece)
{
    for (;;) {
        int64_t n;
        comm->receive(comm->state, from, &n, (int64_t)sizeof n);
        if (n < 0 && out->status == NEY_OK) {
            errno = EIO;
            out->status = fail_spool(&out->err);
        }
        if (n <= 0) {
            return;
        }
        comm->receive(comm->state, from, piece, n);
        (void)output_put(out, piece, (size_t)n);
    }
}

void output_join(output *out)
{
    const ney_comm *const comm = session_processes();
    char *const piece = malloc(BUFFER_BYTES);

    if (!piece && out->status == NEY_OK) {
        out->status = out_of_memory(&out->err, "the output");
    }
    if (out->spool) {
        send_spool(out, comm);
    }
    for (int from = 1; !out->spool && piece && from < comm->size; from++) {
        take_spool(out, comm, from, piece);
    }
    free(piece);
}

ney_status output_commit(output *out, ney_error *err)
{
    output_flush(out);
    ney_status st = out->status;
    if (st == NEY_OK && out->to) {
        st = ney_output_commit(out->to, err);
        out->to = NULL;
    } else if (st != NEY_OK) {
        *err = out->err;
    }
    if (st != NEY_OK && out->to_stdout) {
        snprintf(err->file, sizeof err->file, "standard output");
    }
    output_give_up(out);
    return st;
}

void output_give_up(output *out)
{
    ney_output_discard(out->to);
    if (out->spool) {
        fclose(out->spool);
    }
    free(out->buffer);
    *out = (output){0};
}
