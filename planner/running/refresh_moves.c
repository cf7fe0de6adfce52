#include "planner/running/refresh_moves.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "hwprofiles/model/bandwidth.h"

enum { BULK = 1 << 20 }; /* bytes of a request that loads many rows */

/* ---- rows and bytes ---- */

static const struct row_list *list_of(const struct placement *p, int g, bool topology)
{
    return topology ? &p->topology[g] : &p->feature[g];
}

static void mark(const struct row_list *l, uint8_t *home, int value)
{
    for (uint64_t i = 0; i < l->count; i++) home[l->id[i]] = (uint8_t)value;
}

/* Where GPU g finds the rows of a kind. home: [rows of the kind] 1 + the GPU's position; 0: the host. */
static void find(const struct placement *was, const struct server *s, int g, bool topology, uint64_t rows,
                 uint8_t *home)
{
    memset(home, 0, rows);
    for (int i = was->peers[g] - 1; i >= 0; i--) {
        int peer = was->peer[g][i];
        if (s->links[peer][g]) mark(list_of(was, peer, topology), home, 1 + peer);
    }
    mark(list_of(was, g, topology), home, 1 + g);
}

/* Work space of a count. */
struct counting {
    const struct plan *before;
    const struct graph *graph;
    const struct server *server;
    uint8_t *home;  /* [rows of the kind] 1 + the position of the GPU that has the row; 0: the host */
    uint8_t *place; /* [rows of the kind] the place below the GPUs that has it; NULL: there is one host */
};

/* Where a reader of the plan before finds the rows of a kind below its GPUs. */
static void locate(const struct counting *counting, int reader, bool topology)
{
    if (counting->place)
        plan_places_locate(counting->before->places, counting->graph, reader, topology ? LIST_TOPOLOGY : LIST_FEATURE,
                           counting->place);
}

/* A row that the host loads, or one that comes into it. */
static void add_host(const struct counting *counting, uint32_t row, uint64_t bytes, struct refresh_amount *a)
{
    if (!counting->place) return;
    const enum place_role role = place_role(&counting->before->places->place[counting->place[row]]);
    if (role == ROLE_LAST) a->ssd_bytes += bytes;
    if (role != ROLE_REMOTE) return;
    a->node_rows++;
    a->node_bytes += bytes;
}

/* Of the rows of one kind on GPU g. over: [from][to]. */
static struct refresh_amount count_kind(const struct counting *counting, const struct placement *is, int g,
                                        bool topology, uint64_t (*over)[GPUS_MAX])
{
    struct refresh_amount a = {0};
    const struct placement *was = &counting->before->placement;
    const struct row_list *now = list_of(is, g, topology);
    const uint64_t first = topology ? 0 : graph_topology_rows(counting->graph);
    find(was, counting->server, g, topology, graph_kind_rows(counting->graph, topology), counting->home);
    if (counting->place) locate(counting, counting->before->places->reader_of[g], topology);
    for (uint64_t i = 0; i < now->count; i++) {
        int from = counting->home[now->id[i]] - 1;
        if (from == g) {
            a.kept++;
            continue;
        }
        uint64_t bytes = graph_item_bytes(counting->graph, first + now->id[i]);
        a.bytes += bytes;
        if (from < 0) {
            add_host(counting, now->id[i], bytes, &a);
            continue;
        }
        a.peer_rows++;
        a.peer_bytes += bytes;
        over[from][g] += bytes;
    }
    a.loaded = now->count - a.kept;
    a.dropped = list_of(was, g, topology)->count - a.kept;
    return a;
}

/* Adds the rows of one kind that place k, the DRAM of a socket in both plans, holds. */
static void add_dram(const struct counting *counting, const struct plan_places *is, int k, bool topology,
                     struct refresh_amount *a)
{
    const enum list_kind kind = topology ? LIST_TOPOLOGY : LIST_FEATURE;
    const struct plan_places *was = counting->before->places;
    const struct row_list *now = &is->list[kind][k];
    const uint64_t first = topology ? 0 : graph_topology_rows(counting->graph);
    uint64_t kept = 0;
    int reader = 0;
    for (int r = was->readers - 1; r >= 0; r--)
        if (was->socket[r] == was->place[k].socket) reader = r;
    locate(counting, reader, topology);
    memset(counting->home, 0, graph_kind_rows(counting->graph, topology));
    mark(&was->list[kind][k], counting->home, 1);
    for (uint64_t i = 0; i < now->count; i++) {
        kept += counting->home[now->id[i]];
        if (counting->home[now->id[i]]) continue;
        int t = graph_table_of(counting->graph, first + now->id[i]);
        const struct row_table of = graph_table(counting->graph, t);
        uint64_t bytes = row_table_host_bytes(counting->graph, &of, first + now->id[i] - of.first);
        a->bytes += bytes;
        add_host(counting, now->id[i], bytes, a);
    }
    a->kept += kept;
    a->loaded += now->count - kept;
    a->dropped += was->list[kind][k].count - kept;
}

