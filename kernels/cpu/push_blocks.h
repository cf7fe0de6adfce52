/* push_blocks.h - a graph's edges by blocks of the vertices that they lead to, for many PageRank steps over it.
 *
 * Pushing along the rows adds at random places of all sums. Here the edges are kept once more, sorted by blocks of 2^15
 * vertices, whose sums (256 KiB) stay in a core's second-level cache while a block's edges are followed, in the order
 * of the rows that they come from. An edge takes three bytes: two for its place within the block, one for how many rows
 * its own lies behind that of the edge before. Where that is more than 255, edges to nowhere lie between. (Propagation
 * blocking: Beamer, Asanovic, Patterson, IPDPS 2017; blocks that are pushed to in the order of the sources, so that
 * these are read as a stream: Lakhotia, Kannan, Prasanna, USENIX ATC 2018.) Sums of integers have no order: results are
 * those of pagerank.c bit for bit.
 */
#ifndef KERNELS_CPU_PUSH_BLOCKS_H
#define KERNELS_CPU_PUSH_BLOCKS_H

#include <stdbool.h>
#include "kernels/kernel.h"

/* Rows are cut into parts; an edge lies in the list of its block and of its row's part. */
struct push_blocks {
    uint64_t n, blocks;
    int parts;
    uint16_t *to;     /* the vertex, from the block's first on; 2^15: nowhere */
    uint8_t *gap;     /* rows from that of the edge before, in a list; from the part's first row, at its begin */
    uint64_t *row;    /* [parts] first rows */
    uint64_t *begin;  /* [blocks][parts] of lists, in `to` and `gap` */
    uint64_t *end;    /* [blocks][parts] */
    int threads;      /* that a step takes at most */
    uint64_t *sum;    /* [threads][a block and nowhere] scratch of a step, apart by lines */
    uint64_t largest; /* edges of the block with most */
};

/* Whether that copy may be worth making: for many steps over a graph of up to 4 million vertices and many edges, enough
 * that the values of rows, which every block reads, are less than the edges. steps: that will be made at most. */
bool push_blocks_pay(const struct pagerank_problem *p, int steps);
/* Bytes that the copy takes at most; 0: it never pays. */
uint64_t push_blocks_bytes(uint64_t n, uint64_t edges);

/* *out: released by the caller; it stays zeroed where the copy turns out not to be worth it (most edges lie in one
 * block and other threads would wait for it), unless `always`. At most 2^22 vertices. ST_LIMIT without memory. */
enum st push_blocks_make(const struct pagerank_problem *p, int threads, bool always, struct push_blocks *out,
                         struct err *err) MUST_USE;
void push_blocks_release(struct push_blocks *b); /* a zeroed one is allowed */

/* pagerank_step of kernel.h. share: [n], scratch. */
void push_blocks_step(const struct push_blocks *b, const struct pagerank_problem *p, int threads, const uint64_t *x,
                      uint64_t *share, uint64_t *y, uint64_t *change);

#endif
