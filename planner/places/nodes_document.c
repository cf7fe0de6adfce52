#include "planner/places/nodes_document.h"

#include <math.h>
#include <string.h>

#include "base/doc_seal.h"
#include "base/id_file.h"
#include "base/mem.h"
#include "base/table.h"
#include "base/terminal.h"
#include "base/units.h"
#include "planner/places/nodes_network_document.h"
#include "traces/graph/graph_union.h"

static doc *mean(uint64_t sum, uint64_t epochs) { return doc_unsigned((sum + epochs / 2) / epochs); }

static uint64_t sum_of(const uint64_t *v, int count)
{
    uint64_t s = 0;
    for (int i = 0; i < count; i++) s += v[i];
    return s;
}

/* The members that a way of laying rows out has. remote, gathered: [nodes] over all epochs; traffic: with a network. */
static void put_traffic(doc *d, const struct nodes_request *r, const struct nodes_reads *remote,
                        const uint64_t *gathered, const struct nodes_traffic *traffic, double nic_gbps)
{
    struct nodes_reads all = {0, 0};
    uint64_t most = 0;
    for (int i = 0; i < r->nodes; i++) {
        all.rows += remote[i].rows;
        all.bytes += remote[i].bytes;
        most = remote[i].bytes > most ? remote[i].bytes : most;
    }
    const double busiest = (double)most / (double)r->epochs,
                 row_bytes = graph_plain(r->graph) ? (double)r->graph->row_bytes
                                                   : (double)all.bytes / (double)(all.rows ? all.rows : 1);
    doc *network = r->network ? nodes_traffic_document(r->network, traffic, row_bytes, r->epochs) : NULL;
    doc_put(d, "remote_rows", mean(all.rows, r->epochs));
    doc_put(d, "of_gathered", doc_real((double)all.rows / (double)sum_of(gathered, r->nodes)));
    doc_put(d, "remote_bytes", doc_real((double)all.bytes / (double)r->epochs));
    doc_put(d, "busiest_bytes", doc_real(busiest));
    if (network) doc_put(d, "seconds", doc_copy(doc_get(network, "seconds")));
    else doc_put(d, "seconds", nic_gbps > 0 ? doc_real(busiest / (nic_gbps * 1e9)) : doc_null());
    if (network) doc_put(d, "network", network);
}

