#include "planner/commands/explain_tables_print.h"

#include <math.h>
#include <string.h>

#include "base/table.h"
#include "base/terminal.h"
#include "base/text.h"
#include "base/units.h"
#include "planner/commands/explain_print.h"
#include "planner/study/explain_tables.h"
#include "planner/study/memories_print.h"
#include "planner/study/table_values.h"

/* An answer that is being made. */
struct answer {
    const struct explain_input *in;
    FILE *to;     /* NULL: nothing is printed */
    doc *cliques; /* of the document */
};

static doc *clique_head(const struct plan *p, int clique, char *gpus, size_t size)
{
    doc *d = doc_object(), *ids = doc_array();
    int id[GPUS_MAX], count = 0;
    for (int g = 0; g < p->assignment.gpus; g++) {
        if (p->assignment.clique_of[g] != clique) continue;
        id[count++] = p->assignment.id[g];
        doc_append(ids, doc_integer(p->assignment.id[g]));
    }
    *gpus = '\0';
    text_append_ids(gpus, size, id, count);
    doc_put(d, "clique", doc_integer(clique));
    doc_put(d, "gpus", ids);
    return d;
}

/* ---- tables ---- */

/* Whether --type asks for the table: a type's features and the relations into it, or a relation by name or label. */
static bool wanted(const struct graph *rows, int table, const char *only)
{
    const struct row_table *x = &rows->table[table];
    char label[GRAPH_LABEL_BYTES];
    if (!graph_table_there(rows, table)) return false;
    if (!only || !strcmp(graph_table_label(rows, table, label), only)) return true;
    if (x->kind == ROWS_FEATURE) return false;
    const struct graph_relation *r = &rows->relation[x->of];
    return !strcmp(r->name, only) || !strcmp(rows->type[r->target].name, only);
}

static doc *table_document(const struct graph *rows, int table, const struct explained_table *e)
{
    doc *d = plan_table_document(rows, table);
    doc_put(d, "rows", doc_integer((int64_t)rows->table[table].count));
    doc_put(d, "bytes", doc_integer((int64_t)e->bytes));
    doc_put(d, "held_rows", doc_integer((int64_t)e->held));
    doc_put(d, "held_bytes", doc_integer((int64_t)e->held_bytes));
    if (e->held_exact) doc_put(d, "held_exact_rows", doc_integer((int64_t)e->held_exact));
    doc_put(d, "reads", doc_real(e->reads));
    doc_put(d, "transactions", doc_real(e->saved));
    doc_put(d, "transactions_saved", doc_real(e->saved_held));
    doc_put(d, "saved_per_byte_densest", doc_real(e->densest));
    doc_put(d, "saved_per_byte_least_held", doc_real(e->held ? e->least_held : NAN));
    doc_put(d, "saved_per_byte_best_left", doc_real(e->held < rows->table[table].count ? e->best_left : NAN));
    return d;
}

static void table_row(struct table *t, const struct graph *rows, int table, const struct explained_table *e)
{
    char text[UNIT_TEXT], label[GRAPH_LABEL_BYTES];
    uint64_t count = rows->table[table].count;
    table_add(t, "%s", graph_table_label(rows, table, label));
    table_add(t, "%s", row_kind_name(rows->table[table].kind));
    table_add(t, "%s", units_count(text, e->held));
    table_add(t, "%s", units_count(text, count));
    table_add_bytes(t, (double)e->held_bytes);
    table_add_real(t, (double)e->bytes / (double)count);
    table_add_real(t, e->reads);
    table_percent(t, e->saved > 0 ? e->saved_held / e->saved : NAN);
    table_add_real(t, e->densest);
    table_add_real(t, e->held ? e->least_held : NAN);
    table_add_real(t, e->held < count ? e->best_left : NAN);
}

static void legend_print(const struct plan *p, uint64_t rounded, uint64_t exact, FILE *to)
{
    terminal_print(to,
                   "\nsaved: share of the expected transactions that the held rows save. densest, least held, best "
                   "left: transactions saved per byte\n"
                   "and epoch by the densest of all rows, by the least dense one that is held, and by the densest "
                   "one that is not.\n%s",
                   strcmp(p->policy, "hotset") ? "This policy has an order of its own; policy hotset takes rows in the "
                                                 "order of what they save per byte.\n"
                                               : "Rows of all types are taken in that order until the budget ends, so "
                                                 "'best left' is about the same for all that are held in part.\n");
    if (doc_get(p->stated, "error_price")) {
        char a[UNIT_TEXT], b[UNIT_TEXT];
        terminal_print(to,
                       "Of the rows that may be rounded %s are, and %s are held as on the host: the bytes for that "
                       "save at least what an\nerror costs, %g transactions per unit.\n",
                       units_count(a, rounded), units_count(b, exact),
                       doc_real_value(doc_get(doc_get(p->stated, "error_price"), "price"), NAN));
    }
}

