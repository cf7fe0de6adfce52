/* hotset verify - whether a plan is whole: what libhotset checks when a runtime opens it, told check by check. */
#include <string.h>

#include "base/cmd.h"
#include "base/folder.h"
#include "base/mem.h"
#include "base/units.h"
#include "planner/results/nodes_plan.h"
#include "planner/options/options.h"
#include "simulator/lib/hotset.h"
#include "simulator/plan/plan.h"
#include "simulator/plan/plan_places.h"
#include "traces/graph/graph.h"
#include "reports/tables/tables.h"

struct verify_args {
    const char *graph;
};

struct verdict {
    const char *check;
    char what[200];
    const char *result;
};
enum { VERDICTS_MAX = 9 };
struct verdicts {
    struct verdict list[VERDICTS_MAX];
    int count;
};

static char *verdict_add(struct verdicts *v, const char *check, const char *result)
{
    v->list[v->count] = (struct verdict){.check = check, .result = result};
    return v->list[v->count++].what;
}
#define SAY(text, ...) snprintf((text), sizeof((struct verdict *)0)->what, __VA_ARGS__)

/* A plan that is there but not good is the answer "no"; one that is not there is a wrong argument. */
static enum st answer_of(int code, const struct hotset_error *e, const char *path, struct err *err)
{
    char file[PATH_BYTES];
    if (code == HOTSET_OK) return ST_OK;
    enum st st = folder_document(file, path, "plan.json", err);
    return st != ST_OK ? st : err_set(err, code == HOTSET_INPUT ? ST_NO : (enum st)code, "%s", e->text);
}

static void tell_plan(const hotset_plan *p, struct verdicts *v)
{
    char a[UNIT_TEXT], b[UNIT_TEXT], rows[UNIT_TEXT], vertices[UNIT_TEXT];
    uint64_t bytes = 0, count, ids = 0;
    double fullest = 0;
    int gpu = 0;
    for (int g = 0; g < hotset_gpus(p); g++) {
        uint64_t held = hotset_bytes(p, g, HOTSET_BYTES_FEATURE) + hotset_bytes(p, g, HOTSET_BYTES_TOPOLOGY),
                 budget = hotset_bytes(p, g, HOTSET_BYTES_BUDGET);
        if (hotset_bytes(p, g, HOTSET_BYTES_DYNAMIC) > held) held = hotset_bytes(p, g, HOTSET_BYTES_DYNAMIC);
        double share = budget ? (double)held / (double)budget : 0;
        if (share > fullest) {
            fullest = share;
            gpu = g;
        }
        for (int k = 0; k < 3; k++) {
            (void)hotset_ids(p, g, (enum hotset_list)k, &count);
            bytes += count * sizeof(uint32_t);
            ids += count;
        }
    }
    SAY(verdict_add(v, "plan.json", hotset_sealed(p) ? "holds" : "not stated"), "checksum of its own text");
    SAY(verdict_add(v, "structure", "good"), "%d GPUs in %d clique%s, peers, counts, sizes of files", hotset_gpus(p),
        hotset_cliques(p), hotset_cliques(p) == 1 ? "" : "s");
    SAY(verdict_add(v, "checksums", "hold"), "SHA-256 of %d arrays, %s of ids", 3 * hotset_gpus(p),
        units_bytes(a, bytes));
    SAY(verdict_add(v, "ids", "good"), "%s ids, all below %s vertices; no row twice on a GPU, no vertex trained twice",
        units_count(rows, ids), units_count(vertices, hotset_vertices(p)));
    SAY(verdict_add(v, "budgets", "kept"), "fullest: GPU %d, %s of %s", hotset_gpu_id(p, gpu),
        units_percent(a, fullest), units_bytes(b, hotset_bytes(p, gpu, HOTSET_BYTES_BUDGET)));
}

/* An error of what is checked is the answer "no". */
static enum st answer_no(enum st st, struct err *err) { return st == ST_INPUT ? (err->code = ST_NO) : st; }

