#include "planner/tiers/tier_document.h"

#include <math.h>
#include <stdio.h>

#include "base/doc_seal.h"
#include "base/id_file.h"
#include "base/mem.h"
#include "planner/nodes/nodes_network_document.h"
#include "planner/tiers/tier_node_plan.h"

static doc *real(double v) { return isfinite(v) ? doc_real(v) : doc_null(); }
static doc *whole(uint64_t v) { return doc_integer((int64_t)v); }
static doc *number(int v) { return v < 0 ? doc_null() : doc_integer(v); }

static double per_gpu(const struct tier_work *w, double seconds)
{
    return seconds / (w->request.nodes * w->request.server->gpus);
}

static doc *clique_gpus(const struct server *s, int clique)
{
    doc *list = doc_array();
    for (int i = 0; i < s->clique_size[clique]; i++) doc_append(list, doc_integer(s->gpu[s->clique[clique][i]].id));
    return list;
}

static doc *places_document(const struct tier_work *w, const struct tier_machine *m)
{
    static const char *const kinds[] = {"gpus", "dram", "ssd"};
    doc *list = doc_array();
    for (int k = 0; k < m->places; k++) {
        const struct tier_place *p = &m->place[k];
        doc *d = doc_object();
        doc_put(d, "name", doc_text(p->name));
        doc_put(d, "kind", doc_text(kinds[p->kind]));
        doc_put(d, "node", number(p->node));
        if (p->kind == TIER_GPUS) doc_put(d, "gpus", clique_gpus(w->request.server, p->clique));
        if (p->kind == TIER_DRAM) doc_put(d, "socket", number(p->socket));
        doc_put(d, "capacity_bytes", p->capacity == UINT64_MAX ? doc_null() : whole(p->capacity));
        doc_append(list, d);
    }
    return list;
}

static doc *costs_document(const struct tier_machine *m, enum tier_row row, int reader)
{
    doc *list = doc_array();
    for (int k = 0; k < m->places; k++) doc_append(list, real(m->cost[row][reader][k]));
    return list;
}

static doc *readers_document(const struct tier_work *w, const struct tier_machine *m)
{
    doc *list = doc_array();
    for (int i = 0; i < m->readers; i++) {
        const struct tier_reader *r = &m->reader[i];
        doc *d = doc_object(), *gpus = doc_array();
        for (int k = 0; k < r->gpus; k++) doc_append(gpus, doc_integer(w->request.server->gpu[r->gpu[k]].id));
        doc_put(d, "node", number(r->node));
        doc_put(d, "gpus", gpus);
        doc_put(d, "socket", number(r->socket));
        doc_put(d, "feature_row_seconds", costs_document(m, TIER_FEATURE, i));
        doc_put(d, "topology_line_seconds", costs_document(m, TIER_TOPOLOGY, i));
        doc_append(list, d);
    }
    return list;
}

/* Rows that the place holds: of SSDs, which have all rows, those that no DRAM holds. */
static void put_held(const struct tier_work *w, const struct tier_result *x, const struct place_solution *s, int k,
                     doc *d)
{
    uint64_t n = w->graph->n, rows[TIER_ROWS] = {0}, used = 0;
    place_set dram = tier_places_of(&x->machine, TIER_DRAM);
    bool ssd = x->machine.place[k].kind == TIER_SSD;
    for (uint64_t i = 0; i < 2 * n; i++) {
        if (ssd ? s->held[i] & dram : !(s->held[i] >> k & 1)) continue;
        rows[i < n ? TIER_TOPOLOGY : TIER_FEATURE]++;
        used += x->bytes[i];
    }
    doc_put(d, "used_bytes", whole(used));
    doc_put(d, "feature_rows", whole(rows[TIER_FEATURE]));
    doc_put(d, "topology_rows", whole(rows[TIER_TOPOLOGY]));
}

static doc *way_document(const struct tier_work *w, const struct tier_result *x, enum tier_way way)
{
    const struct place_solution *s = &x->way[way];
    doc *d = doc_object(), *places = doc_array();
    for (int k = 0; k < x->machine.places; k++) {
        const struct tier_served *served = &x->served[way][k];
        doc *p = doc_object();
        put_held(w, x, s, k, p);
        doc_put(p, "feature_reads", real(served->features));
        doc_put(p, "topology_lines", real(served->lines));
        doc_put(p, "seconds", real(per_gpu(w, served->seconds)));
        doc_append(places, p);
    }
    doc_put(d, "way", doc_text(tier_way_name(way)));
    doc_put(d, "predicted_seconds", real(per_gpu(w, x->predicted[way])));
    doc_put(d, "simulated_seconds", real(per_gpu(w, x->simulated[way])));
    doc_put(d, "prediction_error", real(x->predicted[way] / x->simulated[way] - 1));
    doc_put(d, "places", places);
    return d;
}

