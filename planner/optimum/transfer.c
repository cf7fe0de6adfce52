#include "planner/optimum/transfer.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "hwprofiles/model/bandwidth.h"
#include "hwprofiles/model/server_reach.h"
#include "traces/recording/trace_rows.h"

/* ---- resources ---- */

static enum st resource(struct transfer *t, enum transfer_kind kind, int a, int b, int *out, struct err *err)
{
    enum st st = ST_OK;
    int i = 0;
    while (i < t->resources && (t->resource[i].kind != kind || t->resource[i].a != a || t->resource[i].b != b)) i++;
    if (i == t->capacity) {
        int more = t->capacity ? 2 * t->capacity : 64;
        GROW(t->resource, more, "links of the transfer stage");
        t->capacity = more;
    }
    if (i == t->resources) t->resource[t->resources++] = (struct transfer_resource){kind, a, b};
    *out = i;
done:
    return st;
}

/* Adds a step at `gbps` to a path. */
static enum st step(struct transfer *t, struct transfer_path *p, enum transfer_kind kind, int a, int b, double gbps,
                    struct err *err)
{
    if (p->steps == TRANSFER_STEPS) return err_set(err, ST_LIMIT, "a read passes more than %d links", TRANSFER_STEPS);
    PASS(resource(t, kind, a, b, &p->resource[p->steps], err));
    p->seconds[p->steps++] = 1e-9 / gbps;
    return ST_OK;
}

static enum st need(double gbps, const struct server *s, const char *key, struct err *err)
{
    if (gbps > 0) return ST_OK;
    return err_set(err, ST_USAGE,
                   "--objective epoch: server %s does not state %s; add it to the server file, or leave --objective "
                   "out",
                   s->name, key);
}

/* ---- paths ---- */

static enum st from_host(struct transfer *t, const struct server *s, int g, bool topology, struct err *err)
{
    struct transfer_path *p = &t->path[(g * (t->gpus + 1) + t->gpus) * 2 + topology];
    double payload = topology ? t->visit_bytes : t->row_bytes, gbps = server_pcie_rate(s, payload);
    PASS(need(gbps, s, "pcie.gbps", err));
    PASS(step(t, p, TRANSFER_PCIE_IN, g, s->gpu[g].pcie_switch, gbps, err));
    if (s->gpu[g].pcie_switch >= 0)
        PASS(step(t, p, TRANSFER_UPLINK, s->gpu[g].pcie_switch, -1, server_uplink_rate(s, payload), err));
    if (s->host_memory_gbps > 0) PASS(step(t, p, TRANSFER_HOST, 0, -1, s->host_memory_gbps, err));
    return ST_OK;
}

/* GB/s from holder to reader by one hop; a peer without a direct link is read at the reader's narrowest link, as in
 * epoch_time.c. */
static double hop_gbps(const struct server *s, int reader, int holder)
{
    double narrow = 0;
    if (s->link_gbps[reader][holder] > 0) return s->link_gbps[reader][holder];
    for (int b = 0; b < s->gpus; b++)
        if (s->link_gbps[reader][b] > 0 && (!(narrow > 0) || s->link_gbps[reader][b] < narrow))
            narrow = s->link_gbps[reader][b];
    return narrow;
}

static enum st from_peer(struct transfer *t, const struct server *s, const struct routes *r, int g, int holder,
                         bool topology, struct err *err)
{
    struct transfer_path *p = &t->path[(g * (t->gpus + 1) + holder) * 2 + topology];
    if (!r->hops[g][holder] && server_same_switch(s, g, holder)) {
        double gbps = server_pcie_rate(s, t->cached_bytes);
        PASS(need(gbps, s, "pcie.gbps", err));
        PASS(step(t, p, TRANSFER_PCIE_IN, g, s->gpu[g].pcie_switch, gbps, err));
        PASS(step(t, p, TRANSFER_PCIE_OUT, holder, -1, gbps, err));
    } else {
        for (int at = g; at != holder;) {
            int next = r->hops[g][holder] ? r->next[at][holder] : holder;
            double gbps = server_nvlink_rate(s, hop_gbps(s, at, next),
                                             topology ? t->peer_visit_bytes : t->cached_bytes);
            PASS(need(gbps, s, "nvlinks[].gbps", err));
            PASS(step(t, p, TRANSFER_NVLINK, at, server_links_switched(s, at) ? -1 : next, gbps, err));
            at = next;
        }
    }
    if (s->gpu[holder].memory_gbps > 0) PASS(step(t, p, TRANSFER_MEMORY, holder, -1, s->gpu[holder].memory_gbps, err));
    return ST_OK;
}

