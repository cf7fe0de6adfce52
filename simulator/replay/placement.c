#include "simulator/replay/placement.h"

#include <string.h>

#include "base/mem.h"

void placement_release(struct placement *p)
{
    for (int g = 0; g < GPUS_MAX; g++) {
        mem_free(p->topology[g].id);
        mem_free(p->feature[g].id);
    }
    memset(p, 0, sizeof *p);
}

enum st row_list_add(struct row_list *l, uint32_t id, struct err *err)
{
    enum st st = ST_OK;
    if (l->count == l->capacity) {
        uint64_t more = l->capacity ? l->capacity + l->capacity / 2 : 1024;
        GROW(l->id, more, "the rows of a plan");
        l->capacity = more;
    }
    l->id[l->count++] = id;
done:
    return st;
}

enum st placement_add(struct placement *p, const struct graph *graph, int g, uint64_t item, struct err *err)
{
    uint64_t rows = graph_topology_rows(graph);
    return item < rows ? row_list_add(&p->topology[g], (uint32_t)item, err)
                       : row_list_add(&p->feature[g], (uint32_t)(item - rows), err);
}

/* Bytes of a list whose rows are the items from `first` on. */
static uint64_t list_bytes(const struct graph *graph, const struct row_list *l, uint64_t first)
{
    enum { AHEAD = 24 }; /* rows lie in the order of hotness: their offsets are read at random */
    const int64_t *offsets = first ? NULL : graph->indptr; /* of a plain graph */
    uint64_t bytes = 0;
    for (uint64_t i = 0; i < l->count; i++) {
        if (offsets && i + AHEAD < l->count) __builtin_prefetch(&offsets[l->id[i + AHEAD]]);
        bytes += graph_item_bytes(graph, first + l->id[i]);
    }
    return bytes;
}

uint64_t placement_topology_bytes(const struct placement *p, int g, const struct graph *graph)
{
    return list_bytes(graph, &p->topology[g], 0);
}

uint64_t placement_feature_bytes(const struct placement *p, int g, const struct graph *graph)
{
    return list_bytes(graph, &p->feature[g], graph_topology_rows(graph));
}

static uint64_t held_add(const struct placement *p, int g, const struct graph *graph, uint64_t *bytes, uint64_t *count)
{
    uint64_t sum = 0;
    for (uint64_t i = 0; i < placement_count(p, g); i++) {
        uint64_t item = placement_item(p, graph, g, i);
        int t = graph_table_of(graph, item);
        uint64_t each = graph_row_bytes(graph, t, item - graph_table(graph, t).first);
        bytes[t] += each;
        count[t]++;
        sum += each;
    }
    return sum;
}

static void held_none(const struct graph *graph, uint64_t *bytes, uint64_t *count)
{
    memset(bytes, 0, (size_t)graph_tables(graph) * sizeof *bytes);
    memset(count, 0, (size_t)graph_tables(graph) * sizeof *count);
}

uint64_t placement_held(const struct placement *p, int g, const struct graph *graph, uint64_t *bytes, uint64_t *count)
{
    held_none(graph, bytes, count);
    return held_add(p, g, graph, bytes, count);
}

void placement_held_all(const struct placement *p, const struct graph *graph, uint64_t *bytes, uint64_t *count)
{
    held_none(graph, bytes, count);
    for (int g = 0; g < p->gpus; g++) held_add(p, g, graph, bytes, count);
}

const char *topology_access_name(enum topology_access a)
{
    static const char *const names[] = {"gpu", "cpu", "samplers"};
    return names[a];
}

static void mark(const struct row_list *l, uint8_t value, uint8_t *where)
{
    for (uint64_t i = 0; i < l->count; i++) where[l->id[i]] = value;
}

void placement_locate(const struct placement *p, int g, const struct row_list *lists, uint64_t n, uint8_t *where)
{
    memset(where, 0, n);
    for (int i = p->peers[g] - 1; i >= 0; i--)
        mark(&lists[p->peer[g][i]], (uint8_t)(1 + p->peer[g][i]), where); /* the first peer writes last */
    mark(&lists[g], (uint8_t)(1 + g), where);
}

void placement_locate_items(const struct placement *p, int g, const struct graph *graph, uint8_t *where)
{
    placement_locate(p, g, p->topology, graph_topology_rows(graph), where);
    placement_locate(p, g, p->feature, graph_feature_rows(graph), where + graph_topology_rows(graph));
}
