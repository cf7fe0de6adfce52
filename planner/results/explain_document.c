#include "planner/results/explain_document.h"

#include "planner/results/memories_print.h"

static double per_byte(double saved, uint64_t bytes) { return bytes ? saved / (double)bytes : 0; }

/* {kind, and type or relation, vertex, bytes, what it saves} of the last row that was taken. */
static doc *last_document(const struct explained_row *row, const struct graph *g)
{
    doc *d = plan_table_document(g, row->last_table);
    bool edge = graph_table(g, row->last_table).kind == ROWS_EDGE;
    doc_put(d, edge ? "row" : "vertex", doc_integer((int64_t)row->last_row));
    doc_put(d, "bytes", doc_integer((int64_t)row->last_bytes));
    doc_put(d, "transactions_saved_per_epoch", doc_real(row->last_saved));
    doc_put(d, "saved_per_byte", doc_real(per_byte(row->last_saved, row->last_bytes)));
    return d;
}

static doc *row_document(const struct explanation *e, const struct explained_row *row, int table, const struct plan *p,
                         const struct graph *g)
{
    doc *d = plan_table_document(g, table), *held = doc_array();
    bool topology = graph_table(g, table).kind == ROWS_TOPOLOGY;
    doc_put(d, "bytes", doc_integer((int64_t)row->bytes));
    doc_put(d, topology ? "visits_per_epoch" : "mini_batches_per_epoch", doc_real(row->reads));
    doc_put(d, "transactions_saved_per_epoch", doc_real(row->saved));
    doc_put(d, "saved_per_byte", doc_real(per_byte(row->saved, row->bytes)));
    doc_put(d, "rank", e->ranked ? doc_integer((int64_t)row->rank) : doc_null());
    doc_put(d, "of", e->ranked ? doc_integer((int64_t)row->of) : doc_null());
    for (int i = 0; i < row->copies; i++) {
        doc *copy = doc_object();
        doc_put(copy, "gpu", doc_integer(p->assignment.id[row->copy[i].gpu]));
        doc_put(copy, "slot", doc_integer((int64_t)row->copy[i].slot));
        doc_append(held, copy);
    }
    doc_put(d, "held", held);
    doc_put(d, "last_row_taken", row->lost ? last_document(row, g) : doc_null());
    doc_put(d, "more_bytes", e->ranked && !row->copies ? doc_integer((int64_t)row->more_bytes) : doc_null());
    return d;
}

static doc *table_document(const struct explained_table *e, int table, const struct graph *g)
{
    doc *d = plan_table_document(g, table);
    doc_put(d, "rows", doc_integer((int64_t)graph_table(g, table).count));
    doc_put(d, "bytes", doc_integer((int64_t)e->bytes));
    doc_put(d, "held_rows", doc_integer((int64_t)e->held));
    doc_put(d, "held_bytes", doc_integer((int64_t)e->held_bytes));
    doc_put(d, "reads", doc_real(e->reads));
    doc_put(d, "transactions", doc_real(e->saved));
    doc_put(d, "transactions_saved", doc_real(e->saved_held));
    doc_put(d, "saved_per_byte_densest", doc_real(e->densest));
    doc_put(d, "saved_per_byte_least_held", doc_real(e->least_held));
    doc_put(d, "saved_per_byte_best_left", doc_real(e->best_left));
    return d;
}

static doc *pool_document(const struct explanation *e, int pool, const struct plan *p, const struct graph *g)
{
    doc *d = doc_object(), *gpus = doc_array(), *list = doc_array();
    for (int i = 0; i < e->pool[pool].gpus; i++) doc_append(gpus, doc_integer(p->assignment.id[e->pool[pool].gpu[i]]));
    doc_put(d, "clique", doc_integer(e->pool[pool].clique));
    doc_put(d, "gpus", gpus);
    for (int k = 0, at = pool * e->of.tables; k < e->of.tables; k++, at++)
        doc_append(list, e->of.whole ? table_document(&e->table[at], e->of.table[k], g)
                                     : row_document(e, &e->row[at], e->of.table[k], p, g));
    doc_put(d, e->of.whole ? "tables" : "rows", list);
    return d;
}

/* {"source": "own" | "peer" | "host", "gpu": id or null} */
static doc *source_document(const struct plan *p, int reader, int source)
{
    doc *d = doc_object();
    doc_put(d, "source", doc_text(source < 0 ? "host" : source == reader ? "own" : "peer"));
    doc_put(d, "gpu", source < 0 ? doc_null() : doc_integer(p->assignment.id[source]));
    return d;
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
    doc_put(d, "degree", doc_integer((int64_t)e->degree));
    doc_put(d, "trained_by", e->trained_by < 0 ? doc_null() : doc_integer(p->assignment.id[e->trained_by]));
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
    doc_put(d, "schema", doc_text("explain/1"));
    doc_put(d, "trace_epochs", doc_integer((int64_t)in->trace->epochs));
    doc_put(d, "policy", doc_text(p->policy));
    doc_put(d, "hotness", doc_text(p->hotness));
    doc_put(d, "order",
            doc_text(e->substitute  ? "estimates"
                     : e->one_order ? "saved per byte, all kinds"
                                    : "each kind by hotness"));
    doc_put(d, "reads_beyond_cliques", doc_bool(e->beyond));
    for (int i = 0; i < e->pools; i++) doc_append(pools, pool_document(e, i, p, in->graph));
    doc_put(d, "pools", pools);
    if (!e->of.whole) put_vertex(e, p, in->graph, in->names, d);
    return d;
}
