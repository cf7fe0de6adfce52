#include "planner/exports/export_clique.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"

uint64_t export_clique_order(const struct assignment *a, const struct row_list *lists, int clique, uint64_t n,
                             uint32_t *order, uint32_t *inverse)
{
    uint64_t held = 0, at;
    memset(inverse, 0xff, n * sizeof *inverse);
    for (int g = 0; g < a->gpus; g++) {
        if (a->clique_of[g] != clique) continue;
        for (uint64_t i = 0; i < lists[g].count; i++) {
            inverse[lists[g].id[i]] = (uint32_t)held;
            order[held++] = lists[g].id[i];
        }
    }
    at = held;
    for (uint64_t v = 0; v < n; v++)
        if (inverse[v] == UINT32_MAX) {
            inverse[v] = (uint32_t)at;
            order[at++] = (uint32_t)v;
        }
    return held;
}

void export_cliques_text(const struct assignment *a, char *out, size_t size)
{
    *out = 0;
    text_append(out, size, "[");
    for (int c = 0; c < a->cliques; c++) {
        bool first = true;
        text_append(out, size, "%s[", c ? ", " : "");
        for (int g = 0; g < a->gpus; g++) {
            if (a->clique_of[g] != c) continue;
            text_append(out, size, "%s%d", first ? "" : ", ", a->id[g]);
            first = false;
        }
        text_append(out, size, "]");
    }
    text_append(out, size, "]");
}

/* Writes those of ids[count] that are of the type. */
static enum st write_of_type(struct export_folder *to, const struct export_rows *type, const char *stem,
                             const uint32_t *ids, uint64_t count, struct err *err)
{
    const struct graph *g = type->graph;
    uint64_t first = graph_vertices(g, type->type).first, kept = 0;
    char name[EXPORT_NAME];
    OWNED_NEW(uint32_t, own, count, "training vertices");
    for (uint64_t i = 0; i < count; i++)
        if (ids[i] - first < type->n) own[kept++] = ids[i] - (uint32_t)first;
    return export_ids_npy(to, export_rows_file(type, stem, name), "int64: training vertices", own, kept, 8, err);
}

enum st export_train_set(const struct export_input *in, struct export_folder *to, const char *stem, const uint32_t *ids,
                         uint64_t count, struct err *err)
{
    for (int t = 0; t < graph_type_count(in->graph); t++) {
        const struct export_rows type = export_rows_shape(in->graph, t);
        if (!graph_vertices(in->graph, t).train_count) continue;
        PASS(write_of_type(to, &type, stem, ids, count, err));
    }
    return ST_OK;
}

enum st export_train_files(const struct export_input *in, struct export_folder *to, struct err *err)
{
    const struct assignment *a = &in->plan->assignment;
    for (int g = 0; g < a->gpus; g++) {
        char stem[32];
        snprintf(stem, sizeof stem, "gpu%d_train", a->id[g]);
        PASS(export_train_set(in, to, stem, a->train[g], a->train_count[g], err));
        if (!a->circle[g]) continue;
        snprintf(stem, sizeof stem, "gpu%d_order", a->id[g]);
        PASS(export_train_set(in, to, stem, a->circle[g], a->train_count[g], err));
    }
    return ST_OK;
}

enum st export_cliques_write(const struct export_input *in, struct export_folder *to, export_clique_writer *one,
                             void *own, struct err *err)
{
    OWNED_BY(export_rows_release) struct export_rows rows = {0};
    uint32_t *kept[GPUS_MAX];
    bool taken;
    OWNED_NEW(uint32_t, order, in->graph->n, "an order of rows");
    OWNED_NEW(uint32_t, inverse, in->graph->n, "an order of rows");
    for (int t = 0; t < graph_type_count(in->graph); t++) {
        if (!export_rows_shape(in->graph, t).row_bytes) continue;
        export_rows_release(&rows);
        PASS(export_rows_of(in->graph, &in->plan->placement, t, &rows, err));
        for (int g = 0; g < in->plan->assignment.gpus; g++) kept[g] = rows.list[g].id;
        PASS(export_once_per_clique(&in->plan->assignment, rows.list, rows.n, kept, &taken, err));
        for (int c = 0; c < in->plan->assignment.cliques; c++) PASS(one(in, to, c, &rows, order, inverse, own, err));
    }
    PASS(export_train_files(in, to, err));
    return export_sets_npy(in, to, err);
}

/* ---- what runtimes make of a plan ---- */

/* The last run stays only if it differs from the plan. */
static void keep_if(struct export_runs *to, struct export_run *run, bool differs)
{
    run->simulate = differs;
    if (!differs) to->count--;
}

enum st export_clique_lacks(const struct export_input *in, struct export_runs *to, const char *topology,
                            const char *beyond, const char *copies, struct err *err)
{
    struct export_run *run = NULL;
    bool taken = false;
    PASS(export_lack(to, &run, "topology rows in GPU memory", err, "%s", topology));
    keep_if(to, run, export_run_no_topology(run));
    PASS(export_lack(to, &run, "NVLink reads beyond the clique", err, "%s", beyond));
    keep_if(to, run, export_run_clique_peers(run, &in->plan->assignment));
    PASS(export_lack(to, &run, "a row on several GPUs of a clique", err, "%s", copies));
    PASS(export_run_once_per_clique(to, run, graph_feature_rows(in->graph), &taken, err));
    keep_if(to, run, taken);
    return ST_OK;
}

enum st export_clique_as_run(const struct export_input *in, struct export_runs *to, struct export_run *run,
                             struct err *err)
{
    bool taken;
    export_run_no_topology(run);
    export_run_clique_peers(run, &in->plan->assignment);
    PASS(export_run_no_edges(to, run, in->graph, &taken, err));
    return export_run_once_per_clique(to, run, graph_feature_rows(in->graph), &taken, err);
}
