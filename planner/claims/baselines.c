/* baselines.c - policies of papers that are none of hotset's list; see repro_context.h. */
#include <string.h>

#include "base/mem.h"
#include "planner/claims/repro_context.h"
#include "planner/hotness/hotness.h"
#include "planner/policies/place.h"

/* The same on every GPU: topology, then features, each in its order; or one of the two. */
static enum st place_replicated(const struct policy_input *in, struct plan *plan, struct policy_verdict *verdict,
                                struct err *err)
{
    const struct graph *g = in->graph;
    uint64_t room[GPUS_MAX];
    struct hotness_input h = {.graph = g,
                              .trace = in->trace,
                              .kernels = in->kernels,
                              .threads = in->threads,
                              .seed = in->seed};
    (void)verdict;
    place_no_peers(plan);
    plan->placement.copies_features = true;
    if (in->option[1] > 0) plan->placement.access = ACCESS_CPU;
    OWNED_NEW(uint32_t, order, g->n, "an order of vertices");
    for (int i = 0; i < plan->assignment.gpus; i++) room[i] = plan->budget[i];
    for (int kind = 0; kind < 2; kind++) { /* topology, features */
        if (in->option[0] == 2 - kind) continue;
        h.topology = kind == 0;
        PASS(hotness_order(in->hotness, &h, order, err));
        for (int i = 0; i < plan->assignment.gpus; i++) PASS(place_prefix(g, order, g->n, !kind, i, plan, room, err));
    }
    return ST_OK;
}

static const struct policy replicated = {.name = "replicated",
                                         .summary = "the same topology, then features, on every GPU",
                                         .source = "GNNLab (EuroSys'22), PaGraph (SoCC'20)",
                                         .hotness = "presample",
                                         .choice = HOTNESS_ANY,
                                         .assignment = ASSIGNMENT_GLOBAL,
                                         .options = {{"only", "1: topology, 2: features", 0, 2, 0, true},
                                                     {"cpu", "1: the CPU samples", 0, 1, 0, true}},
                                         .place = place_replicated};

/* Features by how often one GPU without peers reads them in the evaluated epochs: the best that a ranking can do. */
static enum st place_seen(const struct policy_input *in, struct plan *plan, struct policy_verdict *verdict,
                          struct err *err)
{
    const uint64_t n = in->graph->n, bytes = in->graph->row_bytes, line = in->server->line_bytes;
    uint64_t room[GPUS_MAX] = {plan->budget[0]};
    (void)verdict;
    place_no_peers(plan);
    OWNED_NEW(uint32_t, order, n, "an order of vertices");
    OWNED_NEW(uint64_t, reads, n, "reads of vertices");
    for (uint64_t v = 0; v < n; v++) /* a row is some lines, each a transaction that it saves */
        reads[v] = in->benefit_feature[0][v] / ((v * bytes + bytes - 1) / line - v * bytes / line + 1);
    PASS(in->kernels->sort_hottest(in->threads, reads, n, order, err));
    return place_prefix(in->graph, order, n, false, 0, plan, room, err);
}

static const struct policy seen = {.name = "seen",
                                   .summary = "features by the evaluated epochs' own reads, on one GPU",
                                   .source = "PaGraph, figure 11",
                                   .hotness = "evaluation",
                                   .assignment = ASSIGNMENT_GLOBAL,
                                   .saw_evaluation = true,
                                   .options = {{"only", "2: features", 0, 2, 0, true}},
                                   .place = place_seen};

/* DSP's patches without features, so that what passes the NVLinks is sampling alone. */
static enum st place_topology(const struct policy_input *in, struct plan *plan, struct policy_verdict *verdict,
                              struct err *err)
{
    const struct policy *dsp;
    PASS(policy_find("dsp", &dsp, err));
    PASS(dsp->place(in, plan, verdict, err));
    for (int g = 0; g < plan->assignment.gpus; g++) plan->placement.feature[g].count = 0;
    plan->placement.pushes = !(in->option[0] > 0);
    return ST_OK;
}

static const struct policy topology = {.name = "dsp-topology",
                                       .summary = "dsp's patches without features",
                                       .source = "DSP, section 7.3",
                                       .hotness = "degree-in in the patch",
                                       .assignment = ASSIGNMENT_PER_GPU,
                                       .parts_of_bytes = true,
                                       .options = {{"pull", "1: rows are pulled", 0, 1, 0, true}},
                                       .place = place_topology};

/* DSP's patches and readers with a given share of every GPU's memory for features; rows in DSP's order, by degree, of
 * the GPU's own patch. */
static enum st place_split(const struct policy_input *in, struct plan *plan, struct policy_verdict *verdict,
                           struct err *err)
{
    const struct policy *dsp;
    uint64_t room[GPUS_MAX];
    struct hotness_input h = {.graph = in->graph, .kernels = in->kernels, .threads = in->threads, .seed = in->seed};
    PASS(policy_find("dsp", &dsp, err));
    PASS(dsp->place(in, plan, verdict, err)); /* who reads from whom */
    OWNED_NEW(uint32_t, order, in->graph->n, "an order of vertices");
    OWNED_NEW(uint32_t, mine, in->graph->n, "an order of vertices");
    PASS(hotness_order("degree-in", &h, order, err));
    for (int g = 0; g < plan->assignment.gpus; g++) {
        uint64_t count = 0, features = (uint64_t)((double)plan->budget[g] * in->option[0] / 100);
        for (uint64_t i = 0; i < in->graph->n; i++)
            if (in->part[order[i]] == g) mine[count++] = order[i];
        plan->placement.topology[g].count = plan->placement.feature[g].count = 0;
        room[g] = plan->budget[g] - features;
        PASS(place_prefix(in->graph, mine, count, true, g, plan, room, err));
        room[g] = features;
        PASS(place_prefix(in->graph, mine, count, false, g, plan, room, err));
    }
    return ST_OK;
}

static const struct policy split = {.name = "dsp-at",
                                    .summary = "dsp at a given split",
                                    .source = "DSP, section 7.3",
                                    .hotness = "degree-in in the patch",
                                    .assignment = ASSIGNMENT_PER_GPU,
                                    .options = {{"features", "share for features, %", 0, 100, 0, false}},
                                    .place = place_split};

const struct policy *baseline_find(const char *name)
{
    static const struct policy *const all[] = {&replicated, &seen, &topology, &split};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (!strcmp(all[i]->name, name)) return all[i];
    return NULL;
}
