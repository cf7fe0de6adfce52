#include "traces/formats/types_import.h"

#include <inttypes.h>
#include <string.h>

#include "base/mem.h"
#include "traces/builder/builder.h"
#include "traces/formats/types_flat.h"

static const struct types_format *const formats[] = {&types_format_hetero, &types_format_graphbolt, &types_format_ogb,
                                                     &types_format_processed};
enum { FORMATS = sizeof formats / sizeof *formats };

const struct types_format *types_format_of(const char *path, const char *name)
{
    if (!file_is_directory(path)) return NULL;
    for (int i = 0; i < FORMATS; i++)
        if ((!name || !strcmp(name, formats[i]->name)) && formats[i]->probe(path)) return formats[i];
    return NULL;
}

struct importing {
    const struct types_import_options *o;
    struct types_source source;
    struct types_edges *edges; /* [relations] */
    struct graph_draft draft;
    struct name_table *names; /* [GRAPH_TYPES_MAX] of one text; else NULL */
};

/* Counts that the source does not state, and ids beyond those that it does. */
static enum st settle_counts(struct importing *m, struct err *err)
{
    struct types_source *s = &m->source;
    uint64_t end[GRAPH_TYPES_MAX] = {0}, arcs[GRAPH_TYPES_MAX] = {0};
    for (int r = 0; r < s->relations; r++)
        for (int side = 0; side < 2; side++) {
            struct types_source_type *t;
            uint64_t ids = side ? m->edges[r].target_end : m->edges[r].source_end;
            PASS(types_source_type(s, side ? s->relation[r].target : s->relation[r].source, &t, err));
            if (t->count && ids > t->count)
                return err_set(err, ST_INPUT, "%s: names %s %" PRIu64 " of type %s, which has %" PRIu64 " vertices",
                               m->edges[r].path, side ? "target" : "source", ids - 1, t->name, t->count);
            if (ids > end[t - s->type]) end[t - s->type] = ids;
            arcs[t - s->type] += m->edges[r].count;
        }
    for (int t = 0; t < s->types; t++) {
        if (!s->type[t].count) s->type[t].count = end[t];
        if (!s->type[t].count)
            return err_set(err, ST_INPUT, "%s: the number of vertices of type %s is not stated, and no edge has one",
                           m->o->path, s->type[t].name);
        if (!s->type[t].proven && !builder_justifies(s->type[t].count, arcs[t]))
            return err_set(err, ST_INPUT,
                           "%s: type %s has %" PRIu64 " vertices but only %" PRIu64 " arcs; correct the number of "
                           "vertices or the ids",
                           m->o->path, s->type[t].name, s->type[t].count, arcs[t]);
        PASS(graph_draft_type(&m->draft, s->type[t].name, s->type[t].count, s->type[t].dim, s->type[t].element, err));
    }
    return ST_OK;
}

/* Whether the relation gets a reversed one beside it. */
static bool reversed(const struct importing *m, int r)
{
    return m->o->undirected && strcmp(m->source.relation[r].source, m->source.relation[r].target);
}

static enum st add_relations(struct importing *m, struct err *err)
{
    for (int i = 0; i < m->source.relations; i++) {
        const struct types_source_relation *r = &m->source.relation[i];
        char reverse[GRAPH_NAME_BYTES + 8];
        PASS(graph_draft_relation(&m->draft, r->source, r->name, r->target, r->dim, r->element, err));
        snprintf(reverse, sizeof reverse, "rev_%s", r->name);
        if (reversed(m, i))
            PASS(graph_draft_relation(&m->draft, r->target, reverse, r->source, r->dim, r->element, err));
    }
    return ST_OK;
}

static enum st write_relations(struct importing *m, const struct output *to, struct err *err)
{
    const struct types_import_options *o = m->o;
    int number = 0;
    for (int i = 0; i < m->source.relations; i++) {
        struct types_edges *e = &m->edges[i];
        e->both = o->undirected && !reversed(m, i);
        struct arc_source arcs = {e, e->both ? 2 * e->count : e->count, e->weights.data != NULL, types_edges_read};
        PASS(graph_draft_edges(&m->draft, number++, &arcs, o->threads, o->progress, to, err));
        if (!reversed(m, i)) continue;
        e->swap = true;
        PASS(graph_draft_edges(&m->draft, number++, &arcs, o->threads, o->progress, to, err));
    }
    return ST_OK;
}

