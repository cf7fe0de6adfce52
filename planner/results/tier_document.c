#include "planner/results/tier_document.h"

#include <math.h>
#include <stdio.h>

#include "base/doc_seal.h"
#include "base/mem.h"
#include "planner/places/nodes_network_document.h"
#include "planner/results/nodes_plan.h"

static double per_gpu(const struct memories *m, double seconds)
{
    return seconds / (m->request.nodes * m->request.server->gpus);
}

static doc *clique_gpus(const struct server *s, int clique)
{
    doc *list = doc_array();
    for (int i = 0; i < s->clique_size[clique]; i++) doc_append(list, doc_integer(s->gpu[s->clique[clique][i]].id));
    return list;
}

/* Places of the problem, and behind them the SSDs of all nodes. */
static int places_of(const struct memories *m)
{
    return place_count(&m->machine.shape) + (m->request.drives.count > 0);
}

static struct place place_at(const struct memories *m, const struct place_problem *p, int k)
{
    if (k == place_count(p)) {
        struct place x = {.kind = PLACE_KIND_SSD, .node = -1, .clique = -1, .socket = -1, .capacity = UINT64_MAX};
        snprintf(x.name, sizeof x.name, "SSDs%s", m->request.nodes > 1 ? " of each node" : "");
        return x;
    }
    struct place x = place_machine_place(&m->request, &m->machine, k);
    x.capacity = p->capacity[k];
    return x;
}

static doc *places_document(const struct memories *m, const struct place_problem *p)
{
    doc *list = doc_array();
    for (int k = 0; k < places_of(m); k++) {
        struct place x = place_at(m, p, k);
        doc *d = doc_object();
        doc_put(d, "name", doc_text(x.name));
        doc_put(d, "kind", doc_text(place_kind_name(x.kind)));
        doc_put(d, "node", doc_index(x.node));
        if (x.kind == PLACE_KIND_GPUS) doc_put(d, "gpus", clique_gpus(m->request.server, x.clique));
        if (x.kind == PLACE_KIND_DRAM) doc_put(d, "socket", doc_index(x.socket));
        doc_put(d, "capacity_bytes", x.capacity == UINT64_MAX ? doc_null() : doc_unsigned(x.capacity));
        doc_append(list, d);
    }
    return list;
}

/* Seconds of a read from each place. */
static doc *costs_document(const struct memories *m, int node, int reader, int kind)
{
    const struct place_problem *p = &m->machine.shape;
    const int each = p->cliques + p->sockets;
    doc *list = doc_array();
    for (int k = 0; k < places_of(m); k++) {
        double c = INFINITY;
        if (k == place_count(p)) c = p->last[kind][reader];
        else if (place_is_dram(p, k))
            c = k / each == node ? p->dram[kind][reader][k % each - p->cliques] : p->remote[kind][reader];
        else if (k / each == node && k % each == p->clique_of[reader]) c = p->gpus[kind][reader];
        doc_append(list, doc_real(c));
    }
    return list;
}

static doc *readers_document(const struct memories *m)
{
    doc *list = doc_array();
    const int readers = m->machine.shape.readers;
    for (int i = 0; i < m->request.nodes * readers; i++) {
        const struct place_reader *r = &m->machine.reader[i % readers];
        doc *d = doc_object(), *gpus = doc_array();
        for (int k = 0; k < r->gpus; k++) doc_append(gpus, doc_integer(m->request.server->gpu[r->gpu[k]].id));
        doc_put(d, "node", doc_integer(i / readers));
        doc_put(d, "gpus", gpus);
        doc_put(d, "socket", doc_index(r->socket));
        doc *sizes = doc_array();
        for (int k = PLACE_FEATURE; k < m->request.kinds; k++)
            doc_append(sizes, costs_document(m, i / readers, i % readers, k));
        doc_put(d, "feature_row_seconds", graph_plain(m->graph) ? doc_copy(doc_at(sizes, 0)) : doc_copy(sizes));
        doc_free(sizes);
        doc_put(d, "topology_line_seconds", costs_document(m, i / readers, i % readers, PLACE_TOPOLOGY));
        doc_append(list, d);
    }
    return list;
}

/* Rows that the place holds: of SSDs, which have all rows, those that no DRAM holds. */
static void put_held(const struct memories *m, const struct place_solution *s, int k, doc *d)
{
    const struct place_problem *p = &m->machine.shape;
    const uint64_t lists = graph_topology_rows(m->graph);
    uint64_t rows[PLACE_FEATURE + 1] = {0}, used = 0;
    for (uint64_t i = 0; i < m->rows; i++) {
        bool there = k < place_count(p) ? place_holds(place_set_of(s, i), k) : m->bytes[i] > 0;
        for (int j = 0; k == place_count(p) && j < k; j++)
            there &= !(place_is_dram(p, j) && place_holds(place_set_of(s, i), j));
        rows[i < lists ? PLACE_TOPOLOGY : PLACE_FEATURE] += there;
        used += there ? m->bytes[i] : 0;
    }
    doc_put(d, "used_bytes", doc_unsigned(used));
    doc_put(d, "feature_rows", doc_unsigned(rows[PLACE_FEATURE]));
    doc_put(d, "topology_rows", doc_unsigned(rows[PLACE_TOPOLOGY]));
}

