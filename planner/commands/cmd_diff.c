/* hotset diff - what changes when one plan takes another's place. */
#include <string.h>

#include "base/cmd.h"
#include "base/doc_seal.h"
#include "base/folder.h"
#include "base/mem.h"
#include "planner/commands/diff_document.h"
#include "planner/commands/diff_print.h"
#include "planner/commands/diff_tables.h"
#include "planner/study/options.h"
#include "planner/study/redeal.h"
#include "simulator/plan/plan.h"
#include "simulator/plan/plan_places_diff.h"

struct diff_args {
    const char *graph;
};

/* Whether both plans state graphs, and other ones. */
static bool other_graph(const hotset_plan *a, const hotset_plan *b)
{
    const char *x = hotset_text(a, HOTSET_TEXT_FINGERPRINT), *y = hotset_text(b, HOTSET_TEXT_FINGERPRINT);
    return *x && *y && strcmp(x, y);
}

static enum st side_open(struct diff_side *s, const char *path, int threads, struct err *err)
{
    struct hotset_options o = HOTSET_OPTIONS_INIT;
    struct hotset_error e;
    char file[PATH_BYTES];
    enum st st;
    o.threads = threads;
    o.memory_limit = mem_limit();
    s->path = path;
    TRY(folder_document(file, path, "plan.json", err));
    int code = hotset_open(path, &o, &s->plan, &e);
    if (code != HOTSET_OK) FAIL((enum st)code, "%s", e.text);
    TRY(doc_load_sealed(file, "plan/1", &s->d, NULL, err));
done:
    return st;
}