static enum st make_paths(struct transfer *t, const struct server *s, const struct placement *p, struct err *err)
{
    ON_HEAP(struct routes, routes);
    uint8_t links[GPUS_MAX][GPUS_MAX] = {{0}};
    int id[GPUS_MAX];
    for (int g = 0; g < s->gpus; g++) {
        id[g] = s->gpu[g].id;
        for (int b = 0; b < s->gpus; b++) links[g][b] = s->links[g][b];
    }
    routes_find(p, (const uint8_t(*)[GPUS_MAX])links, id, routes);
    for (int topology = 0; topology < 2; topology++)
        for (int g = 0; g < s->gpus; g++) {
            struct transfer_path *own = &t->path[(g * (t->gpus + 1) + g) * 2 + topology];
            PASS(from_host(t, s, g, topology, err));
            if (s->gpu[g].memory_gbps > 0) PASS(step(t, own, TRANSFER_MEMORY, g, -1, s->gpu[g].memory_gbps, err));
            for (int i = 0; i < p->peers[g]; i++) PASS(from_peer(t, s, routes, g, p->peer[g][i], topology, err));
        }
    return ST_OK;
}

/* Neighbours that a visit draws where the row has enough, a mean over the recorded visits. */
static double mean_draws(const struct graph *graph, const struct trace *t)
{
    double visits = 0, draws = 0;
    for (int h = 0; h < t->workload.hops; h++)
        for (int k = 0; k < graph_tables(graph) && graph_table(graph, k).kind == ROWS_TOPOLOGY; k++) {
            const struct row_table table = graph_table(graph, k);
            uint64_t sum = 0;
            for (int g = 0; g < t->assignment.gpus; g++) {
                struct count_row seen = trace_visits(t, graph, table, h, g);
                for (uint64_t v = 0; v < table.count; v++) sum += count_at(seen, v);
            }
            visits += (double)sum;
            draws += (double)sum * workload_fanout(&t->workload, k, h);
        }
    return visits > 0 ? draws / visits : 0;
}

/* Bytes of a feature row on the host or (cached) on a GPU; of several types a mean over the reads of all cliques. */
static double mean_row_bytes(const struct items *it, int cliques, bool cached)
{
    const struct graph *g = it->graph;
    double bytes = 0, reads = 0;
    if (graph_plain(g)) return (double)(cached ? graph_cached_bytes(g) : g->row_bytes);
    for (int k = g->relations; k < g->tables; k++) {
        const struct row_table *table = &g->table[k];
        uint64_t each = cached ? table->cached_bytes : table->row_bytes;
        for (int c = 0; c < cliques && each; c++)
            for (uint64_t v = 0; v < table->count; v++) {
                double some = (double)it->estimates[c].rows[table->first - g->topology_rows + v];
                reads += some;
                bytes += some * (double)each;
            }
    }
    return reads > 0 ? bytes / reads : 1;
}

