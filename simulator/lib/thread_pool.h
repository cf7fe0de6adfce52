/* thread_pool.h - a few threads that share numbered pieces of work, in plain pthreads: the library brings no OpenMP
 * to its users.
 *
 * Pieces are taken in order by whoever is free; the caller works, too, so a call never fails: where threads cannot be
 * started, fewer do the work. All have ended when thread_pool_run returns. Pieces must not depend on each other.
 */
#ifndef SIMULATOR_LIB_THREAD_POOL_H
#define SIMULATOR_LIB_THREAD_POOL_H

#include <stdint.h>

enum { THREAD_POOL_MAX = 256 };

typedef void thread_pool_work(void *context, uint64_t piece);

int thread_pool_size(
    int threads); /* threads <= 0: one per processor that this process may use; at most THREAD_POOL_MAX */
void thread_pool_run(int threads, uint64_t pieces, thread_pool_work *work, void *context);

#endif
