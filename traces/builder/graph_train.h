/* graph_train.h - the training vertices of a graph: from a file, from a list, or a keyed random share. Validation and
 * test vertices likewise. Results are ascending and unique. */
#ifndef TRACES_BUILDER_GRAPH_TRAIN_H
#define TRACES_BUILDER_GRAPH_TRAIN_H

#include <stdbool.h>
#include <stdint.h>
#include "base/status.h"

struct name_table;
struct train_set {
    uint32_t *ids; /* [count], ascending; owned: mem_free */
    uint64_t count;
};

/* From the ids of a source to vertices 0..n-1. */
struct id_map {
    uint64_t n;
    const struct name_table *names; /* by which files of text name vertices; NULL: by ids */
    const int64_t *original;        /* [n] ascending: the source's id of each vertex; NULL: the ids are the vertices */
    const char *set;                /* "validation", "test"; NULL: "training". For messages */
    bool partly;                    /* ids that the graph does not have are passed over; the result may then be empty */
};

/* The round-half-up(share * n), at least 1, vertices with the smallest hash of (seed, vertex). The same for any number
 * of threads. ST_USAGE unless 0 < share <= 1; ST_LIMIT when memory is out. */
enum st train_by_share(uint64_t n, double share, uint64_t seed, int threads, struct train_set *out, struct err *err)
    MUST_USE;
/* Reads a .npy file of ids or of a 0/1 mask per vertex, or text with one id per line. ST_INPUT, with the place, for
 * unknown and repeated ids and for a file without any. */
enum st train_from_file(const char *path, const struct id_map *map, struct train_set *out, struct err *err) MUST_USE;
/* The same for ids[count]. what: where they come from, for messages. */
enum st train_from_ids(const uint64_t *ids, uint64_t count, const char *what, const struct id_map *map,
                       struct train_set *out, struct err *err) MUST_USE;

#endif
