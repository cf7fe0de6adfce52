#include "planner/exports/export_planned.h"

#include "base/mem.h"
#include "planner/exports/export_rows.h"
#include "traces/sampling/workload.h"

enum st export_planned_lists(const struct export_input *in, struct export_folder *to, struct err *err)
{
    OWNED_BY(export_rows_release) struct export_rows rows = {0};
    const struct assignment *a = &in->plan->assignment;
    for (int t = 0; t < graph_type_count(in->graph); t++) {
        if (!export_rows_shape(in->graph, t).row_bytes) continue;
        export_rows_release(&rows);
        PASS(export_rows_of(in->graph, &in->plan->placement, t, &rows, err));
        for (int g = 0; g < a->gpus; g++) {
            char stem[32], name[EXPORT_NAME];
            snprintf(stem, sizeof stem, "gpu%d_feature", a->id[g]);
            PASS(export_ids_npy(to, export_rows_file(&rows, stem, name),
                                "int64: feature rows of the GPU, in slot order", rows.list[g].id, rows.list[g].count, 8,
                                err));
        }
    }
    return ST_OK;
}

enum st export_planned_runs(const struct export_input *in, struct export_runs *to, const char *runtime,
                            const struct export_target *t, struct err *err)
{
    struct export_run *run = NULL;
    const struct workload *w = &in->plan->workload;
    bool taken;
    PASS(export_lack(to, &run, "topology rows in GPU memory", err,
                     "%s %s; plan with --for %s, which spends the memory on "
                     "features.",
                     runtime,
                     t->made.by_cpu ? "samples on the CPU, which sends GPUs what it drew, 8 bytes per sampled edge"
                                    : "reads neighbour lists from the host",
                     t->name));
    run->simulate = export_run_no_topology(run);
    if (t->made.by_cpu) run->placement.access = ACCESS_CPU;
    if (!run->simulate) to->count--;
    if (t->made.all_hops && w->frontier != FRONTIER_ALL && w->sampler != SAMPLER_WALK) {
        PASS(export_lack(to, &run, w->frontier == FRONTIER_NEW ? "a frontier of new vertices" : "a frontier by layers",
                         err,
                         "%s draws neighbours of all vertices of a mini-batch in every hop; plan with --frontier all.",
                         runtime));
        run->simulate = run->draws.all_frontier = to->draws.all_frontier = true;
    }
    PASS(export_lack_workload(in, to, runtime, false, err));
    if (!t->made.all_hops) PASS(export_lack_frontier(in, to, runtime, err));
    PASS(export_as_run(to, &run, err, "the plan's feature rows where it puts them; %s.",
                       t->made.by_cpu ? "the CPU samples and sends GPUs the blocks that it drew, 8 bytes per sampled "
                                        "edge, which "
                                        "count as topology; GPUs read no neighbour lists"
                                      : "neighbour lists are read from the host"));
    export_run_no_topology(run);
    PASS(export_run_no_edges(to, run, in->graph, &taken, err));
    export_run_reads(run);
    if (t->made.by_cpu) run->placement.access = ACCESS_CPU;
    return ST_OK;
}