/* --train TYPE=FILE takes the place of all that the source states. */
static enum st take_given_train(struct importing *m, struct err *err)
{
    const char *sign = m->o->train ? strchr(m->o->train, '=') : NULL;
    char name[GRAPH_NAME_BYTES];
    int t = -1;
    if (!m->o->train) return ST_OK;
    if (sign && sign - m->o->train < GRAPH_NAME_BYTES) {
        snprintf(name, sizeof name, "%.*s", (int)(sign - m->o->train), m->o->train);
        t = graph_type_named(&m->draft.g, name);
    }
    if (t < 0)
        return err_set(err, ST_USAGE,
                       "--train: '%.60s' must be TYPE=FILE for a graph with several types, as in paper=split.npy",
                       m->o->train);
    for (int i = 0; i < m->source.types; i++) *m->source.type[i].train = '\0';
    snprintf(m->source.type[t].train, PATH_BYTES, "%s", sign + 1);
    return ST_OK;
}

static enum st take_train(struct importing *m, struct err *err)
{
    bool any = false, share = m->o->train_share > 0;
    PASS(take_given_train(m, err));
    for (int t = 0; t < m->source.types; t++) {
        const struct types_source_type *type = &m->source.type[t];
        const struct id_map map = {.n = m->draft.g.type[t].count, .names = m->names ? &m->names[t] : NULL};
        if (!*type->train) continue;
        any = true;
        if (share) PASS(train_by_share(map.n, m->o->train_share, m->o->seed, m->o->threads, &m->draft.train[t], err));
        else PASS(train_from_file(type->train, &map, &m->draft.train[t], err));
    }
    if (!any)
        PASS(train_by_share(m->draft.g.type[0].count, share ? m->o->train_share : 0.1, m->o->seed, m->o->threads,
                            &m->draft.train[0], err));
    return ST_OK;
}

/* What the source says, and its edges. */
static enum st read_source(struct importing *m, struct err *err)
{
    struct types_source *s = &m->source;
    if (m->o->format) PASS(m->o->format->read(m->o->path, s, err));
    else {
        MAKE(m->names, GRAPH_TYPES_MAX, "tables of names");
        PASS(types_flat_read(m->o, s, &m->edges, m->names, err));
    }
    if (!s->relations) return err_set(err, ST_INPUT, "%s: has no relation", m->o->path);
    if (!m->o->format) return ST_OK;
    MAKE(m->edges, s->relations, "edges");
    for (int r = 0; r < s->relations; r++) PASS(types_edges_open(&s->relation[r], m->o->threads, &m->edges[r], err));
    return ST_OK;
}

enum st types_import(const struct types_import_options *o, const char *target, struct err *err)
{
    struct importing m = {.o = o};
    ON_HEAP(struct output, to);
    char trimmed[PATH_BYTES], origin[64];
    enum st st;
    snprintf(origin, sizeof origin, "import %s", o->format ? o->format->name : "edge-list");
    TRY(graph_draft_begin(&m.draft, o->name ? o->name : path_base(path_trim(target, trimmed)), origin, err));
    TRY(read_source(&m, err));
    TRY(settle_counts(&m, err));
    TRY(add_relations(&m, err));
    TRY(output_directory(to, target, err));
    TRY(take_train(&m, err));
    TRY(write_relations(&m, to, err));
    for (int t = 0; m.names && t < m.source.types; t++) {
        TRY(name_table_save(&m.names[t], t, to, err));
        m.draft.g.type[t].name_bytes = (uint64_t)m.names[t].offset[m.names[t].count];
    }
    TRY(graph_draft_save(&m.draft, o->threads, to, err));
    TRY(output_commit(to, err));
done:
    output_abort(to);
    for (int r = 0; m.edges && r < m.source.relations; r++) types_edges_close(&m.edges[r]);
    mem_free(m.edges);
    for (int t = 0; m.names && t < GRAPH_TYPES_MAX; t++) name_table_release(&m.names[t]);
    mem_free(m.names);
    types_source_free(&m.source);
    graph_draft_release(&m.draft);
    return st;
}
