/* hotset diff - what changes when one plan takes another's place. */
#include "planner/commands/cmd_diff.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/cmd.h"
#include "base/doc_seal.h"
#include "base/folder.h"
#include "base/mem.h"
#include "base/table.h"
#include "base/terminal.h"
#include "base/units.h"
#include "planner/commands/diff_document.h"
#include "planner/options/options.h"
#include "planner/engine/redeal.h"
#include "simulator/plan/plan.h"
#include "simulator/plan/plan_places_diff.h"
#include "reports/tables/tables.h"
#include "simulator/plan/plan_diff.h"

/* ---- what moves between two plans, as tables for people ---- */

/* A matrix of more GPUs does not fit a page; then the pairs that most moves between are listed. */
enum { MATRIX_GPUS_MAX = 12, PAIRS_LISTED = 16 };

static const char *const kind_titles[DIFF_KINDS] = {"feature rows", "topology rows", "training vertices"};

#define MOVES_HEADERS                                                                                                  \
    ">before", ">after", ">kept", ">removed", ">moved out", ">added", ">moved in", ">bytes to load", NULL

static void add_moves(struct table *t, const struct diff_gpu *gpu, bool bytes_known)
{
    const struct diff_amount *cells[] = {&gpu->before,    &gpu->after, &gpu->kept,    &gpu->removed,
                                         &gpu->moved_out, &gpu->added, &gpu->moved_in};
    char text[UNIT_TEXT];
    for (size_t i = 0; i < sizeof cells / sizeof *cells; i++) table_add(t, "%s", units_count(text, cells[i]->rows));
    table_add_bytes(t, bytes_known ? (double)(gpu->added.bytes + gpu->moved_in.bytes) : NAN);
}

/* Of several types: every table of rows, all GPUs together. */
static void tables_print(const struct diff *d, const struct graph *graph, FILE *to)
{
    static const char *const headers[] = {"rows of all GPUs", "kind", MOVES_HEADERS};
    struct table *t = table_new(headers);
    char label[GRAPH_LABEL_BYTES];
    for (int k = 0; k < d->parts - 1; k++) {
        struct diff_gpu sum = {.kept = {0, 0}};
        for (int g = 0; g < d->gpus; g++) diff_add(&sum, &d->gpu[k][g]);
        if (!sum.before.rows && !sum.after.rows) continue;
        table_add(t, "%s", graph_table_label(graph, k, label));
        table_add(t, "%s", row_kind_name(graph->table[k].kind));
        add_moves(t, &sum, true);
    }
    table_print(t, to);
    fputc('\n', to);
    table_free(t);
}

/* From (down) and to (across), in rows. */
static struct table *moves_matrix(const struct diff *d, int kind, const char **headers, char (*name)[16])
{
    char text[UNIT_TEXT];
    headers[0] = "from";
    for (int g = 0; g < d->gpus; g++) {
        snprintf(name[g], sizeof name[g], ">to %d", d->id[g]);
        headers[1 + g] = name[g];
    }
    headers[1 + d->gpus] = NULL;
    struct table *t = table_new(headers);
    for (int g = 0; g < d->gpus; g++) {
        table_add(t, "%d", d->id[g]);
        for (int h = 0; h < d->gpus; h++)
            table_add(t, "%s", g == h ? "-" : units_count(text, d->moved[kind][g][h].rows));
    }
    return t;
}

/* The pairs that most rows move between, the most first, ties by ids; *left: how many pairs more there are. */
static struct table *moves_list(const struct diff *d, int kind, int *left)
{
    static const char *const headers[] = {"from", "to", ">rows", NULL};
    struct table *t = table_new(headers);
    uint64_t below = UINT64_MAX;
    int listed = 0;
    *left = 0;
    while (below) { /* one count of rows after the other, downwards */
        uint64_t rows = 0;
        for (int g = 0; g < d->gpus; g++)
            for (int h = 0; h < d->gpus; h++)
                rows = d->moved[kind][g][h].rows < below && d->moved[kind][g][h].rows > rows ? d->moved[kind][g][h].rows
                                                                                             : rows;
        for (int i = 0; rows && i < d->gpus * d->gpus; i++) {
            int g = i / d->gpus, h = i % d->gpus;
            char text[UNIT_TEXT];
            if (d->moved[kind][g][h].rows != rows) continue;
            if (listed == PAIRS_LISTED) {
                ++*left;
                continue;
            }
            listed++;
            table_add(t, "%d", d->id[g]);
            table_add(t, "%d", d->id[h]);
            table_add(t, "%s", units_count(text, rows));
        }
        below = rows;
    }
    return t;
}