static enum st answer_tables(const struct answer *x, const char *only, struct err *err)
{
    static const char *const headers[] = {"rows",     "kind",        ">held",        ">of",
                                          ">bytes",   ">bytes/row",  ">reads/epoch", ">saved",
                                          ">densest", ">least held", ">best left",   NULL};
    const struct graph *rows = x->in->graph;
    uint64_t exact = 0, rounded = 0;
    bool any = false;
    enum st st = ST_OK;
    for (int k = 0; k < rows->tables; k++) any |= wanted(rows, k, only);
    if (!any) FAIL(ST_USAGE, "--type %.60s: is no type with rows and no relation of this graph", only);
    for (int c = 0; c < x->in->plan->assignment.cliques; c++) {
        struct explained_clique clique;
        char gpus[300];
        TRY(explained_clique_make(x->in, c, &clique, err));
        struct table *t = table_new(headers);
        doc *d = clique_head(x->in->plan, c, gpus, sizeof gpus), *tables = doc_array();
        for (int k = 0; k < rows->tables; k++) {
            struct explained_table e;
            if (!wanted(rows, k, only)) continue;
            explain_table(&clique, k, &e);
            exact += e.held_exact;
            rounded += rows->table[k].cached == PRECISION_HOST ? 0 : e.held - e.held_exact;
            doc_append(tables, table_document(rows, k, &e));
            table_row(t, rows, k, &e);
        }
        doc_put(d, "tables", tables);
        doc_append(x->cliques, d);
        if (x->to) terminal_print(x->to, "%sclique %d, GPUs %s\n", c ? "\n" : "", c, gpus);
        if (x->to) table_print(t, x->to);
        table_free(t);
        explained_clique_release(&clique);
    }
    if (x->to) legend_print(x->in->plan, rounded, exact, x->to);
done:
    return st;
}

/* ---- one vertex ---- */

static enum st parse_vertex(const struct graph *g, const char *text, int *type, uint64_t *vertex, struct err *err)
{
    char name[GRAPH_NAME_BYTES];
    const char *colon = strrchr(text, ':');
    int64_t id;
    enum st st = ST_OK;
    if (!colon || colon - text >= GRAPH_NAME_BYTES)
        FAIL(ST_USAGE, "--vertex %.60s: this graph has several types; write TYPE:V, for example %s:0", text,
             g->type[0].name);
    snprintf(name, sizeof name, "%.*s", (int)(colon - text), text);
    *type = graph_type_named(g, name);
    if (*type < 0) FAIL(ST_USAGE, "--vertex %.60s: the graph has no type %s", text, name);
    TRY(units_integer(colon + 1, "--vertex", 0, (int64_t)g->type[*type].count - 1, &id, err));
    *vertex = (uint64_t)id;
done:
    return st;
}

static doc *row_document(const struct answer *x, int table, const struct explained_item *e)
{
    doc *d = plan_table_document(x->in->graph, table), *copies = doc_array();
    doc_put(d, "bytes", doc_integer((int64_t)e->bytes));
    doc_put(d, "reads", doc_real(e->reads));
    doc_put(d, "transactions_saved", doc_real(e->saved));
    doc_put(d, "rank", doc_integer((int64_t)e->rank));
    doc_put(d, "of", doc_integer((int64_t)e->of));
    for (int i = 0; i < e->copies; i++) {
        doc *one = doc_object();
        doc_put(one, "gpu", doc_integer(x->in->plan->assignment.id[e->gpu[i]]));
        doc_put(one, "slot", doc_integer((int64_t)e->place[i]));
        if (e->exact[i]) doc_put(one, "exact", doc_bool(true));
        doc_append(copies, one);
    }
    doc_put(d, "copies", copies);
    doc_put(d, "more_bytes", doc_integer((int64_t)e->more_bytes));
    return d;
}

