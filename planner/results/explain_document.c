#include "planner/results/explain_document.h"

#include "planner/results/memories_print.h"

static double per_byte(double saved, uint64_t bytes) { return bytes ? saved / (double)bytes : 0; }

/* {kind, and type or relation, vertex, bytes, what it saves} of the last row that was taken. */
static doc *last_document(const struct explained_row *row, const struct graph *g)
{
    doc *d = plan_table_document(g, row->last_table);
    bool edge = graph_table(g, row->last_table).kind == ROWS_EDGE;
    DOC_PUT(d, IS(edge ? "row" : "vertex", row->last_row), IS("bytes", row->last_bytes),
            IS("transactions_saved_per_epoch", row->last_saved),
            IS("saved_per_byte", per_byte(row->last_saved, row->last_bytes)));
    return d;
}

static doc *row_document(const struct explanation *e, const struct explained_row *row, int table, const struct plan *p,
                         const struct graph *g)
{
    doc *d = plan_table_document(g, table), *held = doc_array();
    bool topology = graph_table(g, table).kind == ROWS_TOPOLOGY;
    DOC_PUT(d, IS("bytes", row->bytes), IS(topology ? "visits_per_epoch" : "mini_batches_per_epoch", row->reads),
            IS("transactions_saved_per_epoch", row->saved), IS("saved_per_byte", per_byte(row->saved, row->bytes)),
            IS("rank", e->ranked ? doc_integer((int64_t)row->rank) : doc_null()),
            IS("of", e->ranked ? doc_integer((int64_t)row->of) : doc_null()));
    for (int i = 0; i < row->copies; i++) {
        doc *copy = doc_object();
        doc_put(copy, "gpu", doc_integer(p->assignment.id[row->copy[i].gpu]));
        doc_put(copy, "slot", doc_integer((int64_t)row->copy[i].slot));
        doc_append(held, copy);
    }
    DOC_PUT(d, IS("held", held), IS("last_row_taken", row->lost ? last_document(row, g) : doc_null()),
            IS("more_bytes", e->ranked && !row->copies ? doc_integer((int64_t)row->more_bytes) : doc_null()));
    return d;
}

static doc *table_document(const struct explained_table *e, int table, const struct graph *g)
{
    doc *d = plan_table_document(g, table);
    DOC_PUT(d, IS("rows", (int64_t)graph_table(g, table).count), IS("bytes", e->bytes), IS("held_rows", e->held),
            IS("held_bytes", e->held_bytes), IS("reads", e->reads), IS("transactions", e->saved),
            IS("transactions_saved", e->saved_held), IS("saved_per_byte_densest", e->densest),
            IS("saved_per_byte_least_held", e->least_held), IS("saved_per_byte_best_left", e->best_left));
    return d;
}

static doc *pool_document(const struct explanation *e, int pool, const struct plan *p, const struct graph *g)
{
    doc *d = doc_object(), *gpus = doc_array(), *list = doc_array();
    for (int i = 0; i < e->pool[pool].gpus; i++) doc_append(gpus, doc_integer(p->assignment.id[e->pool[pool].gpu[i]]));
    DOC_PUT(d, IS("clique", e->pool[pool].clique), IS("gpus", gpus));
    for (int k = 0, at = pool * e->of.tables; k < e->of.tables; k++, at++)
        doc_append(list, e->of.whole ? table_document(&e->table[at], e->of.table[k], g)
                                     : row_document(e, &e->row[at], e->of.table[k], p, g));
    doc_put(d, e->of.whole ? "tables" : "rows", list);
    return d;
}

/* {"source": "own" | "peer" | "host", "gpu": id or null} */
static doc *source_document(const struct plan *p, int reader, int source)
{
    return DOC(IS("source", source < 0         ? "host"
                            : source == reader ? "own"
                                               : "peer"),
               IS("gpu", source < 0 ? doc_null() : doc_integer(p->assignment.id[source])));
}

static void put_name(const struct graph_names *names, uint64_t v, doc *d)
{
    char text[NAME_BYTES_MOST + 1];
    size_t length;
    if (!names || v >= names->count) return;
    const char *name = graph_name(names, v, &length);
    snprintf(text, sizeof text, "%.*s", (int)length, name);
    doc_put(d, "name", doc_text(text));
}

static void put_vertex(const struct explanation *e, const struct plan *p, const struct graph *g,
                       const struct graph_names *names, doc *d)
{
    doc *readers = doc_array(), *memories = doc_object();
    char name[EXPLAIN_NAME];
    if (!graph_plain(g)) doc_put(d, "type", doc_text(g->type[e->of.type].name));
    doc_put(d, "vertex", doc_integer((int64_t)e->of.vertex));
    put_name(names, e->of.vertex, d);
    DOC_PUT(d, IS("degree", e->degree),
            IS("trained_by", e->trained_by < 0 ? doc_null() : doc_integer(p->assignment.id[e->trained_by])));
    for (int i = 0; i < p->assignment.gpus; i++) {
        doc *one = doc_object();
        doc_put(one, "gpu", doc_integer(p->assignment.id[i]));
        for (int k = 0; k < e->of.tables; k++)
            doc_put(one, explain_table_name(g, e->of.table[k], name), source_document(p, i, e->source[k][i]));
        doc_append(readers, one);
    }
    doc_put(d, "readers", readers);
    for (int k = 0; p->places && k < e->of.tables; k++)
        doc_put(memories, explain_table_name(g, e->of.table[k], name),
                memories_of_row(p, g, graph_table(g, e->of.table[k]).first + e->of.vertex));
    if (p->places) doc_put(d, "memories", memories);
    else doc_free(memories);
}

doc *explain_document(const struct explanation *e, const struct explain_input *in)
{
    const struct plan *p = in->plan;
    doc *d = doc_object(), *pools = doc_array();
    DOC_PUT(d, IS("schema", "explain/1"), IS("trace_epochs", in->trace->epochs), IS("policy", p->policy),
            IS("hotness", p->hotness),
            IS("order", e->substitute  ? "estimates"
                        : e->one_order ? "saved per byte, all kinds"
                                       : "each kind by hotness"),
            IS("reads_beyond_cliques", e->beyond));
    for (int i = 0; i < e->pools; i++) doc_append(pools, pool_document(e, i, p, in->graph));
    doc_put(d, "pools", pools);
    if (!e->of.whole) put_vertex(e, p, in->graph, in->names, d);
    return d;
}
