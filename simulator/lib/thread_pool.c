#include "simulator/lib/thread_pool.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <time.h>

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

/* ---- helpers that stay for a while ---- */

/* The helpers of the process: its only state here. One call at a time has them. Its pieces lie here and not on the
 * caller's stack, so that a helper that comes too late looks at something that is there. */
enum { IDLE_SECONDS = 2, SPINS = 2000 };
struct helpers {
    pthread_mutex_t taken, lock; /* taken: by a call; lock: of sleeping */
    pthread_cond_t come;
    struct thread_pool call;
    uint64_t turn; /* calls so far */
    int seats;     /* helpers that may still join the call; 0 when it has ended */
    int inside;    /* that look at the call, or work */
    int alive, sleeping;
    int cpus; /* of threads <= 0; 0: not asked for yet */
    bool follows_forks;
};
#define NO_HELPERS                                                                                                     \
    {                                                                                                                  \
        .taken = PTHREAD_MUTEX_INITIALIZER, .lock = PTHREAD_MUTEX_INITIALIZER, .come = PTHREAD_COND_INITIALIZER        \
    }
static struct helpers kept = NO_HELPERS;
#define NOW(member) __atomic_load_n(&kept.member, __ATOMIC_SEQ_CST)
#define ADD(member, number) __atomic_add_fetch(&kept.member, number, __ATOMIC_SEQ_CST)

#if defined(__x86_64__)
#define PAUSE() __builtin_ia32_pause()
#else
#define PAUSE() ((void)0)
#endif

/* In a child there are none, and whoever held a lock is not there. */
static void forget_helpers(void)
{
    kept = (struct helpers)NO_HELPERS;
    kept.follows_forks = true; /* handlers are inherited */
}

/* Waits for a call after turn `seen`, awake at first. false: none came for a while, and the helper is alive no more. */
static bool next_call(uint64_t seen)
{
    struct timespec until;
    bool late = false;
    for (int i = 0; i < SPINS; i++) {
        if (NOW(turn) != seen) return true;
        PAUSE();
    }
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += IDLE_SECONDS;
    pthread_mutex_lock(&kept.lock);
    ADD(sleeping, 1);
    while (NOW(turn) == seen && !late) late = pthread_cond_timedwait(&kept.come, &kept.lock, &until) != 0;
    ADD(sleeping, -1);
    late = NOW(turn) == seen;
    if (late) ADD(alive, -1);
    pthread_mutex_unlock(&kept.lock);
    return !late;
}

static void *help(void *began)
{
    for (uint64_t seen = (uint64_t)(uintptr_t)began; next_call(seen);) {
        seen = NOW(turn);
        ADD(inside, 1);
        for (int seats = NOW(seats); seats > 0;)
            if (__atomic_compare_exchange_n(&kept.seats, &seats, seats - 1, false, __ATOMIC_SEQ_CST,
                                            __ATOMIC_SEQ_CST)) {
                work_on(&kept.call);
                break;
            }
        ADD(inside, -1);
    }
    return NULL;
}

/* Starts helpers until there are so many, or no more can be had. Signals are for the program's own threads. */
static void start_helpers(int count)
{
    sigset_t all, before;
    pthread_t one;
    if (NOW(alive) >= count) return;
    if (!kept.follows_forks) kept.follows_forks = pthread_atfork(NULL, NULL, forget_helpers) == 0;
    sigfillset(&all);
    if (!kept.follows_forks || pthread_sigmask(SIG_SETMASK, &all, &before) != 0) return;
    while (NOW(alive) < count) {
        ADD(alive, 1);
        if (pthread_create(&one, NULL, help, (void *)(uintptr_t)kept.turn) != 0) {
            ADD(alive, -1);
            break;
        }
        pthread_detach(one);
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

/* Lets `others` helpers in, works, and waits for those that are at work: they have a piece each. */
static void share(int others)
{
    kept.call.next = 0;
    __atomic_store_n(&kept.seats, others, __ATOMIC_SEQ_CST);
    ADD(turn, 1);
    if (NOW(sleeping)) {
        pthread_mutex_lock(&kept.lock); /* whoever counts as sleeping waits for the signal now */
        for (int i = 0; i < others; i++) pthread_cond_signal(&kept.come);
        pthread_mutex_unlock(&kept.lock);
    }
    work_on(&kept.call);
    __atomic_store_n(&kept.seats, 0, __ATOMIC_SEQ_CST);
    for (int i = 0; NOW(inside); i++)
        if (i < SPINS) PAUSE();
        else sched_yield();
}

void thread_pool_run_often(int threads, uint64_t pieces, thread_pool_work *work, void *context)
{
    struct thread_pool alone = {.work = work, .context = context, .pieces = pieces};
    if (threads == 1 || pieces <= 1) {
        work_on(&alone);
        return;
    }
    if (pthread_mutex_trylock(&kept.taken) != 0) { /* another thread's gather has them */
        thread_pool_run(threads, pieces, work, context);
        return;
    }
    if (threads <= 0 && !kept.cpus) kept.cpus = thread_pool_size(threads); /* reads files */
    uint64_t others = (uint64_t)(threads <= 0 ? kept.cpus : thread_pool_size(threads)) - 1;
    if (others > pieces - 1) others = pieces - 1;
    start_helpers((int)others);
    kept.call = alone;
    share((int)others);
    pthread_mutex_unlock(&kept.taken);
}
