/* gnnlab - factored design: some GPUs only sample and hold the whole topology, the others only train; every trainer
 * caches the same rows, the most frequent of pre-sampling (GNNLab, EuroSys'22; Legion, section 3.1). No NVLink reads;
 * sampled blocks reach trainers through the host. Option samplers; by default the number with the least predicted
 * epoch time (HyScale-GNN's model on the recording), ties to the fewer; where the server does not state the constants
 * for that, one for every 8 GPUs. */
#include <math.h>
#include <stdio.h>

#include "base/mem.h"
#include "base/units.h"
#include "planner/hotness/hotness.h"
#include "planner/policies/place.h"
#include "simulator/movement/epoch_args.h"
#include "traces/sampling/seeds.h"

static int samplers(const struct server *s, const double *option)
{
    int rule = s->gpus < 2 ? 0 : s->gpus < 16 ? 1 : s->gpus / 8;
    if (isnan(option[0])) return rule;
    return option[0] < s->gpus ? (int)option[0] : s->gpus - 1;
}

static uint64_t topology_bytes(const struct graph *g) { return 4 * g->m + 8 * graph_topology_rows(g); }

/* missed[g]: rows per mini-batch that are not among the hottest that GPU g has room for, by the recording's own
 * counts. order: hottest first. */
static void count_missed(const struct policy_input *in, const uint64_t *budget, const uint32_t *order, double *missed)
{
    const struct trace *t = in->trace;
    double batches = 0;
    for (int g = 0; g < t->assignment.gpus; g++)
        batches += (double)t->epochs *
                   (double)seeds_batches(&t->workload, in->graph, t->assignment.train[g], t->assignment.train_count[g]);
    for (int g = 0; g < t->assignment.gpus; g++) {
        uint64_t left = 0;
        for (uint64_t i = place_fitting(in->graph, order, in->graph->n, budget[g]); i < in->graph->n; i++)
            for (int b = 0; b < t->assignment.gpus; b++) left += count_at(t->feature[b], order[i]);
        missed[g] = batches > 0 ? (double)left / batches : 0;
    }
}

static enum st gnnlab_choose(const struct policy_input *in, const uint64_t *budget, double *seconds, int *chosen,
                             struct err *err)
{
    double missed[GPUS_MAX];
    struct hotness_input h = {.graph = in->graph,
                              .trace = in->trace,
                              .kernels = in->kernels,
                              .threads = in->threads,
                              .seed = in->seed};
    *chosen = 0;
    for (int s = 0; s < GPUS_MAX; s++) seconds[s] = NAN;
    if (!isnan(in->option[0]) || in->server->gpus < 2) return ST_OK;
    OWNED_NEW(uint32_t, order, in->graph->n, "an order of vertices");
    OWNED_NEW(struct epoch_load, recorded, 1, "the time model");
    OWNED_NEW(struct epoch_load, split, 1, "the time model");
    OWNED_NEW(struct epoch_time, time, 1, "the time model");
    PASS(hotness_order(in->hotness, &h, order, err));
    count_missed(in, budget, order, missed);
    epoch_load_recorded(in->graph, in->trace, in->threads, recorded);
    for (int s = 1; s < in->server->gpus && in->room[s - 1] >= topology_bytes(in->graph); s++) {
        epoch_load_split(recorded, s, missed, in->server->line_bytes, split);
        if (in->setup->enlarge > 0) epoch_load_enlarge(split, in->setup->enlarge);
        epoch_time(split, in->server, in->setup, time);
        seconds[s] = time->seconds;
        if (time->seconds < (*chosen ? seconds[*chosen] : INFINITY)) *chosen = s;
    }
    return ST_OK;
}

/* The predicted epoch times that the number of samplers was chosen by. */
static void state_splits(const struct policy_input *in, struct plan *plan)
{
    doc *list = doc_array();
    for (int s = 1; in->samplers && s < in->server->gpus; s++) {
        doc_append(list, DOC(IS("samplers", s), IS("epoch_seconds", in->split[s])));
    }
    if (in->samplers) plan_note(plan, "splits", list);
    else doc_free(list);
}