/* Bytes of a request for topology from the host: a visit makes two (epoch_load.c). */
static double mean_visit_bytes(const struct server *s, const struct items *it)
{
    uint64_t lines = 0, visits = 0, n = graph_topology_rows(it->graph);
    for (int c = 0; c < s->cliques; c++)
#pragma omp parallel for num_threads(it->threads) reduction(+ : lines, visits)
        for (uint64_t v = 0; v < n; v++) {
            lines += items_clique_rate(it, c, v);
            visits += it->estimates[c].visits[v] > 0 ? (uint64_t)((double)it->estimates[c].visits[v] * 0x1p20) : 0;
        }
    return visits ? (double)lines * (double)s->line_bytes / (2 * (double)visits) : (double)s->line_bytes;
}

/* Whether a GPU's own link holds its reads of rows up longer than the uplink that it shares: small rows, few GPUs. */
static bool gpus_are_slower(const struct server *s, double row_bytes)
{
    int most = 1;
    for (int a = 0; a < s->gpus; a++) {
        int below = 0;
        for (int b = 0; b < s->gpus; b++)
            below += s->gpu[a].pcie_switch >= 0 && s->gpu[b].pcie_switch == s->gpu[a].pcie_switch;
        most = below > most ? below : most;
    }
    return server_pcie_rate(s, row_bytes) * most < server_uplink_rate(s, row_bytes);
}

enum st transfer_make(const struct server *s, const struct placement *p, const struct items *items,
                      struct transfer *out, struct err *err)
{
    OWNED_BY(transfer_release)
    struct transfer t = {.gpus = s->gpus,
                         .items = items,
                         .clique_of = s->clique_of,
                         .clique_size = s->clique_size,
                         .line_bytes = (double)s->line_bytes,
                         .row_bytes = mean_row_bytes(items, s->cliques, false),
                         .cached_bytes = mean_row_bytes(items, s->cliques, true)};
    MAKE(t.path, TRANSFER_LOADS(&t), "paths of the transfer stage");
    if (items->trace) t.draws = mean_draws(items->graph, items->trace);
    t.visit_bytes = mean_visit_bytes(s, items);
    t.peer_visit_bytes = (16 + 4 * t.draws) / (1 + t.draws);
    t.by_gpu = gpus_are_slower(s, t.row_bytes);
    PASS(make_paths(&t, s, p, err));
    if (items->trace) {
        MAKE(t.readers, s->cliques, "shares of reads");
        PASS(reader_rates_counted(items->trace, items->threads, t.readers, err));
    }
    *out = t;
    memset(&t, 0, sizeof t);
    return ST_OK;
}

void transfer_release(struct transfer *t)
{
    mem_free(t->resource);
    mem_free(t->path);
    mem_free(t->readers);
    memset(t, 0, sizeof *t);
}

double transfer_price(const struct transfer_path *p, const double *weight)
{
    double sum = 0;
    for (int i = 0; i < p->steps; i++) sum += weight[p->resource[i]] * p->seconds[i];
    return sum;
}

bool transfer_between(const struct transfer *t, int r)
{
    enum transfer_kind kind = t->resource[r].kind;
    bool pcie = false;
    for (int i = 0; i < t->resources; i++) pcie |= t->resource[i].kind == TRANSFER_PCIE_OUT;
    return kind == TRANSFER_NVLINK || kind == TRANSFER_PCIE_OUT || (pcie && kind == TRANSFER_PCIE_IN);
}

/* The resource that reads from the host wait for. */
static bool to_host(const struct transfer *t, int r)
{
    enum transfer_kind kind = t->resource[r].kind;
    if (kind == TRANSFER_UPLINK) return !t->by_gpu;
    return kind == TRANSFER_PCIE_IN && (t->by_gpu || t->resource[r].b < 0);
}

void transfer_weigh(const struct transfer *t, double lambda, double *weight)
{
    int hosts = 0, links = 0;
    for (int r = 0; r < t->resources; r++) {
        hosts += to_host(t, r);
        links += transfer_between(t, r);
    }
    for (int r = 0; r < t->resources; r++)
        weight[r] = to_host(t, r) ? (links ? 1 - lambda : 1) / hosts : transfer_between(t, r) ? lambda / links : 0;
}

/* ---- islands ---- */