/* The systems that rank so. */
static const char *policy_of(const char *ranking)
{
    static const char *const known[][2] = {{"vip", "salient++"}, {"calibrated", "hotset"}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (!strcmp(known[i][0], ranking)) return known[i][1];
    return NULL;
}

/* Copies of the node that has most of them with that alpha. Of one type: what alpha says, also where less is remote. */
static void put_copies(doc *d, const struct nodes_request *r, const struct nodes_result *result, int k, double alpha)
{
    const uint64_t rows = nodes_copies(r, alpha);
    struct nodes_reads most = {rows, rows * r->graph->row_bytes};
    for (int i = 0; i < r->nodes && !graph_plain(r->graph); i++) {
        const struct nodes_reads one = nodes_copied(r, result, k, i, alpha);
        if (!i || one.bytes > most.bytes) most = one;
    }
    doc_put(d, "copies", doc_unsigned(most.rows));
    doc_put(d, "copy_bytes", doc_unsigned(most.bytes));
}

doc *nodes_document(const struct nodes_request *r, const struct nodes_result *result, double nic_gbps)
{
    doc *d = doc_object(), *w = doc_object(), *p = doc_object(), *owned = doc_array(), *list = doc_array();
    doc *sharded = doc_object();
    const struct graph *g = r->graph;
    doc_put(d, "schema", doc_text("nodes/1"));
    doc_put(d, "graph", graph_document(g));
    doc_put(d, "nodes", doc_integer(r->nodes));
    doc_put(d, "gpus_per_node", doc_integer(r->gpus));
    workload_put(g, r->workload, w);
    doc_put(d, "workload", w);
    doc_put(p, "method", doc_text(result->report.method));
    doc_put(p, "cut_share", g->m ? doc_real((double)result->report.cut / (double)g->m) : doc_null());
    doc_put(d, "partition", p);
    doc_put(d, "row_bytes", graph_plain(g) ? doc_unsigned(g->row_bytes) : doc_null());
    doc_put(d, "topology_bytes", doc_unsigned(nodes_topology_bytes(g)));
    for (int i = 0; i < r->nodes; i++) doc_append(owned, doc_unsigned(result->owned[i]));
    doc_put(d, "owned", owned);
    doc_put(d, "epochs", doc_unsigned(r->epochs));
    doc_put(d, "seed", doc_unsigned(r->seed));
    doc_put(d, "gathered_rows", mean(sum_of(result->gathered, r->nodes), r->epochs));
    for (int k = 0; k < r->rankings; k++) {
        doc *row = doc_object(), *points = doc_array();
        doc_put(row, "ranking", doc_text(r->ranking[k]));
        doc_put(row, "policy", doc_text(policy_of(r->ranking[k])));
        for (int i = 0; i < r->alphas; i++) {
            doc *point = doc_object();
            doc_put(point, "alpha", doc_real(r->alpha[i]));
            put_copies(point, r, result, k, r->alpha[i]);
            put_traffic(point, r, result->remote[k][i], result->gathered, &result->traffic[k][i], nic_gbps);
            doc_append(points, point);
        }
        doc_put(row, "points", points);
        doc_append(list, row);
    }
    doc_put(d, "rankings", list);
    put_traffic(sharded, r, result->sharded, result->sharded_gathered, &result->sharded_traffic, nic_gbps);
    doc_put(d, "sharded", sharded);
    doc_put(d, "nic_gbps", nic_gbps > 0 ? doc_real(nic_gbps) : doc_null());
    if (r->network) doc_put(d, "cluster", nodes_network_document(r->network));
    return d;
}

/* ---- files ---- */

static enum st save_ids(const struct output *o, int node, const char *what, const uint32_t *ids, uint64_t count,
                        doc *files, struct err *err)
{
    char name[64];
    snprintf(name, sizeof name, "node%d_%s.npy", node, what);
    return id_file_save(o, name, ids, count, files, err);
}

static enum st save_node(const struct nodes_request *r, const struct nodes_result *result, int node,
                         const struct output *o, uint32_t *ids, doc *files, struct err *err)
{
    const struct graph *all = graph_connections(r->graph);
    uint64_t count = 0;
    for (uint64_t v = 0; v < all->n; v++)
        if (result->part[v] == node && result->bytes[v]) ids[count++] = (uint32_t)v;
    PASS(save_ids(o, node, "owned", ids, count, files, err));
    count = 0;
    for (uint64_t t = 0; t < all->train_count; t++)
        if (result->part[all->train[t]] == node) ids[count++] = all->train[t];
    PASS(save_ids(o, node, "train", ids, count, files, err));
    return save_ids(o, node, "copies", result->order[0][node], result->ordered[0][node], files, err);
}

enum st nodes_save(const struct nodes_request *r, const struct nodes_result *result, const char *path, doc *d,
                   struct err *err)
{
    OWNED_BY(output_abort) struct output o = {0};
    char file[PATH_BYTES];
    doc *files = doc_array();
    doc_put(d, "files", files);
    OWNED_NEW(uint32_t, ids, r->graph->n, "the rows of a node");
    PASS(output_directory(&o, path, err));
    for (int i = 0; i < r->nodes; i++) PASS(save_node(r, result, i, &o, ids, files, err));
    PASS(output_path(&o, "nodes.json", file, err));
    PASS(doc_save_sealed(d, file, err));
    return output_commit(&o, err);
}

/* ---- for people ---- */

/* Remote rows of a point, and their share of what is gathered; of several types their bytes. */
static void add_rows(struct table *t, const doc *d, bool types)
{
    char text[UNIT_TEXT];
    if (types) table_add_bytes(t, doc_number(d, "remote_bytes"));
    else
        table_add(t, "%s (%.1f %%)", units_count(text, (uint64_t)doc_integer_value(doc_get(d, "remote_rows"), 0)),
                  100 * doc_number(d, "of_gathered"));
}

static const doc *point_of(const doc *list, uint64_t ranking, uint64_t alpha)
{
    return doc_at(doc_get(doc_at(list, ranking), "points"), alpha);
}

/* A line per alpha, a column per ranking; bytes and time are those of the first ranking. */
static void points_print(const doc *list, bool types, FILE *to)
{
    const char *headers[NODES_RANKINGS + 5] = {"alpha", ">memory per node"};
    char name[NODES_RANKINGS][80];
    uint64_t rankings = doc_size(list), alphas = doc_size(doc_get(doc_at(list, 0), "points"));
    for (uint64_t k = 0; k < rankings; k++) {
        const char *policy = doc_text_value(doc_get(doc_at(list, k), "policy"), NULL);
        const char *ranking = doc_text_value(doc_get(doc_at(list, k), "ranking"), "?");
        if (policy) snprintf(name[k], sizeof name[k], ">%s (%s)", ranking, policy);
        else snprintf(name[k], sizeof name[k], ">%s", ranking);
        headers[2 + k] = name[k];
    }
    headers[2 + rankings] = ">busiest node";
    headers[3 + rankings] = ">network time";
    struct table *t = table_new(headers);
    for (uint64_t i = 0; i < alphas; i++) {
        table_add(t, "%g", doc_number(point_of(list, 0, i), "alpha"));
        table_add_bytes(t, doc_number(point_of(list, 0, i), "copy_bytes"));
        for (uint64_t k = 0; k < rankings; k++) add_rows(t, point_of(list, k, i), types);
        table_add_bytes(t, doc_number(point_of(list, 0, i), "busiest_bytes"));
        table_add_seconds(t, doc_number(point_of(list, 0, i), "seconds"));
    }
    table_show(t, to);
}

void nodes_print(const doc *d, FILE *to)
{
    const doc *sharded = doc_get(d, "sharded");
    const bool types = !doc_is_integer(doc_get(d, "row_bytes"));
    char rows[UNIT_TEXT], bytes[UNIT_TEXT];
    terminal_print(to,
                   "%lld nodes, parts by %s (%.1f %% of the arcs cut); every node holds the topology%s, %s; %s rows "
                   "gathered per epoch\n\n%s per epoch, by what copies are ranked by:\n",
                   (long long)doc_integer_value(doc_get(d, "nodes"), 0),
                   doc_text_value(doc_get(doc_get(d, "partition"), "method"), "?"),
                   100 * doc_number(doc_get(d, "partition"), "cut_share"), types ? " and what edges have" : "",
                   units_bytes(bytes, (uint64_t)doc_integer_value(doc_get(d, "topology_bytes"), 0)),
                   units_count(rows, (uint64_t)doc_integer_value(doc_get(d, "gathered_rows"), 0)),
                   types ? "bytes of remote rows" : "remote rows");
    points_print(doc_get(d, "rankings"), types, to);
    terminal_print(to,
                   "striped rows, training vertices at random (wholegraph): %s remote rows (%.1f %%), %s\n"
                   "alpha: %s that a node copies, in parts of %s / nodes; 0 is a partition without copies "
                   "(distdgl)\n%sbusiest node, network time: with the first ranking; all held out\n",
                   units_count(rows, (uint64_t)doc_integer_value(doc_get(sharded, "remote_rows"), 0)),
                   100 * doc_number(sharded, "of_gathered"),
                   units_bytes(bytes, (uint64_t)doc_number(sharded, "remote_bytes")), types ? "bytes" : "rows",
                   types ? "all features" : "vertices", types ? "" : "in brackets: of the rows gathered; ");
    if (!doc_is_object(doc_get(d, "cluster"))) return;
    nodes_network_print(doc_get(d, "cluster"), to);
    nodes_traffic_print(doc_get(doc_at(doc_get(d, "rankings"), 0), "points"), to);
}
