/* storage.h - what SSDs are read for: the blocks of a mini-batch, where rows lie on disk in the order of ids.
 *
 * A reader takes a row from GPU memory where the placement has it in reach; else from the place that
 * plan_places_locate says. The SSDs have every row: the feature array, and the array of neighbours (`indices`) in the
 * order of ids. Offsets (8 bytes per vertex and one more) are always in DRAM, because they say where a row lies.
 *
 * A read of an SSD is a block. A feature row read is all blocks that its bytes touch; a visit of a topology row is the
 * blocks of the neighbours drawn. Within a mini-batch a reader reads a block once, however many of its rows are needed
 * there; nothing is kept from one mini-batch to the next (that is what DRAM is for). Of several types every table of
 * rows is a file of its own, which begins at a block; the row of an edge is read with each draw of the edge. So the
 * order on disk matters: rows that are read together share blocks. Where GPUs do not sample, the CPU reads topology;
 * the visits are counted for the GPU that trains the mini-batch. Sampler GPUs hold the topology, and read none here.
 */
#ifndef SIMULATOR_STORAGE_STORAGE_H
#define SIMULATOR_STORAGE_STORAGE_H

#include "simulator/plan/plan.h"

struct storage {
    uint64_t block_bytes;
    const struct plan_places *places; /* borrowed; SSDs are among them */
};

/* Sums over the epochs for one reader. */
struct storage_gpu {
    uint64_t rows, rows_dram, rows_ssd;       /* feature rows: gathered, from memories, from the SSDs */
    uint64_t visits, visits_dram, visits_ssd; /* visits of topology rows, likewise */
    uint64_t feature_blocks;
    uint64_t feature_bytes; /* of the rows from the SSDs */
    uint64_t topology_blocks;
    uint64_t topology_bytes; /* of neighbours drawn from the SSDs: 4 each */
    uint64_t batches;
};

struct storage_counts {
    uint64_t epochs;
    int gpus;
    struct storage_gpu *gpu; /* owned, [gpus] */
};
void storage_counts_release(struct storage_counts *c); /* a zeroed struct is allowed */

/* Whether the blocks of topology rows on SSDs are counted for this sampler: biased and temporal ones also read weights
 * and times, and layer-wise ones rows in a way of their own. They need all topology in DRAM. */
bool storage_knows_topology(const struct workload *w);

/* Draws the mini-batches of the request (those of replay_run) under the placement and counts. *out: zeroed by the
 * caller, to be released. Takes 4 bytes per block of the feature file and of the topology file, 4 n bytes, all per
 * thread, and 10 n. ST_LIMIT without memory. ST_NO, with a sentence, for samplers that read rows in a way that is not
 * modelled here. */
enum st storage_replay(const struct replay_request *r, const struct placement *p, const struct storage *s,
                       struct storage_counts *out, struct err *err) MUST_USE;

/* The sum over the readers. */
struct storage_gpu storage_total(const struct storage_counts *c);

#endif
