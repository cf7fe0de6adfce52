/* relabel_types.c - the same graph of several types with other ids (declared in relabel.h). */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/order.h"
#include "traces/builder/graph_draft.h"
#include "traces/builder/name_table.h"
#include "traces/builder/relabel.h"

/* Both by the ids of all types; types keep their ranges of ids. */
struct numbers {
    uint32_t *old_of, *new_of; /* [n] */
};

/* Types one behind the other, each in the order of order[n]. */
static enum st number(const struct graph *g, const uint32_t *order, struct numbers *out, struct err *err)
{
    uint64_t next[GRAPH_TYPES_MAX];
    for (int t = 0; t < g->types; t++) next[t] = g->type[t].first;
    MAKE(out->old_of, g->n, "an order of vertices");
    MAKE(out->new_of, g->n, "new ids");
    for (uint64_t i = 0; i < g->n; i++) {
        uint64_t at = next[graph_type_of(g, order[i])]++;
        out->old_of[at] = order[i];
        out->new_of[order[i]] = (uint32_t)at;
    }
    return ST_OK;
}

/* The entries of a relation as arcs between new ids. */
struct relation_arcs {
    const struct graph *g;
    const struct graph_relation *r;
    const uint32_t *new_of;
};

static enum st read_arcs(const void *self, uint64_t first, uint64_t count, uint32_t *pairs, float *weights,
                         struct err *err)
{
    const struct relation_arcs *a = self;
    const struct graph_type *source = &a->g->type[a->r->source], *target = &a->g->type[a->r->target];
    uint64_t low = 0, high = a->r->rows; /* the row of entry `first` is in [low, high) */
    (void)weights, (void)err;
    while (high - low > 1) {
        uint64_t middle = low + (high - low) / 2;
        if ((uint64_t)a->r->indptr[middle] <= first) low = middle;
        else high = middle;
    }
    for (uint64_t i = 0, v = low; i < count; i++) {
        while ((uint64_t)a->r->indptr[v + 1] <= first + i) v++;
        pairs[2 * i] = a->new_of[source->first + a->r->indices[first + i]] - (uint32_t)source->first;
        pairs[2 * i + 1] = a->new_of[target->first + v] - (uint32_t)target->first;
    }
    return ST_OK;
}

static enum st draft_types(const struct graph *g, const struct numbers *n, struct graph_draft *d, struct err *err)
{
    for (int t = 0; t < g->types; t++) {
        const struct graph_type *x = &g->type[t];
        struct train_set *set = &d->train[t];
        PASS(graph_draft_type(d, x->name, x->count, x->features.dim, x->features.element, err));
        if (!x->train_count) continue;
        MAKE(set->ids, x->train_count, "training vertices");
        set->count = x->train_count;
        for (uint64_t i = 0; i < set->count; i++) set->ids[i] = n->new_of[x->first + x->train[i]] - (uint32_t)x->first;
        qsort(set->ids, set->count, sizeof *set->ids, order_u32);
    }
    for (int r = 0; r < g->relations; r++) {
        const struct graph_relation *x = &g->relation[r];
        if (x->weights)
            return err_set(err, ST_INPUT,
                           "%s: relation %s has weights, which are not moved with their edges yet; import the edges "
                           "under their new ids instead",
                           g->path, x->name);
        PASS(graph_draft_relation(d, g->type[x->source].name, x->name, g->type[x->target].name, x->features.dim,
                                  x->features.element, err));
    }
    return ST_OK;
}

static enum st write_names(const struct graph *g, const struct numbers *n, struct graph_draft *d, int threads,
                           const struct output *to, struct err *err)
{
    OWNED uint32_t *order = NULL;
    for (int t = 0; t < g->types; t++) {
        const struct graph_type *x = &g->type[t];
        OWNED_BY(graph_names_close) struct graph_names names = {0};
        PASS(graph_names_open(g, t, threads, &names, err));
        if (!names.count) continue;
        mem_free(order);
        order = NULL;
        MAKE(order, x->count, "an order of names");
        for (uint64_t i = 0; i < x->count; i++) order[i] = n->old_of[x->first + i] - (uint32_t)x->first;
        PASS(name_table_permuted(&names, order, x->count, t, to, err));
        d->g.type[t].name_bytes = names.total;
    }
    return ST_OK;
}

enum st relabel_types(const struct graph *g, const uint32_t *old_of, const char *origin, const char *path, int threads,
                      bool progress, struct err *err)
{
    enum st st;
    struct numbers n = {NULL, NULL};
    struct graph_draft d = {.duplicates = 0};
    ON_HEAP(struct output, to);
    char file[PATH_BYTES];
    TRY(output_directory(to, path, err));
    TRY(number(g, old_of, &n, err));
    TRY(graph_draft_begin(&d, g->name, origin, err));
    TRY(draft_types(g, &n, &d, err));
    for (int r = 0; r < g->relations; r++) {
        const struct relation_arcs self = {g, &g->relation[r], n.new_of};
        const struct arc_source arcs = {&self, g->relation[r].m, false, read_arcs};
        TRY(graph_draft_edges(&d, r, &arcs, threads, progress, to, err));
    }
    TRY(write_names(g, &n, &d, threads, to, err));
    TRY(output_path(to, "relabel.npy", file, err));
    TRY(npy_save(file, "u4", 1, &g->n, n.old_of, err));
    TRY(graph_draft_save(&d, threads, to, err));
    TRY(output_commit(to, err));
done:
    output_abort(to);
    graph_draft_release(&d);
    mem_free(n.old_of);
    mem_free(n.new_of);
    return st;
}