/* Nothing where nothing moves. */
static void moves_print(const struct diff *d, int kind, FILE *to)
{
    const char *headers[DIFF_GPUS_MAX + 2];
    char name[DIFF_GPUS_MAX][16];
    bool any = false, small = d->gpus <= MATRIX_GPUS_MAX;
    int left = 0;
    for (int g = 0; g < d->gpus; g++) any |= d->kind[kind][g].moved_out.rows > 0;
    if (!any) return;
    struct table *t = small ? moves_matrix(d, kind, headers, name) : moves_list(d, kind, &left);
    fprintf(to, "%s moved from GPU to GPU\n", kind_titles[kind]);
    table_show(t, to);
    if (left) terminal_print(to, "and %d more pairs; --json lists all\n", left);
    fputc('\n', to);
}

/* A number of the document for people: rates and alpha in percent, counts with commas. */
static void add_value(struct table *t, const doc *v, bool rate)
{
    char text[UNIT_TEXT];
    if (!doc_is_number(v)) table_add(t, "-");
    else if (rate) table_add(t, "%s", units_percent(text, doc_real_value(v, 0)));
    else table_add(t, "%s", units_count(text, (uint64_t)doc_real_value(v, 0)));
}

static void add_figure(struct table *t, const doc *pair, bool rate)
{
    const doc *change = doc_get(pair, "change"), *points = doc_get(pair, "difference");
    add_value(t, doc_get(pair, "before"), rate);
    add_value(t, doc_get(pair, "after"), rate);
    if (doc_is_number(change)) table_add(t, "%+.2f %%", 100 * doc_real_value(change, 0));
    else if (doc_is_number(points)) table_add(t, "%+.2f points", 100 * doc_real_value(points, 0));
    else table_add(t, "-");
}

static bool stated(const doc *pair)
{
    return doc_is_number(doc_get(pair, "before")) || doc_is_number(doc_get(pair, "after"));
}

static void alphas_print(const doc *cliques, FILE *to)
{
    static const char *const shares[] = {"clique", ">alpha before", ">alpha after", NULL};
    struct table *t = table_new(shares);
    char text[600];
    bool any = false;
    for (uint64_t c = 0; c < doc_size(cliques); c++) {
        const doc *one = doc_at(cliques, c);
        any |= doc_is_number(doc_get(one, "alpha_before")) || doc_is_number(doc_get(one, "alpha_after"));
        table_add(t, "%s", diff_clique_text(one, text, sizeof text));
        add_value(t, doc_get(one, "alpha_before"), true);
        add_value(t, doc_get(one, "alpha_after"), true);
    }
    if (any) table_print(t, to);
    if (any) fputc('\n', to);
    table_free(t);
}

static void figures_print(const doc *all, const struct graph *graph, FILE *to)
{
    static const char *const headers[] = {"per epoch", ">before", ">after", ">change", NULL};
    static const char *const sections[] = {"predicted", "simulated"};
    static const char *const keys[] = {"transactions", "hit_rate"}, *const titles[] = {"transactions", "hit rate"};
    struct table *t = table_new(headers);
    char label[GRAPH_LABEL_BYTES];
    for (size_t s = 0; s < 2; s++) {
        const doc *section = doc_get(all, sections[s]), *tables = doc_get(section, "tables");
        for (const struct diff_figure *f = diff_figures; f->key; f++) {
            if (!stated(doc_get(section, f->key))) continue;
            table_add(t, "%s %s", sections[s], f->title);
            add_figure(t, doc_get(section, f->key), f->rate);
        }
        for (int k = 0; graph && k < graph->tables; k++)
            for (uint64_t i = 0; i < doc_size(tables); i++)
                for (int rate = 0; rate < 2 && plan_table_is(graph, k, doc_at(tables, i)); rate++) {
                    if (!stated(doc_get(doc_at(tables, i), keys[rate]))) continue;
                    table_add(t, "%s %s of %s %s", sections[s], titles[rate], graph_table_label(graph, k, label),
                              row_kind_name(graph->table[k].kind));
                    add_figure(t, doc_get(doc_at(tables, i), keys[rate]), rate);
                }
    }
    table_show(t, to);
}

/* Rows per GPU, moves from GPU to GPU, of several types rows per table, alpha per clique, figures per epoch, and rows
 * of the memories below the GPUs. document: of d, as diff_document makes it, with `memories` where there are some. */