static bool joined(const struct transfer *t, int a, int b)
{
    return transfer_path(t, a, b, false)->steps > 0 || transfer_path(t, b, a, false)->steps > 0;
}

void transfer_islands(const struct transfer *t, struct transfer_islands *out)
{
    out->count = 0;
    int of[GPUS_MAX];
    for (int g = 0; g < t->gpus; g++) of[g] = g;
    for (bool changed = true; changed;) {
        changed = false;
        for (int a = 0; a < t->gpus; a++)
            for (int b = 0; b < t->gpus; b++)
                if (a != b && joined(t, a, b) && of[b] > of[a]) {
                    of[b] = of[a];
                    changed = true;
                }
    }
    for (int g = 0; g < t->gpus; g++) {
        if (of[g] != g) continue;
        struct transfer_island *island = &out->of[out->count++];
        island->gpus = 0;
        for (int b = 0; b < t->gpus; b++)
            if (of[b] == g) island->gpu[island->gpus++] = b;
    }
}

/* ---- bytes ---- */

/* Entries of topology row x. */
static uint64_t item_degree(const struct graph *g, uint64_t x)
{
    const struct graph_csr r = graph_csr(g, graph_relation_of_row(g, x));
    return csr_degree(&r, x - r.first_row);
}

/* Of a GPU with that share of what its clique reads. */
static struct transfer_bytes bytes_of_share(const struct transfer *t, int g, uint64_t x, uint64_t rate, double share)
{
    const struct items *it = t->items;
    const struct estimates *e = &it->estimates[t->clique_of[g]];
    const uint64_t n = graph_topology_rows(it->graph);
    struct transfer_bytes b = {.host = (double)rate * 0x1p-20 * share * t->line_bytes};
    if (x >= n) {
        b.gpu = (double)e->rows[x - n] * share * (double)items_bytes(it, x);
    } else { /* two offsets of 8 bytes, and 4 bytes per draw (replay.h) */
        double degree = (double)item_degree(it->graph, x), draws = degree < t->draws ? degree : t->draws;
        b.gpu = (double)e->visits[x] * share * (16 + 4 * draws);
    }
    return b;
}

void transfer_bytes(const struct transfer *t, uint64_t x, struct transfer_bytes *out)
{
    const struct items *it = t->items;
    const uint64_t n = graph_topology_rows(it->graph), v = x < n ? x : x - n;
    uint64_t count[GPUS_MAX], sum = t->readers ? reader_counts(it->graph, it->trace, x < n, v, count) : 0;
    uint32_t share[GPUS_MAX];
    int shared = -1; /* the clique whose GPUs' shares are there, and its rate */
    uint64_t rate = 0;
    for (int g = 0; g < t->gpus; g++) {
        const int c = t->clique_of[g];
        if (c != shared) rate = items_clique_rate(it, c, x);
        if (c != shared && rate && t->readers)
            reader_shares_counted(it->trace, &t->readers[c], c, x < n, count, sum, share);
        shared = c;
        out[g] = (struct transfer_bytes){0, 0};
        if (rate)
            out[g] = bytes_of_share(t, g, x, rate,
                                    t->readers ? (double)share[g] / READER_UNITS : 1.0 / t->clique_size[c]);
    }
}

/* ---- the stage ---- */

double transfer_seconds(const struct transfer *t, const uint64_t *loads, double *seconds, int *busiest)
{
    double most = 0;
    *busiest = 0;
    for (int r = 0; r < t->resources; r++) seconds[r] = 0;
    for (size_t i = 0; i < TRANSFER_LOADS(t); i++) {
        const struct transfer_path *p = &t->path[i];
        for (int k = 0; k < p->steps; k++) seconds[p->resource[k]] += (double)loads[i] * 0x1p-10 * p->seconds[k];
    }
    for (int r = 0; r < t->resources; r++)
        if (seconds[r] > most) {
            most = seconds[r];
            *busiest = r;
        }
    return most;
}

