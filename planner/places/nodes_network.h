/* nodes_network.h - the NICs and NVLinks that remote rows pass, in a cluster of equal servers.
 *
 * A row lies in the homes of its owner, the node that a plan reads it from. Its reader receives row v by its route
 * (hwprofiles/model/nic_route.h): of m NICs there, it takes the one at v mod m. The owner sends it by one of its own
 * NICs: with rails, of the k that are on the receiving NIC's rail, else of all k, the one at v mod k, in the order of
 * the server's list. Both directions of a NIC carry their rate. Seconds of an epoch are the longest of
 *   - bytes that a NIC receives, or sends, / its rate;
 *   - bytes that all NICs of a node receive, or send, / the sum of their rates * oversubscription;
 *   - bytes that reach a GPU over another one's NVLink / the rate of that NVLink for reads of a row.
 * The owner's DRAM and PCIe switches are not part of it.
 */
#ifndef PLANNER_PLACES_NODES_NETWORK_H
#define PLANNER_PLACES_NODES_NETWORK_H

#include "hwprofiles/model/cluster.h"
#include "hwprofiles/model/nic_route.h"

struct nodes_network {
    struct cluster cluster;
    struct nic_route route[SERVER_GPUS_MAX]; /* of a server's GPUs */
    int senders[SERVER_NICS_MAX];            /* NICs of the owner that may send to the NIC with that index */
    int sender[SERVER_NICS_MAX][SERVER_NICS_MAX];
};

/* Bytes per epoch; arrays owned. */
struct nodes_traffic {
    double *received, *sent; /* [nodes x NICs] */
    double *nvlink;          /* [nodes x GPUs of a server]: those that reach that GPU over its NVLink */
};

/* Opens a cluster file. *out: zeroed by the caller, release with nodes_network_release. Errors of cluster_load and
 * nic_routes. */
enum st nodes_network_open(const char *path, struct nodes_network *out, struct err *err) MUST_USE;
/* The same from what a plan states of its network (nodes_network_document.h): network->cluster.server is set, servers,
 * rails and the rates of its NICs become those of d. where: the plan's path. ST_INPUT where they are not of this
 * server. */
enum st nodes_network_stated(const doc *d, const char *where, struct nodes_network *network, struct err *err) MUST_USE;
void nodes_network_release(struct nodes_network *network); /* zeroed is allowed */

/* Makes empty counts. ST_LIMIT. */
enum st nodes_traffic_make(const struct nodes_network *network, struct nodes_traffic *out, struct err *err) MUST_USE;
void nodes_traffic_release(struct nodes_traffic *t); /* zeroed is allowed */

/* Adds bytes of a row that a node's GPU reads from the node `owner`. gpu: its position in the server; row: of its kind.
 */
void nodes_network_add(const struct nodes_network *network, int node, int gpu, int owner, uint64_t row, double bytes,
                       struct nodes_traffic *to);

#endif
