/* cluster.h - several equal servers and the network between them: the document cluster/1, whose keys `hotset list
 * schemas cluster/1` describes.
 */
#ifndef HWPROFILES_MODEL_CLUSTER_H
#define HWPROFILES_MODEL_CLUSTER_H

#include "base/fields.h"
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

extern const struct field cluster_fields[]; /* the keys of cluster/1 */

/* Reads a cluster file. Release *out with cluster_release. ST_INPUT names file and member for what is not as above, and
 * for a server without NICs, a NIC without a rate, and rails that the server does not state. */
enum st cluster_load(const char *path, struct cluster *out, struct err *err) MUST_USE;
void cluster_release(struct cluster *c); /* zeroed is allowed */

#endif