/* Readers [first, end), whose look-ups of a kind lie behind each other in at: [end - first][rows]. each: [threads]
 * loads.
 */
static void add_readers(const struct transfer *t, int first, int end, bool topology, const uint8_t *at, uint64_t *each)
{
    const struct graph *graph = t->items->graph;
    const uint64_t n = graph_kind_rows(graph, topology), before = topology ? 0 : graph_topology_rows(graph);
    const int host = t->gpus, threads = t->items->threads;
#pragma omp parallel for num_threads(threads)
    for (int part = 0; part < threads; part++) {
        struct transfer_bytes b[GPUS_MAX];
        uint64_t *mine = each + TRANSFER_LOADS(t) * (size_t)part;
        for (uint64_t v = n * (uint64_t)part / (uint64_t)threads; v < n * ((uint64_t)part + 1) / (uint64_t)threads;
             v++) {
            transfer_bytes(t, before + v, b);
            for (int g = first; g < end; g++) {
                const uint8_t held = at[(uint64_t)(g - first) * n + v];
                const int source = held ? held - 1 : host;
                mine[(g * (host + 1) + source) * 2 + topology] += (uint64_t)((held ? b[g].gpu : b[g].host) * 0x1p10);
            }
        }
    }
}

enum st transfer_cost(const struct transfer *t, const struct placement *p, double *seconds, double *stage, int *busiest,
                      struct err *err)
{
    enum { AT_ONCE = 64 << 20 }; /* bytes of look-ups */
    const struct graph *graph = t->items->graph;
    const uint64_t most = AT_ONCE / (graph_most_rows(graph) + 1);
    const int together = most < 1 ? 1 : most < (uint64_t)t->gpus ? (int)most : t->gpus;
    const size_t loads = TRANSFER_LOADS(t);
    OWNED_NEW(uint64_t, sum, loads * (size_t)t->items->threads, "loads of links");
    OWNED_NEW(double, each, t->resources + 1, "loads of links");
    OWNED_NEW(uint8_t, at, graph_most_rows(graph) * (uint64_t)together, "the look-up of a placement");
    for (int first = 0; first < t->gpus; first += together)
        for (int topology = 0; topology < 2; topology++) {
            const int end = first + together < t->gpus ? first + together : t->gpus;
            const uint64_t rows = graph_kind_rows(graph, topology);
            for (int g = first; g < end; g++)
                placement_locate(p, g, topology ? p->topology : p->feature, rows, at + (uint64_t)(g - first) * rows);
            add_readers(t, first, end, topology, at, sum);
        }
    for (size_t i = loads; i < loads * (size_t)t->items->threads; i++) sum[i % loads] += sum[i];
    *stage = transfer_seconds(t, sum, each, busiest);
    if (seconds) memcpy(seconds, each, (size_t)t->resources * sizeof *seconds);
    return ST_OK;
}

const char *transfer_name(const struct transfer *t, int r, const int *id, char out[TRANSFER_NAME])
{
    const struct transfer_resource *resource = &t->resource[r];
    switch (resource->kind) {
    case TRANSFER_UPLINK: snprintf(out, TRANSFER_NAME, "PCIe switch %d", resource->a); break;
    case TRANSFER_PCIE_IN: snprintf(out, TRANSFER_NAME, "PCIe into GPU %d", id[resource->a]); break;
    case TRANSFER_PCIE_OUT: snprintf(out, TRANSFER_NAME, "PCIe out of GPU %d", id[resource->a]); break;
    case TRANSFER_NVLINK:
        if (resource->b < 0) snprintf(out, TRANSFER_NAME, "NVLink port of GPU %d", id[resource->a]);
        else snprintf(out, TRANSFER_NAME, "NVLink from GPU %d to GPU %d", id[resource->b], id[resource->a]);
        break;
    case TRANSFER_MEMORY: snprintf(out, TRANSFER_NAME, "memory of GPU %d", id[resource->a]); break;
    default: snprintf(out, TRANSFER_NAME, "host memory");
    }
    return out;
}
