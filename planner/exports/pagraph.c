/* pagraph - PaGraph's self-reliant partitions of the plan's training vertices (zhiqi-0/PaGraph, partition/dg.py): for
 * each GPU everything that its training vertices reach in as many hops as the plan has, renumbered from 0 in ascending
 * order, with the map back to the graph, the training vertices and the rows to cache as numbers of the partition.
 *
 * The runtime keeps a partition's arcs as a SciPy matrix in a zip archive; the script makes that from two arrays. A
 * GPU reads nothing outside its partition, so rows of the plan that lie outside are left out. */
#include <string.h>

#include "base/mem.h"
#include "planner/exports/export_script.h"
#include "planner/partition/self_reliant.h"

static enum st pagraph_check(const struct export_input *in, struct err *err)
{
    if (workload_edges(&in->plan->workload))
        return err_set(err, ST_NO, "PaGraph trains vertices, but this plan's mini-batches start from edges");
    return export_limits("pagraph", in->graph->n, in->graph->m, INT32_MAX, INT64_MAX, err);
}

/* One partition: its vertices, ascending, and the number of each. */
struct part {
    struct self_reliant reach;
    uint32_t *vertex; /* [reach.vertices] */
    uint32_t *number; /* [n], of members */
    uint8_t *inner;   /* [n] 1: its row belongs to the partition */
};

static void part_release(struct part *p)
{
    self_reliant_release(&p->reach);
    mem_free(p->vertex);
    mem_free(p->number);
    mem_free(p->inner);
}

/* Marks what is less than `hops` hops away from the training vertices: those rows are read. */
static enum st mark_inner(const struct graph *g, const uint32_t *train, uint64_t count, int hops, struct part *p,
                          struct err *err)
{
    uint64_t from = 0, filled = 0;
    OWNED_NEW(uint32_t, queue, g->n, "the queue of a search");
    for (uint64_t i = 0; i < count; i++) {
        queue[filled++] = train[i];
        p->inner[train[i]] = 1;
    }
    for (int h = 0; h + 1 < hops; h++) {
        uint64_t to = filled;
        for (; from < to; from++)
            for (int64_t e = g->indptr[queue[from]]; e < g->indptr[queue[from] + 1]; e++) {
                uint32_t u = g->indices[e];
                if (p->inner[u]) continue;
                p->inner[u] = 1;
                queue[filled++] = u;
            }
    }
    return ST_OK;
}

static enum st part_make(const struct export_input *in, int g, struct part *out, struct err *err)
{
    const struct assignment *a = &in->plan->assignment;
    OWNED_BY(part_release) struct part p = {0};
    int hops = in->plan->workload.hops;
    PASS(self_reliant_make(in->graph, a->train[g], a->train_count[g], hops, &p.reach, err));
    MAKE(p.vertex, p.reach.vertices, "a partition");
    MAKE(p.number, in->graph->n, "numbers of a partition");
    MAKE(p.inner, in->graph->n, "rows of a partition");
    PASS(mark_inner(in->graph, a->train[g], a->train_count[g], hops, &p, err));
    for (uint64_t v = 0, at = 0; v < in->graph->n; v++) {
        if (!p.reach.listed[v]) continue;
        p.number[v] = (uint32_t)at;
        p.vertex[at++] = (uint32_t)v;
    }
    *out = p;
    memset(&p, 0, sizeof p);
    return ST_OK;
}

/* offsets, or neighbours as numbers of the partition, row by row. */
static enum st write_rows(const struct export_input *in, struct export_folder *to, int g, const struct part *p,
                          bool offsets, struct err *err)
{
    OWNED_BY(export_file_cancel) struct export_file f = {0};
    const struct graph *graph = in->graph;
    uint64_t count = offsets ? p->reach.vertices + 1 : p->reach.arcs;
    int64_t sum = 0;
    char name[64];
    snprintf(name, sizeof name, "subadj_%d_%s.npy", g, offsets ? "indptr" : "indices");
    PASS(export_file_npy(to, name, offsets ? "int64: where a vertex's neighbours begin" : "int32: neighbours",
                         offsets ? "i8" : "i4", 1, &count, &f, err));
    if (offsets) PASS(export_file_put(&f, &sum, 8, err));
    for (uint64_t i = 0; i < p->reach.vertices; i++) {
        uint64_t v = p->vertex[i];
        if (p->inner[v]) sum += graph->indptr[v + 1] - graph->indptr[v];
        if (offsets) PASS(export_file_put(&f, &sum, 8, err));
        for (int64_t e = graph->indptr[v]; !offsets && p->inner[v] && e < graph->indptr[v + 1]; e++)
            PASS(export_file_ids(&f, &p->number[graph->indices[e]], 1, 4, err));
    }
    return export_file_end(&f, err);
}

