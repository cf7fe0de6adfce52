/* movement.h - the member `movement` of a simulated plan: the counts of traffic.h as a document.
 *
 * Every number is a mean per epoch, rounded half up. A total is the sum of the stated numbers, so numbers add up.
 *
 * pcie: {header_bytes, read_payload_bytes, copy_payload_bytes, gpus[], total, written, switches[], sockets[],
 *        peers[]}
 *   - gpus[]: {id, topology, feature, blocks, total, read_amplification}; each part is {transactions, useful_bytes,
 *     line_bytes, wire_bytes}
 *   - total: the same members without id, summed over the GPUs
 *   - read_amplification: wire_bytes / useful_bytes of the total above; null when no byte was useful
 *   - written: the part that sampler GPUs write to the host, in the other direction and in no other sum
 *   - switches[], sockets[]: {switch or socket, transactions, wire_bytes}; null when a GPU's place is not known
 *
 *   - peers[]: {from, to, bytes, wire_bytes} between GPUs below one switch, which neither the uplink nor the host sees;
 *     in no other sum; only where there are any
 *
 * nvlink: {links[], feature_bytes, topology_bytes, total_bytes, max_per_link}
 *   - links[]: {from, to, nvlinks, bytes, share_of_all}, ids, sorted by from and to, of links that bytes passed;
 *     nvlinks: bonded links, null when not stated
 *   - feature_bytes, topology_bytes: between GPUs, each byte counted once; total_bytes: summed over all links
 *   - max_per_link: {from, to, bytes}; null when there is none
 *
 * sampling: {taken, methods: {ideal, uva, pull, push, taken}}
 *   - each method: {pcie_bytes, nvlink_bytes, nvlink_link_bytes, total_bytes, of_ideal}: wire bytes over PCIe, bytes
 *     between GPUs counted once and on every link
 *   - total_bytes = pcie_bytes + nvlink_bytes; of ideal the bytes needed, and its other members are null
 *   - of_ideal: total_bytes over those of ideal
 */
#ifndef SIMULATOR_MOVEMENT_MOVEMENT_H
#define SIMULATOR_MOVEMENT_MOVEMENT_H

#include "simulator/plan/plan.h"

/* The document for what r counted under p, owned by the caller. graph: with weight_bytes of the plan's workload. */
doc *movement_document(const struct plan *p, const struct replay *r, const struct graph *graph);

/* Sets the totals of such a document. ST_LIMIT. */
enum st movement_sum(const struct plan *p, const struct replay *r, const struct graph *graph,
                     struct simulated_sums *out, struct err *err) MUST_USE;
/* {pcie_wire_bytes, nvlink_bytes, max_link_bytes}, owned by the caller. */
doc *movement_totals(const struct simulated_sums *m);

#endif
