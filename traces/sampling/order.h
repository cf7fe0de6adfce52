/* order.h - in which order an epoch takes a GPU's training vertices.
 *
 * shuffle: by a keyed hash of the vertex. bfs: the vertices form a circle, in the order of a breadth-first search
 * (bfs.h), which every epoch enters at a random place (BGL; Liu et al., NSDI'23). blocks:K: the circle is in an order
 * of communities (assignment.h, `circle`), every epoch enters it at a random place and cuts it from there into blocks
 * of batch / K vertices, rounded down, at least 1. Blocks are shuffled; K of them in a row fill a mini-batch, whose
 * vertices are then shuffled. So K is the number of places in the graph that a mini-batch comes from: with K = 1 it is
 * one stretch of the circle, with K = batch nearly a random set (COMM-RAND, arXiv 2504.18082, has such a knob).
 *
 * Every number is a pure function of (seed, GPU id, epoch), and the rule needs nothing but the circle, so a training
 * runtime can carry it out (simulator/lib). No state, no memory of its own, nothing but base/rng.h.
 */
#ifndef TRACES_SAMPLING_ORDER_H
#define TRACES_SAMPLING_ORDER_H

#include <stdint.h>

enum order_kind { ORDER_SHUFFLE, ORDER_BFS, ORDER_BLOCKS, ORDER_KINDS };

struct order_rule {
    enum order_kind kind;
    uint64_t batch;  /* training vertices per mini-batch, >= 1 */
    uint64_t blocks; /* ORDER_BLOCKS: K, >= 1 */
    uint64_t seed;
    int gpu; /* id, 0..255 */
};

/* Vertices of a block: batch / K, at least 1. */
uint64_t order_block(const struct order_rule *r);
/* out: [count] the vertices in the order of the epoch; mini-batch b is out[b * batch ..). ids: [count]: for shuffle
 * distinct vertices in any order, else the circle. epoch: below 2^24. room: [2 * count] scratch. */
void order_epoch(const struct order_rule *r, const uint32_t *ids, uint64_t count, uint64_t epoch, uint64_t *room,
                 uint32_t *out);

#endif
