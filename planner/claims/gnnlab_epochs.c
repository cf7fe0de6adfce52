#include "planner/claims/gnnlab_epochs.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "planner/hotness/hotness.h"
#include "planner/policies/place.h"

const char *const gnnlab_system_name[GNNLAB_SYSTEMS] = {"DGL", "T_SOTA", "GNNLab"};
const struct gnnlab_cell gnnlab_cells[GNNLAB_CELLS] = {{"products", "gcn", "GCN, PR", {0, 1, 1}},
                                                       {"papers100m", "gcn", "GCN, PA", {0, 0.07, 0.21}},
                                                       {"products", "sage", "GraphSAGE, PR", {0, 1, 1}},
                                                       {"papers100m", "sage", "GraphSAGE, PA", {0, 0.11, 0.25}}};

/* The whole topology on every GPU, then features: neither is a policy of hotset's list. */
static enum st place_time_sharing(const struct policy_input *in, struct plan *plan, struct policy_verdict *verdict,
                                  struct err *err)
{
    enum st st = ST_OK;
    const struct graph *g = in->graph;
    uint32_t *order = NULL;
    uint64_t room[GPUS_MAX];
    struct hotness_input h = {.graph = g,
                              .trace = in->trace,
                              .kernels = in->kernels,
                              .threads = in->threads,
                              .seed = in->seed};
    (void)verdict;
    place_no_peers(plan);
    plan->placement.copies_features = true;
    NEW(order, g->n, "an order of vertices");
    TRY(hotness_order(in->hotness, &h, order, err));
    for (int i = 0; i < plan->assignment.gpus; i++) {
        room[i] = plan->budget[i];
        TRY(place_prefix(g, order, g->n, true, i, plan, room, err));
        TRY(place_prefix(g, order, g->n, false, i, plan, room, err));
    }
done:
    mem_free(order);
    return st;
}

static const struct policy time_sharing = {.name = "time-sharing",
                                           .summary = "every GPU samples, with the whole topology, and trains",
                                           .source = "GNNLab (EuroSys'22)",
                                           .hotness = "presample",
                                           .choice = HOTNESS_ANY,
                                           .assignment = ASSIGNMENT_GLOBAL,
                                           .place = place_time_sharing};

/* Share of training vertices and classes as published. */
static struct repro_setup setup_of(const struct gnnlab_cell *of, const char *server)
{
    static const struct int_list three = {.count = 3, .value = {15, 10, 5}}, two = {.count = 2, .value = {25, 10}};
    bool products = !strcmp(of->set, "products");
    return (struct repro_setup){.set = of->set,
                                .train_share = products ? 0.08 : 0.011,
                                .batch = 8000,
                                .fanout = strcmp(of->model, "gcn") ? two : three,
                                .frontier = FRONTIER_ALL,
                                .presample_epochs = 1,
                                .servers = server,
                                .reserve = "0",
                                .model = of->model,
                                .classes = products ? 47 : 172,
                                .full_size = true};
}

static void read_epoch(const doc *cell, bool overlaps, struct gnnlab_epoch *out)
{
    const doc *time = doc_get(doc_get(cell, "simulated"), "epoch_time"), *stages = doc_get(time, "stages");
    double v[EPOCH_STAGES], n = doc_real_value(doc_get(time, "iterations"), NAN);
    for (int i = 0; i < EPOCH_STAGES; i++)
        v[i] = n * doc_real_value(doc_get(stages, stage_word((enum stage_name)i)), NAN);
    *out = (struct gnnlab_epoch){.sample = v[STAGE_SAMPLE],
                                 .extract = v[STAGE_LOAD] + v[STAGE_TRANSFER],
                                 .train = v[STAGE_PROPAGATE]};
    out->seconds = overlaps ? doc_real_value(doc_get(time, "seconds"), NAN) : out->sample + out->extract + out->train;
}

enum st gnnlab_epochs(struct repro *repro, const struct gnnlab_cell *of, const struct gnnlab_setup *on,
                      struct gnnlab_epoch *out, struct err *err)
{
    enum st st = ST_OK;
    doc *rows = NULL;
    const struct repro_graph *g;
    char budget[32];
    for (int i = 0; i < GNNLAB_SYSTEMS; i++) {
        bool own = i == GNNLAB_OWN;
        struct repro_setup u = setup_of(of, on->server[i]);
        struct study_cell cell = {.policy = &time_sharing, .hotness = i == GNNLAB_T_SOTA ? on->hotness : NULL};
        TRY(repro_graph(repro, u.set, u.train_share, &g, err));
        double held = floor(of->cached[i] * (double)g->g.n) * (double)g->g.row_bytes,
               topology = own ? 0 : 4.0 * (double)g->g.m + 8.0 * (double)g->g.n; /* samplers have room of their own */
        snprintf(budget, sizeof budget, "%.0f", held + topology);
        if (own) TRY(policy_find("gnnlab", &cell.policy, err));
        cell.options_given = own;
        cell.option[0] = on->samplers;
        TRY(budget_parse(budget, false, "budget", &cell.budget, err));
        TRY(repro_cells(repro, &u, &cell, 1, &rows, err));
        read_epoch(doc_at(rows, 0), own, &out[i]);
        doc_free(rows);
        rows = NULL;
    }
done:
    doc_free(rows);
    return st;
}
