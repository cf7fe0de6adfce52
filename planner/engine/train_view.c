#include "planner/engine/train_view.h"

#include <string.h>

#include "base/mem.h"

/* The vertices of from[count], whose first one is `first`, that are in the part. Returns how many. */
static uint64_t keep(const uint32_t *from, uint64_t count, uint64_t first, const uint8_t *part, int which, uint32_t *to)
{
    uint64_t kept = 0;
    for (uint64_t k = 0; k < count; k++)
        if (part[first + from[k]] == which) to[kept++] = from[k];
    return kept;
}

static enum st keep_types(const struct graph *g, const uint8_t *part, int which, struct train_view *out,
                          uint64_t *count, struct err *err)
{
    const struct graph *whole = &g->joined->graph;
    MAKE(out->type, g->types, "training vertices");
    MAKE(out->ids, g->train_count + 1, "training vertices");
    memcpy(out->type, g->type, (size_t)g->types * sizeof *out->type);
    for (int t = 0; t < g->types; t++) {
        struct graph_type *type = &out->type[t];
        type->train = out->train + *count;
        type->train_count = keep(g->type[t].train, type->train_count, type->first, part, which, out->train + *count);
        *count += type->train_count;
    }
    out->joined = *g->joined;
    out->joined.graph.train_count = keep(whole->train, whole->train_count, 0, part, which, out->ids);
    out->joined.graph.train = out->ids;
    out->graph.joined = &out->joined;
    out->graph.type = out->type;
    return ST_OK;
}

enum st train_view_make(const struct graph *g, const uint8_t *part, int which, struct train_view *out, struct err *err)
{
    uint64_t count = 0;
    out->graph = *g;
    MAKE(out->train, g->train_count + 1, "training vertices");
    if (!graph_plain(g)) {
        PASS(keep_types(g, part, which, out, &count, err));
    } else {
        count = keep(g->train, g->train_count, 0, part, which, out->train);
        out->graph.train = out->train;
    }
    out->graph.train_count = count;
    return ST_OK;
}

void train_view_release(struct train_view *v)
{
    mem_free(v->train);
    mem_free(v->type);
    mem_free(v->ids);
    memset(v, 0, sizeof *v);
}
