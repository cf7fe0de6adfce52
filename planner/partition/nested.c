/* nested.c - parts inside parts: the graph is cut between cliques, then each clique's part between its GPUs. */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "planner/partition/assign.h"
#include "planner/partition/partition_ahead.h"
#include "planner/partition/partition_memo.h"

/* The graph that some vertices induce, with ids of its own. */
struct induced {
    struct graph g;
    int64_t *indptr;
    uint32_t *indices, *train, *id; /* id: [n] in the whole graph */
};

static void induced_release(struct induced *induced)
{
    mem_free(induced->indptr);
    mem_free(induced->indices);
    mem_free(induced->train);
    mem_free(induced->id);
}

/* own: [n] scratch for the id of each vertex in the induced graph. */
static enum st induced_make(const struct graph *g, const uint8_t *part, int clique, uint32_t *own,
                            struct induced *induced, struct err *err)
{
    uint64_t n = 0, m = 0, train = 0;
    for (uint64_t v = 0; v < g->n; v++) {
        if (part[v] != clique) continue;
        own[v] = (uint32_t)n++;
        for (int64_t e = g->indptr[v]; e < g->indptr[v + 1]; e++) m += part[g->indices[e]] == clique;
    }
    for (uint64_t i = 0; i < g->train_count; i++) train += part[g->train[i]] == clique;
    MAKE(induced->indptr, n + 1, "the part of a clique");
    MAKE(induced->indices, m, "the part of a clique");
    MAKE(induced->train, train, "the part of a clique");
    MAKE(induced->id, n, "the part of a clique");
    n = m = train = 0;
    for (uint64_t v = 0; v < g->n; v++) {
        if (part[v] != clique) continue;
        induced->id[n++] = (uint32_t)v;
        for (int64_t e = g->indptr[v]; e < g->indptr[v + 1]; e++)
            if (part[g->indices[e]] == clique) induced->indices[m++] = own[g->indices[e]];
        induced->indptr[n] = (int64_t)m;
    }
    for (uint64_t i = 0; i < g->train_count; i++)
        if (part[g->train[i]] == clique) induced->train[train++] = own[g->train[i]];
    induced->g = *g;
    induced->g.n = n;
    induced->g.m = m;
    induced->g.train_count = train;
    induced->g.indptr = induced->indptr;
    induced->g.indices = induced->indices;
    induced->g.train = induced->train;
    induced->g.weights = NULL;
    return ST_OK;
}

/* Cuts what part[] gives to the clique into one part per GPU: out[v] is set to positions. */
static enum st cut_clique(const struct graph *g, const struct server *s, int clique, const uint8_t *part,
                          const struct partition_options *o, uint32_t *own, uint8_t *out,
                          struct partition_report *report, struct err *err)
{
    OWNED_BY(induced_release) struct induced induced = {0};
    struct partition_report mine;
    double share[PARTS_MAX];
    int gpu[PARTS_MAX], gpus = 0;
    for (int i = 0; i < s->gpus; i++)
        if (server_group(s, i) == clique) {
            share[gpus] = 1;
            gpu[gpus++] = i;
        }
    PASS(induced_make(g, part, clique, own, &induced, err));
    OWNED_NEW(uint8_t, inner, induced.g.n, "parts of a clique");
    PASS(partition_graph(&induced.g, gpus, share, o, inner, &mine, err));
    if (!strcmp(report->method, "none")) *report = mine; /* one clique */
    for (uint64_t v = 0; v < induced.g.n; v++) out[induced.id[v]] = (uint8_t)gpu[inner[v]];
    return ST_OK;
}

/* *part: [n] numbers of cliques, replaced by positions of GPUs. */
static enum st cut_cliques(const struct graph *g, const struct server *s, const struct partition_options *o,
                           uint8_t *part, struct partition_report *report, struct err *err)
{
    enum st st = ST_OK;
    OWNED uint32_t *own = NULL;
    OWNED uint8_t *out = NULL;
    struct partition_report reports[PARTS_MAX];
    OWNED struct err *errors = NULL;
    enum st found[PARTS_MAX];
    struct partition_options each = *o;
    int cliques = server_groups(s), together = partition_together(g, o->threads);
    each.threads = together > 1 ? 1 : o->threads;
    NEW(own, g->n, "ids in the part of a clique");
    NEW(out, g->n, "parts of the graph");
    NEW(errors, PARTS_MAX, "what cliques say");
#pragma omp parallel for schedule(dynamic, 1) num_threads(together)
    for (int c = 0; c < cliques; c++) {
        reports[c] = *report;
        found[c] = cut_clique(g, s, c, part, &each, own, out, &reports[c], &errors[c]);
    }
    for (int c = 0; c < cliques && st == ST_OK; c++)
        if ((st = found[c]) != ST_OK) *err = errors[c];
    if (st != ST_OK) goto done;
    if (!strcmp(report->method, "none")) *report = reports[cliques - 1]; /* one clique */
    memcpy(part, out, g->n);
done:
    return st;
}

/* The parts inside parts, or what was found before: they follow from the method, the seed, and who is in which clique.
 */
static enum st cut_once(const struct graph *g, const struct server *s, const struct partition_options *o, uint8_t *part,
                        struct partition_report *report, struct err *err)
{
    char method[16];
    double group[PARTS_MAX];
    struct partition_report ignored;
    const bool kept = !o->given && server_groups(s) > 1;
    snprintf(method, sizeof method, "in %.12s", o->method);
    for (int i = 0; i < s->gpus; i++) group[i] = server_group(s, i);
    if (kept && partition_memo_claim(o->memo, g, method, s->gpus, group, o->seed, part, &ignored)) return ST_OK;
    const enum st st = cut_cliques(g, s, o, part, report, err);
    if (kept && st == ST_OK) partition_memo_keep(o->memo, g, method, s->gpus, group, o->seed, part, report);
    if (kept) partition_memo_settle(o->memo, g, method, s->gpus, group, o->seed);
    return st;
}

enum st assign_nested(const struct graph *g, const struct server *s, const struct partition_options *o, uint8_t *part,
                      struct assignment *out, struct partition_report *report, struct err *err)
{
    OWNED_BY(assignment_release) struct assignment a = {0};
    double of_clique[PARTS_MAX] = {0}, of_gpu[PARTS_MAX];
    uint8_t group[PARTS_MAX];
    struct partition_options inside = *o, refine = *o;
    bool reads = partition_reads(g, o, o->method, &inside.method);
    PASS(assign_groups(s, ASSIGNMENT_NESTED, &a, err));
    for (int i = 0; i < a.gpus; i++) {
        of_clique[server_group(s, i)]++;
        of_gpu[i] = 1;
        group[i] = (uint8_t)a.clique_of[i];
    }
    refine.group = group;
    PASS(partition_graph(g, server_groups(s), of_clique, &inside, part, report, err));
    PASS(cut_once(g, s, &inside, part, report, err));
    PASS(partition_finish(g, a.gpus, of_gpu, &refine, reads, part, report, err));
    snprintf(a.partition, sizeof a.partition, "%s", report->method);
    PASS(assign_parts(g, part, &a, err));
    *out = a;
    memset(&a, 0, sizeof a);
    return ST_OK;
}
