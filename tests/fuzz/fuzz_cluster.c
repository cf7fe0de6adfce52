/* Cluster files (cluster/1) and the routes of their NICs: what is read keeps what cluster.h and nic_route.h promise. */
#define _GNU_SOURCE
#include "hwprofiles/model/cluster.h"
#include "planner/places/nodes_network.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct nodes_network x; /* larger than a stack likes */
    struct err err = {0};
    char path[400];
    snprintf(path, sizeof path, "%s", fuzz_file("cluster", data, size));
    x = (struct nodes_network){0};
    uint64_t before = mem_in_use();
    enum st st = nodes_network_open(path, &x, &err);
    const struct cluster *c = &x.cluster;
    if (st == ST_OK && (c->servers < CLUSTER_SERVERS_MIN || c->servers > CLUSTER_SERVERS_MAX ||
                        !(c->oversubscription >= 1) || c->servers * c->server.gpus > SERVER_GPUS_MAX))
        abort();
    for (int i = 0; st == ST_OK && i < c->server.places.nics; i++)
        if (!(c->server.places.nic[i].gbps > 0) || x.senders[i] < 1 || (c->rails && c->server.places.nic[i].rail < 0))
            abort();
    for (int g = 0; st == ST_OK && g < c->server.gpus; g++)
        if (x.route[g].nics < 1 || x.route[g].nic[0] < 0 || x.route[g].nic[0] >= c->server.places.nics) abort();
    nodes_network_release(&x);
    fuzz_verdict(st, &err, before);
    return 0;
}
