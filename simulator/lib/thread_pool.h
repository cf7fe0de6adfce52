/* thread_pool.h - threads that share numbered pieces of work, by pthreads, so that the library's users need no OpenMP.
 *
 * A thread that is free takes the next piece. The caller works as well, so a call never fails: when threads cannot be
 * started, fewer of them do the work. All have ended when thread_pool_run returns. Pieces must not depend on each
 * other.
 */
#ifndef SIMULATOR_LIB_THREAD_POOL_H
#define SIMULATOR_LIB_THREAD_POOL_H

#include <stdint.h>

enum { THREAD_POOL_MAX = 256 };

typedef void thread_pool_work(void *context, uint64_t piece);

/* The number of threads for an option: <= 0 means one per processor that the process may use; at most THREAD_POOL_MAX.
 */
int thread_pool_size(int threads);
/* Calls work(context, i) for i = 0..pieces-1. threads: as above. */
void thread_pool_run(int threads, uint64_t pieces, thread_pool_work *work, void *context);

#endif
