/* typed_explain_run.c - 'hotset explain' on plans of typed graphs (declared in typed_study.h). */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/table.h"
#include "base/terminal.h"
#include "base/text.h"
#include "base/units.h"
#include "planner/study/table_values.h"
#include "planner/typed/typed_explain.h"
#include "planner/typed/typed_opened.h"
#include "planner/typed/typed_study.h"

struct explaining {
    struct call *call;
    struct typed_opened *of;
    struct trace trace;
    struct typed_estimates *estimates; /* [cliques] */
    uint8_t *held;                     /* [cliques][items] */
    struct typed_explain_input in;
};

/* The plan's own recording: the same seed, epochs and assignment give the same counts. */
static enum st record(struct explaining *x, const char *trace, struct err *err)
{
    enum { USUAL_EPOCHS = 4 };
    const struct plan *p = &x->of->plan;
    const struct trace_options o = {.epochs = p->presample_epochs ? p->presample_epochs : USUAL_EPOCHS,
                                    .line_bytes = p->line_bytes,
                                    .threads = x->call->threads,
                                    .folds = true,
                                    .progress = call_progress(x->call),
                                    .server_name = p->server_name,
                                    .server_fingerprint = p->server_fingerprint};
    const struct assignment *a = &p->assignment, *b = &x->trace.assignment;
    enum st st;
    if (!trace) return trace_record(&x->of->graph, a, &p->workload, &o, &x->trace, err);
    TRY(trace_load(trace, &x->of->graph, &x->trace, err));
    bool same = a->gpus == b->gpus && a->cliques == b->cliques && x->trace.line_bytes == p->line_bytes;
    for (int g = 0; same && g < a->gpus; g++)
        same = a->id[g] == b->id[g] && a->clique_of[g] == b->clique_of[g] && a->train_count[g] == b->train_count[g];
    if (!same)
        FAIL(ST_INPUT,
             "%s: was recorded for other GPUs, cliques, training vertices or line bytes than the plan's; leave --trace "
             "out to record again",
             trace);
done:
    return st;
}

static enum st prepare(struct explaining *x, const char *trace, struct err *err)
{
    const struct plan *p = &x->of->plan;
    int cliques = p->assignment.cliques;
    enum rate_source source = rate_source_of(p->hotness);
    enum st st;
    stage_begin(&x->call->stages, "pre-sampling");
    TRY(record(x, trace, err));
    stage_end(&x->call->stages);
    NEW(x->estimates, cliques, "estimates");
    NEW(x->held, (uint64_t)cliques * graph_items(&x->of->graph), "rows that cliques hold");
    for (int c = 0; c < cliques; c++)
        TRY(typed_estimates_make(&x->of->graph, &x->trace, c, source == RATE_SOURCES ? RATE_CALIBRATED : source,
                                 x->call->threads, &x->estimates[c], err));
    for (int g = 0; g < p->assignment.gpus; g++)
        for (uint64_t i = 0; i < placement_count(&p->placement, g); i++)
            x->held[(uint64_t)p->assignment.clique_of[g] * graph_items(&x->of->graph) +
                    placement_item(&p->placement, &x->of->graph, g, i)]++;
    x->in = (struct typed_explain_input){&x->of->graph, p, x->estimates, x->held};
done:
    return st;
}

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

static doc *table_document(const struct graph *rows, int table, const struct typed_explained_table *e)
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

static void table_row(struct table *t, const struct graph *rows, int table, const struct typed_explained_table *e)
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

