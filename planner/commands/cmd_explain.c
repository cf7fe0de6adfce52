/* hotset explain - why a vertex is held, or which byte it lost to. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/table.h"
#include "base/terminal.h"
#include "base/text.h"
#include "base/units.h"
#include "planner/commands/cmd_diff.h"
#include "planner/results/explain_document.h"
#include "planner/options/options.h"
#include "simulator/plan/plan.h"
#include "planner/results/memories_print.h"
#include "planner/results/table_values.h"
#include "planner/commands/asked_what_if.h"
#include "planner/decisions/what_if.h"
#include "planner/results/explain.h"

/* ---- an explanation as tables for people ---- */

static double per_byte(double saved, uint64_t bytes) { return bytes ? saved / (double)bytes : 0; }

static const char *gpus_of(const struct explained_pool *pool, const struct plan *p, char *text, size_t size)
{
    int id[GPUS_MAX];
    *text = 0;
    for (int i = 0; i < pool->gpus; i++) id[i] = p->assignment.id[pool->gpu[i]];
    text_append_ids(text, size, id, pool->gpus);
    return text;
}

/* ---- whole tables */

static void table_row(struct table *t, const struct explained_table *e, int table, const struct graph *g)
{
    char text[UNIT_TEXT], label[GRAPH_LABEL_BYTES];
    uint64_t count = graph_table(g, table).count;
    table_add(t, "%s", graph_table_label(g, table, label));
    if (!graph_plain(g)) table_add(t, "%s", row_kind_name(graph_table(g, table).kind));
    table_add(t, "%s", units_count(text, e->held));
    table_add(t, "%s", units_count(text, count));
    table_add_bytes(t, (double)e->held_bytes);
    table_add_real(t, (double)e->bytes / (double)count);
    table_add_real(t, e->reads);
    table_percent(t, e->saved > 0 ? e->saved_held / e->saved : NAN);
    table_add_real(t, e->densest);
    table_add_real(t, e->least_held);
    table_add_real(t, e->best_left);
}

static void tables_legend(const struct explanation *e, FILE *to)
{
    terminal_print(to,
                   "\nsaved: the share of the expected transactions that the held rows save; densest: transactions "
                   "that the best row saves, per byte and epoch; least held: the worst held row; best left: the best "
                   "row that is not held\n%s",
                   e->one_order && !e->substitute ? "Rows of all tables are taken in that order until the budget ends, "
                                                    "so tables that are held in part have about the same 'best "
                                                    "left'.\n"
                                                  : "This policy has its own order; policy hotset takes rows by what "
                                                    "they save per byte.\n");
}

static void tables_print(const struct explanation *e, const struct explain_input *in, FILE *to)
{
    static const char *const headers[] = {"rows",     "kind",        ">held",        ">of",
                                          ">bytes",   ">bytes/row",  ">reads/epoch", ">saved",
                                          ">densest", ">least held", ">best left",   NULL};
    const char *shown[sizeof headers / sizeof *headers];
    char gpus[300];
    int columns = 0;
    for (size_t i = 0; i < sizeof headers / sizeof *headers; i++)
        if (i != 1 || !graph_plain(in->graph)) shown[columns++] = headers[i];
    for (int p = 0; p < e->pools; p++) {
        struct table *t = table_new(shown);
        for (int k = 0; k < e->of.tables; k++) table_row(t, &e->table[p * e->of.tables + k], e->of.table[k], in->graph);
        terminal_print(to, "%sclique %d, GPUs %s\n", p ? "\n" : "", e->pool[p].clique,
                       gpus_of(&e->pool[p], in->plan, gpus, sizeof gpus));
        table_show(t, to);
    }
    tables_legend(e, to);
}

/* ---- one vertex */

static void held_text(const struct explained_row *row, const struct plan *p, char *list, size_t size)
{
    char text[UNIT_TEXT];
    *list = 0;
    for (int c = 0; c < row->copies; c++)
        text_append(list, size, "%sGPU %d, slot %s", c ? "; " : "", p->assignment.id[row->copy[c].gpu],
                    units_count(text, row->copy[c].slot));
    if (!row->copies) text_append(list, size, "no");
}

