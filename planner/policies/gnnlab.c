/* gnnlab - factored design: some GPUs only sample and hold the whole topology, the others only train; every trainer caches the same rows, the
 * most frequent of pre-sampling (GNNLab, EuroSys'22; Legion, section 3.1). No NVLink reads; sampled blocks reach trainers through the host.
 * Option samplers; by default one for every 8 GPUs. Where GPUs are alike, every split leaves the same transactions per mini-batch, so choosing the best
 * one needs a time model. */
#include <math.h>
#include <stdio.h>

#include "base/mem.h"
#include "base/units.h"
#include "planner/hotness.h"
#include "planner/policy.h"

static int samplers(const struct server *s, const double *option)
{
    int usual = s->gpus < 2 ? 0 : s->gpus < 16 ? 1 : s->gpus / 8;
    if (isnan(option[0])) return usual;
    return option[0] < s->gpus ? (int)option[0] : s->gpus - 1;
}

/* The whole topology on one sampler; its budget is what its memory has, for it holds nothing else. */
static enum st fill_sampler(const struct policy_input *in, struct plan *plan, int gpu, const uint32_t *order, struct policy_verdict *verdict, struct err *err)
{
    uint64_t need = 4 * in->graph->m + 8 * in->graph->n, room[GPUS_MAX] = {0};
    char have[UNIT_TEXT], want[UNIT_TEXT];
    if (need > in->room[gpu]) {
        verdict->status = POLICY_OOM;
        snprintf(verdict->reason, sizeof verdict->reason, "a sampler GPU must hold the whole topology, %s (%llu bytes), and has %s", units_bytes(want, need),
                 (unsigned long long)need, units_bytes(have, in->room[gpu]));
        return ST_OK;
    }
    plan->budget[gpu] = room[gpu] = in->room[gpu];
    return place_prefix(in->graph, order, in->graph->n, true, gpu, plan, room, err);
}

static enum st place(const struct policy_input *in, struct plan *plan, struct policy_verdict *verdict, struct err *err)
{
    enum st st = ST_OK;
    const struct graph *g = in->graph;
    uint32_t *order = NULL;
    uint64_t room[GPUS_MAX];
    int count = samplers(in->server, in->option);
    struct hotness_input h = {.graph = g, .trace = in->trace, .kernels = in->kernels, .threads = in->threads, .seed = in->seed};
    if (!count) {
        verdict->status = POLICY_UNSUPPORTED;
        snprintf(verdict->reason, sizeof verdict->reason, "needs at least 2 GPUs: one samples, the others train");
        return ST_OK;
    }
    if (in->option[0] >= in->server->gpus) {
        verdict->status = POLICY_UNSUPPORTED;
        snprintf(verdict->reason, sizeof verdict->reason, "%g samplers leave no trainer among %d GPUs", in->option[0], in->server->gpus);
        return ST_OK;
    }
    place_no_peers(plan);
    plan->placement.access = ACCESS_SAMPLERS;
    plan->placement.copies_features = true; /* its released trainers have the CPU gather the rows that their cache misses */
    NEW(order, g->n, "an order of vertices");
    TRY(hotness_order(in->hotness, &h, order, err));
    for (int i = 0; i < plan->assignment.gpus && verdict->status == POLICY_OK; i++) {
        room[i] = plan->budget[i];
        if (i < count) TRY(fill_sampler(in, plan, i, order, verdict, err));
        else TRY(place_prefix(g, order, g->n, false, i, plan, room, err));
    }
done:
    mem_free(order);
    return st;
}

const struct policy policy_gnnlab = {.name = "gnnlab", .summary = "sampler GPUs hold the topology, every trainer the same hottest features", .source = "GNNLab (EuroSys'22)",
                                     .hotness = "presample", .choice = HOTNESS_ANY, .assignment = ASSIGNMENT_GLOBAL, .samplers = samplers, .place = place,
                                     .options = {{"samplers", "GPUs that sample", 1, GPUS_MAX, NAN, true}}};
