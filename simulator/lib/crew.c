#define _GNU_SOURCE
#include "simulator/lib/crew.h"

#include <pthread.h>
#include <sched.h>

struct crew {
    crew_work *work;
    void *context;
    uint64_t pieces, next;
};

int crew_size(int threads)
{
    cpu_set_t mine;
    if (threads <= 0) threads = sched_getaffinity(0, sizeof mine, &mine) == 0 ? CPU_COUNT(&mine) : 1;
    return threads < 1 ? 1 : threads > CREW_MAX ? CREW_MAX : threads;
}

static void *join_in(void *of)
{
    struct crew *c = of;
    for (uint64_t i; (i = __atomic_fetch_add(&c->next, 1, __ATOMIC_RELAXED)) < c->pieces;) c->work(c->context, i);
    return NULL;
}

void crew_run(int threads, uint64_t pieces, crew_work *work, void *context)
{
    struct crew c = {.work = work, .context = context, .pieces = pieces};
    pthread_t others[CREW_MAX];
    int count = crew_size(threads), started = 0;
    while (started + 1 < count && (uint64_t)(started + 1) < pieces && pthread_create(&others[started], NULL, join_in, &c) == 0) started++;
    join_in(&c);
    for (int i = 0; i < started; i++) pthread_join(others[i], NULL);
}
