#include "simulator/lib/thread_pool.h"

#include <pthread.h>

#include "base/machine.h"

struct thread_pool {
    thread_pool_work *work;
    void *context;
    uint64_t pieces, next;
};

int thread_pool_size(int threads)
{
    if (threads <= 0) threads = machine_cpus();
    return threads < 1 ? 1 : threads > THREAD_POOL_MAX ? THREAD_POOL_MAX : threads;
}

/* Works until no piece is left. */
static void *work_on(void *of)
{
    struct thread_pool *c = of;
    for (uint64_t i; (i = __atomic_fetch_add(&c->next, 1, __ATOMIC_RELAXED)) < c->pieces;) c->work(c->context, i);
    return NULL;
}

void thread_pool_run(int threads, uint64_t pieces, thread_pool_work *work, void *context)
{
    struct thread_pool c = {.work = work, .context = context, .pieces = pieces};
    pthread_t others[THREAD_POOL_MAX];
    int count = thread_pool_size(threads), started = 0;
    while (started + 1 < count && (uint64_t)(started + 1) < pieces &&
           pthread_create(&others[started], NULL, work_on, &c) == 0)
        started++;
    work_on(&c);
    for (int i = 0; i < started; i++) pthread_join(others[i], NULL);
}
