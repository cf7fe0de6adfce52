#include "planner/places/nodes.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "hwprofiles/model/server_cliques.h"
#include "planner/hotness/hotness.h"
#include "planner/partition/assign.h"
#include "planner/partition/locality.h"
#include "planner/places/memory_args.h"
#include "traces/graph/graph_union.h"

void nodes_release(struct nodes_result *result)
{
    mem_free(result->part);
    mem_free(result->bytes);
    trace_release(&result->recorded);
    trace_release(&result->held_out);
    for (int k = 0; k < NODES_RANKINGS; k++)
        for (int i = 0; i < NODES_MAX; i++) mem_free(result->order[k][i]);
    for (int k = 0; k < NODES_RANKINGS; k++)
        for (int i = 0; i < NODES_ALPHAS; i++) nodes_traffic_release(&result->traffic[k][i]);
    nodes_traffic_release(&result->sharded_traffic);
    memset(result, 0, sizeof *result);
}

uint64_t nodes_copies(const struct nodes_request *r, double alpha)
{
    double rows = alpha * (double)r->graph->n / r->nodes;
    return rows >= (double)r->graph->n ? r->graph->n : (uint64_t)rows;
}

/* Bytes of copies with that alpha, of several types. */
static uint64_t copy_bytes(const struct nodes_request *r, const struct nodes_result *result, double alpha)
{
    double bytes = alpha * (double)result->all_bytes / r->nodes;
    return bytes >= (double)result->all_bytes ? result->all_bytes : (uint64_t)bytes;
}

struct nodes_reads nodes_copied(const struct nodes_request *r, const struct nodes_result *result, int k, int node,
                                double alpha)
{
    const bool plain = graph_plain(r->graph);
    const uint64_t rows = plain ? nodes_copies(r, alpha) : UINT64_MAX,
                   bytes = plain ? UINT64_MAX : copy_bytes(r, result, alpha);
    struct nodes_reads sum = {0, 0};
    for (; sum.rows < rows && sum.rows < result->ordered[k][node]; sum.rows++) {
        const uint64_t more = result->bytes[result->order[k][node][sum.rows]];
        if (more > bytes - sum.bytes) break;
        sum.bytes += more;
    }
    return sum;
}

uint64_t nodes_topology_bytes(const struct graph *g)
{
    uint64_t features = 0;
    for (int k = 0; k < graph_tables(g); k++) {
        const struct row_table t = graph_table(g, k);
        if (t.kind == ROWS_FEATURE) features += t.count * t.row_bytes;
    }
    return memory_args_needed(g) - features;
}

/* What every vertex's row takes. */
static enum st find_bytes(const struct nodes_request *r, struct nodes_result *result, struct err *err)
{
    const struct graph *g = r->graph;
    MAKE(result->bytes, g->n, "the bytes of rows");
    for (int k = 0; k < graph_tables(g); k++) {
        const struct row_table t = graph_table(g, k);
        if (t.kind != ROWS_FEATURE) continue;
        result->all_bytes += t.count * t.row_bytes;
        for (uint64_t i = 0; i < t.count; i++) result->bytes[t.first - graph_topology_rows(g) + i] = t.row_bytes;
    }
    return ST_OK;
}

/* ---- who trains what ---- */

/* nodes * gpus (at most SERVER_GPUS_MAX) GPUs as one server, the id of each its position; those of a node are linked,
 * so each node is a clique. Owned by the caller (mem_free). */
static enum st server_of(int nodes, int gpus, struct server **out, struct err *err)
{
    struct server *s;
    MAKE(s, 1, "the nodes");
    s->gpus = nodes * gpus;
    s->links_known = true;
    snprintf(s->name, sizeof s->name, "%d nodes", nodes);
    for (int i = 0; i < s->gpus; i++) {
        s->gpu[i] = (struct server_gpu){.id = i, .pcie_switch = -1, .socket = -1};
        for (int j = 0; j < s->gpus; j++) s->links[i][j] = i != j && i / gpus == j / gpus;
    }
    server_find_cliques(s);
    *out = s;
    return ST_OK;
}

static enum st record(const struct nodes_request *r, const struct assignment *a, uint64_t seed, uint64_t epochs,
                      bool folds, struct trace *out, struct err *err)
{
    enum { LINE = 64 };
    struct workload w = *r->workload;
    struct trace_options o = {.epochs = epochs,
                              .line_bytes = LINE,
                              .threads = r->threads,
                              .progress = r->progress,
                              .folds = folds,
                              .server_name = "nodes",
                              .server_fingerprint = "",
                              .kernels = r->kernels};
    w.seed = seed;
    return trace_record(r->graph, a, &w, &o, out, err);
}

