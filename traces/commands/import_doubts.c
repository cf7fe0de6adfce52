#include "traces/commands/import_doubts.h"

#include <string.h>

#include "base/mem.h"
#include "base/units.h"
#include "traces/graph/graph.h"

static bool row_has(const struct graph *g, uint64_t v, uint32_t wanted)
{
    int64_t low = g->indptr[v], high = g->indptr[v + 1];
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (g->indices[middle] < wanted) low = middle + 1;
        else high = middle;
    }
    return low < g->indptr[v + 1] && g->indices[low] == wanted;
}

/* No arc has its reverse: an undirected graph whose edges are listed once looks so. Few directed graphs do, and the
 * first reverse ends the search. */
static void say_one_way(const struct call *call, const struct graph *g)
{
    uint64_t arcs = 0;
    bool reverse = false;
    for (uint64_t v = 0; v < g->n && !reverse && strcmp(g->sample, "both"); v++)
        for (int64_t i = g->indptr[v]; i < g->indptr[v + 1] && !reverse; i++) {
            if (g->indices[i] == v) continue;
            reverse = row_has(g, g->indices[i], (uint32_t)v);
            arcs++;
        }
    if (arcs > 2 && !reverse)
        call_say(call, "warning: no arc has its reverse; if this is an undirected graph whose file lists each edge "
                       "once, import it with --undirected");
}

/* Bit v: vertex v stands in a row. A bit is looked at before it is set: most are set already, and reading is cheap. */
static void mark_listed(const struct graph *g, int threads, uint64_t *bits)
{
#pragma omp parallel for num_threads(threads) schedule(static)
    for (uint64_t i = 0; i < g->m; i++) {
        uint64_t *word = &bits[g->indices[i] >> 6], bit = (uint64_t)1 << (g->indices[i] & 63);
        if (!(__atomic_load_n(word, __ATOMIC_RELAXED) & bit)) __atomic_fetch_or(word, bit, __ATOMIC_RELAXED);
    }
}

/* Vertices that have no row and stand in none. */
static void say_isolated(const struct call *call, const struct graph *g, const struct graph_summary *s)
{
    enum { WORTH_PERCENT = 5 };
    struct err ignored = {0};
    uint64_t isolated = 0, *bits = mem_array(g->n / 64 + 1, sizeof *bits, "a check of the vertices", &ignored);
    char count[UNIT_TEXT], all[UNIT_TEXT];
    if (!bits) return; /* a remark, not worth failing for */
    mark_listed(g, call->threads, bits);
#pragma omp parallel for num_threads(call->threads) schedule(static) reduction(+ : isolated)
    for (uint64_t v = 0; v < g->n; v++) isolated += !graph_degree(g, v) && !(bits[v >> 6] >> (v & 63) & 1);
    bool from_one = g->n > 1 && !graph_degree(g, 0) && !(bits[0] & 1) && (graph_degree(g, 1) || bits[0] & 2);
    mem_free(bits);
    if (isolated * 100 >= g->n * WORTH_PERCENT && isolated > 1)
        call_say(call,
                 "warning: %.3g %% of the vertices (%s of %s) have no arc; if the ids have gaps, import with "
                 "--renumber, which leaves out vertices without arcs",
                 100.0 * (double)isolated / (double)g->n, units_count(count, isolated), units_count(all, g->n));
    else if (from_one && s->counted)
        call_say(call, "warning: vertex 0 has no arc, but vertex 1 has one: ids seem to start at 1; with --renumber "
                       "they start at 0");
}

/* Arcs that were dropped: of an undirected graph both directions are often listed, elsewhere they are drawn more often.
 */
static void say_parallel(const struct call *call, const struct graph_summary *s)
{
    char count[UNIT_TEXT];
    if (s->duplicates * 100 <= s->m + s->duplicates || !strcmp(s->sample, "both")) return;
    call_say(call,
             "warning: %s arcs (%.3g %%) come again and were dropped; PyG, DGL and GraphBolt draw such a neighbour "
             "more "
             "often: --parallel keeps them",
             units_count(count, s->duplicates), 100.0 * (double)s->duplicates / (double)(s->m + s->duplicates));
}

void import_say_doubts(const struct call *call, const char *path, const struct graph_summary *s)
{
    struct graph g = {0};
    struct err ignored = {0};
    if (call->common.quiet) return;
    if (s->name_bytes)
        call_say(call,
                 "ids are names: vertices are numbered in the order in which these first come, and name_offsets.npy "
                 "and name_bytes.npy in %s keep them",
                 path);
    if (*s->doubt) call_say(call, "warning: %s", s->doubt);
    say_parallel(call, s);
    if (graph_open(path, call->threads, &g, &ignored) != ST_OK) return;
    say_isolated(call, &g, s);
    say_one_way(call, &g);
    graph_close(&g);
}
