#include "planner/places/nodes_network.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"

static uint64_t nic_count(const struct nodes_network *network) { return (uint64_t)network->cluster.server.places.nics; }
static uint64_t all_nics(const struct nodes_network *network)
{
    return (uint64_t)network->cluster.servers * nic_count(network);
}
static uint64_t all_gpus(const struct nodes_network *network)
{
    return (uint64_t)network->cluster.servers * (uint64_t)network->cluster.server.gpus;
}

/* Senders and routes of a cluster. */
static enum st find_routes(struct nodes_network *network, const char *where, struct err *err)
{
    const struct server_places *p = &network->cluster.server.places;
    for (int to = 0; to < p->nics; to++)
        for (int from = 0; from < p->nics; from++)
            if (!network->cluster.rails || p->nic[from].rail == p->nic[to].rail)
                network->sender[to][network->senders[to]++] = from;
    return nic_routes(&network->cluster.server, where, network->route, err);
}

enum st nodes_network_open(const char *path, struct nodes_network *out, struct err *err)
{
    PASS(cluster_load(path, &out->cluster, err));
    return find_routes(out, path, err);
}

enum st nodes_network_stated(const doc *d, const char *where, struct nodes_network *network, struct err *err)
{
    struct cluster *c = &network->cluster;
    struct server_places *p = &c->server.places;
    const doc *nics = doc_get(d, "nics");
    int64_t servers;
    PASS(doc_need_integer(d, "servers", CLUSTER_SERVERS_MIN, CLUSTER_SERVERS_MAX, where, &servers, err));
    PASS(doc_need_real(d, "oversubscription", 1, 1e6, where, &c->oversubscription, err));
    if (doc_size(nics) != (uint64_t)p->nics)
        return err_set(err, ST_INPUT,
                       "%s: its network has %llu NICs per node, but server %s has %d; name the plan's server", where,
                       (unsigned long long)doc_size(nics), c->server.name, p->nics);
    snprintf(c->name, sizeof c->name, "%.63s", doc_text_value(doc_get(d, "name"), ""));
    c->servers = (int)servers;
    c->rails = doc_bool_value(doc_get(d, "rails"), false);
    for (int i = 0; i < p->nics; i++) {
        p->nic[i].rail = (int)doc_integer_value(doc_get(doc_at(nics, (uint64_t)i), "rail"), -1);
        PASS(doc_need_real(doc_at(nics, (uint64_t)i), "gbps", 1e-6, 1e6, where, &p->nic[i].gbps, err));
    }
    return find_routes(network, where, err);
}

void nodes_network_release(struct nodes_network *network) { cluster_release(&network->cluster); }

/* ---- counts ---- */

enum st nodes_traffic_make(const struct nodes_network *network, struct nodes_traffic *out, struct err *err)
{
    OWNED_BY(nodes_traffic_release) struct nodes_traffic t = {0};
    MAKE(t.received, all_nics(network), "bytes of the NICs");
    MAKE(t.sent, all_nics(network), "bytes of the NICs");
    MAKE(t.nvlink, all_gpus(network), "bytes of NVLinks");
    *out = t;
    memset(&t, 0, sizeof t);
    return ST_OK;
}

void nodes_traffic_release(struct nodes_traffic *t)
{
    mem_free(t->received);
    mem_free(t->sent);
    mem_free(t->nvlink);
    memset(t, 0, sizeof *t);
}

void nodes_network_add(const struct nodes_network *network, int node, int gpu, int owner, uint64_t row, double bytes,
                       struct nodes_traffic *to)
{
    const struct nic_route *r = &network->route[gpu];
    int in = r->nic[row % (uint64_t)r->nics], out = network->sender[in][row % (uint64_t)network->senders[in]];
    to->received[(uint64_t)node * nic_count(network) + (uint64_t)in] += bytes;
    to->sent[(uint64_t)owner * nic_count(network) + (uint64_t)out] += bytes;
    if (r->via >= 0) to->nvlink[node * network->cluster.server.gpus + gpu] += bytes;
}