static void row_row(struct table *t, const struct answer *x, int table, const struct explained_item *e,
                    const char *gpus)
{
    char text[UNIT_TEXT], label[GRAPH_LABEL_BYTES], list[600] = "";
    table_add(t, "%s", gpus);
    table_add(t, "%s", graph_table_label(x->in->graph, table, label));
    table_add(t, "%s", row_kind_name(x->in->graph->table[table].kind));
    table_add(t, "%s", units_count(text, e->bytes));
    table_add_real(t, e->reads);
    table_add_real(t, e->saved);
    table_add_real(t, e->bytes ? e->saved / (double)e->bytes : 0);
    table_add(t, "%s", units_count(text, e->rank));
    table_add(t, "%s", units_count(text, e->of));
    for (int i = 0; i < e->copies; i++)
        text_append(list, sizeof list, "%sGPU %d, slot %s%s", i ? "; " : "", x->in->plan->assignment.id[e->gpu[i]],
                    units_count(text, e->place[i]), e->exact[i] ? ", as on the host" : "");
    if (!e->copies) text_append(list, sizeof list, "no: %s bytes more", units_count(text, e->more_bytes));
    table_add(t, "%s", list);
}

/* Whether a table has a row of each vertex of the type. */
static bool has_rows_of(const struct graph *g, int table, int type)
{
    const struct row_table *t = &g->table[table];
    if (!graph_table_there(g, table) || t->kind == ROWS_EDGE) return false;
    return (t->kind == ROWS_FEATURE ? t->of : g->relation[t->of].target) == type;
}

/* Where the rows of a vertex lie below the GPUs; prints it. */
static doc *memories_of(const struct answer *x, int type, uint64_t v)
{
    const struct graph *g = x->in->graph;
    char label[GRAPH_LABEL_BYTES], what[GRAPH_LABEL_BYTES + 32];
    doc *list = doc_array();
    for (int k = 0; k < g->tables; k++) {
        if (!has_rows_of(g, k, type)) continue;
        doc *d = plan_table_document(g, k), *row = memories_of_row(x->in->plan, g, g->table[k].first + v);
        snprintf(what, sizeof what, "%s %s", graph_table_label(g, k, label), row_kind_name(g->table[k].kind));
        if (x->to) memories_of_row_print(row, what, x->to);
        doc_put(d, "held_by", doc_copy(doc_get(row, "held_by")));
        doc_put(d, "read_from", doc_copy(doc_get(row, "read_from")));
        doc_append(list, d);
        doc_free(row);
    }
    return list;
}

/* *memories: set where the plan states memories below its GPUs. */
static enum st answer_vertex(const struct answer *x, const char *vertex, doc **memories, struct err *err)
{
    static const char *const headers[] = {"GPUs",         "row",          "kind",        ">bytes",
                                          ">reads/epoch", ">saved/epoch", ">saved/byte", ">rank",
                                          ">of",          "held",         NULL};
    const struct graph *rows = x->in->graph;
    struct table *t = table_new(headers);
    uint64_t v = 0;
    int type = 0;
    enum st st;
    TRY(parse_vertex(rows, vertex, &type, &v, err));
    for (int c = 0; c < x->in->plan->assignment.cliques; c++) {
        struct explained_clique clique;
        char gpus[300];
        TRY(explained_clique_make(x->in, c, &clique, err));
        doc *d = clique_head(x->in->plan, c, gpus, sizeof gpus), *list = doc_array();
        for (int k = 0; k < rows->tables; k++) {
            struct explained_item e;
            if (!has_rows_of(rows, k, type)) continue;
            explain_item(&clique, k, v, &e);
            doc_append(list, row_document(x, k, &e));
            row_row(t, x, k, &e, gpus);
        }
        doc_put(d, "rows", list);
        doc_append(x->cliques, d);
        explained_clique_release(&clique);
    }
    if (x->to) table_print(t, x->to);
    if (x->in->plan->places) *memories = memories_of(x, type, v);
done:
    table_free(t);
    return st;
}

enum st explain_tables_answer(const struct explain_input *in, const char *vertex, const char *only, FILE *to, doc **out,
                              struct err *err)
{
    struct answer x = {in, to, doc_array()};
    enum st st;
    doc *d = doc_object(), *memories = NULL;
    doc_put(d, "schema", doc_text("explain/2"));
    doc_put(d, "policy", doc_text(in->plan->policy));
    doc_put(d, "trace_epochs", doc_integer((int64_t)in->trace->epochs));
    doc_put(d, "cliques", x.cliques);
    doc_put(d, "reads_beyond_cliques", doc_bool(explain_beyond(in->plan)));
    TRY(vertex ? answer_vertex(&x, vertex, &memories, err) : answer_tables(&x, only, err));
    if (memories) doc_put(d, "memories", memories);
    if (to) explain_beyond_print(in->plan, to);
    *out = d;
    d = NULL;
done:
    doc_free(d);
    return st;
}
