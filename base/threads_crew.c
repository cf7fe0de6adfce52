#include "base/threads.h"

#include <omp.h>
#include <pthread.h>

/* Numbers that a member shares; on its stack. */
struct shared {
    threads_work *work;
    void *of;
    int next, count, running; /* running: numbers that helpers are at */
    int failed;               /* the lowest that did; count: none */
    struct err err;
    struct shared *before; /* in the list of the crew */
};

struct threads_crew {
    pthread_mutex_t lock; /* of all that is here, and of what is shared */
    pthread_cond_t changed;
    int working; /* members that are not done */
    struct shared *shared;
};

/* Does the next number. The lock is held before and after, and not while it works. */
static void do_next(struct threads_crew *crew, struct shared *s, int room)
{
    struct err mine = {0};
    const int i = s->next++;
    pthread_mutex_unlock(&crew->lock);
    const enum st st = s->work(s->of, room, i, &mine);
    pthread_mutex_lock(&crew->lock);
    if (st == ST_OK || i > s->failed) return;
    s->failed = i;
    s->err = mine;
}

static struct shared *any_left(const struct threads_crew *crew)
{
    struct shared *s = crew->shared;
    while (s && s->next == s->count) s = s->before;
    return s;
}

/* What a member does when its own work is done, until that of all is. */
static void help(struct threads_crew *crew)
{
    pthread_mutex_lock(&crew->lock);
    crew->working--;
    pthread_cond_broadcast(&crew->changed);
    for (struct shared *s; (s = any_left(crew)) || crew->working;) {
        if (!s) {
            pthread_cond_wait(&crew->changed, &crew->lock);
            continue;
        }
        s->running++;
        do_next(crew, s, 1);
        s->running--;
        pthread_cond_broadcast(&crew->changed);
    }
    pthread_mutex_unlock(&crew->lock);
}

void threads_crew_run(int members, void (*own)(void *at, struct threads_crew *crew), void *at)
{
    struct threads_crew crew = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};
#pragma omp parallel num_threads(members)
    {
#pragma omp single
        crew.working = omp_get_num_threads();
        own(at, &crew);
        help(&crew);
    }
    pthread_mutex_destroy(&crew.lock);
    pthread_cond_destroy(&crew.changed);
}

enum st threads_crew_share(struct threads_crew *crew, int count, threads_work *work, void *of, struct err *err)
{
    struct shared s = {.work = work, .of = of, .count = count, .failed = count};
    pthread_mutex_lock(&crew->lock);
    s.before = crew->shared;
    crew->shared = &s;
    pthread_cond_broadcast(&crew->changed);
    while (s.next < s.count) do_next(crew, &s, 0);
    while (s.running) pthread_cond_wait(&crew->changed, &crew->lock);
    struct shared **at = &crew->shared; /* others may have shared since */
    while (*at != &s) at = &(*at)->before;
    *at = s.before;
    pthread_mutex_unlock(&crew->lock);
    if (s.failed < count) *err = s.err;
    return s.failed < count ? err->code : ST_OK;
}
