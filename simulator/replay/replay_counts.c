#include "simulator/replay/replay_counts.h"

#include <string.h>

#include "base/mem.h"

static enum st add_block(struct replay_counts *k, uint64_t size, uint32_t **out, struct err *err)
{
    MAKE(k->block[k->blocks], size, "the simulator's counts");
    k->size[k->blocks] = size;
    *out = k->block[k->blocks++];
    return ST_OK;
}

enum st replay_counts_new(const struct graph *g, const struct workload *w, struct replay_counts *k, struct err *err)
{
    memset(k, 0, sizeof *k);
    PASS(add_block(k, g->n, &k->c.feature, err));
    PASS(add_block(k, graph_topology_rows(g), &k->c.lines, err));
    for (int h = 0; h < w->hops; h++) PASS(add_block(k, g->n, &k->c.visits[h], err));
    if (workload_counts_draws(w)) PASS(add_block(k, graph_topology_rows(g), &k->c.draws, err));
    if (g->edge_rows) PASS(add_block(k, g->edge_rows, &k->c.edge, err));
    return ST_OK;
}

uint64_t replay_counts_bytes(const struct graph *g, const struct workload *w)
{
    const uint64_t draws = workload_counts_draws(w) ? graph_topology_rows(g) : 0;
    return sizeof(uint32_t) * (g->n * (1 + (uint64_t)w->hops) + graph_topology_rows(g) + draws + g->edge_rows);
}

void replay_counts_clear(struct replay_counts *k, int threads)
{
    for (int i = 0; i < k->blocks; i++) mem_zero(k->block[i], k->size[i] * sizeof(uint32_t), threads);
    k->c.total_lines = 0;
}

void replay_counts_free(struct replay_counts *k)
{
    for (int i = 0; i < k->blocks; i++) mem_free(k->block[i]);
}
