/* nodes_network_document.h - NICs, routes and their bytes as parts of plan-nodes/1, and for people.
 *
 * The network: {name, server, servers, rails, oversubscription, nics[]{name, gbps, rail}, routes[]{gpu, rule, via,
 * nics[]}}: of one server, as all are equal; gpu and via are ids, nics[] indices of the list.
 * Traffic per epoch: {seconds, limited_by, busiest_nic_bytes, busiest_nic_seconds, busiest_nvlink_bytes, nics[]{node,
 * nic, received_bytes, sent_bytes}, nvlinks[]{node, gpu, via, bytes}}. limited_by: "nic", "node" (all NICs of it
 * together) or "nvlink". busiest_nic_bytes: in the direction and of the NIC that takes longest. nvlinks[]: of routes
 * over another GPU. seconds and limited_by are null when the rate of an NVLink that rows pass is not known.
 */
#ifndef PLANNER_PLACES_NODES_NETWORK_DOCUMENT_H
#define PLANNER_PLACES_NODES_NETWORK_DOCUMENT_H

#include <stdio.h>
#include "planner/places/nodes_network.h"

/* The network. Owned by the caller. */
doc *nodes_network_document(const struct nodes_network *network);
/* The traffic of rows of row_bytes. Owned by the caller. */
doc *nodes_traffic_document(const struct nodes_network *network, const struct nodes_traffic *t, double row_bytes);
/* For people: the NICs with the GPUs that receive by them. d: the network. */
void nodes_network_print(const doc *d, FILE *to);
/* For people: the busiest of them. d: the traffic. */
void nodes_traffic_print(const doc *d, FILE *to);

#endif
