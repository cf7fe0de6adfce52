#include "planner/exports/export_rows.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"

struct export_rows export_rows_shape(const struct graph *g, int t)
{
    const struct graph_vertices type = graph_vertices(g, t);
    return (struct export_rows){.graph = g, .type = t, .n = type.count, .dim = type.dim, .row_bytes = type.row_bytes};
}

enum st export_rows_of(const struct graph *g, const struct placement *p, int t, struct export_rows *out,
                       struct err *err)
{
    OWNED_BY(export_rows_release) struct export_rows r = export_rows_shape(g, t);
    uint64_t first = graph_vertices(g, t).first;
    for (int i = 0; i < p->gpus; i++) {
        struct row_list *l = &r.list[i];
        const struct row_list *all = &p->feature[i];
        MAKE(l->id, all->count + 1, "rows of a type");
        for (uint64_t k = 0; k < all->count; k++)
            if (all->id[k] - first < r.n) l->id[l->count++] = all->id[k] - (uint32_t)first;
    }
    *out = r;
    memset(&r, 0, sizeof r);
    return ST_OK;
}

void export_rows_release(struct export_rows *r)
{
    for (int g = 0; g < GPUS_MAX; g++) mem_free(r->list[g].id);
    memset(r, 0, sizeof *r);
}

const char *export_rows_file(const struct export_rows *r, const char *stem, char out[EXPORT_NAME])
{
    char suffix[GRAPH_SUFFIX];
    snprintf(out, EXPORT_NAME, "%s%s.npy", stem, graph_suffix(r->graph, r->type, suffix));
    return out;
}