static void rows_print(const struct explanation *e, const struct explain_input *in, FILE *to)
{
    static const char *const headers[] = {"clique",       "GPUs",         "row",         ">bytes",
                                          ">reads/epoch", ">saved/epoch", ">saved/byte", ">rank",
                                          ">of",          "held",         NULL};
    struct table *t = table_new(headers);
    char text[UNIT_TEXT], list[600], name[EXPLAIN_NAME];
    for (int i = 0; i < e->pools * e->of.tables; i++) {
        const struct explained_row *row = &e->row[i];
        const struct explained_pool *pool = &e->pool[i / e->of.tables];
        table_add(t, "%d", pool->clique);
        table_add(t, "%s", gpus_of(pool, in->plan, list, sizeof list));
        table_add(t, "%s", explain_table_name(in->graph, e->of.table[i % e->of.tables], name));
        table_add(t, "%s", units_count(text, row->bytes));
        table_add_real(t, row->reads);
        table_add_real(t, row->saved);
        table_add_real(t, per_byte(row->saved, row->bytes));
        table_add(t, "%s", e->ranked ? units_count(text, row->rank) : "-");
        table_add(t, "%s", e->ranked ? units_count(text, row->of) : "-");
        held_text(row, in->plan, list, sizeof list);
        table_add(t, "%s", list);
    }
    table_show(t, to);
}

static void why_print(const struct explanation *e, const struct explain_input *in, int pool, int k, FILE *to)
{
    const struct explained_row *row = &e->row[pool * e->of.tables + k];
    const struct plan *p = in->plan;
    const char *kind = row_kind_name(graph_table(in->graph, e->of.table[k]).kind);
    char bytes[UNIT_TEXT], list[300], name[EXPLAIN_NAME], who[700], last[32 + NAME_SHOWN];
    if (row->copies) return;
    snprintf(who, sizeof who, "%s row not cached by GPU%s %s:", explain_table_name(in->graph, e->of.table[k], name),
             e->pool[pool].gpus > 1 ? "s" : "", gpus_of(&e->pool[pool], p, list, sizeof list));
    snprintf(last, sizeof last, "%llu", (unsigned long long)row->last_row);
    if (graph_plain(in->graph)) graph_name_append(in->names, row->last_row, last, sizeof last);
    if (!e->ranked) terminal_print(to, "%s policy %s caches nothing.\n", who, p->policy);
    else if (!row->lost)
        terminal_print(to, "%s no %s was taken there (policy %s, alpha %.2f).\n", who, e->one_order ? "row" : kind,
                       p->policy, p->clique[e->pool[pool].clique].alpha);
    else
        terminal_print(to,
                       "%s%s\n  the last row taken was the %s row of %s %s (%.3g saved per byte);\n  %s more%s would "
                       "have reached this one.\n",
                       who, row->useful ? "" : " it is not expected to be read;",
                       explain_table_name(in->graph, row->last_table, name),
                       graph_table(in->graph, row->last_table).kind == ROWS_EDGE ? "edge" : "vertex", last,
                       per_byte(row->last_saved, row->last_bytes), units_bytes(bytes, row->more_bytes),
                       e->one_order ? "" : " for rows of this kind");
}

static bool same_sources(const struct explanation *e, int a, int b)
{
    bool same = true;
    for (int k = 0; k < e->of.tables; k++) {
        const int from_a = e->source[k][a], from_b = e->source[k][b];
        same &= from_a == from_b && from_a != a && from_b != b;
    }
    return same;
}

static void add_source(struct table *t, const struct plan *p, int reader, int source)
{
    if (source < 0) table_add(t, "host, PCIe");
    else if (source == reader) table_add(t, "own memory");
    else table_add(t, "GPU %d, NVLink", p->assignment.id[source]);
}

/* A line per readers that read alike; of many rows, those of the first. */
static void sources_print(const struct explanation *e, const struct explain_input *in, FILE *to)
{
    enum { SHOWN = 8 };
    char name[SHOWN][EXPLAIN_NAME + 10], plain[EXPLAIN_NAME];
    const char *headers[SHOWN + 2] = {"reader"};
    const int shown = e->of.tables < SHOWN ? e->of.tables : SHOWN;
    for (int k = 0; k < shown; k++) {
        snprintf(name[k], sizeof name[k], "%s row from", explain_table_name(in->graph, e->of.table[k], plain));
        headers[1 + k] = name[k];
    }
    struct table *t = table_new(headers);
    for (int g = 0; g < in->plan->assignment.gpus; g++) {
        char gpus[300] = "";
        int id[GPUS_MAX], alike = 0;
        bool told = false;
        for (int b = 0; b < g; b++) told |= same_sources(e, b, g);
        if (told) continue;
        id[alike++] = in->plan->assignment.id[g];
        for (int b = g + 1; b < in->plan->assignment.gpus; b++)
            if (same_sources(e, g, b)) id[alike++] = in->plan->assignment.id[b];
        text_append_ids(gpus, sizeof gpus, id, alike);
        table_add(t, "GPU %s", gpus);
        for (int k = 0; k < shown; k++) add_source(t, in->plan, g, e->source[k][g]);
    }
    fputc('\n', to);
    table_show(t, to);
    if (shown < e->of.tables) terminal_print(to, "and %d more rows; --json lists all\n", e->of.tables - shown);
}

