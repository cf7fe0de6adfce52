/* epoch_load.h - the work of every GPU in an epoch: the input of the time model (epoch_time.h).
 *
 * Numbers are sums over the epoch, not means per mini-batch. They come from a replay of a plan, or from a recording,
 * for policies that choose before anything is simulated. A model of L layers has layer l = 1..L; V^0 are all vertices
 * of a mini-batch, V^L its seeds, and E^l the draws that layer l sums over. Under the frontier rule `new` a vertex
 * draws once and is computed in every layer, so a layer sums over the draws of its own hop and of the hops before it.
 * Under `all` and `layers` it sums over the draws of its own hop.
 */
#ifndef SIMULATOR_MOVEMENT_EPOCH_LOAD_H
#define SIMULATOR_MOVEMENT_EPOCH_LOAD_H

#include "simulator/plan/routes.h"
#include "simulator/replay/replay.h"
#include "traces/recording/trace.h"

/* One GPU. */
struct epoch_gpu {
    double batches;                           /* mini-batches that it trains; 0: none */
    bool samples;                             /* a sampler GPU (ACCESS_SAMPLERS) */
    double vertices[HOPS_MAX + 1];            /* |V^l|, l = 0..L */
    double edges[HOPS_MAX + 1];               /* |E^l|, l = 1..L */
    double draws;                             /* of all hops */
    double feature_bytes, topology_bytes;     /* over PCIe from the host */
    double feature_payload, topology_payload; /* bytes of one request, which is a read at one place (a mean) */
    double peer_bytes[GPUS_MAX];              /* over the NVLinks from each GPU, with what it passes on for others */
    double peer_payload;                      /* bytes of one request to a peer, a mean; 0: not known */
    double memory_bytes;                      /* read from this GPU's cache, by itself and by others */
    double pcie_peer_bytes[GPUS_MAX];         /* from each GPU below the same PCIe switch */
};

struct epoch_load {
    int gpus, layers; /* layers 0: not modelled (random walks) */
    enum topology_access access;
    bool cpu_gathers;          /* the CPU gathers the host's feature rows; false: GPUs read them */
    double dim, element_bytes; /* of a feature row; of several types so that their product is a vertex's mean bytes */
    struct epoch_gpu gpu[GPUS_MAX];
};

/* Sets vertices, edges and draws of a GPU. visits, draws: [hops] of each hop; rows: distinct vertices of its
 * mini-batches, summed. *out: zeroed by the caller. */
void epoch_load_layers(const struct workload *w, const double *visits, const double *draws, double rows,
                       struct epoch_gpu *out);
/* The load that a replay counted under a placement. line_bytes: per transaction. routes: of the placement
 * (plan/routes.h), and pcie_switch: [gpus]; both NULL: there is a link between all GPUs. */
void epoch_load_of(const struct placement *p, const struct routes *routes, const int *pcie_switch,
                   const struct replay *r, const struct graph *graph, const struct workload *w, uint64_t line_bytes,
                   struct epoch_load *out);

/* Sets the reads of a load whose mini-batches and layers are known (epoch_load_recorded) to those of a placement; the
 * load's own must be zero. r: rows, visits, draws, entries and transactions of each GPU count; the rest as
 * epoch_load_of. */
void epoch_load_reads(const struct placement *p, const struct routes *routes, const int *pcie_switch,
                      const struct replay *r, const struct graph *graph, const struct workload *w, uint64_t line_bytes,
                      struct epoch_load *out);

/* The load of a recording's epochs with nothing cached, where the CPU samples and gathers. */
void epoch_load_recorded(const struct graph *g, const struct trace *t, int threads, struct epoch_load *out);
/* The load of a factored design (GNNLab): GPUs below `samplers` sample, and the others train all mini-batches in equal
 * parts. recorded: of epoch_load_recorded. missed: [gpus] feature rows of a mini-batch that come from the host, a mean.
 */
void epoch_load_split(const struct epoch_load *recorded, int samplers, const double *missed, uint64_t line_bytes,
                      struct epoch_load *out);

/* The load of mini-batches `by` times as large on a graph `by` times as large: the same number of mini-batches, and
 * `by` times everything else. */
void epoch_load_enlarge(struct epoch_load *l, double by);

#endif
