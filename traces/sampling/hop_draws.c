/* hop_draws.c - how much a hop can draw, where some fan-outs take whole rows (FANOUT_ALL): from the lengths of rows. */
#include "traces/sampling/workload.h"

static bool takes_all(const uint32_t *fanout, int from, int to)
{
    bool all = false;
    for (int h = from; h < to; h++) all |= fanout[h] == FANOUT_ALL;
    return all;
}

static bool any_takes_all(const struct workload *w, int from, int to)
{
    bool all = takes_all(w->fanout, from, to);
    for (int k = 0; k < w->lists; k++) all |= takes_all(w->list[k], from, to);
    return all;
}

bool workload_hop_takes_all(const struct workload *w, int hop) { return any_takes_all(w, hop, hop + 1); }

bool workload_takes_all(const struct workload *w) { return any_takes_all(w, 0, w->hops); }

uint64_t workload_longest_row(const struct graph *g)
{
    uint64_t most = 0;
    for (int r = 0; r < graph_relation_count(g); r++) {
        const struct graph_csr csr = graph_csr(g, r);
        for (uint64_t v = 0; v < csr.rows; v++) most = csr_degree(&csr, v) > most ? csr_degree(&csr, v) : most;
    }
    return most;
}

/* Vertices by how many entries they draw: exact below 16, then in eighths of an octave. */
enum { EXACT = 16, PARTS = 8, BINS = EXACT + (64 - 4) * PARTS };
struct bins {
    uint64_t vertices[BINS], entries[BINS];
};

static int bin_of(uint64_t draws)
{
    if (draws < EXACT) return (int)draws;
    int octave = 63 - __builtin_clzll(draws);
    return EXACT + (octave - 4) * PARTS + (int)(draws >> (octave - 3) & (PARTS - 1));
}

/* The most that a vertex of the bin draws. */
static uint64_t bin_most(int bin)
{
    if (bin < EXACT) return (uint64_t)bin;
    int octave = 4 + (bin - EXACT) / PARTS;
    uint64_t part = PARTS + (uint64_t)((bin - EXACT) % PARTS);
    return ((part + 1) << (octave - 3)) - 1;
}

/* Entries that vertex v of type t draws from all its rows. */
static uint64_t vertex_draws(const struct graph *g, const struct workload *w, int t, uint64_t v, int hop)
{
    const int *into, count = graph_relations_into(g, t, &into);
    uint64_t sum = 0, most = w->together ? w->fanout[hop] : UINT64_MAX;
    for (int i = 0; i < count; i++) {
        const struct graph_csr csr = graph_csr(g, into[i]);
        uint64_t degree = csr_degree(&csr, v), fanout = workload_fanout(w, into[i], hop);
        sum += degree < fanout ? degree : fanout;
    }
    return sum < most ? sum : most;
}

static void fill(const struct graph *g, const struct workload *w, int hop, struct bins *b)
{
    for (int t = 0; t < graph_type_count(g); t++) {
        uint64_t count = graph_vertices(g, t).count;
        for (uint64_t v = 0; v < count; v++) {
            uint64_t draws = vertex_draws(g, w, t, v, hop);
            b->vertices[bin_of(draws)]++;
            b->entries[bin_of(draws)] += draws;
        }
    }
}

uint64_t workload_hop_draws(const struct graph *g, const struct workload *w, int hop, uint64_t vertices)
{
    struct bins b = {{0}, {0}};
    uint64_t sum = 0;
    if (!workload_hop_takes_all(w, hop))
        return __builtin_mul_overflow(vertices, workload_most_draws(g, w, hop), &sum) ? UINT64_MAX : sum;
    fill(g, w, hop, &b);
    for (int i = BINS - 1; i >= 0 && vertices; i--) {
        uint64_t taken = vertices < b.vertices[i] ? vertices : b.vertices[i], most;
        if (__builtin_mul_overflow(taken, bin_most(i), &most) || most > b.entries[i]) most = b.entries[i];
        sum += most;
        vertices -= taken;
    }
    return sum;
}