static void vertex_print(const struct explanation *e, const struct explain_input *in, FILE *to)
{
    const uint64_t v = graph_vertices(in->graph, e->of.type).first + e->of.vertex;
    char vertex[GRAPH_VERTEX_TEXT + NAME_SHOWN], text[UNIT_TEXT], trained[60] = "not a training vertex here";
    if (e->trained_by >= 0)
        snprintf(trained, sizeof trained, "trained by GPU %d", in->plan->assignment.id[e->trained_by]);
    graph_name_append(in->names, e->of.vertex, (char *)graph_vertex_text(in->graph, v, vertex), sizeof vertex);
    terminal_print(to, "vertex %s, degree %s, %s\n", vertex, units_count(text, e->degree), trained);
    terminal_print(to, "policy %s takes %s%s\n\n", in->plan->policy,
                   e->one_order ? "rows of all kinds by expected transactions saved per byte, by hotness "
                                : "rows of each kind by hotness ",
                   in->plan->hotness);
    if (e->substitute)
        terminal_print(to, "its own order cannot be recomputed here; ranks below are by calibrated estimates\n\n");
    rows_print(e, in, to);
}

/* d: its document, which has what lies below the GPUs. */
static void explain_print(const struct explanation *e, const struct explain_input *in, const doc *d, FILE *to)
{
    const doc *below = doc_get(d, "memories");
    if (e->of.whole) tables_print(e, in, to);
    else vertex_print(e, in, to);
    if (e->beyond)
        terminal_print(to, "\nThis plan also uses NVLinks between cliques. A copy then serves readers of both, so "
                           "ranks "
                           "inside one clique are approximate.\n");
    if (e->of.whole) return;
    sources_print(e, in, to);
    fputc('\n', to);
    for (int p = 0; p < e->pools; p++)
        for (int k = 0; k < e->of.tables; k++) why_print(e, in, p, k, to);
    for (const char *row = doc_next_key(below, NULL); row; row = doc_next_key(below, row))
        memories_of_row_print(doc_get(below, row), row, to);
}

struct explain_args {
    const char *against;
    const char *graph, *trace, *vertex, *type;
    bool what_if;
};

/* What `hotset what-if` tells of a plan, or of a document of `hotset size`. */
static enum st tell_what_if(struct call *call, const struct explain_args *a, struct err *err)
{
    doc *d = NULL;
    if (a->against || a->vertex || a->type || a->trace)
        return err_set(err, ST_USAGE, "--what-if: asks of all; leave --vertex, --type, --trace and --against out");
    PASS(asked_what_if(call, call->words[0], a->graph, &d, err));
    if (call_prints(call)) what_if_print(d, true, call->out);
    return call_finish(call, d, err);
}

static enum st check_trace(const struct trace *t, const char *path, const struct plan *p, struct err *err)
{
    const struct assignment *a = &t->assignment, *b = &p->assignment;
    bool same = a->gpus == b->gpus && a->cliques == b->cliques && t->line_bytes == p->line_bytes;
    for (int g = 0; same && g < a->gpus; g++)
        same = a->id[g] == b->id[g] && a->clique_of[g] == b->clique_of[g] && a->train_count[g] == b->train_count[g];
    return same ? ST_OK
                : err_set(err, ST_INPUT,
                          "%s: was recorded for other GPUs, cliques, training vertices or line bytes than the plan's; "
                          "leave --trace out to record again",
                          path);
}

/* The plan's own recording: same seed, epochs and assignment give the same counts. */
static enum st record(struct call *call, const struct graph *g, const struct plan *p, const struct kernels *k,
                      struct trace *out, struct err *err)
{
    enum { USUAL_EPOCHS = 4 };
    struct trace_options o = {.epochs = p->presample_epochs ? p->presample_epochs : USUAL_EPOCHS,
                              .line_bytes = p->line_bytes,
                              .threads = call->threads,
                              .progress = call_progress(call),
                              .folds = true,
                              .server_name = p->server_name,
                              .server_fingerprint = p->server_fingerprint,
                              .kernels = k};
    options_say_sampler(call, k, g, &p->workload);
    stage_begin(&call->stages, "pre-sampling");
    enum st st = trace_record(g, &p->assignment, &p->workload, &o, out, err);
    stage_end(&call->stages);
    return st;
}