static int node_of(const struct nodes_request *r, const struct assignment *a, int gpu) { return a->id[gpu] / r->gpus; }

/* Times that the GPUs of a node gather v's row, over all epochs. */
static uint64_t gathers(const struct nodes_request *r, const struct nodes_result *result, const struct trace *t,
                        int node, uint64_t v)
{
    uint64_t sum = 0;
    if (!result->bytes[v]) return 0; /* its type has no rows */
    for (int g = 0; g < t->assignment.gpus; g++)
        if (node_of(r, &t->assignment, g) == node) sum += count_at(t->feature[g], v);
    return sum;
}

/* ---- rankings ---- */

/* Arcs from the rows of the node's part to each vertex. */
static void halo_keys(const struct nodes_request *r, const uint8_t *part, int node, uint64_t *key)
{
    const struct graph *g = graph_connections(r->graph);
    for (uint64_t v = 0; v < g->n; v++) {
        if (part[v] != node) continue;
        for (int64_t i = g->indptr[v]; i < g->indptr[v + 1]; i++) key[g->indices[i]]++;
    }
}

static enum st keys_of(const struct nodes_request *r, const struct nodes_result *result, const char *ranking, int node,
                       uint64_t *key, struct err *err)
{
    const struct assignment *a = &result->recorded.assignment;
    struct hotness_input in = {.graph = r->graph,
                               .trace = &result->recorded,
                               .kernels = r->kernels,
                               .threads = r->threads,
                               .seed = r->workload->seed,
                               .one_clique = true};
    memset(key, 0, graph_feature_rows(r->graph) * sizeof *key);
    if (!strcmp(ranking, NODES_HALO)) {
        halo_keys(r, result->part, node, key);
        return ST_OK;
    }
    if (!strcmp(ranking, NODES_ORACLE)) {
        for (uint64_t v = 0; v < r->graph->n; v++) key[v] = gathers(r, result, &result->held_out, node, v);
        return ST_OK;
    }
    for (int g = 0; g < a->gpus; g++)
        if (node_of(r, a, g) == node) in.clique = a->clique_of[g];
    return hotness_keys(ranking, &in, key, err);
}

/* The remote rows that the largest alpha copies. */
static enum st rank_node(const struct nodes_request *r, struct nodes_result *result, int k, int node, uint64_t *key,
                         uint32_t *order, struct err *err)
{
    uint64_t n = r->graph->n, most = 0, count = 0;
    double largest = 0;
    for (int i = 0; i < r->alphas; i++) largest = r->alpha[i] > largest ? r->alpha[i] : largest;
    most = graph_plain(r->graph) ? nodes_copies(r, largest) : n;
    PASS(keys_of(r, result, r->ranking[k], node, key, err));
    PASS(r->kernels->sort_hottest(r->threads, key, n, order, err));
    if (most > n - result->owned[node]) most = n - result->owned[node];
    MAKE(result->order[k][node], most + 1, "the copies of a node");
    for (uint64_t i = 0; i < n && count < most; i++)
        if (result->part[order[i]] != node && result->bytes[order[i]]) result->order[k][node][count++] = order[i];
    result->ordered[k][node] = count;
    result->ordered[k][node] = nodes_copied(r, result, k, node, largest).rows;
    return ST_OK;
}

/* ---- counts ---- */

static enum st count_node(const struct nodes_request *r, struct nodes_result *result, int node, struct err *err)
{
    struct nodes_reads away = {0, 0};
    uint64_t n = r->graph->n;
    OWNED_NEW(uint32_t, reads, n, "the reads of a node");
    for (uint64_t v = 0; v < n; v++) {
        reads[v] = (uint32_t)gathers(r, result, &result->held_out, node,
                                     v); /* below 2^32: each GPU's count is, and mini-batches */
        result->gathered[node] += reads[v];
        if (result->part[v] == node) continue;
        away.rows += reads[v];
        away.bytes += reads[v] * result->bytes[v];
    }
    for (int k = 0; k < r->rankings; k++)
        for (int i = 0; i < r->alphas; i++) {
            const uint64_t copies = nodes_copied(r, result, k, node, r->alpha[i]).rows;
            struct nodes_reads *left = &result->remote[k][i][node];
            *left = away;
            for (uint64_t j = 0; j < copies; j++) {
                const uint32_t v = result->order[k][node][j];
                left->rows -= reads[v];
                left->bytes -= reads[v] * result->bytes[v];
            }
        }
    return ST_OK;
}