static void diff_print(const struct diff *d, const doc *document, const struct graph *graph, FILE *to)
{
    static const struct column *const kinds[DIFF_KINDS] = {diff_features, diff_topology, diff_train};
    for (int kind = 0; kind < DIFF_KINDS; kind++) {
        fprintf(to, "%s\n", kind_titles[kind]);
        columns_show(kinds[kind], doc_get(document, "gpus"), NULL, to);
        fputc('\n', to);
    }
    for (int kind = 0; kind < DIFF_KINDS; kind++) moves_print(d, kind, to);
    if (graph) tables_print(d, graph, to);
    alphas_print(doc_get(document, "cliques"), to);
    figures_print(document, graph, to);
    columns_print(&(struct column_table){.columns = diff_places, .rows = doc_get(document, "memories"), .before = "\n"},
                  to);
}

struct diff_args {
    const char *graph;
};

/* A plan of a plain graph, which may not be there. */
struct side {
    const char *path;  /* borrowed */
    hotset_plan *plan; /* owned */
};

/* Whether both plans state graphs, and other ones. */
static bool other_graph(const hotset_plan *a, const hotset_plan *b)
{
    const char *x = hotset_text(a, HOTSET_TEXT_FINGERPRINT), *y = hotset_text(b, HOTSET_TEXT_FINGERPRINT);
    return *x && *y && strcmp(x, y);
}

static enum st side_open(struct side *s, const char *path, int threads, struct err *err)
{
    struct hotset_options o = HOTSET_OPTIONS_INIT;
    struct hotset_error e;
    char file[PATH_BYTES];
    o.threads = threads;
    o.memory_limit = mem_limit();
    s->path = path;
    PASS(folder_document(file, path, "plan.json", err));
    int code = hotset_open(path, &o, &s->plan, &e);
    if (code != HOTSET_OK) return err_set(err, (enum st)code, "%s", e.text);
    return ST_OK;
}

/* Says how the graphs of both plans differ. */
static void say_change(const struct call *call, const struct diff *d, const hotset_plan *before,
                       const hotset_plan *after)
{
    struct plan_change c = {.more = (int64_t)hotset_edges(after) - (int64_t)hotset_edges(before)};
    char text[PLAN_CHANGE_TEXT];
    if (!c.more && !other_graph(before, after)) return;
    for (int g = 0; g < d->gpus; g++) {
        const struct diff_gpu *t = &d->kind[HOTSET_TRAIN][g];
        c.train_before += t->before.rows;
        c.train_now += t->after.rows;
        c.train_shared += t->kept.rows + t->moved_in.rows;
    }
    c.train = c.train_now != c.train_before || c.train_shared != c.train_now;
    c.edges = c.more || !c.train;
    call_say(call, "the plans are for two graphs: %s", plan_change_text(&c, text));
}

/* The graph of the second plan, whose rows must be loaded, for the bytes of topology rows; where the plans hold such
 * rows and no graph is found, bytes stay unknown and that is said. */
static enum st find_graph(struct call *call, const struct diff_args *a, const struct side *s, struct graph *g,
                          bool *found, struct err *err)
{
    char path[PATH_BYTES];
    struct err no = {0};
    struct hotset_error e;
    *found = false;
    if (a->graph) {
        PASS(graph_open(a->graph, call->threads, g, err));
    } else if (plan_graph_path(s[1].path, path, &no) != ST_OK || graph_open(path, call->threads, g, &no) != ST_OK) {
        call_say(call, "bytes of topology rows are not known, because the graph cannot be read: %s", no.text);
        return ST_OK;
    }
    *found = true;
    bool same = hotset_edges(s[0].plan) == hotset_edges(s[1].plan) && !other_graph(s[0].plan, s[1].plan);
    for (int i = same ? 0 : 1; i < 2; i++) {
        struct hotset_graph of = {(uint32_t)sizeof of, 0, g->n, g->m, g->fingerprint, g->indptr};
        int code = hotset_check_graph(s[i].plan, &of, &e);
        if (code != HOTSET_OK) return err_set(err, (enum st)code, "%s", e.text);
    }
    return ST_OK;
}

/* Bytes of a neighbour in a topology row: its id, and its weight or time. */
static uint64_t arc_bytes_of(const hotset_plan *p)
{
    const char *sampler = hotset_text(p, HOTSET_TEXT_SAMPLER);
    return !strcmp(sampler, "biased") ? 8 : !strncmp(sampler, "temporal", 8) ? 12 : 4;
}

static enum st compare_plain(struct call *call, struct graph *g, struct diff *d, struct err *err)
{
    struct side s[2] = {{0}, {0}};
    bool found = false;
    enum st st;
    for (int i = 0; i < 2; i++) TRY(side_open(&s[i], call->words[i], call->threads, err));
    TRY(find_graph(call, call->args, s, g, &found, err));
    TRY(diff_make(s[0].plan, s[1].plan, found ? g->indptr : NULL, arc_bytes_of(s[0].plan), d, err));
    say_change(call, d, s[0].plan, s[1].plan);
done:
    for (int i = 0; i < 2; i++) hotset_close(s[i].plan);
    return st;
}

