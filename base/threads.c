#define _GNU_SOURCE
#include "base/threads.h"

#include <assert.h>
#include <execinfo.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "base/mem.h"

void threads_wait_asleep(char **words)
{
    char self[512];
    if (getenv("OMP_WAIT_POLICY")) return;
    if (getenv("GOMP_SPINCOUNT")) {
        prctl(PR_SET_NAME, "hotset"); /* after the second start it is "exe" */
        return;
    }
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    if (length < 1) return;
    self[length] = '\0';
    if (!strncmp(strrchr(self, '/') + 1, "ld", 2)) return; /* started by the loader, which would take our words */
    if (setenv("GOMP_SPINCOUNT", "3000", 0) == 0) execv("/proc/self/exe", words);
}

struct start {
    void (*run)(void *);
    void *at;
};

static void *started(void *at)
{
    const struct start *s = at;
    s->run(s->at);
    return NULL;
}

enum st threads_run(void (*run)(void *at), void *at, struct err *err)
{
    struct start s = {run, at};
    pthread_attr_t attributes;
    pthread_t thread;
    int failed = pthread_attr_init(&attributes);
    if (!failed) failed = pthread_attr_setstacksize(&attributes, STACK_BYTES);
    if (!failed) pthread_setattr_default_np(&attributes); /* where it cannot be set, threads have the system's stacks */
    if (!failed) failed = pthread_create(&thread, &attributes, started, &s);
    if (failed)
        return err_set(err, ST_LIMIT,
                       "a thread with a stack of %d MiB cannot be started: %s; raise the limits of memory or processes "
                       "(ulimit -v, ulimit -u)",
                       STACK_BYTES >> 20, strerror(failed));
    pthread_join(thread, NULL);
    return ST_OK;
}

/* Waits until all that were started may end. */
static void *wait_open(void *at)
{
    pthread_mutex_lock(at);
    pthread_mutex_unlock(at);
    return NULL;
}

enum st threads_ready(int count, struct err *err)
{
    pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
    pthread_t *thread = mem_array((uint64_t)count, sizeof *thread, "threads", err);
    int had = 1, failed = 0; /* the caller is one */
    if (!thread) return err->code;
    pthread_mutex_lock(&gate);
    for (; !failed && had < count; had += !failed) failed = pthread_create(&thread[had], NULL, wait_open, &gate);
    pthread_mutex_unlock(&gate);
    for (int i = 1; i < had; i++) pthread_join(thread[i], NULL);
    mem_free(thread);
    if (failed)
        return err_set(err, ST_LIMIT,
                       "%d threads cannot be started, %d can; give --threads %d, or raise the limits of memory or "
                       "processes (ulimit -v, ulimit -u)",
                       count, had, had);
    void *frame; /* libgcc, with which threads end, comes now: where memory is out later, glibc would abort */
    if (!backtrace(&frame, 1)) return err_set(err, ST_LIMIT, "memory is out before work began; close other programs");
#pragma omp parallel num_threads(count)
    {
        /* the pool starts here, where there is room for it */
    }
    return ST_OK;
}

static void *run_beside(void *at)
{
    struct threads_beside *b = at;
    struct err err = {0};
    if (threads_ready(b->threads, &err) != ST_OK) return NULL;
    b->run(b->at);
    b->ran = true;
    return NULL;
}

void threads_begin(struct threads_beside *b)
{
    static_assert(sizeof(pthread_t) <= sizeof b->handle, "a thread's handle");
    pthread_t thread;
    b->ran = false;
    b->handle = pthread_create(&thread, NULL, run_beside, b) == 0 ? (void *)thread : NULL;
}

void threads_join(struct threads_beside *b)
{
    if (b->handle) pthread_join((pthread_t)b->handle, NULL);
    b->handle = NULL;
}

/* Numbers that are left, and the lowest that failed. */
struct sharing {
    int next, failed;
    struct err err;
};

static void share_room(struct sharing *s, int room, threads_work *work, void *of)
{
    for (int i;
         (i = __atomic_fetch_add(&s->next, 1, __ATOMIC_RELAXED)) < __atomic_load_n(&s->failed, __ATOMIC_RELAXED);) {
        struct err mine = {0};
        if (work(of, room, i, &mine) == ST_OK) continue;
#pragma omp critical(threads_first_error)
        if (i < s->failed) {
            s->err = mine;
            __atomic_store_n(&s->failed, i, __ATOMIC_RELAXED);
        }
    }
}

enum st threads_share(int rooms, int count, threads_work *work, void *of, struct err *err)
{
    struct sharing s = {.failed = count};
    if (rooms == 1) share_room(&s, 0, work, of); /* within a region of one thread, further ones start new threads */
#pragma omp parallel for schedule(static, 1) num_threads(rooms)
    for (int k = 0; k < (rooms > 1 ? rooms : 0); k++) share_room(&s, k, work, of);
    if (s.failed < count) *err = s.err;
    return s.failed < count ? err->code : ST_OK;
}
