#include "planner/places/place_machine.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "hwprofiles/model/bandwidth.h"
#include "hwprofiles/model/server_places.h"

/* ---- what a read costs ---- */

static double seconds(double bytes, double gbps) { return bytes / (gbps * 1e9); }

/* From DRAM of the own socket: over PCIe, while all GPUs below the switch read. */
static double from_host(const struct server *s, double bytes) { return seconds(bytes, server_gather_host(s, bytes)); }

/* From the GPUs of the own clique, which hold equal parts: the part in the GPU's own memory, and those that come over
 * NVLinks at the same time; through a switch they share one port. */
static double from_clique(const struct server *s, int g, double bytes)
{
    int size = s->clique_size[s->clique_of[g]];
    double own = s->gpu[g].memory_gbps > 0 ? seconds(bytes, s->gpu[g].memory_gbps) : 0, slowest = 0;
    for (int i = 0; i < size; i++) {
        int other = s->clique[s->clique_of[g]][i];
        if (other == g) continue;
        double one = s->links[g][other] ? seconds(bytes, server_nvlink_rate(s, s->link_gbps[g][other], bytes))
                                        : from_host(s, bytes); /* over others, or below one switch */
        slowest = fmax(slowest, server_links_switched(s, g) ? one * (size - 1) : one);
    }
    return fmax(own, slowest) / size;
}

/* From DRAM of another socket: the GPUs of the reader's socket share the link; where its rate is not known, or no
 * limit, PCIe alone counts, and a thousandth of what the bytes take in large reads, so that the nearer of two places
 * that are as fast is taken, and what crosses is small in bytes. */
static double from_socket(const struct server *s, const struct place_reader *reader, int socket, double bytes)
{
    enum { LARGE = 4096, THOUSANDTH = 1000 };
    double gbps = places_socket_gbps(&s->places, reader->socket, socket), link = 0,
           host = from_host(s, bytes) + seconds(bytes, server_gather_host(s, LARGE)) / THOUSANDTH;
    int sharing = 0;
    for (int g = 0; g < s->gpus; g++) sharing += s->gpu[g].socket == reader->socket;
    if (gbps > 0) link = seconds(bytes * sharing, gbps);
    return fmax(host, link);
}

/* GB/s that GPU g receives over the network, while all GPUs of its node do. */
static double network_gbps(const struct memories_request *r, int g)
{
    const struct nodes_network *network = r->network;
    double sum = 0;
    if (!network) return r->nic_gbps / r->server->gpus;
    for (int i = 0; i < network->route[g].nics; i++) {
        int nic = network->route[g].nic[i], sharing = 0;
        for (int other = 0; other < r->server->gpus; other++)
            for (int k = 0; k < network->route[other].nics; k++) sharing += network->route[other].nic[k] == nic;
        sum += network->cluster.server.places.nic[nic].gbps / sharing;
    }
    return sum / network->cluster.oversubscription;
}

double place_machine_network_gbps(const struct memories_request *r)
{
    double sum = 0;
    for (int g = 0; g < r->server->gpus; g++) sum += network_gbps(r, g);
    return sum;
}

/* From another node, at most as fast as from a host. */
static double from_node(const struct memories_request *r, int g, double bytes)
{
    return fmax(from_host(r->server, bytes), seconds(bytes, network_gbps(r, g)));
}

/* The mean over where rows begin in a block. */
double place_machine_blocks(const struct memories_request *r, uint64_t row_bytes)
{
    uint64_t a = row_bytes, b = r->drives.block_bytes;
    while (b) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return 1 + (double)(row_bytes - a) / (double)r->drives.block_bytes;
}

static double from_ssd(const struct memories_request *r, double blocks, double bytes)
{
    return fmax(from_host(r->server, bytes), drives_seconds(&r->drives, blocks) * r->server->gpus);
}

/* ---- homes ---- */

/* Numbers of the sockets that the server's GPUs and NUMA nodes are on, ascending; one of -1 where they are not told
 * apart. */
struct sockets {
    int count, number[SERVER_GPUS_MAX + SERVER_NUMA_MAX];
};

static void add_socket(struct sockets *s, int number)
{
    int at = s->count;
    for (int i = 0; i < s->count; i++)
        if (s->number[i] == number) return;
    for (; at > 0 && s->number[at - 1] > number; at--) s->number[at] = s->number[at - 1];
    s->number[at] = number;
    s->count++;
}

static struct sockets sockets_of(const struct server *server)
{
    const struct sockets one = {.count = 1, .number = {-1}};
    struct sockets s = {0};
    for (int i = 0; i < server->places.numas; i++)
        if (server->places.numa[i].socket >= 0) add_socket(&s, server->places.numa[i].socket);
    for (int g = 0; g < server->gpus; g++) {
        if (server->gpu[g].socket < 0) return one;
        add_socket(&s, server->gpu[g].socket);
    }
    return s.count > 1 && s.count <= PLACE_HOMES_MAX ? s : one;
}

int place_machine_sockets(const struct server *s) { return sockets_of(s).count; }

static void add_home(enum place_kind kind, int socket, uint64_t capacity, struct place_machine *m)
{
    struct place *p = &m->home[m->shape.homes++];
    *p = (struct place){.kind = kind, .socket = socket, .capacity = capacity};
    text_append(p->name, sizeof p->name, socket < 0 ? "%s" : "%s of socket %d", place_kind_table[kind].many, socket);
}