static enum st explain_tables(const struct explaining *x, const char *only, doc *cliques, struct err *err)
{
    static const char *const headers[] = {"rows",     "kind",        ">held",        ">of",
                                          ">bytes",   ">bytes/row",  ">reads/epoch", ">saved",
                                          ">densest", ">least held", ">best left",   NULL};
    const struct graph *rows = &x->of->graph;
    uint64_t exact = 0, rounded = 0;
    bool any = false, people = !x->call->common.json;
    for (int k = 0; k < rows->tables; k++) any |= wanted(rows, k, only);
    if (!any) return err_set(err, ST_USAGE, "--type %.60s: is no type with rows and no relation of this graph", only);
    for (int c = 0; c < x->of->plan.assignment.cliques; c++) {
        char gpus[300];
        struct table *t = table_new(headers);
        doc *d = clique_head(&x->of->plan, c, gpus, sizeof gpus), *tables = doc_array();
        for (int k = 0; k < rows->tables; k++) {
            struct typed_explained_table e;
            if (!wanted(rows, k, only)) continue;
            typed_explain_table(&x->in, c, k, &e);
            exact += e.held_exact;
            rounded += rows->table[k].cached == PRECISION_HOST ? 0 : e.held - e.held_exact;
            doc_append(tables, table_document(rows, k, &e));
            table_row(t, rows, k, &e);
        }
        doc_put(d, "tables", tables);
        doc_append(cliques, d);
        if (people) terminal_print(x->call->out, "%sclique %d, GPUs %s\n", c ? "\n" : "", c, gpus);
        if (people) table_print(t, x->call->out);
        table_free(t);
    }
    if (people)
        terminal_print(x->call->out,
                       "\nsaved: share of the expected transactions that the held rows save. densest, least held, best "
                       "left: transactions saved per byte\n"
                       "and epoch by the densest of all rows, by the least dense one that is held, and by the densest "
                       "one that is not.\n%s",
                       strcmp(x->of->plan.policy, "hotset") ? "This policy has an order of its own; policy hotset "
                                                              "takes rows in the order of what they "
                                                              "save per byte.\n"
                                                            : "Rows of all types are taken in that order until the "
                                                              "budget ends, so 'best left' is about "
                                                              "the same for all that are held in part.\n");
    if (people && doc_get(x->of->plan.stated, "error_price")) {
        char a[UNIT_TEXT], b[UNIT_TEXT];
        terminal_print(x->call->out,
                       "Of the rows that may be rounded %s are, and %s are held as on the host: the bytes for that "
                       "save at least what an\nerror costs, %g transactions per unit.\n",
                       units_count(a, rounded), units_count(b, exact),
                       doc_real_value(doc_get(doc_get(x->of->plan.stated, "error_price"), "price"), NAN));
    }
    return ST_OK;
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

static doc *row_document(const struct explaining *x, int table, const struct typed_explained_row *e)
{
    doc *d = plan_table_document(&x->of->graph, table), *copies = doc_array();
    doc_put(d, "bytes", doc_integer((int64_t)e->bytes));
    doc_put(d, "reads", doc_real(e->reads));
    doc_put(d, "transactions_saved", doc_real(e->saved));
    doc_put(d, "rank", doc_integer((int64_t)e->rank));
    doc_put(d, "of", doc_integer((int64_t)e->of));
    for (int i = 0; i < e->copies; i++) {
        doc *one = doc_object();
        doc_put(one, "gpu", doc_integer(x->of->plan.assignment.id[e->gpu[i]]));
        doc_put(one, "slot", doc_integer((int64_t)e->place[i]));
        if (e->exact[i]) doc_put(one, "exact", doc_bool(true));
        doc_append(copies, one);
    }
    doc_put(d, "copies", copies);
    doc_put(d, "more_bytes", doc_integer((int64_t)e->more_bytes));
    return d;
}

static void row_row(struct table *t, const struct explaining *x, int table, const struct typed_explained_row *e,
                    const char *gpus)
{
    char text[UNIT_TEXT], label[GRAPH_LABEL_BYTES], list[600] = "";
    table_add(t, "%s", gpus);
    table_add(t, "%s", graph_table_label(&x->of->graph, table, label));
    table_add(t, "%s", row_kind_name(x->of->graph.table[table].kind));
    table_add(t, "%s", units_count(text, e->bytes));
    table_add_real(t, e->reads);
    table_add_real(t, e->saved);
    table_add_real(t, e->bytes ? e->saved / (double)e->bytes : 0);
    table_add(t, "%s", units_count(text, e->rank));
    table_add(t, "%s", units_count(text, e->of));
    for (int i = 0; i < e->copies; i++)
        text_append(list, sizeof list, "%sGPU %d, slot %s%s", i ? "; " : "", x->of->plan.assignment.id[e->gpu[i]],
                    units_count(text, e->place[i]), e->exact[i] ? ", as on the host" : "");
    if (!e->copies) text_append(list, sizeof list, "no: %s bytes more", units_count(text, e->more_bytes));
    table_add(t, "%s", list);
}

static enum st explain_vertex(const struct explaining *x, const char *vertex, doc *cliques, struct err *err)
{
    static const char *const headers[] = {"GPUs",         "row",          "kind",        ">bytes",
                                          ">reads/epoch", ">saved/epoch", ">saved/byte", ">rank",
                                          ">of",          "held",         NULL};
    const struct graph *rows = &x->of->graph;
    struct table *t = table_new(headers);
    uint64_t v = 0;
    int type = 0;
    enum st st;
    TRY(parse_vertex(&x->of->graph, vertex, &type, &v, err));
    for (int c = 0; c < x->of->plan.assignment.cliques; c++) {
        char gpus[300];
        doc *d = clique_head(&x->of->plan, c, gpus, sizeof gpus), *list = doc_array();
        for (int k = 0; k < rows->tables; k++) {
            const struct row_table *of = &rows->table[k];
            struct typed_explained_row e;
            bool own = of->kind == ROWS_FEATURE    ? of->of == type
                       : of->kind == ROWS_TOPOLOGY ? rows->relation[of->of].target == type
                                                   : false;
            if (!own || !graph_table_there(rows, k)) continue;
            typed_explain_row(&x->in, c, k, v, &e);
            doc_append(list, row_document(x, k, &e));
            row_row(t, x, k, &e, gpus);
        }
        doc_put(d, "rows", list);
        doc_append(cliques, d);
    }
    if (!x->call->common.json) table_print(t, x->call->out);
done:
    table_free(t);
    return st;
}

enum st typed_explain_run(struct call *call, const char *graph, const char *trace, const char *vertex, const char *only,
                          struct err *err)
{
    struct explaining *x = NULL;
    doc *d = NULL, *cliques;
    enum st st = ST_OK;
    if (vertex && only) FAIL(ST_USAGE, "--vertex names one vertex and --type all of a type; leave one of them out");
    NEW(x, 1, "an explanation");
    x->call = call;
    TRY(typed_opened_open(call, call->words[0], graph, &x->of, err));
    TRY(prepare(x, trace, err));
    d = doc_object();
    doc_put(d, "schema", doc_text("explain/2"));
    doc_put(d, "policy", doc_text(x->of->plan.policy));
    doc_put(d, "trace_epochs", doc_integer((int64_t)x->trace.epochs));
    cliques = doc_array();
    doc_put(d, "cliques", cliques);
    if (vertex) TRY(explain_vertex(x, vertex, cliques, err));
    else TRY(explain_tables(x, only, cliques, err));
    st = call_finish(call, d, err);
    d = NULL;
done:
    doc_free(d);
    for (int c = 0; x && x->estimates && c < x->of->plan.assignment.cliques; c++)
        typed_estimates_release(&x->estimates[c]);
    if (x) {
        mem_free(x->estimates);
        mem_free(x->held);
        trace_release(&x->trace);
        typed_opened_close(x->of);
    }
    mem_free(x);
    return st;
}
