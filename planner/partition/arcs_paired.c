/* arcs_paired.c - see arcs_paired.h. */
#include "planner/partition/arcs_paired.h"

#include "base/mem.h"

/* Vertices come in ascending order, so v must be the next entry of each row u that v lists. */
enum st arcs_paired(const struct graph *g, bool *out, struct err *err)
{
    OWNED_NEW(uint32_t, next, g->n, "a search for arcs without their reverse");
    *out = false;
    for (uint64_t v = 0; v < g->n; v++)
        for (int64_t e = g->indptr[v]; e < g->indptr[v + 1]; e++) {
            uint32_t u = g->indices[e];
            if (next[u] == graph_degree(g, u) || g->indices[g->indptr[u] + next[u]++] != v) return ST_OK;
        }
    *out = true; /* as many matches as arcs, so no entry is left over */
    return ST_OK;
}
