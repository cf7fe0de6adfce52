#include "planner/places/memory_args.h"
#include "hwprofiles/model/server_provenance.h"
#include "planner/places/place_pages.h"

#include <stdlib.h>
#include <string.h>

#include "base/ranks.h"
#include "base/units.h"

/* Bytes of all offsets, and of all rows. A topology row holds its offset, too, as on a GPU. */
uint64_t memory_args_offsets(const struct graph *g)
{
    return 8 * (graph_topology_rows(g) + (uint64_t)graph_relation_count(g));
}

uint64_t memory_args_needed(const struct graph *g)
{
    return memory_args_offsets(g) + graph_total_bytes(g) - 8 * graph_topology_rows(g);
}

enum st memory_args_host(const char *text, uint64_t whole, const struct server *s, const char *name,
                         double most_percent, uint64_t *out, struct err *err)
{
    size_t length = text ? strlen(text) : 0;
    if (length && text[length - 1] == '%') {
        char *end;
        double share = strtod(text, &end);
        if (end != text + length - 1)
            return err_set(err, ST_USAGE,
                           "--host-memory: '%.40s' is not a share; write %.9g%% (of topology and features), or 64GiB "
                           "for a size",
                           text, end == text ? 50 : share);
        if (!(share > 0) || !(share <= most_percent))
            return err_set(err, ST_USAGE,
                           "--host-memory: '%.40s' is out of range; write a share above 0 %% and at most %g%% of "
                           "topology and features, as 50%%, or 64GiB for a size",
                           text, most_percent);
        *out = (uint64_t)(share / 100 * (double)whole);
        return ST_OK;
    }
    if (text) {
        PASS(units_size(text, "--host-memory", out, err));
        return units_bare(text, *out, "--host-memory", UNITS_PAGE, "one page", false, err);
    }
    if (!s || !s->host_memory_bytes)
        return err_set(err, ST_USAGE,
                       "--host-memory: the memory of server %s is not known; give it, as in --host-memory 64GiB", name);
    *out = s->host_memory_bytes / 10 * 9;
    return ST_OK;
}

enum st memory_args_drives(const char *text, const struct graph *g, const struct server *s, struct drives *out,
                           struct err *err)
{
    char has[UNIT_TEXT], wants[UNIT_TEXT];
    const char *own = s ? doc_text_value(doc_get(s->document, "ssd"), NULL) : NULL;
    if (text) PASS(drives_parse(text, "--ssd", out, err));
    else if (own) PASS(drives_parse(own, "the server's \"ssd\"", out, err));
    uint64_t bytes = out->bytes * (uint64_t)out->count, needed = memory_args_needed(g) - memory_args_offsets(g);
    if (bytes && needed > bytes)
        return err_set(err, ST_NO, "the SSDs hold %s, but topology and features take %s; take more drives (--ssd)",
                       units_bytes(has, bytes), units_bytes(wants, needed));
    return ST_OK;
}

/* Whether one of the options is given. */
static bool any_given(const struct call *call)
{
    static const char *const options[] = {"host-memory", "ssd", "nodes", "nic-gbps", "cluster"};
    bool any = false;
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) any |= call_given(call, options[i]);
    return any;
}

/* Opens the server of every node, and the network between them. */
static enum st open_nodes(const struct call *call, const struct memory_args *a, const char *server, struct server *own,
                          struct nodes_network *network, struct memories_request *r, struct err *err)
{
    r->nodes = (int)a->nodes;
    r->nic_gbps = a->nic;
    r->server = own;
    if (a->cluster) {
        if (server || call_given(call, "nodes") || call_given(call, "nic-gbps"))
            return err_set(err, ST_USAGE,
                           "--cluster: a cluster file states servers, nodes and network; leave --server, --nodes and "
                           "--nic-gbps out");
        PASS(nodes_network_open(a->cluster, network, err));
        r->nodes = network->cluster.servers;
        r->network = network;
        r->server = &network->cluster.server;
    } else PASS(server_load(server, own, err));
    if (r->nodes > 1 && !a->cluster && !(a->nic > 0))
        return err_set(err, ST_USAGE, "--nodes %d: needs --nic-gbps, the network of each node, as in --nic-gbps 25",
                       r->nodes);
    if (r->nodes > 1 && call_given(call, "parts"))
        return err_set(err, ST_USAGE, "--parts: is of one node; leave it out, or plan without --nodes and --cluster");
    if (r->nodes == 1 && call_given(call, "nic-gbps"))
        return err_set(err, ST_USAGE, "--nic-gbps: one node has no network; give --nodes, or leave it out");
    if (!r->server->links_known)
        return err_set(err, ST_NO,
                       "%s: does not state which GPUs NVLink joins; import the server from 'nvidia-smi topo -m'",
                       r->server->name);
    for (int g = 0; g < r->server->gpus; g++)
        if (!(r->server->gpu[g].memory_gbps > 0)) {
            call_say(call, "%s does not state memory_gbps of GPU %d: reads of its own memory count as free",
                     r->server->name, r->server->gpu[g].id);
            break;
        }
    return ST_OK;
}