/* The same rows by NIC. */
static enum st count_nics(const struct nodes_request *r, struct nodes_result *result, struct err *err)
{
    OWNED_BY(nodes_traffic_release) struct nodes_traffic all = {0};
    if (!r->network) return ST_OK;
    PASS(nodes_traffic_make(r->network, &all, err));
    for (int node = 0; node < r->nodes; node++)
        nodes_network_add(r->network, &result->held_out, result->part, result->bytes, node, &all);
    for (int k = 0; k < r->rankings; k++)
        for (int i = 0; i < r->alphas; i++) {
            PASS(nodes_traffic_make(r->network, &result->traffic[k][i], err));
            nodes_traffic_copy(r->network, &result->traffic[k][i], &all);
            for (int node = 0; node < r->nodes; node++)
                nodes_network_drop(r->network, &result->held_out, result->part, result->bytes, node,
                                   result->order[k][node], nodes_copied(r, result, k, node, r->alpha[i]).rows,
                                   &result->traffic[k][i]);
        }
    return ST_OK;
}

/* Striped rows and random training vertices: what passes the network. */
static enum st count_sharded(const struct nodes_request *r, const struct server *s, struct nodes_result *result,
                             struct err *err)
{
    enum st st;
    struct assignment a = {0};
    ON_HEAP(struct trace, t);
    TRY(assign_global(graph_connections(r->graph), s, 0, r->workload->seed, &a, err));
    TRY(locality_order(r->graph, r->workload, r->threads, &a, err));
    TRY(record(r, &a, r->seed, r->epochs, false, t, err));
    for (int node = 0; node < r->nodes; node++)
        for (uint64_t v = 0; v < r->graph->n; v++) {
            uint64_t reads = gathers(r, result, t, node, v);
            result->sharded_gathered[node] += reads;
            if (v % (uint64_t)r->nodes == (uint64_t)node) continue;
            result->sharded[node].rows += reads;
            result->sharded[node].bytes += reads * result->bytes[v];
        }
    if (r->network) {
        TRY(nodes_traffic_make(r->network, &result->sharded_traffic, err));
        for (int node = 0; node < r->nodes; node++)
            nodes_network_add(r->network, t, NULL, result->bytes, node, &result->sharded_traffic);
    }
done:
    trace_release(t);
    assignment_release(&a);
    return st;
}

enum st nodes_run(const struct nodes_request *r, struct nodes_result *out, struct err *err)
{
    enum st st = ST_OK;
    OWNED struct server *s = NULL;
    struct assignment a = {0};
    const struct workload joined = workload_joined(r->graph, r->workload);
    struct partition_options how = r->partition, given = r->partition;
    struct partition_report ignored;
    double share[NODES_MAX];
    uint64_t n = r->graph->n, *key = NULL;
    OWNED uint32_t *order = NULL;
    TRY(server_of(r->nodes, r->gpus, &s, err));
    for (int i = 0; i < r->nodes; i++) share[i] = 1;
    NEW(out->part, n, "the parts of nodes");
    how.workload = &joined;
    TRY(find_bytes(r, out, err));
    TRY(partition_graph(graph_connections(r->graph), r->nodes, share, &how, out->part, &out->report, err));
    for (uint64_t v = 0; v < n; v++) {
        out->owned[out->part[v]] += out->bytes[v] > 0;
        out->owned_bytes[out->part[v]] += out->bytes[v];
    }
    given.given = out->part;
    given.kept = true;
    TRY(assign_hierarchical(graph_connections(r->graph), s, &given, &a, &ignored, err));
    TRY(locality_order(r->graph, r->workload, r->threads, &a, err));
    TRY(record(r, &a, r->workload->seed, r->presample_epochs, true, &out->recorded, err));
    TRY(record(r, &a, r->seed, r->epochs, false, &out->held_out, err));
    NEW(key, graph_feature_rows(r->graph), "a ranking");
    NEW(order, n, "a ranking");
    for (int k = 0; k < r->rankings; k++)
        for (int i = 0; i < r->nodes; i++) TRY(rank_node(r, out, k, i, key, order, err));
    for (int i = 0; i < r->nodes; i++) TRY(count_node(r, out, i, err));
    TRY(count_nics(r, out, err));
    TRY(count_sharded(r, s, out, err));
done:
    mem_free(key);
    assignment_release(&a);
    return st;
}
