/* tier_costs.c - seconds of one read from each place (tier_machine.h). */
#include <math.h>

#include "hwprofiles/model/bandwidth.h"
#include "hwprofiles/model/server_places.h"
#include "planner/tiers/tier_machine.h"

static double seconds(double bytes, double gbps) { return bytes / (gbps * 1e9); }

/* From the GPUs of the own clique, which hold equal parts: the part in the GPU's own memory, and those that come over
 * NVLinks at the same time; through a switch they share one port. */
static double from_clique(const struct server *s, int g, double bytes)
{
    int size = s->clique_size[s->clique_of[g]];
    double own = s->gpu[g].memory_gbps > 0 ? seconds(bytes, s->gpu[g].memory_gbps) : 0, slowest = 0;
    for (int i = 0; i < size; i++) {
        int other = s->clique[s->clique_of[g]][i];
        if (other == g) continue;
        double one = seconds(bytes, server_nvlink_rate(s, s->link_gbps[g][other], bytes));
        slowest = fmax(slowest, server_links_switched(s) ? one * (size - 1) : one);
    }
    return fmax(own, slowest) / size;
}

/* From DRAM of the own socket: over PCIe, while all GPUs below the switch read. */
static double from_host(const struct server *s, double bytes) { return seconds(bytes, server_gather_host(s, bytes)); }

/* From DRAM of another socket: the GPUs of the reader's socket share the link; where its rate is not known, PCIe alone
 * counts. */
static double from_socket(const struct server *s, const struct tier_reader *x, int socket, double bytes)
{
    double gbps = places_socket_gbps(&s->places, x->socket, socket), host = from_host(s, bytes);
    int sharing = 0;
    for (int g = 0; g < s->gpus; g++) sharing += s->gpu[g].socket == x->socket;
    return gbps > 0 ? fmax(host, seconds(bytes * sharing, gbps)) : host;
}

/* GB/s that GPU g receives over the network, while all GPUs of its node do. */
static double network_gbps(const struct tier_request *r, int g)
{
    const struct nodes_network *x = r->network;
    double sum = 0;
    if (!x) return r->nic_gbps / r->server->gpus;
    for (int i = 0; i < x->route[g].nics; i++) {
        int nic = x->route[g].nic[i], sharing = 0;
        for (int other = 0; other < r->server->gpus; other++)
            for (int k = 0; k < x->route[other].nics; k++) sharing += x->route[other].nic[k] == nic;
        sum += x->cluster.server.places.nic[nic].gbps / sharing;
    }
    return sum / x->cluster.oversubscription;
}

/* From another node, at most as fast as from a host. */
static double from_node(const struct tier_request *r, int g, double bytes)
{
    return fmax(from_host(r->server, bytes), seconds(bytes, network_gbps(r, g)));
}

/* SSD blocks that a read touches: of a feature row the mean over where rows begin in a block. */
static double blocks_of(const struct tier_request *r, enum tier_row row)
{
    uint64_t a = r->row_bytes, b = r->drives.block_bytes;
    if (row == TIER_TOPOLOGY) return r->line_blocks;
    while (b) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return 1 + (double)(r->row_bytes - a) / (double)r->drives.block_bytes;
}

static double cost_of(const struct tier_request *r, const struct tier_reader *x, int g, const struct tier_place *p,
                      enum tier_row row)
{
    double bytes = (double)(row == TIER_FEATURE ? r->row_bytes : r->line_bytes);
    if (p->kind == TIER_SSD)
        return fmax(from_host(r->server, bytes), drives_seconds(&r->drives, blocks_of(r, row)) * r->server->gpus);
    if (p->node != x->node) return from_node(r, g, bytes);
    if (p->kind == TIER_GPUS) return p->clique == x->clique ? from_clique(r->server, g, bytes) : INFINITY;
    if (p->socket >= 0 && x->socket >= 0 && p->socket != x->socket) return from_socket(r->server, x, p->socket, bytes);
    return from_host(r->server, bytes);
}

static enum st check_rates(const struct tier_request *r, struct err *err)
{
    enum st st = ST_OK;
    const struct server *s = r->server;
    if (!(server_gather_host(s, (double)r->line_bytes) > 0))
        FAIL(ST_NO,
             "%s: does not state how fast its GPUs read the host, so reads have no cost; state \"pcie\" in the "
             "server file",
             s->name);
    for (int a = 0; a < s->gpus; a++)
        for (int b = 0; b < s->gpus; b++)
            if (a != b && s->clique_of[a] == s->clique_of[b] && !(s->link_gbps[a][b] > 0))
                FAIL(ST_NO,
                     "%s: does not state the rate of the NVLinks between GPU %d and GPU %d, so reads over them "
                     "have no cost",
                     s->name, s->gpu[a].id, s->gpu[b].id);
    if (r->drives.count && !(drives_seconds(&r->drives, 1) > 0))
        FAIL(ST_NO, "%s: neither reads per second nor GB/s of this drive are known; state them in a drive file",
             r->drives.name);
    for (int g = 0; r->nodes > 1 && g < s->gpus; g++)
        if (!(network_gbps(r, g) > 0))
            FAIL(ST_NO, "the rate of the network between the nodes is not known; give it, as in --nic-gbps 25");
done:
    return st;
}

enum st tier_costs_set(const struct tier_request *r, struct tier_machine *m, struct err *err)
{
    enum st st;
    TRY(check_rates(r, err));
    for (int row = 0; row < TIER_ROWS; row++)
        for (int i = 0; i < m->readers; i++)
            for (int k = 0; k < m->places; k++) {
                const struct tier_reader *x = &m->reader[i];
                double sum = 0;
                for (int j = 0; j < x->gpus; j++) sum += cost_of(r, x, x->gpu[j], &m->place[k], (enum tier_row)row);
                m->cost[row][i][k] = sum / x->gpus;
            }
done:
    return st;
}
