/* movement.h - the document `movement` of a simulated plan: what traffic.h counts, in words that people and programs
 * read.
 *
 * Every number is a mean per epoch, its exact fraction rounded half up; totals are sums of stated numbers, so that
 * they add up.
 *
 *   pcie: {header_bytes, read_payload_bytes, copy_payload_bytes,
 *     gpus[]: {id, topology, feature, blocks, total, read_amplification}, each part {transactions, useful_bytes,
 *     line_bytes, wire_bytes}, total: the same members without id, over the GPUs,
 *     read_amplification: wire_bytes / useful_bytes of the total beside it; null when nothing was useful, written:
 *     the same numbers for what sampler GPUs write to the host (the other direction, in no other sum), switches[]:
 *     {switch, transactions, wire_bytes}, sockets[]: {socket, ..}; null when the place of some GPU is not known}
 *   nvlink: {links[]: {from, to, nvlinks, bytes, share_of_all}: ids, by from and to, of links that any byte passed;
 *     nvlinks: how many are bonded, null when not stated, feature_bytes, topology_bytes: between GPUs, each counted
 *     once whatever its way, total_bytes: over all links, max_per_link: {from, to, bytes} or null}
 *   sampling: {taken, methods: {ideal, uva, pull, push, taken}, each {pcie_bytes, nvlink_bytes, nvlink_link_bytes,
 *     total_bytes, of_ideal}}: wire bytes over PCIe, bytes between GPUs counted once and on every link, total_bytes =
 *     pcie_bytes + nvlink_bytes (ideal: the needed bytes, the others null), of_ideal = total / ideal's total.
 */
#ifndef SIMULATOR_MOVEMENT_MOVEMENT_H
#define SIMULATOR_MOVEMENT_MOVEMENT_H

#include "simulator/plan/plan.h"

/* As simulated_document: graph with weight_bytes of the plan's workload. */
doc *movement_document(const struct plan *p, const struct replay *r, const struct graph *graph);

/* {pcie_wire_bytes, nvlink_bytes, max_link_bytes} of the document's totals; null when there is no document. */
doc *movement_totals(const doc *movement);

#endif