static enum st explain_run(struct call *call, struct err *err)
{
    const struct explain_args *a = call->args;
    struct graph g = {0};
    OWNED_BY(graph_names_close) struct graph_names names = {0};
    ON_HEAP(struct plan, p);
    ON_HEAP(struct trace, t);
    ON_HEAP(struct explanation, e);
    struct explain_input in = {.graph = &g, .plan = p, .trace = t, .names = &names, .threads = call->threads};
    struct explain_subject of;
    enum st st = ST_OK;
    if (a->what_if) return tell_what_if(call, a, err);
    if (a->against && (a->vertex || a->type || a->trace))
        FAIL(ST_USAGE, "--against: compares whole plans; leave --vertex, --type and --trace out");
    if (a->against) return diff_plans(call, call->words[0], a->against, a->graph, err);
    if (a->vertex && a->type)
        FAIL(ST_USAGE, "--vertex names one vertex and --type whole tables; leave one of them out");
    TRY(options_kernels(call, &in.kernels, err));
    TRY(options_plan(call->words[0], a->graph, call->threads, &g, p, err));
    TRY(a->vertex ? explain_vertex(&g, a->vertex, call->threads, &of, &names, err)
                  : explain_tables(&g, a->type, &of, err));
    if (*p->cache)
        FAIL(ST_USAGE,
             "%s: its features are in a dynamic cache (%s) and change from mini-batch to mini-batch, so no row has a "
             "fixed place to explain; name a plan of another policy",
             call->words[0], p->cache);
    if (a->trace) {
        TRY(trace_load(a->trace, &g, t, err));
        TRY(check_trace(t, a->trace, p, err));
    } else {
        TRY(record(call, &g, p, in.kernels, t, err));
    }
    TRY(explain_make(&in, &of, e, err));
    doc *d = explain_document(e, &in);
    if (call_prints(call)) explain_print(e, &in, d, call->out);
    st = call_finish(call, d, err);
done:
    explanation_release(e);
    trace_release(t);
    plan_release(p);
    graph_close(&g);
    return st;
}

static const struct param params[] = {
    OPTION_TEXT("vertex", 'v', struct explain_args, vertex, "V", NULL,
                "Vertex to explain, its number or its name; of a graph with several types as TYPE:V [default: whole "
                "tables of rows]."),
    OPTION_TEXT("type", 0, struct explain_args, type, "NAME", NULL,
                "Rows of this type or relation only, or of 'topology' or 'feature'; not with --vertex [default: all]."),
    OPTION_PATH("against", 0, struct explain_args, against, "P2", NULL, PATH_READ,
                "What changes when P2 takes the place of P: rows that GPUs keep, load, drop and pass on, and "
                "what "
                "both plans read."),
    OPTION_WHAT_IF(struct explain_args, what_if),
    OPTION_GRAPH(struct explain_args, graph, PLAN_GRAPH),
    OPTION_TRACE(struct explain_args, trace, "T", " [default: recorded again, as for the plan]"),
    {0},
};

static const char about[] = "What the rows of each table (topology, features; of each type and relation) take of the\n"
                            "cache, what they save per byte, and where the budget ends.\n\n"
                            "With --vertex, for each row of that vertex, in every clique: how often the row is\n"
                            "expected to be read, the PCIe transactions that caching it saves, its rank in the order\n"
                            "in which the policy took rows, where it is cached ('slot': its place in the GPU's file\n"
                            "of that table, from 0), and which GPU serves each reader. For a row that is not cached:\n"
                            "the last row that was taken, and how many more bytes of cache would include this row.\n\n"
                            "With --what-if: which inputs would change what an epoch of the plan waits for, or what a\n"
                            "document of 'hotset size' says to buy, and at which value.";

extern const struct command cmd_explain;
const struct command cmd_explain = {.name = "explain",
                                    .stage = COMMAND_DAILY,
                                    .rank = 9,
                                    .summary = "explain why rows are cached or not",
                                    .arguments = "P|R.json [--vertex V | --type T | --against P2 | --what-if] "
                                                 "[options]",
                                    .params = params,
                                    .usual = "vertex type against what-if graph trace",
                                    .each_node = true,
                                    .args_size = sizeof(struct explain_args),
                                    .words_low = 1,
                                    .words_high = 1,
                                    .run = explain_run,
                                    .about = about,
                                    .examples = "  hotset explain P\n"
                                                "  hotset explain P --against P2               # is the new plan worth "
                                                "the reload?\n"
                                                "  hotset explain R.json --what-if             # of 'hotset size'\n"
                                                "  hotset explain P --vertex 42                # or by name: alice\n"
                                                "  hotset explain P --vertex 42 --trace T --json\n"
                                                "  hotset explain P --vertex paper:42          # several node types"};
