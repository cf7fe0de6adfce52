#include "reports/plots/result_rows.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "reports/formats/document.h"

/* A count, or null where it is not known. */
/* Whether two entries are of one table of rows. */
static bool same_table(const doc *a, const doc *b)
{
    static const char *const keys[] = {"kind", "type", "source", "relation", "target"};
    bool same = true;
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        same &= !strcmp(document_text(a, keys[i]), document_text(b, keys[i]));
    return same;
}

static const doc *find_table(const doc *tables, const doc *as)
{
    for (uint64_t i = 0; i < doc_size(tables); i++)
        if (same_table(doc_at(tables, i), as)) return doc_at(tables, i);
    return NULL;
}

static doc *label_of(const doc *table)
{
    char text[400];
    if (*document_text(table, "type")) return doc_text(document_text(table, "type"));
    snprintf(text, sizeof text, "%s-%s->%s", document_text(table, "source"), document_text(table, "relation"),
             document_text(table, "target"));
    return doc_text(text);
}

/* The type of that name, of the plan's graph. */
static const doc *type_named(const doc *graph, const char *name)
{
    const doc *types = doc_get(graph, "types");
    for (uint64_t i = 0; i < doc_size(types); i++)
        if (!strcmp(document_text(doc_at(types, i), "name"), name)) return doc_at(types, i);
    return NULL;
}

/* Rows of a table: vertices of a type, rows of a relation's target, or edges. */
static double rows_of(const doc *graph, const doc *table)
{
    const doc *relations = doc_get(graph, "relations");
    if (strcmp(document_text(table, "kind"), "edge_feature"))
        return document_count(type_named(graph, *document_text(table, "type") ? document_text(table, "type")
                                                                              : document_text(table, "target")),
                              "count");
    for (uint64_t i = 0; i < doc_size(relations); i++) {
        const doc *r = doc_at(relations, i);
        if (!strcmp(document_text(r, "name"), document_text(table, "relation")) &&
            !strcmp(document_text(r, "source"), document_text(table, "source")) &&
            !strcmp(document_text(r, "target"), document_text(table, "target")))
            return document_count(r, "edges");
    }
    return NAN;
}

/* Sum over the lists of all GPUs of that table: of "count" or "bytes". */
static double held_of(const doc *gpus, const doc *table, const char *key)
{
    double sum = 0;
    for (uint64_t g = 0; g < doc_size(gpus); g++) {
        const doc *lists = doc_get(doc_at(gpus, g), "lists");
        for (uint64_t i = 0; i < doc_size(lists); i++)
            if (same_table(doc_at(lists, i), table)) sum += fmax(0, document_count(doc_at(lists, i), key));
    }
    return sum;
}

static doc *tables_of(const doc *plan)
{
    static const char *const names[] = {"kind", "type", "source", "relation", "target"};
    const doc *read = doc_get(doc_get(plan, "simulated"), "tables"),
              *expected = doc_get(doc_get(plan, "predicted"), "tables"), *all = doc_is_array(read) ? read : expected;
    doc *tables = doc_array();
    for (uint64_t i = 0; i < doc_size(all); i++) {
        const doc *x = doc_at(all, i), *simulated = find_table(read, x), *predicted = find_table(expected, x);
        doc *d = doc_object();
        doc_append(tables, d);
        for (size_t k = 0; k < sizeof names / sizeof *names; k++)
            if (doc_get(x, names[k])) doc_put_copy(d, names[k], doc_get(x, names[k]));
        DOC_PUT(d, IS("label", label_of(x)), IS("rows", rows_of(doc_get(plan, "graph"), x)),
                IS("held_rows", held_of(doc_get(plan, "gpus"), x, "count")),
                IS("held_bytes", held_of(doc_get(plan, "gpus"), x, "bytes")));
        doc_put_copy(d, "predicted_transactions", doc_get(predicted, "transactions"));
        doc_put_copy(d, "hit_rate", doc_get(x, "hit_rate"));
        doc_put_copy(d, "transactions", doc_get(simulated, "transactions"));
        doc_put_copy(d, "uncached_transactions", doc_get(simulated, "uncached_transactions"));
        doc_put_copy(d, "reads", doc_get(simulated, "reads"));
    }
    return tables;
}

/* ---- sums over tables, as rows of graphs with one type state them ---- */

static bool is_topology(const doc *table) { return !strcmp(document_text(table, "kind"), "topology"); }

static double sum_of(const doc *tables, bool topology, const char *key)
{
    double sum = 0;
    for (uint64_t i = 0; i < doc_size(tables); i++)
        if (is_topology(doc_at(tables, i)) == topology) sum += fmax(0, document_count(doc_at(tables, i), key));
    return sum;
}

/* Bytes of a feature row; an element type ends in its bits, as in "bf16". */
static double feature_bytes(const doc *of)
{
    const char *bits = strpbrk(document_text(of, "feature_type"), "0123456789");
    return bits ? fmax(0, document_count(of, "feature_dim")) * strtod(bits, NULL) / 8 : 0;
}

/* Bytes of all rows on the host: 4 per edge and 8 per topology row, and features as they are. */
static double bytes_of(const doc *graph)
{
    const doc *types = doc_get(graph, "types"), *relations = doc_get(graph, "relations");
    double sum = 0;
    for (uint64_t i = 0; i < doc_size(types); i++)
        sum += document_count(doc_at(types, i), "count") * feature_bytes(doc_at(types, i));
    for (uint64_t i = 0; i < doc_size(relations); i++) {
        const doc *r = doc_at(relations, i);
        sum += document_count(r, "edges") * (4 + feature_bytes(r)) +
               8 * document_count(type_named(graph, document_text(r, "target")), "count");
    }
    return sum;
}

doc *plan_row(const doc *plan)
{
    static const char *const kept[] = {"policy", "server", "graph", "cliques", "cache_types"};
    const doc *simulated = doc_get(plan, "simulated"), *gpus = doc_get(plan, "gpus");
    double all = bytes_of(doc_get(plan, "graph")),
           budget = document_count(doc_at(doc_get(plan, "cliques"), 0), "budget_bytes");
    doc *d = doc_object();
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++) doc_put_copy(d, kept[i], doc_get(plan, kept[i]));
    DOC_PUT(d, IS("budget_bytes", document_count(doc_at(gpus, 0), "budget_bytes")),
            IS("budget_share", all > 0 ? doc_real(budget / all) : doc_null()), IS("tables", tables_of(plan)));
    if (doc_is_object(doc_get(plan, "predicted"))) doc_put_copy(d, "predicted", doc_get(plan, "predicted"));
    if (!doc_is_object(simulated)) return d;
    doc_put_copy(d, "simulated", simulated);
    doc_put(d, "uncached_transactions",
            doc_real(sum_of(doc_get(simulated, "tables"), false, "uncached_transactions") +
                     sum_of(doc_get(simulated, "tables"), true, "uncached_transactions")));
    return d;
}
