/* threads.h - threads and stacks that are there before work begins.
 *
 * The system's limit of the stack (ulimit -s) may be far below the usual 8 MiB, and a machine may refuse threads; the
 * OpenMP library ends the process when it cannot have one. So a command runs on a stack of a size that hotset chose,
 * and its threads are tried before it starts: what is missing is a sentence and ST_LIMIT.
 */
#ifndef BASE_THREADS_H
#define BASE_THREADS_H

#include <stdbool.h>

#include "base/status.h"

/* No frame of a function may be larger (lint; tests/lint/frames names those that still are): what is large comes from
 * the heap (ON_HEAP in mem.h). */
enum { STACK_FRAME_MOST = 16 << 10, STACK_BYTES = 16 << 20 };

/* Runs run(at) on a thread with a stack of STACK_BYTES and waits for it. Threads that start later have such stacks,
 * too. ST_LIMIT when there is no such thread; then run was not called. */
enum st threads_run(void (*run)(void *at), void *at, struct err *err) MUST_USE;

/* Lets threads of OpenMP that wait for others sleep after some tens of microseconds, unless the user said how they wait
 * (OMP_WAIT_POLICY, GOMP_SPINCOUNT). By default they spin for milliseconds, which takes the cores from other programs,
 * and from METIS, which is one of ours. The library reads this before main, so the program starts itself once more.
 * words: as main got them. Where it cannot start, it goes on as it is. */
void threads_wait_asleep(char **words);

/* Work on number i in a room that no other thread is in. */
typedef enum st threads_work(void *of, int room, int i, struct err *err);
/* Does the work on 0..count-1, in each of the rooms one number after the other. A single room is the calling thread's,
 * whose parallel regions have all threads then. A number that fails ends those behind it; the error is that of the
 * lowest. */
enum st threads_share(int rooms, int count, threads_work *work, void *of, struct err *err) MUST_USE;

/* Threads that each have their own work; who is done helps those who share theirs. */
struct threads_crew;
/* Runs own(at, crew) on so many threads, and returns when all are done. */
void threads_crew_run(int members, void (*own)(void *at, struct threads_crew *crew), void *at);
/* Does the work on 0..count-1, with members that are done; room is 0 for the caller, 1 for whoever helps. A number that
 * fails ends no others; the error is that of the lowest. */
enum st threads_crew_share(struct threads_crew *crew, int count, threads_work *work, void *of, struct err *err)
    MUST_USE;

/* Work on a thread of its own beside the calling thread. */
struct threads_beside {
    void (*run)(void *at);
    void *at;
    int threads; /* of its parallel regions */
    bool ran;    /* known after threads_join: it had its threads, and ran */
    void *handle;
};
/* Starts b->run(b->at), where the system has the threads; b stays where it is until threads_join. */
void threads_begin(struct threads_beside *b);
/* Waits for its end. */
void threads_join(struct threads_beside *b);

/* Starts `count` >= 1 threads of the calling thread's OpenMP pool. ST_LIMIT when so many cannot be had. */
enum st threads_ready(int count, struct err *err) MUST_USE;

#endif
