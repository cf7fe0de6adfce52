#include "planner/exports/export_clique.h"

#include <stdio.h>
#include <string.h>

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

enum st export_train_files(const struct export_input *in, struct export_folder *to, struct err *err)
{
    enum st st = ST_OK;
    const struct assignment *a = &in->plan->assignment;
    for (int g = 0; g < a->gpus; g++) {
        char name[64];
        snprintf(name, sizeof name, "gpu%d_train.npy", a->id[g]);
        TRY(export_ids_npy(to, name, "int64: training vertices", a->train[g], a->train_count[g], 8, err));
        if (!a->circle[g]) continue;
        snprintf(name, sizeof name, "gpu%d_order.npy", a->id[g]);
        TRY(export_ids_npy(to, name, "int64: training vertices in the plan's order", a->circle[g], a->train_count[g], 8,
                           err));
    }
done:
    return st;
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
    enum st st;
    struct export_run *run = NULL;
    bool taken = false;
    TRY(export_lack(to, &run, "topology rows in GPU memory", err, "%s", topology));
    keep_if(to, run, export_run_no_topology(run));
    TRY(export_lack(to, &run, "NVLink reads beyond the clique", err, "%s", beyond));
    keep_if(to, run, export_run_clique_peers(run, &in->plan->assignment));
    TRY(export_lack(to, &run, "a row on several GPUs of a clique", err, "%s", copies));
    TRY(export_run_once_per_clique(to, run, in->graph->n, &taken, err));
    keep_if(to, run, taken);
done:
    return st;
}

enum st export_clique_as_run(const struct export_input *in, struct export_runs *to, struct export_run *run,
                             struct err *err)
{
    bool taken;
    export_run_no_topology(run);
    export_run_clique_peers(run, &in->plan->assignment);
    return export_run_once_per_clique(to, run, in->graph->n, &taken, err);
}
