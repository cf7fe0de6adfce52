/* plan_save.c - writes plan directories (declared in plan.h). */
#include <string.h>

#include "base/doc_seal.h"
#include "simulator/caches/cache.h"
#include "simulator/plan/plan_lists.h"

extern const char hotset_version[];

static void put_reach(const struct plan *p, int g, doc *gpu)
{
    const struct placement *placement = &p->placement;
    doc *peers = doc_array(), *links = doc_array();
    for (int i = 0; i < placement->peers[g]; i++) {
        doc_append(peers, doc_integer(p->assignment.id[placement->peer[g][i]]));
        doc_append(links, doc_integer(p->links[g][placement->peer[g][i]]));
    }
    DOC_PUT(gpu, IS("peers", peers), IS("peer_links", links),
            IS("switch", p->pcie_switch[g] < 0 ? doc_null() : doc_integer(p->pcie_switch[g])),
            IS("socket", p->socket[g] < 0 ? doc_null() : doc_integer(p->socket[g])));
}

static void put_access(const struct placement *placement, doc *d)
{
    if (placement->pushes) doc_put(d, "sampling_exchange", doc_text("push"));
    if (placement->copies_features) doc_put(d, "feature_access", doc_text("copy"));
}

static enum st save_gpu(const struct plan *p, const struct graph *graph, int g, const struct output *o, doc *gpus,
                        doc *files, struct err *err)
{
    const struct placement *placement = &p->placement;
    doc *d = doc_object();
    doc_append(gpus, d);
    DOC_PUT(d, IS("id", p->assignment.id[g]), IS("clique", p->assignment.clique_of[g]),
            IS("budget_bytes", p->budget[g]));
    if (graph_plain(graph)) doc_put(d, "index_bytes", doc_integer((int64_t)p->index_bytes[g]));
    else
        doc_put(d, "held_bytes",
                doc_integer((int64_t)(placement_topology_bytes(placement, g, graph) +
                                      placement_feature_bytes(placement, g, graph))));
    put_reach(p, g, d);
    return plan_lists_save(p, graph, g, o, d, files, err);
}

/* {cache, rows, gpu_rows, share, admission}; rows is the sum over GPUs. */
static doc *dynamic_part(const struct plan *p)
{
    doc *d = doc_object(), *each = doc_array();
    uint64_t sum = 0;
    for (int g = 0; g < p->assignment.gpus; g++) {
        doc_append(each, doc_integer((int64_t)p->cache_rows[g]));
        sum += p->cache_rows[g];
    }
    DOC_PUT(d, IS("cache", p->cache), IS("rows", sum), IS("gpu_rows", each), IS("share", "gpu"),
            IS("admission", admission_name(ADMISSION_BATCH)));
    return d;
}

static doc *server_document(const struct plan *p)
{
    doc *d = DOC(IS("name", p->server_name), IS("fingerprint", p->server_fingerprint), IS("cls", p->line_bytes));
    if (p->server) doc_put(d, "document", doc_copy(p->server));
    return d;
}

static void put_assignment(const struct plan *p, doc *d)
{
    doc_put(d, "assignment", doc_text(assignment_name(p->assignment.kind)));
    if (p->assignment.uneven) doc_put(d, "uneven", doc_bool(true));
    doc_put(d, "partition", doc_text(*p->assignment.partition ? p->assignment.partition : NULL));
}

/* What stands before the GPUs. Schemas plan/1 and plan/2 have the same members in an order of their own, which equal
 * bytes depend on. */
static doc *head_document(const struct plan *p, const struct graph *graph)
{
    const bool plain = graph_plain(graph);
    doc *d = doc_object(), *of = graph_document(graph), *workload = doc_object();
    doc *cached = plan_cached_document(graph); /* of several types */
    doc_put(of, "path", doc_text(graph->path));
    workload_put(graph, &p->workload, workload);
    DOC_PUT(d, IS("schema", plan_schema(graph)), IS("policy", p->policy));
    if (!plain) doc_put(d, "hotness", doc_text(p->hotness));
    DOC_PUT(d, IS("hotset_version", hotset_version), IS("server", server_document(p)), IS("graph", of),
            IS("workload", workload));
    if (plain) {
        put_assignment(p, d);
        doc_put(d, "hotness", doc_text(p->hotness));
        if (p->presample_epochs) doc_put(d, "presample_epochs", doc_integer((int64_t)p->presample_epochs));
    }
    if (plain || p->placement.access != ACCESS_GPU)
        doc_put(d, "topology_access", doc_text(topology_access_name(p->placement.access)));
    if (plain && graph->cached != PRECISION_HOST)
        DOC_PUT(d, IS("cache_type", precision_name(graph->cached)), IS("cached_row_bytes", graph_cached_bytes(graph)));
    put_access(&p->placement, d);
    if (p->cpu_share > 0) doc_put(d, "cpu_share", doc_real(p->cpu_share));
    if (*p->cache) doc_put(d, "dynamic", dynamic_part(p));
    if (!plain) {
        put_assignment(p, d);
        if (p->presample_epochs) doc_put(d, "presample_epochs", doc_integer((int64_t)p->presample_epochs));
    }
    if (cached) doc_put(d, "cache_types", cached);
    for (const char *key = doc_next_key(p->notes, NULL); key; key = doc_next_key(p->notes, key))
        if (!doc_get(d, key)) doc_put(d, key, doc_copy(doc_get(p->notes, key)));
    return d;
}

enum st plan_save(const struct plan *p, const struct graph *graph, const char *path, const doc *simulated,
                  const doc *stamp, struct err *err)
{
    OWNED_BY(output_abort) struct output o = {0};
    char file[PATH_BYTES];
    doc *gpus = doc_array(), *files = doc_array();
    OWNED_DOC doc *d = head_document(p, graph);
    DOC_PUT(d, IS("cliques", plan_cliques_document(p, graph)), IS("gpus", gpus));
    if (p->places) doc_put(d, "memories", plan_places_document(p->places, p->assignment.gpus, p->assignment.id, graph));
    DOC_PUT(d, IS("predicted", plan_predicted_document(p, graph)), IS("simulated", doc_copy(simulated)));
    if (!graph_plain(graph) || p->baselines_known) doc_put(d, "baselines", plan_baselines_document(p));
    DOC_PUT(d, IS("bound", plan_bound_document(&p->bound)), IS("files", files));
    if (stamp) doc_put(d, "stamp", doc_copy(stamp));
    PASS(output_directory(&o, path, err));
    for (int g = 0; g < p->assignment.gpus; g++) PASS(save_gpu(p, graph, g, &o, gpus, files, err));
    if (p->places) PASS(plan_places_save(p->places, graph, &o, files, err));
    PASS(output_path(&o, "plan.json", file, err));
    PASS(doc_save_sealed(d, file, err));
    return output_commit(&o, err);
}
