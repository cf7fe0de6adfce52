/* batches_types.c - the layout of mini-batches of several types: schema batches/2 (declared in batches_layout.h). */
#include <string.h>

#include "base/mem.h"
#include "simulator/replay/batches_layout.h"

enum { VERTICES, EDGES, ROWS, COLUMNS, ARRAYS, PARTED = ROWS };

static const struct batch_array arrays[ARRAYS] = {{"vertices", "u4", true},
                                                  {"edges", "i8", true},
                                                  {"rows", "u4", false},
                                                  {"columns", "u4", false}};

/* Turns counts of parts into where each begins. */
static void begins(uint64_t *count, int parts)
{
    uint64_t at = 0;
    for (int i = 0; i < parts; i++) {
        uint64_t here = count[i];
        count[i] = at;
        at += here;
    }
}

/* Sorts the vertices found by type and level, and numbers them within their type. */
static void sort_vertices(const struct graph *g, const struct sample_steps *s, const uint32_t *found,
                          struct batch_locals *l)
{
    uint64_t *at = l->end[VERTICES], first[GRAPH_TYPES_MAX];
    memset(at, 0, (size_t)l->parts[VERTICES] * sizeof *at);
    l->vertices = s->end[s->levels - 1].found;
    for (int pass = 0; pass < 2; pass++) {
        for (uint64_t i = 0, level = 0; i < l->vertices; i++) {
            while (i >= s->end[level].found) level++;
            int type = graph_type_of(g, found[i]);
            uint64_t *part = &at[(uint64_t)type * (uint64_t)s->levels + level];
            if (pass) {
                l->number[found[i]] = (uint32_t)(*part - first[type]);
                l->vertex[*part] = found[i] - (uint32_t)g->type[type].first;
            }
            ++*part;
        }
        if (pass) break;
        begins(at, l->parts[VERTICES]);
        for (int t = 0; t < g->types; t++) first[t] = at[t * s->levels];
    }
}

/* Puts the draws of a visit of topology row `row` behind those of its part. */
static void put_draws(const struct graph *g, uint32_t row, const uint64_t *place, uint64_t count, uint64_t *part,
                      struct batch_locals *l)
{
    const struct graph_relation *r = &g->relation[graph_relation_of_row(g, row)];
    uint64_t vertex = g->type[r->target].first + (row - r->first_row), first = g->type[r->source].first;
    for (uint64_t i = 0; i < count; i++, ++*part) {
        l->edge[*part] = place[i];
        l->row[*part] = l->number[vertex];
        l->column[*part] = l->number[first + r->indices[place[i]]];
    }
}

/* Sorts the draws by relation and hop; within a part they stay in the order of the draws. */
static enum st sort_draws(const struct graph *g, const struct sample_steps *s, struct batch_locals *l, struct err *err)
{
    uint64_t *at = l->end[EDGES], hops = (uint64_t)s->levels - 1;
    l->draws = s->end[hops].draws;
    PASS(batch_locals_room(l, l->draws, err));
    memset(at, 0, (size_t)l->parts[EDGES] * sizeof *at);
    for (int pass = 0; pass < 2; pass++) {
        for (uint64_t i = 0, level = 1, draw = 0; i < s->end[hops].visits; draw += s->drawn[i], i++) {
            while (i >= s->end[level].visits) level++;
            uint64_t *part = &at[(uint64_t)graph_relation_of_row(g, s->visited[i]) * hops + level - 1];
            if (pass) put_draws(g, s->visited[i], s->place + draw, s->drawn[i], part, l);
            else *part += s->drawn[i];
        }
        if (!pass) begins(at, l->parts[EDGES]);
    }
    return ST_OK;
}

static enum st batches_types_begin(const struct graph *g, int hops, struct batch_locals *l, struct err *err)
{
    l->parts[VERTICES] = g->types * (hops + 1);
    l->parts[EDGES] = g->relations * hops;
    MAKE(l->vertex, g->n, "numbers of a mini-batch's vertices");
    for (int k = 0; k < PARTED; k++) MAKE(l->end[k], l->parts[k], "the parts of a mini-batch");
    return ST_OK;
}

static enum st translate(const struct graph *g, const struct sample_steps *s, const uint32_t *ids,
                         struct batch_locals *l, struct err *err)
{
    sort_vertices(g, s, ids, l);
    return sort_draws(g, s, l, err);
}

static enum st batches_types_add(struct batch_files *f, const struct sample_steps *s, const uint32_t *ids,
                                 const struct batch_locals *l, struct err *err)
{
    (void)s, (void)ids;
    PASS(batch_files_add(f, VERTICES, l->vertex, l->vertices, l->end[VERTICES], l->parts[VERTICES], err));
    PASS(batch_files_add(f, EDGES, l->edge, l->draws, l->end[EDGES], l->parts[EDGES], err));
    PASS(batch_files_add(f, ROWS, l->row, l->draws, NULL, 0, err));
    return batch_files_add(f, COLUMNS, l->column, l->draws, NULL, 0, err);
}

const struct batch_layout batch_layout_types = {.schema = "batches/2",
                                                .arrays = arrays,
                                                .count = ARRAYS,
                                                .begin = batches_types_begin,
                                                .translate = translate,
                                                .add = batches_types_add};
