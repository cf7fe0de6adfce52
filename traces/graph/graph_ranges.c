#include "traces/graph/graph_ranges.h"

enum { TRAIN = 2, ARRAYS = 4 }; /* of struct graph: all but the training vertices are topology */

/* Bytes of the rows before v. An offset that has not been checked may be any number. */
static uint64_t bytes_before(const struct graph *g, uint64_t v)
{
    uint64_t entries = g->indptr[v] < 0 ? 0 : (uint64_t)g->indptr[v];
    return 8 * v + (g->weights ? 8 : 4) * (entries < g->m ? entries : g->m);
}

uint64_t graph_ranges_all_bytes(const struct graph *g) { return (g->weights ? 8 : 4) * g->m + 8 * g->n; }

void graph_ranges_make(const struct graph *g, int count, int mine, struct graph_ranges *out)
{
    uint64_t all = graph_ranges_all_bytes(g);
    *out = (struct graph_ranges){.count = count, .mine = mine};
    for (int i = 1; i < count; i++) {
        uint64_t low = out->begin[i - 1], high = g->n,
                 wanted = (uint64_t)((unsigned __int128)all * (unsigned)i / (unsigned)count);
        while (low < high) { /* the first vertex with so many bytes before it */
            uint64_t middle = low + (high - low) / 2;
            if (bytes_before(g, middle) < wanted) low = middle + 1;
            else high = middle;
        }
        out->begin[i] = low;
    }
    out->begin[count] = g->n;
}

uint64_t graph_ranges_bytes(const struct graph *g, const struct graph_ranges *r)
{
    return bytes_before(g, graph_ranges_end(r)) - bytes_before(g, graph_ranges_first(r));
}

uint64_t graph_resident_bytes(const struct graph *g)
{
    uint64_t bytes = 0;
    for (int i = 0; i < ARRAYS; i++) bytes += i == TRAIN ? 0 : file_resident(&g->arrays[i].map);
    return bytes;
}
