#include "simulator/inference/inference.h"

#include <string.h>

#include "base/mem.h"

/* ---- sizes ---- */

uint64_t inference_width(const struct inference *j, int level)
{
    return level == j->layers || j->workload ? j->gnn.classes : j->gnn.hidden;
}

uint64_t inference_row_bytes(const struct inference *j, int level, uint64_t v)
{
    if (level) return inference_width(j, level) * j->element_bytes;
    return j->type ? j->graph->type[j->type[v]].features.row_bytes : j->graph->row_bytes;
}

uint64_t inference_largest_row(const struct inference *j, int level)
{
    uint64_t most = 0;
    if (level || !j->type) return inference_row_bytes(j, level, 0);
    for (int t = 0; t < j->graph->types; t++)
        if (j->graph->type[t].features.row_bytes > most) most = j->graph->type[t].features.row_bytes;
    return most;
}

uint64_t inference_level_bytes(const struct inference *j, int level)
{
    uint64_t sum = 0;
    if (level || !j->type) return j->targets[level] * inference_row_bytes(j, level, 0);
    for (uint64_t v = 0; v < j->graph->n; v++)
        if (j->top[v] != INFERENCE_NEVER) sum += inference_row_bytes(j, 0, v);
    return sum;
}

uint64_t inference_arcs(const struct graph *g, uint64_t v)
{
    uint64_t sum = 0;
    const int *into, count = graph_relations_into(g, graph_type_of(g, v), &into);
    for (int i = 0; i < count; i++) {
        const struct graph_csr csr = graph_csr(g, into[i]);
        sum += csr_degree(&csr, v - csr.first_target);
    }
    return sum;
}

uint64_t inference_topology_bytes(const struct graph *g, uint64_t v)
{
    const int *into;
    return 4 * inference_arcs(g, v) + 8 * (uint64_t)graph_relations_into(g, graph_type_of(g, v), &into);
}

/* ---- which vertices ---- */

/* T_(l-1) from T_l: vertices that layer l was the first to need bring what their rows list. */
static void widen(struct inference *j, int layer)
{
    const struct graph *c = graph_connections(j->graph);
    for (uint64_t v = 0; v < c->n; v++) {
        if (j->top[v] != layer) continue;
        for (int64_t e = c->indptr[v]; e < c->indptr[v + 1]; e++)
            if (j->top[c->indices[e]] == INFERENCE_NEVER) j->top[c->indices[e]] = (uint8_t)(layer - 1);
    }
}

enum st inference_begin(struct inference *j, const uint32_t *ids, uint64_t count, struct err *err)
{
    uint64_t n = j->graph->n;
    MAKE(j->top, n, "the layers of vertices");
    if (!graph_plain(j->graph)) {
        MAKE(j->type, n, "types of vertices");
        for (int t = 0; t < j->graph->types; t++) memset(j->type + j->graph->type[t].first, t, j->graph->type[t].count);
    }
    memset(j->top, ids ? INFERENCE_NEVER : j->layers, n);
    for (uint64_t i = 0; ids && i < count; i++) j->top[ids[i]] = (uint8_t)j->layers;
    for (int l = j->layers; ids && !j->workload && l > 0; l--) widen(j, l);
    memset(j->targets, 0, sizeof j->targets);
    for (uint64_t v = 0; v < n; v++)
        for (int l = 0; j->top[v] != INFERENCE_NEVER && l <= j->top[v]; l++) j->targets[l]++;
    return ST_OK;
}

void inference_end(struct inference *j)
{
    mem_free(j->top);
    mem_free(j->type);
    j->top = j->type = NULL;
}

/* ---- chunks ---- */

static uint64_t work_of(const struct inference *j, uint64_t v)
{
    if (j->top[v] == INFERENCE_NEVER) return 0;
    return j->workload ? 1 : j->top[v] * (inference_arcs(j->graph, v) + 1);
}

void inference_deal(const struct inference *j, struct inference_chunks *c)
{
    uint64_t total = 0, before = 0, n = j->graph->n;
    int g = 0;
    for (uint64_t v = 0; v < n; v++) total += work_of(j, v);
    c->begin[0] = 0;
    for (uint64_t i = 0; i < n; i++) { /* a vertex goes where the middle of its work lies */
        uint64_t own = work_of(j, c->order[i]);
        unsigned __int128 middle = (unsigned __int128)(2 * before + own) * (unsigned)c->gpus;
        while (g + 1 < c->gpus && middle >= (unsigned __int128)(2 * total) * (unsigned)(g + 1)) c->begin[++g] = i;
        before += own;
    }
    while (g < c->gpus) c->begin[++g] = n;
}

static uint64_t weight_of(const struct inference *j, const struct inference_chunks *c, uint64_t row, uint64_t v)
{
    if (c->unit == CHUNK_VERTICES) return 1;
    uint64_t arcs = inference_arcs(j->graph, v);
    return c->unit == CHUNK_EDGES ? arcs : inference_topology_bytes(j->graph, v) + (arcs + 1) * row;
}

/* The chunks of GPU g's vertices, behind those of the GPUs before; from: NULL counts only. */
static void cut_stretch(const struct inference *j, const struct inference_chunks *c, uint64_t row, int g,
                        struct inference_cut *out)
{
    uint64_t held = 0, begun = 0;
    for (uint64_t i = out->list_of[g]; i < out->list_of[g + 1]; i++) {
        uint64_t own = weight_of(j, c, row, out->list[i]);
        if (!begun || held + own > c->limit) {
            if (out->from) out->from[out->chunks] = i;
            out->chunks++;
            held = 0;
        }
        begun = 1;
        held += own;
    }
    out->chunk_of[g + 1] = out->chunks;
}

enum st inference_cut(const struct inference *j, const struct inference_chunks *c, int layer, struct inference_cut *out,
                      struct err *err)
{
    enum st st;
    struct inference_cut cut = {0};
    uint64_t row = inference_largest_row(j, layer - 1), count = 0;
    NEW(cut.list, j->targets[layer], "the vertices of a layer");
    for (int g = 0; g < c->gpus; g++) {
        for (uint64_t i = c->begin[g]; i < c->begin[g + 1]; i++) {
            uint8_t top = j->top[c->order[i]];
            if (top != INFERENCE_NEVER && top >= layer) cut.list[count++] = c->order[i];
        }
        cut.list_of[g + 1] = count;
    }
    for (int g = 0; g < c->gpus; g++) cut_stretch(j, c, row, g, &cut);
    NEW(cut.from, cut.chunks + 1, "chunks");
    cut.from[cut.chunks] = count;
    cut.chunks = 0;
    for (int g = 0; g < c->gpus; g++) cut_stretch(j, c, row, g, &cut);
    *out = cut;
    return ST_OK;
done:
    inference_cut_release(&cut);
    return st;
}

void inference_cut_release(struct inference_cut *c)
{
    mem_free(c->list);
    mem_free(c->from);
    c->list = NULL;
    c->from = NULL;
}