/* The whole topology on one sampler; its budget is what its memory has, for it holds nothing else. */
static enum st fill_sampler(const struct policy_input *in, struct plan *plan, int gpu, const uint32_t *order,
                            struct policy_verdict *verdict, struct err *err)
{
    uint64_t need = topology_bytes(in->graph), room[GPUS_MAX] = {0};
    char have[UNIT_TEXT], want[UNIT_TEXT];
    if (need > in->room[gpu]) {
        verdict->status = POLICY_OOM;
        snprintf(verdict->reason, sizeof verdict->reason,
                 "a sampler GPU must hold the whole topology, %s (%llu bytes), but has %s", units_bytes(want, need),
                 (unsigned long long)need, units_bytes(have, in->room[gpu]));
        return ST_OK;
    }
    struct row_order rows = {0};
    enum st st;
    plan->budget[gpu] = room[gpu] = in->room[gpu];
    TRY(place_topology_of(in->graph, order, in->graph->n, &rows, err));
    TRY(place_prefix(in->graph, rows.row, rows.count, true, gpu, plan, room, err));
done:
    mem_free(rows.own);
    return st;
}

static enum st gnnlab_place(const struct policy_input *in, struct plan *plan, struct policy_verdict *verdict,
                            struct err *err)
{
    const struct graph *g = in->graph;
    uint64_t room[GPUS_MAX];
    int count = in->samplers ? in->samplers : samplers(in->server, in->option);
    struct hotness_input h = {.graph = g,
                              .trace = in->trace,
                              .kernels = in->kernels,
                              .threads = in->threads,
                              .seed = in->seed};
    if (!count) {
        verdict->status = POLICY_UNSUPPORTED;
        snprintf(verdict->reason, sizeof verdict->reason, "needs at least 2 GPUs: one samples, the others train");
        return ST_OK;
    }
    if (in->option[0] >= in->server->gpus) {
        verdict->status = POLICY_UNSUPPORTED;
        snprintf(verdict->reason, sizeof verdict->reason, "%g samplers leave no GPU to train, of %d", in->option[0],
                 in->server->gpus);
        return ST_OK;
    }
    place_no_peers(plan);
    state_splits(in, plan);
    plan->placement.access = ACCESS_SAMPLERS;
    plan->placement.copies_features =
        true; /* its released trainers have the CPU gather the rows that their cache misses */
    OWNED_NEW(uint32_t, order, g->n, "an order of vertices");
    doc *ids = doc_array();
    for (int i = 0; i < count; i++) doc_append(ids, doc_integer(plan->assignment.id[i]));
    plan_note(plan, "sampler_gpus", ids);
    PASS(hotness_order(in->hotness, &h, order, err));
    for (int i = 0; i < plan->assignment.gpus && verdict->status == POLICY_OK; i++) {
        room[i] = plan->budget[i];
        if (i < count) PASS(fill_sampler(in, plan, i, order, verdict, err));
        else PASS(place_prefix(g, order, g->n, false, i, plan, room, err));
    }
    return ST_OK;
}

const struct policy policy_gnnlab = {.name = "gnnlab",
                                     .summary = "sampler GPUs hold the topology, every trainer the same hottest "
                                                "features",
                                     .source = "GNNLab (EuroSys'22)",
                                     .hotness = "presample",
                                     .choice = HOTNESS_ANY,
                                     .assignment = ASSIGNMENT_GLOBAL,
                                     .samplers = samplers,
                                     .choose_samplers = gnnlab_choose,
                                     .own_memory = true,
                                     .reaches = REACHES_ALL,
                                     .place = gnnlab_place,
                                     .options = {{"samplers", "GPUs that sample", 1, GPUS_MAX, NAN, true}}};
