/* cluster.h - several equal servers and the network between them: the document cluster/1.
 *
 * {schema, name, description, servers[]{server, count}, network{nic_gbps, rails, oversubscription}}
 *   - server: a shipped profile, or a file whose path is relative to the cluster file's folder; count: 1 or more. All
 *     entries must name the same server. Together 2 to 64 servers with at most 72 GPUs.
 *   - nic_gbps: GB/s of every NIC in one direction on this network; null: those that the server states
 *   - rails: true when a NIC reaches only the NICs of its own rail; false (or left out): every NIC reaches all others
 *   - oversubscription: a node's NICs together send and receive at most 1 / oversubscription of the sum of their rates;
 *     1 (or left out) is a network that lets all of them run at once
 * name, description and network may be left out; null is as if left out.
 */
#ifndef HWPROFILES_MODEL_CLUSTER_H
#define HWPROFILES_MODEL_CLUSTER_H

#include "hwprofiles/model/server.h"

enum { CLUSTER_SERVERS_MIN = 2, CLUSTER_SERVERS_MAX = 64 };

struct cluster {
    char name[64];
    int servers;          /* how many */
    struct server server; /* each; every NIC has a rate (that of the network where it states one), and with rails a rail
                           */
    bool rails;
    double oversubscription; /* >= 1 */
};

/* Reads a cluster file. Release *out with cluster_release. ST_INPUT names file and member for what is not as above, and
 * for a server without NICs, a NIC without a rate, and rails that the server does not state. */
enum st cluster_load(const char *path, struct cluster *out, struct err *err) MUST_USE;
void cluster_release(struct cluster *c); /* zeroed is allowed */

#endif