static void add_dram(const struct memories_request *r, struct place_machine *m)
{
    const struct sockets s = sockets_of(r->server);
    for (int i = 0; i < s.count; i++)
        add_home(PLACE_KIND_DRAM, s.number[i], (r->host_bytes - r->offset_bytes) / (uint64_t)s.count, m);
}

static double from_dram(const struct memories_request *r, const struct place_reader *reader, int socket, double bytes)
{
    const bool other = socket >= 0 && reader->socket >= 0 && socket != reader->socket;
    return other ? from_socket(r->server, reader, socket, bytes) : from_host(r->server, bytes);
}

/* The homes of a node, by kind: which there are, and the seconds of a read from one on that socket. */
static const struct {
    void (*add)(const struct memories_request *r, struct place_machine *m);
    double (*cost)(const struct memories_request *r, const struct place_reader *reader, int socket, double bytes);
} home_kinds[PLACE_KINDS] = {[PLACE_KIND_DRAM] = {add_dram, from_dram}};

/* ---- the machine ---- */

static enum st check_rates(const struct memories_request *r, struct err *err)
{
    const struct server *s = r->server;
    if (!(server_gather_host(s, (double)r->read_bytes[PLACE_TOPOLOGY]) > 0))
        return err_set(err, ST_NO,
                       "%s: does not state how fast its GPUs read the host, so reads have no cost; state \"pcie\" in "
                       "the server file",
                       s->name);
    for (int a = 0; a < s->gpus; a++)
        for (int b = 0; b < s->gpus; b++)
            if (s->links[a][b] && s->clique_of[a] == s->clique_of[b] && !(s->link_gbps[a][b] > 0))
                return err_set(err, ST_NO,
                               "%s: does not state the rate of the NVLinks between GPU %d and GPU %d, so reads over "
                               "them have no cost",
                               s->name, s->gpu[a].id, s->gpu[b].id);
    if (r->drives.count && !(drives_seconds(&r->drives, 1) > 0))
        return err_set(err, ST_NO,
                       "%s: neither reads per second nor GB/s of this drive are known; state them in a drive file",
                       r->drives.name);
    for (int g = 0; r->nodes > 1 && g < s->gpus; g++)
        if (!(network_gbps(r, g) > 0))
            return err_set(err, ST_NO,
                           "the rate of the network between the nodes is not known; give it, as in --nic-gbps 25");
    return ST_OK;
}

/* Costs of one reader: the mean over its GPUs. */
static void set_costs(const struct memories_request *r, double line_blocks, struct place_machine *m, int reader)
{
    struct place_problem *p = &m->shape;
    const struct place_reader *place_reader = &m->reader[reader];
    for (int kind = 0; kind < r->kinds; kind++) {
        double bytes = (double)r->read_bytes[kind],
               blocks = kind == PLACE_TOPOLOGY ? line_blocks : place_machine_blocks(r, r->read_bytes[kind]);
        for (int i = 0; i < place_reader->gpus; i++) {
            p->gpus[kind][reader] += from_clique(r->server, place_reader->gpu[i], bytes) / place_reader->gpus;
            if (r->nodes > 1) p->remote[kind][reader] += from_node(r, place_reader->gpu[i], bytes) / place_reader->gpus;
        }
        if (p->has_last) p->last[kind][reader] = from_ssd(r, blocks, bytes);
        for (int h = 0; h < p->homes; h++)
            p->home[kind][reader][h] = home_kinds[m->home[h].kind].cost(r, place_reader, m->home[h].socket, bytes);
    }
}

int place_machine_read(const struct place_machine *m, uint64_t row_bytes)
{
    int k = m->kinds - 1;
    while (k > PLACE_FEATURE && m->read_bytes[k] != row_bytes) k--;
    return k > PLACE_FEATURE ? k : PLACE_FEATURE;
}

/* The reader with this clique and socket; a new one when there is none. */
static int find_reader(struct place_machine *m, int clique, int socket)
{
    int i = 0;
    while (i < m->shape.readers && (m->reader[i].clique != clique || m->reader[i].socket != socket)) i++;
    if (i < m->shape.readers) return i;
    m->reader[i] = (struct place_reader){.clique = clique, .socket = socket};
    m->shape.clique_of[i] = clique;
    return m->shape.readers++;
}

enum st place_machine_make(const struct memories_request *r, double line_blocks, struct place_machine *out,
                           struct err *err)
{
    const struct server *server = r->server;
    struct place_problem *p = &out->shape;
    memset(out, 0, sizeof *out);
    out->kinds = r->kinds;
    memcpy(out->read_bytes, r->read_bytes, sizeof out->read_bytes);
    p->nodes = r->nodes;
    p->cliques = server->cliques;
    for (int k = 0; k < PLACE_KINDS; k++)
        if (home_kinds[k].add) home_kinds[k].add(r, out);
    p->has_last = r->drives.count > 0;
    if (place_count(p) > PLACES_MAX)
        return err_set(err, ST_NO,
                       "%d x %s: %d memories, but at most %d can be planned as one problem; take fewer nodes", r->nodes,
                       server->name, place_count(p), PLACES_MAX);
    PASS(check_rates(r, err));
    for (int g = 0; g < server->gpus; g++) {
        int reader = find_reader(out, server->clique_of[g],
                                 place_machine_sockets(server) > 1 ? server->gpu[g].socket : -1);
        out->reader_of[g] = reader;
        out->reader[reader].gpu[out->reader[reader].gpus++] = g;
    }
    for (int i = 0; i < p->readers; i++) set_costs(r, line_blocks, out, i);
    return ST_OK;
}