/* ids as numbers of the partition; those outside are left out. */
static enum st write_local(struct export_folder *to, const char *kind, const char *what, int g, const struct part *p,
                           const uint32_t *ids, uint64_t count, uint32_t *room, struct err *err)
{
    uint64_t k = 0;
    char name[64];
    for (uint64_t i = 0; i < count; i++)
        if (p->reach.listed[ids[i]]) room[k++] = p->number[ids[i]];
    snprintf(name, sizeof name, "%s_%d.npy", kind, g);
    return export_ids_npy(to, name, what, room, k, 8, err);
}

static enum st write_part(const struct export_input *in, struct export_folder *to, int g, struct err *err)
{
    OWNED_BY(part_release) struct part p = {0};
    const struct assignment *a = &in->plan->assignment;
    const struct row_list *held = &in->plan->placement.feature[g];
    char name[64];
    OWNED_NEW(uint32_t, room, in->graph->n, "numbers of a partition");
    PASS(part_make(in, g, &p, err));
    snprintf(name, sizeof name, "sub_train2fullid_%d.npy", g);
    PASS(export_ids_npy(to, name, "int64: id in the graph of each vertex of the partition", p.vertex, p.reach.vertices,
                        8, err));
    PASS(write_local(to, "sub_trainid", "int64: training vertices, as numbers of the partition", g, &p, a->train[g],
                     a->train_count[g], room, err));
    PASS(write_local(to, "sub_cacheid", "int64: rows to cache, hottest first, as numbers of the partition", g, &p,
                     held->id, held->count, room, err));
    PASS(write_rows(in, to, g, &p, true, err));
    return write_rows(in, to, g, &p, false, err);
}

static enum st pagraph_write(const struct export_input *in, struct export_folder *to, struct err *err)
{
    const struct plan *p = in->plan;
    OWNED_DOC doc *own = doc_object();
    for (int g = 0; g < p->assignment.gpus; g++) PASS(write_part(in, to, g, err));
    PASS(export_sets_npy(in, to, err));
    DOC_PUT(own, IS("PARTITIONS", p->assignment.gpus), IS("HOPS", p->workload.hops));
    PASS(export_script_write(in, to, "load_pagraph.py", "makes PaGraph's partition folder and fills its cache", own,
                             err));
    export_use(to, EXPORT_CALL,
               "in Python, load_pagraph.pack(DATASET) writes DATASET/%dnaive; in the trainer of GPU k, call "
               "load_pagraph.fill_cache(server, k, fields) in place of server.auto_cache",
               p->assignment.gpus);
    return ST_OK;
}

static enum st runs(const struct export_input *in, struct export_runs *to, struct err *err)
{
    struct export_run *run = NULL;
    const struct plan *p = in->plan;
    PASS(export_lack(to, &run, "reads of peers over NVLink", err, "a GPU reads its own cache or the host."));
    run->simulate = export_run_no_peers(run);
    if (!run->simulate) to->count--;
    PASS(export_lack(to, &run, "topology rows in GPU memory", err,
                     "the CPU samples, and sends GPUs what it drew, 8 bytes per sampled edge."));
    run->simulate = export_run_no_topology(run);
    if (!run->simulate) to->count--;
    if (p->workload.frontier != FRONTIER_LAYERS && p->workload.sampler != SAMPLER_WALK) {
        PASS(export_lack(to, &run, "the frontier rule", err,
                         "PaGraph's NodeFlow expands and reads every layer by itself; plan with --frontier layers."));
        run->simulate = run->draws.layers = to->draws.layers = true;
    }
    PASS(export_lack_types(in, to, "PaGraph", err));
    PASS(export_lack_workload(in, to, "PaGraph", false, err));
    PASS(export_as_run(to, &run, err, "the plan's training vertices and feature rows, each GPU by itself."));
    export_run_no_peers(run);
    export_run_no_topology(run);
    run->placement.access = ACCESS_CPU;
    run->placement.copies_features = true;
    if (in->graph->feature_bytes != 4) run->row_bytes = 4 * in->graph->feature_dim;
    return ST_OK;
}

extern const struct export_target export_target_pagraph;
const struct export_target export_target_pagraph = {.name = "pagraph",
                                                    .summary = "PaGraph's self-reliant partitions with id maps, and "
                                                               "the rows to cache, with a loader script",
                                                    .source = "zhiqi-0/PaGraph 6be6211",
                                                    .build = "PaGraph 6be6211, with numpy and scipy",
                                                    .one_type = "keeps one kind of vertices per partition",
                                                    .made.why = "it has a partition of its own for each GPU; take "
                                                                "--policy pagraph",
                                                    .check = pagraph_check,
                                                    .write = pagraph_write,
                                                    .runs = runs};
