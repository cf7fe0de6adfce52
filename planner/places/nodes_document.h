/* nodes_document.h - nodes/1: remote rows per epoch by ranking and replication factor.
 *
 * {schema, graph{..}, nodes, gpus_per_node, workload{..}, partition{method, cut_share}, row_bytes, topology_bytes,
 * owned[], epochs, seed, gathered_rows, rankings[]{ranking, policy, points[]{alpha, copies, copy_bytes, remote_rows,
 * of_gathered, remote_bytes, busiest_bytes, seconds}}, sharded{remote_rows, of_gathered, remote_bytes, busiest_bytes,
 * seconds}, nic_gbps, cluster, files[]}
 *   - rows, bytes and seconds are means per held-out epoch over all nodes; busiest_bytes of the node that receives most
 *   - of several types row_bytes is null, copies and copy_bytes are those of the node that copies most bytes, and
 *     topology_bytes includes the rows of edges
 *   - copies, copy_bytes: of one node; topology_bytes: on every node
 *   - seconds: busiest_bytes over the bandwidth of a node's network; null when that was not given
 *   - with a cluster file: cluster, and in every point and in sharded a member network with the bytes of each NIC
 *     (nodes_network_document.h), whose seconds are also those of the point; otherwise both are left out
 */
#ifndef PLANNER_PLACES_NODES_DOCUMENT_H
#define PLANNER_PLACES_NODES_DOCUMENT_H

#include "base/doc.h"
#include "planner/places/nodes.h"

/* nic_gbps: GB/s that a node receives; 0: not known. Owned by the caller. */
doc *nodes_document(const struct nodes_request *r, const struct nodes_result *result, double nic_gbps);
/* Writes the directory: nodes.json, and for every node node<i>_owned.npy, node<i>_train.npy (ascending) and
 * node<i>_copies.npy (by the first ranking, so that a prefix is what a smaller alpha copies); of several types ids
 * count through all types in the order of graph.types, and owned are those with features. files[] is added to d. */
enum st nodes_save(const struct nodes_request *r, const struct nodes_result *result, const char *path, doc *d,
                   struct err *err) MUST_USE;
/* For people: a table of remote rows over alpha. */
void nodes_print(const doc *d, FILE *to);

#endif