/* Bytes of DRAM of each of so many nodes that together hold all rows, offsets on each of them, also where the ends of
 * sockets stay free because rows are not split. */
static uint64_t host_of(const struct graph *g, const struct server *s, uint64_t nodes)
{
    uint64_t largest = 0, rows = graph_total_bytes(g), homes = nodes * (uint64_t)place_machine_sockets(s);
    for (int k = 0; homes > 1 && k < graph_tables(g); k++) {
        const struct row_table t = graph_table(g, k);
        for (uint64_t i = 0; i < (t.kind == ROWS_TOPOLOGY ? t.count : t.count > 0); i++)
            if (row_table_host_bytes(g, &t, i) > largest) largest = row_table_host_bytes(g, &t, i);
    }
    return memory_args_offsets(g) + (rows + (homes - 1) * (largest + 1) + nodes - 1) / nodes;
}

/* Gives the server the rate of --host-memory-gbps (0: not given), and says where it states its own. */
static void give_rate(const struct call *call, double gbps, struct server *s)
{
    if (server_host_rate_given(s, gbps) || !(gbps > 0)) return;
    call_say(call, "--host-memory-gbps: %s states its own, %g GB/s, which counts", s->name, s->host_memory_gbps);
}

enum st memory_args_server(const struct call *call, const struct memory_args *a, const char *name, struct server *own,
                           struct nodes_network *network, struct memories_request *r, struct server **out,
                           struct err *err)
{
    *out = a && a->cluster ? &network->cluster.server : own; /* a command without memory options has none */
    if (!any_given(call)) {
        PASS(server_load(name, own, err));
        if (a) give_rate(call, a->host_gbps, own);
        return ST_OK;
    }
    if (ranks_count() > 1)
        return err_set(err, ST_USAGE,
                       "memories below GPUs are planned by one process; start it without mpirun, or leave "
                       "--host-memory, --ssd and --nodes out");
    PASS(open_nodes(call, a, name, own, network, r, err));
    give_rate(call, a->host_gbps, *out);
    return ST_OK;
}

enum st memory_args_rows(const struct memory_args *a, const char *word, const struct graph *g,
                         struct memories_request *r, struct err *err)
{
    r->rows = socket_rows_of(word);
    if (r->rows == SOCKET_ROWS_PLACE) return ST_OK;
    if (!a->memory || r->nodes > 1)
        return err_set(err, ST_USAGE,
                       "--socket-rows: is of the DRAM of one server; give --host-memory, and neither --nodes nor "
                       "--cluster");
    if (place_machine_sockets(r->server) < 2)
        return err_set(err, ST_NO,
                       "--socket-rows: %s has one socket, or does not state those of its GPUs, so all of its DRAM is "
                       "equally near; leave it out",
                       r->server->name);
    /* which rows lie on SSDs instead is not a layout's to say: by pages DRAM would be filled by the numbers of rows */
    if (r->drives.count && r->host_bytes - r->offset_bytes < graph_total_bytes(g))
        return err_set(err, ST_USAGE,
                       "--socket-rows: lays out DRAM that has all rows, and SSDs have some of them here; leave it out, "
                       "or give --host-memory of all rows");
    return ST_OK;
}

/* Without SSDs all rows are in some DRAM: said before anything is recorded. */
static enum st check_homes(const struct graph *g, const struct memories_request *r, struct err *err)
{
    char has[UNIT_TEXT], needs[UNIT_TEXT], least[UNIT_TEXT];
    uint64_t rows = graph_total_bytes(g), nodes = (uint64_t)r->nodes, room = r->host_bytes - r->offset_bytes;
    if (r->drives.count || room >= rows / nodes + (rows % nodes != 0)) return ST_OK;
    return err_set(err, ST_NO,
                   "--host-memory: no home has all rows: topology and features take %s beside the offsets, but the "
                   "DRAM of %d node%s has room for %s; give %s, or SSDs (--ssd)",
                   units_bytes(needs, rows), r->nodes, r->nodes > 1 ? "s" : "", units_bytes(has, room * nodes),
                   units_bytes(least, host_of(g, r->server, nodes)));
}

enum st memory_args_sizes(const struct memory_args *a, const struct graph *g, struct memories_request *r,
                          struct err *err)
{
    enum { MOST_PERCENT = 1600 };
    char has[UNIT_TEXT], needs[UNIT_TEXT];
    PASS(plan_places_reads(g, r->server->line_bytes, &r->kinds, r->read_bytes, err));
    if (r->kinds == PLACE_FEATURE)
        return err_set(err, ST_NO, "%s: has no feature rows, so there is nothing to place below the GPUs", g->path);
    r->offset_bytes = memory_args_offsets(g);
    PASS(memory_args_host(a->memory, host_of(g, r->server, 1), r->server, r->server->name, MOST_PERCENT, &r->host_bytes,
                          err));
    if (r->host_bytes <= r->offset_bytes)
        return err_set(err, ST_NO, "--host-memory: %s of DRAM per node, but offsets alone take %s; give more",
                       units_bytes(has, r->host_bytes), units_bytes(needs, r->offset_bytes));
    PASS(memory_args_drives(a->ssd, g, r->server, &r->drives, err));
    return check_homes(g, r, err);
}