doc *tier_document(const struct tier_work *w, const struct tier_result *x)
{
    doc *d = doc_object(), *workload = doc_object(), *parts = doc_object(), *ways = doc_array();
    const struct tier_request *r = &w->request;
    workload_put(NULL, w->workload, workload);
    doc_put(parts, "method", doc_text(x->report.method));
    doc_put(parts, "cut_share", w->graph->m ? doc_real((double)x->report.cut / (double)w->graph->m) : doc_null());
    for (int i = 0; i < TIER_WAYS; i++) doc_append(ways, way_document(w, x, (enum tier_way)i));
    doc_put(d, "schema", doc_text("tiers/1"));
    doc_put(d, "server", doc_text(r->server->name));
    doc_put(d, "cluster", r->network ? nodes_network_document(r->network) : doc_null());
    doc_put(d, "nic_gbps", r->nic_gbps > 0 ? doc_real(r->nic_gbps) : doc_null());
    doc_put(d, "graph", graph_document(w->graph));
    doc_put(d, "nodes", doc_integer(r->nodes));
    doc_put(d, "row_bytes", whole(r->row_bytes));
    doc_put(d, "line_bytes", whole(r->line_bytes));
    doc_put(d, "workload", workload);
    doc_put(d, "partition", parts);
    doc_put(d, "ssd", r->drives.count ? drives_document(&r->drives) : doc_null());
    doc_put(d, "places", places_document(w, &x->machine));
    doc_put(d, "readers", readers_document(w, &x->machine));
    doc_put(d, "ways", ways);
    doc_put(d, "bound_seconds", real(per_gpu(w, x->prices.value > 0 ? x->prices.value : 0)));
    doc_put(d, "above_bound", real(x->predicted[TIERS_ONE] / x->prices.value - 1));
    doc_put(d, "epochs", whole(w->epochs));
    doc_put(d, "seed", whole(w->seed));
    return d;
}

/* ---- files ---- */

static enum st save_rows(const struct tier_result *x, const struct output *o, int k, enum tier_row row, uint64_t n,
                         uint32_t *ids, doc *files, struct err *err)
{
    const struct tier_place *p = &x->machine.place[k];
    const char *kind = row == TIER_FEATURE ? "feature" : "topology";
    const place_set *held = x->way[TIERS_ONE].held + (row == TIER_FEATURE ? n : 0);
    uint64_t count = 0;
    char name[64];
    for (uint64_t v = 0; v < n; v++)
        if (held[v] >> k & 1) ids[count++] = (uint32_t)v;
    if (p->socket < 0) snprintf(name, sizeof name, "node%d_%s.npy", p->node, kind);
    else snprintf(name, sizeof name, "node%d_socket%d_%s.npy", p->node, p->socket, kind);
    return id_file_save(o, name, ids, count, files, err);
}

static enum st save_plan(const struct tier_work *w, const struct tier_result *x, int node, const struct output *o,
                         struct err *err)
{
    char name[32], path[PATH_BYTES];
    snprintf(name, sizeof name, "node%d", node);
    enum st st = output_path(o, name, path, err);
    return st == ST_OK ? tier_node_plan_save(w, x, node, path, err) : st;
}

enum st tier_save(const struct tier_work *w, const struct tier_result *x, const char *path, doc *d, struct err *err)
{
    enum st st;
    struct output o = {0};
    char file[PATH_BYTES];
    uint32_t *ids = NULL;
    doc *files = doc_array();
    doc_put(d, "files", files);
    TRY(output_directory(&o, path, "tiers.json", err));
    NEW(ids, w->graph->n + 1, "the rows of a place");
    for (int i = 0; i < w->request.nodes; i++) TRY(save_plan(w, x, i, &o, err));
    for (int k = 0; k < x->machine.places; k++) {
        if (x->machine.place[k].kind != TIER_DRAM) continue;
        TRY(save_rows(x, &o, k, TIER_TOPOLOGY, w->graph->n, ids, files, err));
        TRY(save_rows(x, &o, k, TIER_FEATURE, w->graph->n, ids, files, err));
    }
    TRY(output_path(&o, "tiers.json", file, err));
    TRY(doc_save_sealed(d, file, err));
    TRY(output_commit(&o, err));
done:
    mem_free(ids);
    output_abort(&o);
    return st;
}
