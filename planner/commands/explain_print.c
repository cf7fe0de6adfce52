/* explain_print.c - explanations for programs (explain/1) and for people (declared in explain.h). */
#include <string.h>

#include "base/text.h"
#include "base/units.h"
#include "planner/study/explain.h"

static const char *const kinds[] = {"topology", "feature"};

/* ---- for programs ---- */

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

/* ---- for people ---- */

static void gpus_text(const struct explained_pool *pool, const struct plan *p, char *text, size_t size)
{
    *text = 0;
    for (int i = 0; i < pool->gpus; i++) text_append(text, size, i ? ",%d" : "%d", p->assignment.id[pool->gpu[i]]);
}

static void rows_print(const struct explanation *e, const struct plan *p, FILE *to)
{
    static const char *const headers[] = {"clique",       "GPUs",         "row",         ">bytes",
                                          ">reads/epoch", ">saved/epoch", ">saved/byte", ">rank",
                                          ">of",          "held",         NULL};
    struct table *t = table_new(headers);
    char text[UNIT_TEXT], list[600];
    for (int i = 0; i < e->pools; i++)
        for (int kind = 0; kind < 2; kind++) {
            const struct explained_row *row = &e->pool[i].row[kind];
            gpus_text(&e->pool[i], p, list, sizeof list);
            table_add(t, "%d", e->pool[i].clique);
            table_add(t, "%s", list);
            table_add(t, "%s", kinds[kind]);
            table_add(t, "%s", units_count(text, row->bytes));
            table_add(t, "%.3g", row->reads);
            table_add(t, "%.3g", row->saved);
            table_add(t, "%.3g", per_byte(row->saved, row->bytes));
            table_add(t, "%s", row->ranked ? units_count(text, row->rank) : "-");
            table_add(t, "%s", row->ranked ? units_count(text, row->of) : "-");
            *list = 0;
            for (int c = 0; c < row->copies; c++)
                text_append(list, sizeof list, "%sGPU %d, slot %s", c ? "; " : "", p->assignment.id[row->copy[c].gpu],
                            units_count(text, row->copy[c].slot));
            table_add(t, "%s", row->copies ? list : "no");
        }
    table_print(t, to);
    table_free(t);
}

static void why_print(const struct explanation *e, const struct explained_pool *pool, const struct explained_row *row,
                      const struct plan *p, FILE *to)
{
    char bytes[UNIT_TEXT], list[600];
    const char *kind = kinds[!row->topology];
    gpus_text(pool, p, list, sizeof list);
    if (row->copies) return;
    fprintf(to, "%s row not held by GPU%s %s:%s", kind, pool->gpus > 1 ? "s" : "", list,
            row->ranked && row->lost && row->useful ? "" : " ");
    if (!row->ranked) fprintf(to, "policy %s caches nothing.\n", p->policy);
    else if (!row->lost)
        fprintf(to, "no %s was taken there (policy %s, alpha %.2f).\n", e->one_order ? "row" : kind, p->policy,
                p->clique[pool->clique].alpha);
    else {
        if (!row->useful) fprintf(to, "nothing suggests that it will be read;");
        fprintf(to,
                "\n  the last row taken was the %s row of vertex %u (%.3g saved per byte);\n  %s more%s would have "
                "reached this one.\n",
                kinds[!row->last_topology], row->last_vertex, per_byte(row->last_saved, row->last_bytes),
                units_bytes(bytes, row->more_bytes), e->one_order ? "" : " for rows of this kind");
    }
}

static void add_source(struct table *t, const struct plan *p, int reader, int source)
{
    if (source < 0) table_add(t, "host, PCIe");
    else if (source == reader) table_add(t, "own memory");
    else table_add(t, "GPU %d, NVLink", p->assignment.id[source]);
}

void explain_print(const struct explanation *e, const struct plan *p, FILE *to)
{
    static const char *const headers[] = {"reader", "topology row from", "feature row from", NULL};
    char text[UNIT_TEXT];
    fprintf(to, "vertex %u, degree %s, ", e->vertex, units_count(text, e->degree));
    if (e->trained_by < 0) fprintf(to, "not a training vertex here\n");
    else fprintf(to, "trained by GPU %d\n", p->assignment.id[e->trained_by]);
    fprintf(to, "policy %s takes %s%s\n\n", p->policy,
            e->one_order ? "rows of both kinds by expected transactions saved per byte, by hotness "
                         : "rows of each kind by hotness ",
            p->hotness);
    if (e->substitute) fprintf(to, "its order cannot be made again here; that of calibrated estimates stands in\n\n");
    rows_print(e, p, to);
    if (e->beyond)
        fprintf(to, "\nThis plan also uses NVLinks between cliques: a copy serves readers of both, so the order inside "
                    "one clique\nis a guide, not the rule.\n");
    fputc('\n', to);
    for (int i = 0; i < e->pools; i++)
        for (int kind = 0; kind < 2; kind++) why_print(e, &e->pool[i], &e->pool[i].row[kind], p, to);
    fputc('\n', to);
    struct table *t = table_new(headers);
    for (int g = 0; g < p->assignment.gpus; g++) {
        table_add(t, "GPU %d", p->assignment.id[g]);
        for (int kind = 0; kind < 2; kind++) add_source(t, p, g, e->source[kind][g]);
    }
    table_print(t, to);
    table_free(t);
}
