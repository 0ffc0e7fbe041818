/* Arrays up to a quarter of the limit are ordinary memory. Of the others each has a file of its
 * own, without a name, that is mapped: nothing is left of it after kill -9. Its space on disk is
 * reserved before it is used, so that a full disk is an error here and no SIGBUS later. A thread,
 * and every function that makes or resizes a file, reads the resident memory of the process and
 * returns the pages of all files to the system where they are too many: they stay in its cache
 * while there is memory, and are read again when used. */
#include "file_memory.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdalign.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif
#ifdef __linux__
#include <sys/prctl.h>
#endif

#include "interrupt.h"
#include "unnamed_file.h"

enum { MOST_FILES = 512 };

/* Bytes of an array that may be in a file: half of the limit, but between these. */
static const size_t LEAST_LARGE = (size_t)1 << 16, MOST_LARGE = (size_t)1 << 20;
/* Bytes of files that may be resident under any limit, so that the program gets on with its work;
 * its own code is among them. */
static const size_t LEAST_SHARE = (size_t)1 << 24;
static const struct timespec PERIOD = {.tv_nsec = 1000000};

/* Before each array. */
typedef struct header {
    alignas(16) size_t bytes; /* with the header */
    int64_t file;             /* -1: none */
} header;

typedef struct file_block {
    void *base; /* NULL: free */
    size_t bytes;
    int fd;
} file_block;

static struct {
    pthread_mutex_t lock;
    size_t limit;      /* 0: none */
    size_t large;      /* bytes of an array that may be in a file */
    size_t heap_bytes; /* of large arrays outside of files */
    file_block file[MOST_FILES];
    bool watched;
    char failure[PATH_MAX + 256];
} memory = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* ------------------------------------------------------------------ resident memory */

typedef struct resident {
    size_t heap, files; /* bytes; 0 where the system does not tell */
} resident;

static resident look(void)
{
    char text[128];
    unsigned long long all = 0, shared = 0;
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    const int fd = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    const ssize_t n = fd >= 0 ? read(fd, text, sizeof text - 1) : 0;

    if (fd >= 0) {
        close(fd);
    }
    text[n > 0 ? n : 0] = '\0';
    return sscanf(text, "%*u %llu %llu", &all, &shared) == 2
               ? (resident){(size_t)(all - shared) * page, (size_t)shared * page}
               : (resident){0, 0};
}

/* With the lock held. Files have half of what the limit leaves beside the heap: more of them is
 * used before the next look. */
static void keep_limit(void)
{
    const resident now = look();
    const size_t share = now.heap < memory.limit ? (memory.limit - now.heap) / 2 : 0;

    if (now.files <= (share > LEAST_SHARE ? share : LEAST_SHARE)) {
        return;
    }
    for (int k = 0; k < MOST_FILES; k++) {
        if (memory.file[k].base) {
            (void)madvise(memory.file[k].base, memory.file[k].bytes, MADV_DONTNEED);
        }
    }
}

static void *watch(void *unused)
{
    for (;;) {
        nanosleep(&PERIOD, NULL);
        pthread_mutex_lock(&memory.lock);
        keep_limit();
        pthread_mutex_unlock(&memory.lock);
    }
    return unused;
}

