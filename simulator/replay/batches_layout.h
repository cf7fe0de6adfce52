/* batches_layout.h - how a mini-batch becomes arrays: one layout for plain graphs (batches/1), one for others
 * (batches/2). Private to simulator/replay.
 */
#ifndef SIMULATOR_REPLAY_BATCHES_LAYOUT_H
#define SIMULATOR_REPLAY_BATCHES_LAYOUT_H

#include "simulator/replay/batch_files.h"
#include "traces/sampling/steps.h"

/* A thread's translation of a mini-batch into local numbers. */
struct batch_locals {
    uint32_t *number; /* [n] local number of a vertex of the mini-batch */
    uint32_t *row, *column;
    uint64_t room; /* of row, column and edge */
    /* of several types: vertices by type, draws by relation and hop */
    uint32_t *vertex; /* [vertices] */
    uint64_t *edge;
    uint64_t vertices, draws;
    uint64_t *end[2]; /* [types (hops + 1)], [relations hops] where each part ends */
    int parts[2];
};

struct batch_layout {
    const char *schema;
    const struct batch_array *arrays;
    int count;
    /* Memory for what is kept between mini-batches, but for number; NULL: none. ST_LIMIT. */
    enum st (*begin)(const struct graph *g, int hops, struct batch_locals *l, struct err *err);
    /* Translates what a mini-batch drew; ids: its vertices in the order of discovery. Threads call it side by side. */
    enum st (*translate)(const struct graph *g, const struct sample_steps *s, const uint32_t *ids,
                         struct batch_locals *l, struct err *err);
    /* Writes it. */
    enum st (*add)(struct batch_files *f, const struct sample_steps *s, const uint32_t *ids,
                   const struct batch_locals *l, struct err *err);
};

extern const struct batch_layout batch_layout_types;

/* Room for so many draws in row, column and, where there are parts, edge. ST_LIMIT. */
enum st batch_locals_room(struct batch_locals *l, uint64_t draws, struct err *err) MUST_USE;

#endif
