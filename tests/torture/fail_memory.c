/* fail_memory.c - preloaded (LD_PRELOAD) into a command: the k-th allocation fails, whoever asks.
 *
 * FAIL_AT: which one fails, counted over all threads; 0 or absent: none; -K: the K-th and all later ones. FAIL_COUNT: a
 * file that receives the number of allocations at the end. Allocations of children count anew. Counted from main() on:
 * what loaders and the start-up code of libraries (above all the CUDA runtime's) do without memory is not the program's
 * to answer for. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

static _Atomic long made;
static long fail_at;
static _Atomic int in_main;
static int (*real_main)(int, char **, char **);

static int counted_main(int argc, char **argv, char **env)
{
    const char *at = getenv("FAIL_AT");
    fail_at = at ? atol(at) : 0;
    atomic_store(&in_main, 1);
    return real_main(argc, argv, env);
}

typedef int start_main(int (*)(int, char **, char **), int, char **, void (*)(void), void (*)(void), void (*)(void),
                       void *);

int __libc_start_main(int (*program)(int, char **, char **), int argc, char **argv, void (*init)(void),
                      void (*fini)(void), void (*rtld_fini)(void), void *stack_end)
{
    start_main *start = (start_main *)dlsym(RTLD_NEXT, "__libc_start_main");
    real_main = program;
    return start(counted_main, argc, argv, init, fini, rtld_fini, stack_end);
}

static int refused(void)
{
    if (!atomic_load(&in_main)) return 0;
    long now = atomic_fetch_add(&made, 1) + 1;
    if (!(now == fail_at || (fail_at < 0 && now >= -fail_at))) return 0;
    errno = ENOMEM;
    return 1;
}

void *malloc(size_t bytes) { return refused() ? NULL : __libc_malloc(bytes); }
void *calloc(size_t count, size_t bytes) { return refused() ? NULL : __libc_calloc(count, bytes); }
void *realloc(void *old, size_t bytes) { return bytes && refused() ? NULL : __libc_realloc(old, bytes); }
void *aligned_alloc(size_t align, size_t bytes) { return refused() ? NULL : __libc_memalign(align, bytes); }
void *memalign(size_t align, size_t bytes);
void *memalign(size_t align, size_t bytes) { return refused() ? NULL : __libc_memalign(align, bytes); }
int posix_memalign(void **out, size_t align, size_t bytes)
{
    if (refused()) return ENOMEM;
    void *p = __libc_memalign(align, bytes);
    if (!p) return ENOMEM;
    *out = p;
    return 0;
}

__attribute__((destructor)) static void tell(void)
{
    const char *path = getenv("FAIL_COUNT");
    char text[32];
    if (!path) return;
    int f = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
    if (f < 0) return;
    int length = snprintf(text, sizeof text, "%ld\n", atomic_load(&made));
    if (write(f, text, (size_t)length) != length) length = 0;
    close(f);
}
