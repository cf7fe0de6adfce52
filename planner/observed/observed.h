/* observed.h - counters of a running job, as hotset_observe of libhotset appends them: a line of JSON per GPU and
 * epoch.
 *
 * Lines are added up per GPU; lines of several processes and runs may be mixed. Every number is held against its range.
 */
#ifndef PLANNER_OBSERVED_OBSERVED_H
#define PLANNER_OBSERVED_OBSERVED_H

#include "simulator/plan/plan.h"

enum served_by { PLACE_OWN, PLACE_PEER, PLACE_HOST, PLACES };
const char *place_word(enum served_by p); /* "own", "peer", "host" */

enum { OBSERVED_STAGES = 16, OBSERVED_NAME = 32 };
struct observed_gpu {
    uint64_t epochs, batches; /* lines, and mini-batches of all of them */
    uint64_t rows[PLACES], bytes[PLACES];
    double seconds[OBSERVED_STAGES]; /* by the stages of struct observed */
};
struct observed {
    int gpus;
    struct observed_gpu gpu[GPUS_MAX]; /* by position in the plan */
    char stage[OBSERVED_STAGES][OBSERVED_NAME];
    int stages;
};

/* Adds the lines of a file. out: zeroed before the first one. ST_INPUT for a line that is no such object, a GPU that
 * the plan does not have, bytes that are not rows of row_bytes, or more than 16 stages; it names the line. */
enum st observed_read(const char *path, const struct plan *p, uint64_t row_bytes, struct observed *out, struct err *err)
    MUST_USE;

#endif
