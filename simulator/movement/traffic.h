/* traffic.h - what a simulated plan moves: over PCIe to every GPU, over every NVLink, and for sampling by four
 * methods.
 *
 * Everything here is a sum over the simulated epochs, in whole numbers; the document (movement.h) states means per
 * epoch.
 *
 * PCIe. A read of the host by a GPU is one packet per line that it touches: `line_bytes` bytes and a header (DSP,
 * section 1: the smallest request of 50 bytes is 32 of payload and 18 of header; other line sizes carry the same
 * header). What the CPU gathers - sampled blocks, and features of systems that load them - is copied in packets of
 * TRAFFIC_COPY_PAYLOAD bytes, the last one of a GPU's sum perhaps short: a copy is packed, so its wire bytes may be
 * below its lines. Useful bytes are those of traffic_bytes: feature rows, 16 per visit (the offset pair) and 4 per
 * draw; 8 per draw in a block. wire >= lines >= useful for reads by GPUs, but for draws with replacement, which use
 * one entry read several times.
 *
 * NVLink. Bytes without packets of their own, since headers of NVLink are not in the sources used here; they flow
 * from the holder of a row to its reader and are counted on each link that they pass (routes.h); a pair that no
 * stated link leads between is counted as a link of its own. Features: row bytes. Topology, where GPUs sample: 16 per
 * visit and the entries that are read (all of a row, with weights, where weights decide). Where requests are pushed
 * (placement.pushes): 4 per visit (the frontier id) from the reader to the holder and 4 per draw back; layer-wise,
 * where the reader must know a row's length before it can say how many to draw, 4 per visit more in both directions
 * (length back, number of draws there).
 *
 * Sampling by four methods (DSP, figure 1 and section 4.1), whatever the system does, with the topology rows where
 *   the plan has them: ideal only what is needed, all of it remote and without headers: 16 per visit and 4 per draw.
 *   The measure of the others. uva every visit reads the host: a packet per line touched.
 *   pull rows on another GPU are fetched whole over NVLink: 16 per visit and 4 per entry of the row (8 with weights);
 *   own rows cost nothing. push as above: requests there, draws back; own rows cost nothing.
 * Under pull and push, rows that no GPU in reach holds are read from the host as under uva, and where GPUs do not
 * sample all rows are such. `taken` is what the plan's own system does: push, blocks (copied from the CPU or from
 * sampler GPUs), or reads (peers' memory and host by address).
 */
#ifndef SIMULATOR_MOVEMENT_TRAFFIC_H
#define SIMULATOR_MOVEMENT_TRAFFIC_H

#include "simulator/plan/routes.h"

/* Bytes of a PCIe packet, header 18 and payload 32 to 128: DSP (PPoPP'23), section 1, after NVIDIA's measurements
 * cited there. */
enum { TRAFFIC_HEADER = 18, TRAFFIC_COPY_PAYLOAD = 128 };

enum traffic_kind { TRAFFIC_TOPOLOGY, TRAFFIC_FEATURE, TRAFFIC_BLOCKS, TRAFFIC_KINDS };
enum traffic_method { TRAFFIC_IDEAL, TRAFFIC_UVA, TRAFFIC_PULL, TRAFFIC_PUSH, TRAFFIC_TAKEN, TRAFFIC_METHODS };
const char *traffic_kind_name(enum traffic_kind k);     /* "topology", "feature", "blocks" */
const char *traffic_method_name(enum traffic_method m); /* "ideal", "uva", "pull", "push", "taken" */

struct traffic_pcie {
    uint64_t transactions, useful, lines, wire;
}; /* lines: bytes of the lines, transactions * line_bytes */

/* nvlink: bytes between GPUs; links: the same on each link passed; pcie: wire bytes; needed: of ideal alone. */
struct traffic_sampling {
    uint64_t needed, nvlink, links, pcie;
};

struct traffic {
    uint64_t epochs;
    int gpus;
    struct traffic_pcie pcie[GPUS_MAX][TRAFFIC_KINDS]; /* per reader */
    struct traffic_pcie written;       /* blocks that sampler GPUs write to the host, the other way over PCIe */
    uint64_t link[GPUS_MAX][GPUS_MAX]; /* [from][to] bytes, of pairs that bytes pass between */
    bool passed[GPUS_MAX][GPUS_MAX];
    uint64_t feature, topology; /* bytes between GPUs, each counted once */
    struct traffic_sampling sampling[TRAFFIC_METHODS];
    const char *taken; /* "push", "reads", "blocks" */
    struct routes ways;
};

/* graph: with weight_bytes of the plan's workload. */
void traffic_make(const struct plan *p, const struct replay *r, const struct graph *graph, struct traffic *out);

#endif
