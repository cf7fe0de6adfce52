/* nodes_sizes.h - how many nodes and which NIC: lists of both judged for one graph (nodes-sizes/1).
 *
 * An epoch of N nodes takes a N-th of what one node's takes (training vertices are shared evenly), with the network as
 * one more stage: if all of the network's seconds of an epoch are t, then epoch(one node, with a stage of N t) / N
 * (epoch_document_with). A node's memory holds the topology, the rows of the largest part, and copies.
 *
 * {schema, graph{..}, workload{..}, gpus_per_node, row_bytes, topology_bytes, ranking, one_node_seconds,
 * host_memory_bytes, within, target, sizes[], answer}
 *   - sizes[], by nodes, then by NIC, each {nodes, nic_gbps, points[{alpha, copies, memory_bytes, fits, remote_rows,
 *     busiest_bytes, network_seconds, without_network_seconds, epoch_seconds, slower, meets}]}: points by alpha; rows,
 *     bytes and seconds per held-out epoch; slower: epoch_seconds / without_network_seconds - 1; null: not known, or
 *     (within, target, host_memory_bytes) not asked
 *   - answer: the first point that meets, as {nodes, nic_gbps, alpha, memory_bytes, epoch_seconds, slower}: the fewest
 *     nodes, there the slowest NIC, there the fewest copies; null when there is none
 */
#ifndef PLANNER_COMMANDS_NODES_SIZES_H
#define PLANNER_COMMANDS_NODES_SIZES_H

#include <stdio.h>
#include "base/param.h"
#include "planner/commands/choice.h"
#include "planner/places/nodes.h"
#include "planner/decisions/size_target.h"

struct nodes_sizes {                             /* borrowed */
    struct nodes_request request;                /* its nodes are set here; its first ranking alone counts */
    const struct int_list *counts;               /* of nodes; 1 is a node without a network */
    double nic[CHOICES_MAX];                     /* GB/s */
    int nics;                                    /* 0: not known */
    doc *one_node;                               /* epoch_time of one node; NULL: not known */
    uint64_t host_memory;                        /* of each node; 0: not asked */
    double within;                               /* share of an epoch that the network may add; infinite: not asked */
    struct size_target target[SIZE_TARGETS_MAX]; /* of epoch times */
    int targets;
};

/* Reads what an epoch takes on one node: a plan directory, whose simulated epoch is taken and which must be of the same
 * graph, workload and number of GPUs, or a time as 2.5s. *out: an epoch_time, owned by the caller. ST_USAGE or ST_INPUT
 * names --one-node. */
enum st nodes_sizes_epoch(const char *text, const struct graph *g, const struct workload *w, int gpus, doc **out,
                          struct err *err) MUST_USE;
/* Counts every number of nodes, and judges it with every NIC. *out: owned by the caller. Errors of nodes_run. */
enum st nodes_sizes(struct nodes_sizes *q, doc **out, struct err *err) MUST_USE;
/* The table, and the answer as a sentence. */
void nodes_sizes_print(const doc *d, FILE *to);

#endif