/* Says how the graphs of both plans differ. The training vertices are those of the last part. */
static void say_change(const struct call *call, const struct diff *d, const hotset_plan *before,
                       const hotset_plan *after)
{
    struct plan_change c = {.more = (int64_t)hotset_edges(after) - (int64_t)hotset_edges(before)};
    char text[PLAN_CHANGE_TEXT];
    if (!c.more && !other_graph(before, after)) return;
    for (int g = 0; g < d->gpus; g++) {
        const struct diff_gpu *t = &d->gpu[d->parts - 1][g];
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
static enum st find_graph(struct call *call, const struct diff_args *a, const struct diff_side *s, struct graph *g,
                          bool *found, struct err *err)
{
    char path[PATH_BYTES];
    struct err no = {0};
    struct hotset_error e;
    enum st st = ST_OK;
    *found = false;
    if (a->graph) {
        TRY(graph_open(a->graph, call->threads, g, err));
    } else if (plan_graph_path(s[1].path, path, &no) != ST_OK || graph_open(path, call->threads, g, &no) != ST_OK) {
        call_say(call, "bytes of topology rows are not known, because the graph cannot be read: %s", no.text);
        return ST_OK;
    }
    *found = true;
    bool same = hotset_edges(s[0].plan) == hotset_edges(s[1].plan) && !other_graph(s[0].plan, s[1].plan);
    for (int i = same ? 0 : 1; i < 2; i++) {
        struct hotset_graph of = {(uint32_t)sizeof of, 0, g->n, g->m, g->fingerprint, g->indptr};
        int code = hotset_check_graph(s[i].plan, &of, &e);
        if (code != HOTSET_OK) FAIL((enum st)code, "%s", e.text);
    }
done:
    return st;
}

/* A row that stays is only the same when its element type is. rows: as the first plan has them; next: of the second. */
static enum st check_elements(const struct graph *rows, const enum precision *next, struct err *err)
{
    char label[GRAPH_LABEL_BYTES];
    for (int t = 0; t < rows->tables; t++)
        if (next[t] != rows->table[t].cached)
            return err_set(err, ST_INPUT,
                           "the plans hold %s rows of %s in different element types (%s and %s), so all of them are "
                           "loaded again; compare plans with the same --cache-type",
                           row_kind_name(rows->table[t].kind), graph_table_label(rows, t, label),
                           rows->table[t].cached ? precision_name(rows->table[t].cached) : "the host's",
                           next[t] ? precision_name(next[t]) : "the host's");
    return ST_OK;
}

/* Plans of several types, both read with the graph of the second. */
static enum st run_tables(struct call *call, const char *graph, struct err *err)
{
    struct graph g = {0};
    struct plan *p[2] = {NULL, NULL};
    struct diff d = {0};
    doc *all = NULL, *places = NULL, *side[2] = {NULL, NULL};
    char where[PATH_BYTES];
    enum precision held[GRAPH_TABLES_MAX];
    struct plan_change change;
    enum st st = ST_OK;
    for (int i = 0; i < 2; i++) NEW(p[i], 1, "a plan");
    TRY(options_plan(call->words[1], graph, call->threads, &g, p[1], err));
    for (int t = 0; t < graph_tables(&g); t++) held[t] = graph_table(&g, t).cached;
    TRY(plan_load_changed(call->words[0], &g, call->threads, &change, p[0], err));
    redeal_say(call, call->words[0], &g, &change);
    TRY(check_elements(&g, held, err));
    if (placement_mixed(&p[0]->placement) || placement_mixed(&p[1]->placement))
        FAIL(ST_INPUT, "a plan of --error-price holds some rows rounded and others as on the host, and rows that "
                       "change from one to the other are not counted yet; compare plans without --error-price");
    TRY(diff_tables(p[0], p[1], &g, &d, err));
    for (int i = 0; i < 2; i++) {
        TRY(path_join(where, call->words[i], "plan.json", err));
        TRY(doc_load(where, "plan/2", &side[i], err));
    }
    all = diff_tables_document(&d, call->words, side, &g);
    TRY(plan_places_diff((const char *const *)call->words, (const doc *const *)side, &places, err));
    if (doc_size(places)) doc_put(all, "memories", doc_copy(places));
    if (!call->common.json) diff_tables_print(&d, all, &g, call->out);
    if (!call->common.json) diff_places_print(places, call->out);
    st = call_finish(call, all, err);
done:
    for (int i = 0; i < 2; i++) {
        doc_free(side[i]);
        if (p[i]) plan_release(p[i]);
        mem_free(p[i]);
    }
    doc_free(places);
    diff_release(&d);
    graph_close(&g);
    return st;
}

static enum st run(struct call *call, struct err *err)
{
    struct diff_side s[2] = {{0}, {0}};
    ON_HEAP(struct graph, g);
    struct diff d = {0};
    bool found = false, types;
    doc *all = NULL, *places = NULL;
    enum st st;
    TRY(plan_has_types(call->words[0], &types, err));
    if (types) return run_tables(call, ((const struct diff_args *)call->args)->graph, err);
    for (int i = 0; i < 2; i++) TRY(side_open(&s[i], call->words[i], call->threads, err));
    TRY(find_graph(call, call->args, s, g, &found, err));
    uint64_t arc_bytes = strcmp(hotset_text(s[0].plan, HOTSET_TEXT_SAMPLER), "biased") ? 4 : 8;
    TRY(diff_make(s[0].plan, s[1].plan, found ? g->indptr : NULL, arc_bytes, &d, err));
    say_change(call, &d, s[0].plan, s[1].plan);
    all = diff_document(&d, s);
    TRY(plan_places_diff((const char *const[]){s[0].path, s[1].path}, (const doc *const[]){s[0].d, s[1].d}, &places,
                         err));
    if (doc_size(places)) doc_put(all, "memories", doc_copy(places));
    if (!call->common.json) diff_print(&d, all, call->out);
    if (!call->common.json) diff_places_print(places, call->out);
    doc *result = all;
    all = NULL;
    st = call_finish(call, result, err);
done:
    doc_free(all);
    doc_free(places);
    diff_release(&d);
    graph_close(g);
    for (int i = 0; i < 2; i++) {
        hotset_close(s[i].plan);
        doc_free(s[i].d);
    }
    return st;
}

static const struct param params[] = {OPTION_TEXT("graph", 'g', struct diff_args, graph, "G", NULL,
                                                  "Graph directory, for the bytes of topology rows [default: the path "
                                                  "that the second plan states]."),
                                      {0}};

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
                                 .stage = COMMAND_PLAN,
                                 .rank = 6,
                                 .summary = "compare two plans: rows that are added, removed and moved",
                                 .arguments = "P1 P2 [--graph G]",
                                 .params = params,
                                 .each_node = true,
                                 .args_size = sizeof(struct diff_args),
                                 .words_low = 2,
                                 .words_high = 2,
                                 .run = run,
                                 .about = about,
                                 .examples = "  hotset diff P1 P2          # is the new plan worth the reload?\n"
                                             "  hotset diff P1 P2 --json   # one document, with every pair of GPUs"};
