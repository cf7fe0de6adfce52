#include "planner/study/explain_document.h"

static const char *const kinds[] = {"topology", "feature"};

static double per_byte(double saved, uint64_t bytes) { return bytes ? saved / (double)bytes : 0; }

static doc *row_document(const struct explained_row *row, const struct plan *p)
{
    doc *d = doc_object(), *held = doc_array();
    doc_put(d, "kind", doc_text(kinds[!row->topology]));
    doc_put(d, "bytes", doc_integer((int64_t)row->bytes));
    doc_put(d, row->topology ? "visits_per_epoch" : "mini_batches_per_epoch", doc_real(row->reads));
    doc_put(d, "transactions_saved_per_epoch", doc_real(row->saved));
    doc_put(d, "saved_per_byte", doc_real(per_byte(row->saved, row->bytes)));
    doc_put(d, "rank", row->ranked ? doc_integer((int64_t)row->rank) : doc_null());
    doc_put(d, "of", row->ranked ? doc_integer((int64_t)row->of) : doc_null());
    for (int i = 0; i < row->copies; i++) {
        doc *copy = doc_object();
        doc_put(copy, "gpu", doc_integer(p->assignment.id[row->copy[i].gpu]));
        doc_put(copy, "slot", doc_integer((int64_t)row->copy[i].slot));
        doc_append(held, copy);
    }
    doc_put(d, "held", held);
    doc *last = row->lost ? doc_object() : doc_null();
    if (row->lost) {
        doc_put(last, "kind", doc_text(kinds[!row->last_topology]));
        doc_put(last, "vertex", doc_integer(row->last_vertex));
        doc_put(last, "bytes", doc_integer((int64_t)row->last_bytes));
        doc_put(last, "transactions_saved_per_epoch", doc_real(row->last_saved));
        doc_put(last, "saved_per_byte", doc_real(per_byte(row->last_saved, row->last_bytes)));
    }
    doc_put(d, "last_row_taken", last);
    doc_put(d, "more_bytes", row->ranked && !row->copies ? doc_integer((int64_t)row->more_bytes) : doc_null());
    return d;
}

static doc *pool_document(const struct explained_pool *pool, const struct plan *p)
{
    doc *d = doc_object(), *gpus = doc_array(), *rows = doc_array();
    for (int i = 0; i < pool->gpus; i++) doc_append(gpus, doc_integer(p->assignment.id[pool->gpu[i]]));
    for (int kind = 0; kind < 2; kind++) doc_append(rows, row_document(&pool->row[kind], p));
    doc_put(d, "clique", doc_integer(pool->clique));
    doc_put(d, "gpus", gpus);
    doc_put(d, "rows", rows);
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

void explain_put(const struct explanation *e, const struct plan *p, doc *d)
{
    doc *pools = doc_array(), *readers = doc_array();
    doc_put(d, "policy", doc_text(p->policy));
    doc_put(d, "hotness", doc_text(p->hotness));
    doc_put(d, "order",
            doc_text(e->substitute  ? "estimates"
                     : e->one_order ? "saved per byte, both kinds"
                                    : "each kind by hotness"));
    doc_put(d, "reads_beyond_cliques", doc_bool(e->beyond));
    doc_put(d, "vertex", doc_integer(e->vertex));
    doc_put(d, "degree", doc_integer((int64_t)e->degree));
    doc_put(d, "trained_by", e->trained_by < 0 ? doc_null() : doc_integer(p->assignment.id[e->trained_by]));
    for (int i = 0; i < e->pools; i++) doc_append(pools, pool_document(&e->pool[i], p));
    doc_put(d, "pools", pools);
    for (int g = 0; g < p->assignment.gpus; g++) {
        doc *one = doc_object();
        doc_put(one, "gpu", doc_integer(p->assignment.id[g]));
        for (int kind = 0; kind < 2; kind++) doc_put(one, kinds[kind], source_document(p, g, e->source[kind][g]));
        doc_append(readers, one);
    }
    doc_put(d, "readers", readers);
}
