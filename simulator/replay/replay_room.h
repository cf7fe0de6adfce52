/* replay_room.h - what a reader is replayed with, and how many are at a time (replay_rooms). Private to
 * simulator/replay. */
#ifndef SIMULATOR_REPLAY_REPLAY_ROOM_H
#define SIMULATOR_REPLAY_REPLAY_ROOM_H

#include "simulator/replay/replay.h"
#include "simulator/replay/replay_counts.h"
#include "traces/graph/rows.h"

/* One reader at a time. */
struct replay_room {
    struct replay_request r; /* with the room's threads, and the seed in its workload */
    struct sampler *s;
    struct replay_counts k;
    uint8_t **where; /* [2 * count]: who serves each row of topology and of features */
    int count;       /* of placements */
};

struct replay_rooms {
    struct replay_room *room; /* [count] */
    int count;
};

/* Rows that placements number. */
static inline uint64_t replay_rows(const struct replay_request *r, bool topology)
{
    return r->sample ? r->sample->rows : graph_kind_rows(r->graph, topology);
}

/* One room with all threads; or several with one each, fewer than wanted where memory ends. r: its workload has the
 * seed of the pass; count: placements. *out: to be freed also after an error. ST_LIMIT; errors of sampler_use_device.
 */
enum st replay_rooms_new(const struct replay_request *r, int count, struct replay_rooms *out, struct err *err) MUST_USE;
void replay_rooms_free(struct replay_rooms *r); /* zeroed is allowed */

#endif
