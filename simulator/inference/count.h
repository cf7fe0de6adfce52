/* count.h - the pass over a layer's chunks: what each GPU reads, from where, and what it writes. Exact for layers; in
 * sampled mode exact for the mini-batches of the workload's seed.
 *
 * A row of the level below is read from the reader's own memory where its GPU holds it, else over NVLink from the GPU
 * of its clique that holds it, else from the host's DRAM, or from the SSDs. What a GPU holds is read once more, by
 * itself, to get there (fill). Topology rows that a GPU keeps are read from the host in layer 1 and from its own memory
 * in later layers. An SSD read is a block; a chunk reads a block once.
 */
#ifndef SIMULATOR_INFERENCE_COUNT_H
#define SIMULATOR_INFERENCE_COUNT_H

#include "simulator/inference/inference.h"

enum { INFERENCE_NOBODY = 255 }; /* no GPU holds the row */

/* What memories hold during a layer; NULL members: nothing, or all in DRAM. All borrowed. */
struct inference_held {
    const uint8_t *owner[GPUS_MAX]; /* [clique][n] the GPU that holds the input row, or INFERENCE_NOBODY */
    const uint8_t *topology;        /* [n] whether the vertex's own GPU keeps its topology rows */
    bool input_on_ssd;              /* input rows lie on the SSDs, but for those in dram */
    const uint8_t *dram;            /* [n] whether DRAM holds the input row although they lie on the SSDs */
    const uint32_t *place;          /* [n] the row's place among the rows on the SSDs; NULL: its id */
    bool topology_on_ssd;
    uint64_t block_bytes;
};

/* One GPU in one layer. */
struct inference_gpu {
    uint64_t chunks, vertices, arcs; /* arcs: entries of the rows read; sampled: visits of rows */
    uint64_t rows, bytes;            /* distinct input rows, summed over the chunks */
    uint64_t own_rows, own_bytes, peer_rows, host_rows, host_bytes, ssd_rows, ssd_bytes;
    uint64_t fill_rows, fill_bytes, fill_ssd_bytes; /* of fill_bytes: from the SSDs */
    uint64_t peer_bytes[GPUS_MAX];                  /* over NVLink, from each GPU */
    uint64_t topology_host, topology_own;           /* bytes */
    uint64_t ssd_blocks;
    uint64_t written;               /* bytes */
    uint64_t most_bytes, most_rows; /* of one chunk: topology, input rows, their sums, output rows; input rows */
};

struct inference_layer {
    int gpus;
    struct inference_gpu gpu[GPUS_MAX];
    uint32_t *reads; /* [gpus][n] chunks of the GPU that read the row; owned; NULL: not asked for */
};
void inference_layer_release(struct inference_layer *l); /* a zeroed struct is allowed */

struct inference_setting {
    const struct inference_chunks *chunks;
    const int *clique_of, *id; /* [gpus] */
    uint64_t line_bytes;
    int threads;
};

/* Counts a layer. held: NULL: nothing is. reads: whether out->reads is wanted. *out: zeroed by the caller. Takes 8 n
 * bytes per thread, 4 per block of the input level on SSDs, and 4 n per GPU for the reads. ST_LIMIT without memory;
 * errors of sampler_new. */
enum st inference_count(const struct inference *j, const struct inference_setting *s, int layer,
                        const struct inference_held *held, bool reads, struct inference_layer *out, struct err *err)
    MUST_USE;

/* The sum over the GPUs; maxima for most_*. peer_bytes are summed into peer_bytes[0]. */
struct inference_gpu inference_layer_total(const struct inference_layer *l);

#endif
