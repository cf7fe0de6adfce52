/* pagraph - self-reliant partitions, one per GPU; each caches the features that its own partition lists most, and
 * reads no other GPU; the CPU samples and gathers the rows that are missing (PaGraph, SoCC'20, sections 2 to 4).
 * Every partition with its copies lies in host memory, so a server whose memory is known may be out of it. */
#include <stdio.h>

#include "base/mem.h"
#include "base/units.h"
#include "planner/policies/place.h"
#include "planner/partition/self_reliant.h"
#include "traces/graph/graph_union.h"

/* Ranks and places one partition. */
static enum st place_partition(const struct policy_input *in, const struct self_reliant *p, int gpu, uint32_t *order,
                               struct plan *plan, struct err *err)
{
    uint64_t room[GPUS_MAX];
    room[gpu] = plan->budget[gpu];
    enum st st = in->kernels->sort_hottest(in->threads, p->listed, in->graph->n, order, err);
    return st == ST_OK ? place_prefix(in->graph, order, p->vertices, false, gpu, plan, room, err) : st;
}

/* In host memory. Of several types: a row of neighbours of all types per vertex, and its own feature row. */
static uint64_t partition_bytes(const struct self_reliant *p, const struct graph *g)
{
    uint64_t sum = 4 * p->arcs + 8 * p->vertices;
    for (int t = 0; t < graph_type_count(g); t++) {
        const struct graph_vertices type = graph_vertices(g, t);
        for (uint64_t v = 0; v < type.count; v++) sum += p->listed[type.first + v] ? type.row_bytes : 0;
    }
    return sum;
}

static void check_host(const struct policy_input *in, uint64_t need, struct policy_verdict *verdict)
{
    char want[UNIT_TEXT], have[UNIT_TEXT];
    uint64_t memory = in->server->host_memory_bytes;
    if (!memory || need <= memory) return;
    verdict->status = POLICY_OOM;
    snprintf(verdict->reason, sizeof verdict->reason,
             "the partitions with their copies take %s (%llu bytes) of host memory, but the server has %s",
             units_bytes(want, need), (unsigned long long)need, units_bytes(have, memory));
}

static enum st pagraph_place(const struct policy_input *in, struct plan *plan, struct policy_verdict *verdict,
                             struct err *err)
{
    enum st st = ST_OK;
    const struct assignment *a = &plan->assignment;
    struct self_reliant p = {0};
    struct graph_union joined = {.indptr = NULL};
    OWNED uint32_t *order = NULL;
    uint64_t need = 0;
    OWNED_DOC doc *shares = doc_array();
    place_no_peers(plan);
    plan->placement.access = ACCESS_CPU;
    plan->placement.copies_features = true;
    NEW(order, in->graph->n, "an order of vertices");
    const struct graph *whole;
    TRY(graph_connections_of(in->graph, &joined, &whole, err));
    for (int g = 0; g < a->gpus; g++) {
        TRY(self_reliant_make(whole, a->train[g], a->train_count[g], in->trace->workload.hops, &p, err));
        TRY(place_partition(in, &p, g, order, plan, err));
        doc_append(shares, doc_real((double)p.vertices / (double)in->graph->n));
        need += partition_bytes(&p, in->graph);
        self_reliant_release(&p);
    }
    check_host(in, need, verdict);
    plan_note(plan, "partition_share", shares);
    plan_note(plan, "partition_bytes", doc_integer((int64_t)need));
    shares = NULL;
done:
    self_reliant_release(&p);
    graph_union_release(&joined);
    return st;
}

const struct policy policy_pagraph = {.name = "pagraph",
                                      .summary = "a self-reliant partition per GPU, its features by out-degree, no "
                                                 "NVLink; the CPU samples",
                                      .source = "PaGraph (SoCC'20)",
                                      .hotness = "degree-out in the partition",
                                      .assignment = ASSIGNMENT_SELF_RELIANT,
                                      .options = {{"public",
                                                   "1: training vertices are dealt by the score of the released code "
                                                   "instead of the paper's equation 1",
                                                   0, 1, 0, true, SELF_RELIANT_PUBLIC}},
                                      .own_memory = true,
                                      .reaches = REACHES_ALL,
                                      .place = pagraph_place};