static doc *way_document(const struct memories *m, const struct tier_counts *c, enum memories_way way)
{
    doc *d = doc_object(), *places = doc_array();
    for (int k = 0; k < places_of(m); k++) {
        const struct tier_served *served = &c->served[way][k];
        doc *p = doc_object();
        put_held(m, &m->way[way], k, p);
        doc_put(p, "feature_reads", doc_real(served->features));
        doc_put(p, "topology_lines", doc_real(served->lines));
        doc_put(p, "seconds", doc_real(per_gpu(m, served->seconds)));
        doc_append(places, p);
    }
    doc_put(d, "way", doc_text(memories_way_name(way)));
    doc_put(d, "predicted_seconds", doc_real(per_gpu(m, m->seconds[way])));
    doc_put(d, "simulated_seconds", doc_real(per_gpu(m, c->seconds[way])));
    doc_put(d, "prediction_error", doc_real(m->seconds[way] / c->seconds[way] - 1));
    doc_put(d, "places", places);
    return d;
}

/* Bytes of a feature row; of several types of each size. */
static doc *rows_document(const struct memories *m)
{
    if (graph_plain(m->graph)) return doc_unsigned(m->graph->row_bytes);
    doc *list = doc_array();
    for (int k = PLACE_FEATURE; k < m->request.kinds; k++) doc_append(list, doc_unsigned(m->request.read_bytes[k]));
    return list;
}

doc *tier_document(const struct study_nodes *x, const struct study_cell *cell, const struct memories *m,
                   const struct tier_counts *c)
{
    struct err lacking = {0};
    ON_HEAP_OR(struct place_problem, p, &lacking, doc_null());
    doc *d = doc_object(), *workload = doc_object(), *parts = doc_object(), *ways = doc_array();
    const struct memories_request *r = &m->request;
    const struct partition_report *split = x->nodes > 1 ? &x->parts : &cell->recording->partition;
    memories_problem(m, true, m->all, p);
    workload_put(m->graph, &cell->plan.workload, workload);
    doc_put(parts, "method", doc_text(split->method));
    doc_put(parts, "cut_share", m->graph->m ? doc_real((double)split->cut / (double)m->graph->m) : doc_null());
    for (int i = 0; i < MEMORIES_WAYS; i++) doc_append(ways, way_document(m, c, (enum memories_way)i));
    doc_put(d, "schema", doc_text("tiers/1"));
    doc_put(d, "server", doc_text(r->server->name));
    doc_put(d, "cluster", r->network ? nodes_network_document(r->network) : doc_null());
    doc_put(d, "nic_gbps", r->nic_gbps > 0 ? doc_real(r->nic_gbps) : doc_null());
    doc_put(d, "graph", graph_document(m->graph));
    doc_put(d, "nodes", doc_integer(r->nodes));
    doc_put(d, "row_bytes", rows_document(m));
    doc_put(d, "line_bytes", doc_unsigned(r->read_bytes[PLACE_TOPOLOGY]));
    doc_put(d, "workload", workload);
    doc_put(d, "partition", parts);
    doc_put(d, "ssd", r->drives.count ? drives_document(&r->drives) : doc_null());
    doc_put(d, "places", places_document(m, p));
    doc_put(d, "readers", readers_document(m));
    doc_put(d, "ways", ways);
    doc_put(d, "bound_seconds", doc_real(per_gpu(m, m->bound)));
    doc_put(d, "above_bound", doc_real(m->seconds[MEMORIES_ONE] / m->bound - 1));
    doc_put(d, "epochs", doc_unsigned(c->epochs));
    doc_put(d, "seed", doc_unsigned(c->seed));
    return d;
}

/* ---- files ---- */

enum st tier_save(const struct study_nodes *x, const struct study_cell *cell, const char *path, const doc *d,
                  struct err *err)
{
    enum st st;
    ON_HEAP(struct output, o);
    char file[PATH_BYTES];
    doc *sealed = doc_copy(d);
    TRY(output_directory(o, path, err));
    TRY(nodes_plan_save_parts(x, cell, o, err));
    TRY(output_path(o, "tiers.json", file, err));
    TRY(doc_save_sealed(sealed, file, err));
    TRY(output_commit(o, err));
done:
    doc_free(sealed);
    output_abort(o);
    return st;
}
