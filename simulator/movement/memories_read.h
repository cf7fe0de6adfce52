/* memories_read.h - what readers took from the memories below their GPUs: the member `memories` of `simulated`.
 *
 * {places[]{name, kind, feature_rows, feature_lines, topology_visits, topology_lines, other_socket_lines, seconds},
 * seconds, ssd{blocks, bytes, seconds, limit}, epoch{seconds, without_ssd_seconds}}: reads and lines of all GPUs per
 * epoch, rounded half up; other_socket_lines: those of them that cross to the DRAM of a socket from GPUs of another
 * one, where both are known; seconds per GPU (mean) as if no reads overlapped; ssd: blocks that mini-batches read
 * (storage.h), and the seconds of the drives; null without SSDs, epoch also without an epoch time.
 */
#ifndef SIMULATOR_MOVEMENT_MEMORIES_READ_H
#define SIMULATOR_MOVEMENT_MEMORIES_READ_H

#include "simulator/movement/epoch_document.h"
#include "simulator/plan/plan_places.h"

struct place_sums {
    char name[64];
    enum place_kind kind;
    uint64_t feature_rows, feature_lines, topology_visits, topology_lines;
    int64_t other_socket_lines; /* -1: not known */
    double seconds;
};
struct memories_read {
    int nodes; /* that were summed, with a place per kind; 0: one */
    int places;
    struct place_sums place[PLAN_PLACES_MAX];
    double seconds;
    double blocks, bytes, ssd_seconds;
    const char *limit;           /* of the SSDs; NULL: there are none */
    double epoch, epoch_without; /* seconds of an epoch with and without SSDs; NaN: not known */
};

/* What the nodes of[0..nodes) took together: counts are sums, seconds of reads means, as all nodes have equally many
 * GPUs; seconds of SSDs and of the epoch are those of the slowest node. */
void memories_read_sum(const struct memories_read *const *of, int nodes, struct memories_read *out);
/* What their places of a kind serve; without a name, and 0, where there are none. */
struct place_sums memories_read_kind(const struct memories_read *const *of, int nodes, enum place_kind kind);
/* The member; null for NULL. Owned by the caller. */
doc *memories_read_document(const struct memories_read *m);

#endif
