/* crew.h - a few threads that share numbered pieces of work, in plain pthreads: the library brings no OpenMP to its users.
 *
 * Pieces are taken in order by whoever is free; the caller works, too, so a call never fails: where threads cannot be started, fewer do the work.
 * All have ended when crew_run returns. Pieces must not depend on each other.
 */
#ifndef SIMULATOR_LIB_CREW_H
#define SIMULATOR_LIB_CREW_H

#include <stdint.h>

enum { CREW_MAX = 256 };

typedef void crew_work(void *context, uint64_t piece);

int crew_size(int threads); /* threads <= 0: one per processor that this process may use; at most CREW_MAX */
void crew_run(int threads, uint64_t pieces, crew_work *work, void *context);

#endif