/* Everything that a simulation would check, and the fingerprint of the graph's arrays. */
static enum st check_graph(const hotset_plan *p, const char *plan, const char *path, int threads, struct verdicts *v,
                           struct err *err)
{
    OWNED_BY(graph_close) struct graph g = {0};
    ON_HEAP(struct plan, loaded);
    struct hotset_error e;
    char print[80];
    PASS(graph_open_unhashed(path, threads, &g, err));
    PASS(graph_fingerprint(&g, threads, print, err));
    if (*g.fingerprint && strcmp(g.fingerprint, print))
        return err_set(err, ST_NO,
                       "%s: its arrays have the fingerprint %s, graph.json states %s; the graph is damaged, import it "
                       "again",
                       path, print, g.fingerprint);
    struct hotset_graph of = {(uint32_t)sizeof of, 0, g.n, g.m, print, g.indptr};
    PASS(answer_of(hotset_check_graph(p, &of, &e), &e, plan, err));
    snprintf(g.fingerprint, sizeof g.fingerprint, "%s", print);
    PASS(answer_no(plan_load(plan, &g, loaded, err), err));
    plan_release(loaded);
    bool stated = *hotset_text(p, HOTSET_TEXT_FINGERPRINT);
    SAY(verdict_add(v, "graph", "the plan's"), "%s: vertices, edges, bytes of topology rows%s", path,
        stated ? ", fingerprint of its arrays" : " (the plan states no fingerprint)");
    return ST_OK;
}

/* The memories below the GPUs, where the plan states them. given: plan_load has checked them against the graph. */
static enum st check_places(const hotset_plan *p, const char *path, bool given, struct verdicts *v, struct err *err)
{
    char file[PATH_BYTES];
    int ids[GPUS_MAX];
    const struct graph g = {.n = hotset_vertices(p)};
    OWNED_DOC doc *d = NULL;
    PASS(folder_document(file, path, "plan.json", err));
    PASS(doc_load(file, "plan/1", &d, err));
    if (doc_is_null(doc_get(d, "memories"))) return ST_OK;
    ON_HEAP(struct plan_places, x);
    for (int i = 0; i < hotset_gpus(p); i++) ids[i] = hotset_gpu_id(p, i);
    enum st st = plan_places_load(path, file, d, &g, hotset_gpus(p), ids, x, err);
    if (st == ST_OK)
        SAY(verdict_add(v, "memories", "good"), "%d places below the GPUs: checksums, ids, a place for every row%s",
            x->places, given ? ", bytes of DRAM" : "");
    plan_places_release(x);
    return answer_no(st, err);
}

/* A plan of one type: what libhotset checks, and what a simulation would. */
static enum st check_plain(const char *path, const char *graph, struct call *call, struct verdicts *v, struct err *err)
{
    struct hotset_options o = HOTSET_OPTIONS_INIT;
    struct hotset_error e;
    hotset_plan *p = NULL;
    enum st st;
    o.threads = call->threads;
    o.memory_limit = mem_limit();
    TRY(answer_of(hotset_open(path, &o, &p, &e), &e, path, err));
    TRY(answer_no(plan_check_stated(path, err), err));
    tell_plan(p, v);
    struct verdicts with_graph = {.count = 0};
    if (graph) TRY(check_graph(p, path, graph, call->threads, &with_graph, err));
    TRY(check_places(p, path, graph != NULL, v, err));
    if (graph) v->list[v->count++] = with_graph.list[0];
    else
        SAY(verdict_add(v, "graph", "not checked"), "--graph G compares vertices, edges, feature rows, fingerprint and "
                                                    "bytes of topology rows");
done:
    hotset_close(p);
    return st;
}

/* A plan of several types: what plan_load checks, against the graph. Adds its rows to *rows. */
static enum st check_tables(const char *path, const char *graph, int threads, uint64_t *rows, struct verdicts *v,
                            struct err *err)
{
    struct graph g = {0};
    ON_HEAP(struct plan, p);
    char text[UNIT_TEXT];
    enum st st = options_plan(path, graph, threads, &g, p, err);
    if (st == ST_INPUT && g.n) st = err->code = ST_NO; /* a plan that is there, but not good */
    if (st != ST_OK) goto done;
    for (int i = 0; i < p->assignment.gpus; i++) *rows += placement_count(&p->placement, i);
    SAY(verdict_add(v, "plan", "good"), "checksums of plan.json and of every array; GPUs, cliques and peers");
    SAY(verdict_add(v, "rows", "good"),
        "%s rows of %d tables, none twice on a GPU; no vertex trained twice; no budget exceeded",
        units_count(text, *rows), graph_tables(&g));
    if (p->places)
        SAY(verdict_add(v, "memories", "good"),
            "%d places below the GPUs: checksums, ids, a place for every row, bytes of DRAM", p->places->places);
    SAY(verdict_add(v, "graph", "the plan's"), "%.100s: the fingerprint that graph.json states", g.path);
done:
    plan_release(p);
    graph_close(&g);
    return st;
}