enum st refresh_count(const struct plan *before, const struct plan *after, const struct graph *graph,
                      const struct server *s, struct refresh_moves *out, struct err *err)
{
    enum st st = ST_OK;
    struct counting counting = {.before = before, .graph = graph, .server = s};
    const bool below = before->places && after->places;
    memset(out, 0, sizeof *out);
    NEW(counting.home, graph_most_rows(graph) + 1, "who holds a row");
    if (below) NEW(counting.place, graph_most_rows(graph) + 1, "who holds a row");
    for (int g = 0; g < after->assignment.gpus; g++)
        for (int k = 0; k < 2; k++) {
            struct refresh_amount *a = k ? &out->topology[g] : &out->feature[g];
            *a = count_kind(&counting, &after->placement, g, k, out->over);
            out->rows += a->loaded;
            out->bytes += a->bytes;
            out->peer_rows += a->peer_rows;
            out->peer_bytes += a->peer_bytes;
            out->node_bytes += a->node_bytes;
            out->ssd_bytes += a->ssd_bytes;
        }
    for (int k = 0; below && k < after->places->places; k++)
        for (int kind = 0; kind < 2; kind++)
            if (place_role(&after->places->place[k]) == ROLE_HOME)
                add_dram(&counting, after->places, k, kind, &out->dram);
    out->ssd_bytes += out->dram.ssd_bytes;
done:
    mem_free(counting.home);
    mem_free(counting.place);
    return st;
}

void refresh_amount_add(struct refresh_amount *to, const struct refresh_amount *more)
{
    to->kept += more->kept;
    to->loaded += more->loaded;
    to->dropped += more->dropped;
    to->bytes += more->bytes;
    to->peer_rows += more->peer_rows;
    to->peer_bytes += more->peer_bytes;
    to->node_rows += more->node_rows;
    to->node_bytes += more->node_bytes;
    to->ssd_bytes += more->ssd_bytes;
}

/* ---- seconds ---- */

/* GB/s at which a GPU reads the host in requests of `payload` bytes while all others do; 0: unknown. */
static double shared_rate(const struct server *s, double payload)
{
    double own = server_pcie_rate(s, payload), shared = server_uplink_rate(s, payload);
    int most = 1;
    for (int g = 0; g < s->gpus; g++) {
        int below = 0;
        for (int i = 0; i < s->gpus; i++)
            below += s->gpu[g].pcie_switch >= 0 && s->gpu[i].pcie_switch == s->gpu[g].pcie_switch;
        most = below > most ? below : most;
    }
    return shared > 0 && shared / most < own ? shared / most : own;
}

double refresh_line_seconds(const struct server *s, double lines)
{
    double line = (double)s->line_bytes, rate = 1e9 * shared_rate(s, line);
    return rate > 0 ? lines * line / rate / s->gpus : NAN;
}

uint64_t refresh_host_bytes(const struct refresh_moves *m, int g)
{
    return m->feature[g].bytes + m->topology[g].bytes - m->feature[g].peer_bytes - m->topology[g].peer_bytes;
}

double refresh_link_seconds(const struct server *s, const struct refresh_moves *m, int from, int to)
{
    double rate = 1e9 * server_nvlink_rate(s, s->link_gbps[to][from], BULK);
    if (!m->over[from][to]) return 0;
    return rate > 0 ? (double)m->over[from][to] / rate : NAN;
}

static double load_seconds(const struct server *s, const struct refresh_moves *m, double bulk, int g)
{
    double host = (double)refresh_host_bytes(m, g) / bulk, links = 0;
    for (int i = 0; i < s->gpus; i++) {
        double one = refresh_link_seconds(s, m, i, g);
        links = server_links_switched(s, g) ? links + one : refresh_later(links, one);
    }
    return refresh_later(host, links);
}

/* Rows that come over the network and from SSDs, side by side. These read in whole blocks' worth of bytes. */
static double below_seconds(const struct plan *before, const struct refresh_moves *m, double network)
{
    const uint64_t bytes = m->node_bytes + m->dram.node_bytes;
    double nodes = 0, ssd = 0;
    if (bytes) nodes = network > 0 ? (double)bytes / (1e9 * network) : NAN;
    if (m->ssd_bytes) {
        const struct drives *drives = &before->places->drives;
        ssd = drives_seconds(drives, (double)m->ssd_bytes / (double)drives->block_bytes);
    }
    return refresh_later(nodes, ssd);
}

struct refresh_pay refresh_pays(const struct plan *before, const struct server *s, const struct assignment *a,
                                const struct refresh_moves *m, double network, double seconds, double gain)
{
    int trainers = 0;
    double bulk = 1e9 * shared_rate(s, BULK), uplink = 1e9 * server_uplink_rate(s, BULK);
    struct refresh_pay p = {.bytes_per_second = bulk > 0 ? bulk : NAN,
                            .uplink_bytes_per_second = uplink > 0 ? uplink : NAN,
                            .seconds_below = below_seconds(before, m, network)};
    p.seconds_to_move = p.seconds_below;
    for (int g = 0; g < s->gpus; g++) {
        p.seconds_to_load[g] = load_seconds(s, m, p.bytes_per_second, g);
        p.seconds_to_move = refresh_later(p.seconds_to_move, p.seconds_to_load[g]);
        trainers += a->train_count[g] > 0;
    }
    if (isnan(seconds) && trainers) seconds = refresh_line_seconds(s, gain) * s->gpus / trainers;
    p.seconds_gained = seconds;
    return p;
}
