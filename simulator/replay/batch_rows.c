#include "simulator/replay/batch_rows.h"

#include <string.h>

#include "base/mem.h"

void batch_rows_release(struct batch_rows *r)
{
    mem_free(r->id);
    memset(r, 0, sizeof *r);
}

static enum st make_room(struct batch_rows *r, uint64_t count, struct err *err)
{
    enum st st = ST_OK;
    if (count <= r->room) return ST_OK;
    uint64_t room = count + count / 4;
    GROW(r->id, room, "the rows of a mini-batch");
    r->room = room;
done:
    return st;
}

static void add_edges(const struct graph *g, const struct sample_steps *steps, struct batch_rows *r)
{
    const uint64_t *place = steps->place;
    for (uint64_t i = 0; i < steps->end[steps->levels - 1].visits; place += steps->drawn[i++]) {
        const struct graph_relation *of = &g->relation[graph_relation_of_row(g, steps->visited[i])];
        for (uint32_t k = 0; of->features.row_bytes && k < steps->drawn[i]; k++)
            r->id[r->count++] = (uint32_t)(g->n + of->first_edge + place[k]);
    }
}

enum st batch_rows_list(const struct graph *g, const uint32_t *ids, uint64_t vertices, const struct sample_steps *steps,
                        struct batch_rows *r, struct err *err)
{
    r->count = 0;
    PASS(make_room(r, vertices + (g->edge_rows ? steps->end[steps->levels - 1].draws : 0), err));
    for (uint64_t i = 0; i < vertices; i++)
        if (g->type[graph_type_of(g, ids[i])].features.row_bytes) r->id[r->count++] = ids[i];
    if (g->edge_rows) add_edges(g, steps, r);
    return ST_OK;
}
