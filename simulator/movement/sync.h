/* sync.h - how long a step of training takes to make the gradients of all trainers equal (eq. 13).
 *
 * Gradients go over the widest path that is there. Trainers of a server that a ring of NVLinks joins, or else those of
 * a clique, reduce over their NVLinks. Each sends and receives 2 (k - 1) / k of the weights, the bytes of an all-reduce
 * among k (NVIDIA, nccl-tests, doc/PERFORMANCE.md, "AllReduce"), over all its links to the others, as NCCL's rings
 * together take them: the trainer with the narrowest links is the last. What NVLinks leave apart, the CPU as a trainer
 * too, meets over PCIe as in HyScale-GNN: the weights once in each direction. Latencies of kernels and messages are not
 * in it. NVLinks of unknown rate are taken for none.
 */
#ifndef SIMULATOR_MOVEMENT_SYNC_H
#define SIMULATOR_MOVEMENT_SYNC_H

#include "hwprofiles/model/server.h"

struct sync_way {
    double nvlink, pcie; /* seconds; pcie is NaN where the rate of PCIe is needed and not known */
};
/* bytes: of the weights. trains: [s->gpus] whether a GPU trains. cpu: whether the CPU trains, too. */
struct sync_way sync_way(const struct server *s, const bool *trains, bool cpu, double bytes);

#endif
