/* graph_train.h - who trains: training vertices from a file, from a list, or a keyed random share. Results are
 * ascending and unique. */
#ifndef TRACES_BUILDER_GRAPH_TRAIN_H
#define TRACES_BUILDER_GRAPH_TRAIN_H

#include <stdint.h>
#include "base/status.h"

struct train_set {
    uint32_t *ids; /* owned: mem_free */
    uint64_t count;
};

/* The vertices that a source's ids mean: original[n] (ascending) after renumbering, or NULL when ids are vertices
 * 0..n-1. */
struct train_space {
    uint64_t n;
    const int64_t *original;
};

/* The round-half-up(share * n), at least 1, vertices with the smallest hash of (seed, vertex). share: 0 < share <=
 * 1. */
enum st train_by_share(uint64_t n, double share, uint64_t seed, int threads, struct train_set *out, struct err *err)
    MUST_USE;
/* A .npy file of ids or of a 0/1 mask per vertex, or text with one id per line. ST_INPUT for unknown or repeated ids
 * and for none at all. */
enum st train_from_file(const char *path, const struct train_space *space, struct train_set *out, struct err *err)
    MUST_USE;
/* The same for a list; what: where it came from. */
enum st train_from_ids(const uint64_t *ids, uint64_t count, const char *what, const struct train_space *space,
                       struct train_set *out, struct err *err) MUST_USE;

#endif
