#include "planner/commands/diff_document.h"

#include <math.h>
#include <string.h>

#include "base/text.h"

static const char *const kind_names[DIFF_KINDS] = {"feature", "topology", "train"};

const struct diff_figure diff_figures[] = {{"topology_transactions", "topology transactions", false},
                                           {"feature_transactions", "feature transactions", false},
                                           {"total_transactions", "all transactions", false},
                                           {"topology_hit_rate", "topology hit rate (of visits)", true},
                                           {"feature_hit_rate", "feature hit rate (of rows)", true},
                                           {0}};

const char *diff_clique_text(const doc *clique, char *text, size_t size)
{
    const doc *gpus = doc_get(clique, "gpus");
    int id[DIFF_GPUS_MAX], count = 0;
    *text = '\0';
    for (; count < DIFF_GPUS_MAX && (uint64_t)count < doc_size(gpus); count++)
        id[count] = (int)doc_integer_value(doc_at(gpus, (uint64_t)count), -1);
    text_append_ids(text, size, id, count);
    return text;
}

static void put_amount(doc *d, const char *key, const struct diff_amount *a, bool bytes_known)
{
    doc *one = DOC(IS("rows", a->rows), IS("bytes", bytes_known ? doc_integer((int64_t)a->bytes) : doc_null()));
    doc_put(d, key, one);
}

static void put_gpu(doc *d, const struct diff_gpu *gpu, bool known)
{
    put_amount(d, "before", &gpu->before, known);
    put_amount(d, "after", &gpu->after, known);
    put_amount(d, "kept", &gpu->kept, known);
    put_amount(d, "added", &gpu->added, known);
    put_amount(d, "removed", &gpu->removed, known);
    put_amount(d, "moved_in", &gpu->moved_in, known);
    put_amount(d, "moved_out", &gpu->moved_out, known);
}

static doc *kind_document(const struct diff *d, int kind, int g)
{
    bool known = d->bytes_known[kind];
    doc *one = doc_object(), *to = doc_array();
    put_gpu(one, &d->kind[kind][g], known);
    for (int h = 0; h < d->gpus; h++) {
        if (!d->moved[kind][g][h].rows) continue;
        doc_append(to, DOC(IS("gpu", d->id[h]), IS("rows", d->moved[kind][g][h].rows),
                           IS("bytes", known ? doc_integer((int64_t)d->moved[kind][g][h].bytes) : doc_null())));
    }
    doc_put(one, "moved_to", to);
    return one;
}

/* Of several types: every table of which the GPU holds rows. */
static doc *gpu_tables(const struct diff *d, int g, const struct graph *graph)
{
    doc *tables = doc_array();
    for (int t = 0; t < d->parts - 1; t++) {
        const struct diff_gpu *gpu = &d->gpu[t][g];
        if (!gpu->before.rows && !gpu->after.rows) continue;
        doc *table = plan_table_document(graph, t);
        put_gpu(table, gpu, true);
        doc_append(tables, table);
    }
    return tables;
}

/* alpha of the clique of these GPUs; NaN when the plan has no such clique. */
static double alpha_of(const doc *side, const char *gpus)
{
    char text[600];
    const doc *cliques = doc_get(side, "cliques");
    for (uint64_t i = 0; i < doc_size(cliques); i++)
        if (!strcmp(diff_clique_text(doc_at(cliques, i), text, sizeof text), gpus))
            return doc_number(doc_at(cliques, i), "alpha");
    return NAN;
}

/* Every clique of either plan, once. */
static doc *cliques_document(const doc *const *side)
{
    doc *all = doc_array();
    char text[600];
    for (int i = 0; i < 2; i++) {
        const doc *cliques = doc_get(side[i], "cliques");
        for (uint64_t c = 0; c < doc_size(cliques); c++) {
            bool again = false;
            char other[600];
            diff_clique_text(doc_at(cliques, c), text, sizeof text);
            for (uint64_t k = 0; k < doc_size(all); k++)
                again |= !strcmp(diff_clique_text(doc_at(all, k), other, sizeof other), text);
            if (again) continue;
            doc *one = DOC(IS("gpus", doc_copy(doc_get(doc_at(cliques, c), "gpus"))),
                           IS("alpha_before", alpha_of(side[0], text)));
            doc_put(one, "alpha_after", doc_real(alpha_of(side[1], text)));
            doc_append(all, one);
        }
    }
    return all;
}

/* {before, after, change}; of a rate the difference. */
static doc *pair(const doc *before, const doc *after, bool rate)
{
    double a = doc_real_value(before, NAN), b = doc_real_value(after, NAN);
    return DOC(IS("before", before ? doc_copy(before) : doc_null()), IS("after", after ? doc_copy(after) : doc_null()),
               IS(rate ? "difference" : "change", rate    ? b - a
                                                  : a > 0 ? b / a - 1
                                                          : NAN));
}

/* The entry of tables[] that names a table; NULL: none. */
static const doc *entry_of(const doc *tables, const struct graph *graph, int table)
{
    for (uint64_t i = 0; i < doc_size(tables); i++)
        if (plan_table_is(graph, table, doc_at(tables, i))) return doc_at(tables, i);
    return NULL;
}

/* What both plans predict or simulate: totals, and of several types every table. */
static doc *figures_document(const doc *before, const doc *after, const struct graph *graph)
{
    doc *d = doc_object(), *tables = doc_array();
    for (const struct diff_figure *f = diff_figures; f->key; f++)
        doc_put(d, f->key, pair(doc_get(before, f->key), doc_get(after, f->key), f->rate));
    for (int t = 0; graph && t < graph->tables; t++) {
        const doc *a = entry_of(doc_get(before, "tables"), graph, t), *b = entry_of(doc_get(after, "tables"), graph, t);
        if (!a && !b) continue;
        doc *one = plan_table_document(graph, t);
        DOC_PUT(one, IS("hit_rate", pair(doc_get(a, "hit_rate"), doc_get(b, "hit_rate"), true)),
                IS("transactions", pair(doc_get(a, "transactions"), doc_get(b, "transactions"), false)));
        doc_append(tables, one);
    }
    if (graph) doc_put(d, "tables", tables);
    else doc_free(tables);
    return d;
}

doc *diff_document(const struct diff *d, char *const *path, const doc *const *side, const struct graph *graph)
{
    static const char *const sections[] = {"predicted", "simulated"};
    doc *all = doc_object(), *gpus = doc_array();
    doc_put(all, "schema", doc_text("diff/1"));
    for (int i = 0; i < 2; i++) {
        doc *one = DOC(IS("path", path[i]), IS("policy", doc_copy(doc_get(side[i], "policy"))));
        doc_put(all, i ? "after" : "before", one);
    }
    for (int g = 0; g < d->gpus; g++) {
        doc *one = doc_object();
        doc_put(one, "id", doc_integer(d->id[g]));
        for (int kind = 0; kind < DIFF_KINDS; kind++) doc_put(one, kind_names[kind], kind_document(d, kind, g));
        if (graph) doc_put(one, "tables", gpu_tables(d, g, graph));
        doc_append(gpus, one);
    }
    DOC_PUT(all, IS("gpus", gpus), IS("cliques", cliques_document(side)));
    for (int i = 0; i < 2; i++)
        doc_put(all, sections[i],
                figures_document(doc_get(side[0], sections[i]), doc_get(side[1], sections[i]), graph));
    return all;
}