/* The plan of several nodes: every part, by the same checks. */
static enum st check_parts(struct call *call, const char *path, const char *graph, bool *several, struct verdicts *v,
                           struct err *err)
{
    enum st st;
    char file[PATH_BYTES], part[PATH_BYTES];
    OWNED_DOC doc *d = NULL;
    uint64_t rows = 0;
    bool types;
    TRY(folder_document(file, path, "plan.json", err));
    TRY(doc_has_schema(file, NODES_PLAN_SCHEMA, several, err));
    if (!*several) goto done;
    TRY(nodes_plan_load(file, &d, err));
    const doc *parts = doc_get(d, "parts");
    for (uint64_t i = 0; i < doc_size(parts); i++) {
        TRY(path_join(part, path, doc_text_value(doc_get(doc_at(parts, i), "path"), "?"), err));
        TRY(plan_has_types(part, &types, err));
        v->count = 0; /* of the last part; an earlier one that is not good ends it */
        TRY(types ? check_tables(part, graph, call->threads, &rows, v, err) : check_plain(part, graph, call, v, err));
    }
    SAY(verdict_add(v, "nodes", "good"), "plans of %llu nodes; the lines above are of the last one",
        (unsigned long long)doc_size(parts));
done:
    return st;
}

static doc *verdicts_document(const struct verdicts *v, const char *plan)
{
    doc *d = doc_object(), *list = doc_array();
    DOC_PUT(d, IS("schema", "verification/1"), IS("plan", plan));
    for (int i = 0; i < v->count; i++) {
        doc_append(list,
                   DOC(IS("check", v->list[i].check), IS("what", v->list[i].what), IS("result", v->list[i].result)));
    }
    doc_put(d, "checks", list);
    return d;
}

static void verdicts_print(const struct verdicts *v, FILE *to)
{
    OWNED_DOC doc *d = verdicts_document(v, "");
    columns_print(&(struct column_table){.columns = verify_checks, .rows = doc_get(d, "checks"), .keep = "result"}, to);
}

static enum st verify_tables(struct call *call, const char *graph, struct err *err)
{
    struct verdicts v = {.count = 0};
    uint64_t rows = 0;
    PASS(check_tables(call->words[0], graph, call->threads, &rows, &v, err));
    if (call_prints(call)) verdicts_print(&v, call->out);
    doc *d = DOC(IS("schema", "verification/2"), IS("plan", call->words[0]), IS("rows", rows), IS("result", "good"));
    return call_finish(call, d, err);
}

static enum st verify_run(struct call *call, struct err *err)
{
    const struct verify_args *a = call->args;
    const char *path = call->words[0];
    struct verdicts v = {.count = 0};
    bool types, several;
    PASS(plan_has_types(path, &types, err));
    if (types) return verify_tables(call, a->graph, err);
    PASS(check_parts(call, path, a->graph, &several, &v, err));
    if (!several) {
        stage_begin(&call->stages, "open and check");
        PASS(check_plain(path, a->graph, call, &v, err));
        stage_end(&call->stages);
    }
    if (call_prints(call)) verdicts_print(&v, call->out);
    return call_finish(call, verdicts_document(&v, path), err);
}

static const struct param params[] = {
    OPTION_GRAPH(struct verify_args, graph, ""),
    {0},
};

static const char about[] = "Makes the checks that libhotset makes before it gives a plan to a runtime: the\n"
                            "checksum of plan.json's own text and of every array, counts and sizes, ids in range\n"
                            "and unique, each training vertex on one GPU, peers, budgets; with --graph also that\n"
                            "graph, whose arrays are hashed again.\n"
                            "The first check that fails is reported in one sentence, with exit code 1. A folder\n"
                            "without a plan.json is exit code 3. If you edit plan.json on purpose, remove its\n"
                            "member \"checksum\"; a plan without one is valid ('not stated').";

extern const struct command cmd_verify;
const struct command cmd_verify = {.name = "verify",
                                   .stage = COMMAND_MORE,
                                   .rank = 1,
                                   .summary = "verify a plan, optionally against its graph",
                                   .arguments = "P [--graph G]",
                                   .params = params,
                                   .args_size = sizeof(struct verify_args),
                                   .words_low = 1,
                                   .words_high = 1,
                                   .run = verify_run,
                                   .about = about,
                                   .examples = "  hotset verify P                # after copying a plan\n"
                                               "  hotset verify P --graph G      # is it the plan of this graph?"};
