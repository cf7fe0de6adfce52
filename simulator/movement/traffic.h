/* traffic.h - the bytes that a simulated plan moves: over PCIe to every GPU, over every NVLink, and for sampling by
 * four methods.
 *
 * All numbers are integer sums over the simulated epochs; the document (movement.h) states means per epoch.
 *
 * PCIe. A read of the host by a GPU is one packet per cache line that it touches: line_bytes bytes and a header. (DSP,
 * section 1: the smallest request of 50 bytes is 32 of payload and 18 of header; other line sizes have the same
 * header.) What the CPU gathers, sampled blocks and the features of systems that load them, is copied in packets of
 * TRAFFIC_COPY_PAYLOAD bytes; the last packet of a GPU's sum may be shorter. A copy is packed, so its wire bytes may be
 * fewer than its lines. Useful bytes are feature rows, 16 per visit (the pair of offsets) and 4 per draw; 8 per draw in
 * a block. For reads by GPUs wire >= lines >= useful, except for draws with replacement, which use an entry read
 * several times.
 *
 * NVLink. Bytes without packet headers, which the sources used here do not give. They flow from the holder of a row to
 * its reader and are counted on each link of the route (routes.h); a pair without a route counts as a link of its own.
 * Bytes between GPUs that no NVLinks join pass the PCIe switch above both, in packets as copies have them, and neither
 * its uplink nor the host (p2p). A feature row has row_bytes bytes. Where GPUs sample, a visit reads 16 bytes and the
 * entries (labor: the whole row; biased: the whole row and its weights). Where requests are pushed (placement.pushes),
 * the reader sends 4 bytes per visit (the vertex id) and the holder returns 4 per draw. Layer-wise samplers send 4
 * bytes more per visit in both directions: the reader must know a row's length before it can state the number of draws.
 * Labor with iterations returns the whole row, because what is drawn depends on the rows of other holders.
 *
 * Sampling by four methods (DSP, figure 1 and section 4.1), with topology rows where the plan has them:
 *   - ideal: only the needed bytes, all of them remote and without headers: 16 per visit and 4 per draw
 *   - uva: every visit reads the host, a packet per cache line
 *   - pull: a row on another GPU is fetched whole over NVLink: 16 per visit and 4 per entry (8 with weights)
 *   - push: requests go to the holder and draws come back, as above
 *
 * Own rows cost nothing under pull and push. Rows that no GPU in reach holds are read from the host as under uva; when
 * GPUs do not sample, all rows are. `taken` is the method of the plan's system: push, blocks (copied from the CPU or
 * from sampler GPUs), or reads (of peers' memory and the host by address).
 */
#ifndef SIMULATOR_MOVEMENT_TRAFFIC_H
#define SIMULATOR_MOVEMENT_TRAFFIC_H

#include "simulator/plan/plan.h"
#include "simulator/plan/routes.h"

/* Bytes of a PCIe packet, header 18 and payload 32 to 128: DSP (PPoPP'23), section 1, after NVIDIA's measurements
 * cited there. */
enum { TRAFFIC_HEADER = 18, TRAFFIC_COPY_PAYLOAD = 128 };

enum traffic_kind { TRAFFIC_TOPOLOGY, TRAFFIC_FEATURE, TRAFFIC_BLOCKS, TRAFFIC_KINDS };
enum traffic_method { TRAFFIC_IDEAL, TRAFFIC_UVA, TRAFFIC_PULL, TRAFFIC_PUSH, TRAFFIC_TAKEN, TRAFFIC_METHODS };
const char *traffic_kind_name(enum traffic_kind k);     /* "topology", "feature", "blocks" */
const char *traffic_method_name(enum traffic_method m); /* "ideal", "uva", "pull", "push", "taken" */

struct traffic_pcie {
    uint64_t transactions;
    uint64_t useful, lines, wire; /* bytes; lines: transactions * line_bytes */
};

/* Bytes of one method. */
struct traffic_sampling {
    uint64_t needed; /* of ideal only */
    uint64_t nvlink; /* between GPUs, each counted once */
    uint64_t links;  /* the same, counted on each link of the route */
    uint64_t pcie;   /* on the wire */
};

struct traffic {
    uint64_t epochs;
    int gpus;
    struct traffic_pcie pcie[GPUS_MAX][TRAFFIC_KINDS]; /* per reader */
    struct traffic_pcie written;       /* blocks that sampler GPUs write to the host, in the other direction */
    uint64_t link[GPUS_MAX][GPUS_MAX]; /* [from][to] bytes on the link */
    bool passed[GPUS_MAX][GPUS_MAX];   /* whether any byte passed it */
    uint64_t p2p[GPUS_MAX][GPUS_MAX];  /* [from][to] bytes between GPUs below one PCIe switch, without headers */
    uint64_t feature, topology;        /* bytes between GPUs, each counted once */
    struct traffic_sampling sampling[TRAFFIC_METHODS];
    const char *taken; /* "push", "reads", "blocks" */
    struct routes routes;
};

/* Bytes of pushed visits (placement.pushes): from the reader to the holder and back. */
struct traffic_push {
    uint64_t there, back;
};
/* For so many visits of one holder's rows, draws made from them, and bytes of entries that the visits read. */
struct traffic_push traffic_push_of(const struct workload *w, uint64_t visits, uint64_t draws, uint64_t entries);
/* Wire bytes of a copy of so many bytes over PCIe. */
uint64_t traffic_copied(uint64_t bytes);
/* Counts the traffic of what r counted under p. graph: with weight_bytes of the plan's workload. */
void traffic_make(const struct plan *p, const struct replay *r, const struct graph *graph, struct traffic *out);

#endif