/* Signals are for the thread that waits for input. */
static void start_watching(void)
{
    sigset_t all, before;
    pthread_t thread;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    if (!memory.watched && pthread_create(&thread, NULL, watch, NULL) == 0) {
        pthread_detach(thread);
        memory.watched = true;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

/* ------------------------------------------------------------------ files */

static void *refuse(size_t bytes, int error)
{
    snprintf(memory.failure, sizeof memory.failure,
             "%.6g MB in a temporary file in %s: %s; set TMPDIR to a directory with more space, or "
             "raise --memory",
             (double)bytes / 1e6, temporary_folder(), strerror(error));
    return NULL;
}

/* Give a file `bytes` on disk and map them; NULL, and errno. */
static void *map_file(int fd, size_t bytes)
{
    int error;

    keep_limit();
    do {
        error = posix_fallocate(fd, 0, (off_t)bytes);
    } while (error == EINTR && !interrupted());
    if (error) {
        errno = error;
        return NULL;
    }
    void *const base = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    return base == MAP_FAILED ? NULL : base;
}

/* With the lock held, as what follows. */
static int64_t free_slot(void)
{
    int64_t k = 0;

    while (k < MOST_FILES && memory.file[k].base) {
        k++;
    }
    return k < MOST_FILES ? k : -1;
}

static header *new_in_file(size_t bytes, int64_t slot)
{
    const int fd = open_unnamed();
    void *const base = fd >= 0 ? map_file(fd, bytes) : NULL;

    if (!base) {
        refuse(bytes, errno);
        if (fd >= 0) {
            close(fd);
        }
        return NULL;
    }
    start_watching();
    memory.file[slot] = (file_block){base, bytes, fd};
    header *const h = base;
    *h = (header){bytes, slot};
    return h;
}

static header *resize_in_file(header *h, size_t bytes)
{
    file_block *const f = &memory.file[h->file];
    void *const base = map_file(f->fd, bytes);

    if (!base) {
        return refuse(bytes, errno);
    }
    munmap(f->base, f->bytes);
    if (bytes < f->bytes && ftruncate(f->fd, (off_t)bytes) != 0) {
        errno = 0; /* the file stays larger */
    }
    f->base = base;
    f->bytes = bytes;
    h = base;
    h->bytes = bytes;
    return h;
}

static void free_file(const header *h)
{
    file_block *const f = &memory.file[h->file];

    munmap(f->base, f->bytes);
    close(f->fd);
    *f = (file_block){0};
}

/* ------------------------------------------------------------------ arrays */

static header *resize_on_heap(header *h, size_t bytes)
{
    const size_t before = h && h->bytes >= memory.large ? h->bytes : 0;
    header *const moved = realloc(h, bytes);

    if (moved) {
        *moved = (header){bytes, -1};
        memory.heap_bytes += (bytes >= memory.large ? bytes : 0) - before;
    } else {
        memory.failure[0] = '\0'; /* the system's, whatever was refused earlier */
    }
    return moved;
}

static void free_on_heap(header *h)
{
    memory.heap_bytes -= h->bytes >= memory.large ? h->bytes : 0;
    free(h);
}

/* From ordinary memory into a file. */
static header *move_to_file(header *h, size_t bytes, int64_t slot)
{
    header *const moved = new_in_file(bytes, slot);

    if (moved && h) {
        memcpy(moved + 1, h + 1, (h->bytes < bytes ? h->bytes : bytes) - sizeof *h);
        free_on_heap(h);
    }
    return moved;
}

static header *resize_any(header *h, size_t bytes)
{
    const size_t before = h && h->file < 0 && h->bytes >= memory.large ? h->bytes : 0;
    int64_t slot;

    if (h && h->file >= 0) {
        return resize_in_file(h, bytes);
    }
    if (bytes < memory.large || memory.heap_bytes - before + bytes <= memory.limit / 4 ||
        (slot = free_slot()) < 0) {
        return resize_on_heap(h, bytes);
    }
    return move_to_file(h, bytes, slot);
}

static void *resize(void *user, void *block, size_t bytes)
{
    header *h = block ? (header *)block - 1 : NULL;

    (void)user;
    if (bytes > PTRDIFF_MAX - sizeof *h || (bytes == 0 && !h)) {
        return NULL;
    }
    pthread_mutex_lock(&memory.lock);
    if (bytes > 0) {
        h = resize_any(h, bytes + sizeof *h);
    } else if (h->file >= 0) {
        free_file(h);
        h = NULL;
    } else {
        free_on_heap(h);
        h = NULL;
    }
    pthread_mutex_unlock(&memory.lock);
    return h ? h + 1 : NULL;
}

/* Large arrays go back to the system when they are freed: by default the threshold of glibc grows
 * with what is freed, up to 32 MB, and holes stay. No page is larger than the smallest, in files
 * neither: one use would make 2 MB resident. */
static void make_freeing_exact(void)
{
#ifdef __GLIBC__
    (void)mallopt(M_MMAP_THRESHOLD, (int)memory.large);
#endif
#ifdef __linux__
    (void)prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);
#endif
}

void file_memory_limit(session *s, double mb)
{
    if (mb > 0) {
        const size_t limit = (size_t)(mb * 1e6) + 1;
        memory.limit = limit;
        memory.large = limit / 2 < LEAST_LARGE  ? LEAST_LARGE
                       : limit / 2 > MOST_LARGE ? MOST_LARGE
                                                : limit / 2;
        make_freeing_exact();
        s->env.resize = resize;
    }
}

void *memory_new(size_t count, size_t bytes)
{
    return count > (PTRDIFF_MAX / 2) / bytes ? NULL
           : memory.limit > 0                ? resize(NULL, NULL, count * bytes)
                                             : malloc(count * bytes);
}

void memory_free(void *block)
{
    if (memory.limit == 0) {
        free(block);
    } else if (block) {
        resize(NULL, block, 0);
    }
}

const char *file_memory_failure(void)
{
    return memory.failure;
}