/* Plans of several types, both read with the graph of the second. */
static enum st compare_types(struct call *call, struct graph *g, struct diff *d, struct err *err)
{
    const struct diff_args *a = call->args;
    struct plan *p[2] = {NULL, NULL};
    enum precision cached[2][GRAPH_TABLES_MAX];
    struct plan_change change;
    enum st st = ST_OK;
    for (int i = 0; i < 2; i++) NEW(p[i], 1, "a plan");
    TRY(options_plan(call->words[1], a->graph, call->threads, g, p[1], err));
    for (int t = 0; t < graph_tables(g); t++) cached[1][t] = graph_table(g, t).cached;
    TRY(plan_load_changed(call->words[0], g, call->threads, &change, p[0], err));
    for (int t = 0; t < graph_tables(g); t++) cached[0][t] = graph_table(g, t).cached;
    redeal_say(call, call->words[0], g, &change);
    TRY(diff_tables((const struct plan *const[]){p[0], p[1]}, (const enum precision *const[]){cached[0], cached[1]}, g,
                    d, err));
done:
    for (int i = 0; i < 2; i++) {
        if (p[i]) plan_release(p[i]);
        mem_free(p[i]);
    }
    return st;
}

static enum st run_diff(struct call *call, struct err *err)
{
    ON_HEAP(struct graph, g);
    struct diff d = {0};
    bool types;
    char where[PATH_BYTES];
    doc *places = NULL, *side[2] = {NULL, NULL};
    enum st st;
    TRY(plan_has_types(call->words[0], &types, err));
    TRY(types ? compare_types(call, g, &d, err) : compare_plain(call, g, &d, err));
    for (int i = 0; i < 2; i++) {
        TRY(path_join(where, call->words[i], "plan.json", err));
        TRY(doc_load_sealed(where, types ? "plan/2" : "plan/1", &side[i], NULL, err));
    }
    const doc *const both[2] = {side[0], side[1]};
    TRY(plan_places_diff((const char *const *)call->words, both, &places, err));
    doc *all = diff_document(&d, call->words, both, types ? g : NULL);
    if (doc_size(places)) doc_put(all, "memories", doc_copy(places));
    if (call_prints(call)) diff_print(&d, all, types ? g : NULL, call->out);
    st = call_finish(call, all, err);
done:
    for (int i = 0; i < 2; i++) doc_free(side[i]);
    doc_free(places);
    diff_release(&d);
    graph_close(g);
    return st;
}

enum st diff_plans(struct call *call, const char *before, const char *after, const char *graph, struct err *err)
{
    const struct diff_args args = {.graph = graph};
    char *words[] = {(char *)(uintptr_t)before, (char *)(uintptr_t)after};
    struct call of = *call;
    of.args = &args;
    of.words = words;
    of.word_count = 2;
    enum st st = run_diff(&of, err);
    call->stages = of.stages;
    call->result = of.result;
    return st;
}

static const struct param params[] = {
    OPTION_GRAPH(struct diff_args, graph, " [default: the path that the second plan states]"),
    {0},
};

static const char about[] = "For every GPU, by its id, and for feature rows, topology rows and training\n"
                            "vertices: how many are kept, added, removed, and moved to which other GPU, in rows and\n"
                            "in bytes. Also alpha per clique, and the predicted and simulated transactions and hit\n"
                            "rates of both plans.\n"
                            "A row that one GPU gives up and another takes has moved, so a runtime can copy it over\n"
                            "NVLink; where several GPUs give up or take a row, they are paired in ascending order\n"
                            "of ids. 'bytes to load' is what the GPU must receive to go from the first plan to the\n"
                            "second: added and moved in.\n"
                            "Of graphs with several node types: also by type and relation.\n"
                            "The second plan may be for the graph with another training set, or some other edges.";

extern const struct command cmd_diff;
const struct command cmd_diff = {.name = "diff",
                                 .stage = COMMAND_FOLDED,
                                 .summary = "compare two plans, as explain --against does: rows that are added, "
                                            "removed and moved",
                                 .arguments = "P1 P2 [--graph G]",
                                 .params = params,
                                 .each_node = true,
                                 .args_size = sizeof(struct diff_args),
                                 .words_low = 2,
                                 .words_high = 2,
                                 .run = run_diff,
                                 .about = about,
                                 .examples = "  hotset diff P1 P2          # is the new plan worth the reload?\n"
                                             "  hotset diff P1 P2 --json   # one document, with every pair of GPUs"};
