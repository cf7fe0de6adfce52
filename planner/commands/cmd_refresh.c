/* hotset refresh - the next plan of a job whose reads have changed, with few rows to move. */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/units.h"
#include "hwprofiles/model/server_reach.h"
#include "planner/commands/refresh_print.h"
#include "planner/places/memory_args.h"
#include "planner/study/memories_print.h"
#include "planner/study/options.h"
#include "planner/study/redeal.h"
#include "planner/study/study_memories.h"
#include "simulator/plan/plan_server.h"
#include "traces/graph/graph_union.h"

struct refresh_args {
    const char *graph, *trace, *server, *output, *move_budget;
    int64_t epochs;
    bool decide; /* --auto */
    struct study_args study;
};

struct work {
    struct plan before;
    struct plan_change change; /* of the graph */
    struct graph graph;
    struct server server;
    struct trace trace;
    struct memories_request below;             /* what lay below the GPUs of the plan before */
    struct study_nodes study;                  /* of one node */
    struct study_cell cell[REFRESH_CELLS];     /* as it is, refreshed, and the worse way to refresh */
    struct refresh_reads reads[REFRESH_CELLS]; /* of each */
    int chosen; /* cell that is written: 0 where exchanging rows is not predicted to gain */
    struct refresh_moves moves;
};

static void release(struct work *w)
{
    for (int i = 0; i < REFRESH_CELLS; i++) study_cell_release(&w->cell[i]);
    study_nodes_end(&w->study);
    trace_release(&w->trace);
    server_release(&w->server);
    graph_close(&w->graph);
    plan_release(&w->before);
}

static enum st open_all(struct call *call, const struct refresh_args *a, struct work *w, struct err *err)
{
    enum st st;
    const char *path = call->words[0];
    TRY(output_check(a->output, "plan.json", err));
    TRY(options_plan_changed(path, a->graph, call->threads, &w->graph, &w->change, &w->before, err));
    TRY(graph_join(&w->graph, err));
    if (w->before.places && w->before.places->nodes > 1)
        FAIL(ST_NO,
             "%s: is the plan of one node of %d, and what the others serve it follows from all of their plans; plan "
             "anew with --nodes",
             path, w->before.places->nodes);
    TRY(plan_server_load(&w->before, a->server, &w->server, err));
    TRY(server_set_reach(&w->server, reach_of(doc_text_value(doc_get(w->before.stated, "reach"), NULL)), err));
    TRY(refresh_check(&w->before, &w->server, path, err));
    TRY(trace_load(a->trace, &w->graph, &w->trace, err));
    for (int g = 0; g < w->server.gpus; g++)
        if (w->trace.assignment.gpus != w->server.gpus || w->trace.assignment.id[g] != w->server.gpu[g].id ||
            w->trace.assignment.clique_of[g] != w->server.clique_of[g])
            FAIL(ST_INPUT,
                 "%s: was recorded for other GPUs or cliques than the plan's; record it with 'hotset trace record "
                 "--plan %s'",
                 a->trace, path);
done:
    return st;
}

/* Who trains what: says what differs from the plan. */
static enum st match(struct call *call, struct work *w, struct err *err)
{
    enum st st;
    uint64_t others;
    bool exchanged;
    const char *path = call->words[0];
    redeal_say(call, path, &w->graph, &w->change);
    TRY(refresh_match(&w->before, &w->graph, call->threads, &w->trace, &others, &exchanged, err));
    if (others && !w->change.train)
        call_say(call,
                 "%llu training vertices are trained by other GPUs in the trace than in the plan; 'hotset trace record "
                 "--plan %s' keeps who trains what",
                 (unsigned long long)others, path);
    if (exchanged)
        call_say(call, "GPUs exchange what they train in the trace, so that they train near the rows they hold");
done:
    return st;
}

static struct refresh_result weigh(const struct work *w)
{
    struct refresh_result r = {.server = &w->server, .graph = w->study.graph, .moves = &w->moves, .change = &w->change};
    for (int i = 0; i < 2; i++) {
        r.plan[i] = &w->cell[i * w->chosen].plan;
        r.reads[i] = &w->reads[i * w->chosen];
    }
    r.gain = (double)plan_predicted(r.plan[0]).total - (double)plan_predicted(r.plan[1]).total;
    r.pay = refresh_pays(&w->server, &w->trace.assignment, &w->moves, r.reads[0]->seconds - r.reads[1]->seconds,
                         r.gain);
    r.epochs = !w->moves.bytes ? 0 : r.pay.seconds_gained > 0 ? r.pay.seconds_to_move / r.pay.seconds_gained : NAN;
    return r;
}

/* The same DRAM and SSDs as before, for the rows that GPUs leave now. */
static enum st set_below(struct work *w, struct err *err)
{
    const struct plan_places *x = w->before.places;
    char bytes[32];
    if (!x) return ST_OK;
    snprintf(bytes, sizeof bytes, "%lluB", (unsigned long long)x->host_bytes);
    w->below = (struct memories_request){.nodes = 1, .server = &w->server, .drives = x->drives};
    enum st st = memory_args_sizes(&(struct memory_args){.memory = bytes}, &w->graph, &w->below, err);
    w->below.drives = x->drives; /* not the server's own */
    return st;
}

/* Whether exchanging rows is expected to gain: seconds of the reads below the GPUs, where the plan has such memories;
 * else those of the transfer stage, or transactions. */
static bool gains(const struct work *w)
{
    double below[2], total[2];
    for (int i = 0; i < 2; i++) {
        const struct plan *p = &w->cell[i].plan;
        total[i] = (double)plan_predicted(p).total;
        below[i] = p->places ? doc_real_value(doc_get(p->places->stated, "predicted_seconds"), total[i]) : NAN;
    }
    if (isnan(below[0])) return refresh_gains(w->reads, total[0] - total[1]);
    return below[1] < below[0] || (below[1] == below[0] && refresh_gains(w->reads, 0));
}

/* Bytes that a clique loads at most. */
static enum st most_moved(const struct refresh_args *a, const struct graph *g, double *out, struct err *err)
{
    struct budget b;
    *out = REFRESH_MOVE_ANY;
    if (!a->move_budget) return ST_OK;
    enum st st = budget_parse(a->move_budget, false, "--move-budget", &b, err);
    if (st == ST_OK) st = budget_check_unit(&b, "--move-budget", g, err);
    if (st == ST_OK) *out = (double)budget_of_graph(&b, g);
    return st;
}

/* Under --auto: keeps all rows where moving them takes longer than what it saves in those epochs. */
static enum st decide(struct call *call, const struct refresh_args *a, struct work *w, struct err *err)
{
    enum st st = ST_OK;
    char bytes[UNIT_TEXT];
    if (!a->decide || !w->chosen) return ST_OK;
    TRY(refresh_count(&w->before, &w->cell[1].plan, w->study.graph, &w->server, &w->moves, err));
    const struct refresh_result r = weigh(w);
    const bool pays = refresh_worth(&r.pay, (double)a->epochs);
    call_say(call, "%s: loading %s takes %.3g s, and %lld epochs save %.3g s",
             pays ? "rows are exchanged" : "all rows are kept", units_bytes(bytes, w->moves.bytes),
             r.pay.seconds_to_move, (long long)a->epochs, r.pay.seconds_gained * (double)a->epochs);
    if (!pays) w->chosen = 0;
done:
    return st;
}

static enum st make(struct call *call, const struct refresh_args *a, struct work *w, struct err *err)
{
    enum st st;
    doc *stamp = NULL, *result = NULL;
    double move;
    TRY(most_moved(a, &w->graph, &move, err));
    const struct budget same = {.kind = BUDGET_BYTES, .bytes = 1, .text = "the plan's"};
    const int cells = refresh_cells(&w->server, (double)a->epochs, move, &same, w->cell);
    TRY(options_say_memory(call, &w->study.node[0].s.o, w->cell, cells, err));
    TRY(study_nodes_plan(&w->study, w->cell, cells, NULL, err));
    for (int i = 0; i < cells; i++)
        if (w->cell[i].verdict.status != POLICY_OK) FAIL(ST_NO, "refresh: %s", w->cell[i].verdict.reason);
    TRY(refresh_reads_expect(&w->study.node[0].s, w->cell, cells, w->reads, err));
    TRY(refresh_prefer(w->cell, w->reads, cells, err));
    w->chosen = gains(w);
    TRY(decide(call, a, w, err));
    struct plan *next = &w->cell[w->chosen].plan;
    TRY(study_nodes_simulate(&w->study, w->cell, 2, err));
    TRY(refresh_count(&w->before, next, w->study.graph, &w->server, &w->moves, err));
    struct refresh_result r = weigh(w);
    plan_state(next, "refresh", refresh_stated(&r));
    if (doc_get(w->before.stated, "settings"))
        plan_state(next, "settings", doc_copy(doc_get(w->before.stated, "settings")));
    if (call->common.stamp) stamp = stages_document(&call->stages, call->common.device, call->threads);
    TRY(plan_save(next, w->study.graph, a->output, stamp, err));
    result = refresh_document(&r);
    if (!call->common.json) refresh_print(result, call->out);
    if (!call->common.json) memories_print(next, call->out);
    doc *d = result;
    result = NULL;
    TRY(call_finish(call, d, err));
    call_say(call, "plan written to %s", a->output);
done:
    doc_free(stamp);
    doc_free(result);
    return st;
}

static enum st run(struct call *call, struct err *err)
{
    const struct refresh_args *a = call->args;
    enum st st;
    struct work *w = NULL;
    struct study_options o;
    const struct kernels *k;
    NEW(w, 1, "a plan to refresh");
    TRY(open_all(call, a, w, err));
    TRY(options_kernels(call, &k, err));
    TRY(workload_attach(&w->trace.workload, &w->graph, err));
    TRY(match(call, w, err));
    options_say_sampler(call, k, &w->graph, &w->trace.workload);
    struct study_args study = a->study;
    study.partition = "auto"; /* the trace states who trains what */
    TRY(study_options_make(call, &study, &w->graph, &w->server, k, &w->trace.workload, &o, err));
    o.given = &w->trace;
    o.presample_epochs = w->trace.epochs;
    o.before = &w->before;
    TRY(set_below(w, err));
    TRY(study_memories_check(call, &w->below, &w->graph, err));
    TRY(study_nodes_begin(&w->study, &o, &w->below, err));
    TRY(make(call, a, w, err));
done:
    if (w) release(w);
    mem_free(w);
    return st;
}

static const struct param params[] = {
    OPTION_TEXT("trace", 't', struct refresh_args, trace, "T2", NULL,
                "What the job reads now: 'hotset trace record --plan P --seed N' (another seed than the plan's)."),
    OPTION_OUTPUT(struct refresh_args, output, "P2", NULL, "Plan directory to write."),
    OPTION_INTEGER("within", 0, struct refresh_args, epochs, "N", "10", 0, REFRESH_EPOCHS_MOST,
                   "Epochs in which a row must save as many transactions as loading it takes; 0: keep all rows."),
    OPTION_FLAG("auto", struct refresh_args, decide,
                "Decide whether to move at all: only where the seconds that N epochs save, by the server's rates, are "
                "more than those of loading."),
    OPTION_MOVE_BUDGET(struct refresh_args, move_budget, NULL, " [default: any]"),
    OPTION_GRAPH(struct refresh_args, graph, PLAN_GRAPH),
    OPTION_SERVER(struct refresh_args, server, "S", NULL, PLAN_SERVER),
    OPTION_SIMULATE_EPOCHS(struct refresh_args, study.simulate_epochs),
    OPTION_SIMULATE_SEED(struct refresh_args, study.simulate_seed),
    EPOCH_PARAMS(struct refresh_args, study.timing),
    {0},
};

static const char about[] =
    "When training vertices, fan-outs or the graph's edges change, other rows become hot. This command\n"
    "makes the next plan from a new recording, and moves few rows: one is loaded only if it saves, within\n"
    "N epochs, as many transactions as its bytes take on PCIe. Rows that stay keep their GPU and, in the\n"
    "feature cache, their slot; loaded rows take the slots of those that leave, so the new lists are not in\n"
    "the order of hotness. Budgets and peers are those of P. A row that a peer held comes over the NVLink to\n"
    "it, others over PCIe; where an epoch waits for NVLinks, GPUs of a clique exchange rows that they hold,\n"
    "if that shortens it. Where\n"
    "exchanging rows is predicted to save neither time of the transfer stage nor, in a stage as long,\n"
    "transactions, P2 holds the rows of P. Where P states memories\n"
    "below its GPUs, P2 has the same DRAM and SSDs, planned for what its GPUs leave, and what counts is the\n"
    "time of these reads.\n"
    "The graph may have another training set, or some edges more or less, on the same vertices: name it\n"
    "with --graph here and in 'hotset trace record --plan P', which deals training vertices as P does.\n"
    "Its parts go to the GPUs of a clique that hold most of what they read.\n"
    "Both plans are predicted from the recording and simulated on the same held-out epochs. The command\n"
    "states rows and bytes to load per GPU, and the epochs after which moving has paid: the seconds that\n"
    "the slowest GPU loads, at the server's rates for large reads with all GPUs at work, over\n"
    "the seconds per epoch by which the transfer stage becomes shorter: reads of own memory, of peers and of\n"
    "the host at the server's rates (MODEL.md, 7.4; where a rate is missing, the time of saved transactions).";

extern const struct command cmd_refresh;
const struct command cmd_refresh = {.name = "refresh",
                                    .stage = COMMAND_PLAN,
                                    .rank = 7,
                                    .summary = "make the next plan from a new recording, with few rows to move",
                                    .arguments = "P --trace T2 -o P2 [options]",
                                    .params = params,
                                    .usual = "trace output within auto graph server move-budget simulate-epochs",
                                    .needs = "trace output",
                                    .each_node = true,
                                    .args_size = sizeof(struct refresh_args),
                                    .words_low = 1,
                                    .words_high = 1,
                                    .run = run,
                                    .about = about,
                                    .examples = "  hotset trace record --graph G --server S --plan P --seed 7 -o T2\n"
                                                "  hotset refresh P --trace T2 -o P2              # 10 epochs to pay\n"
                                                "  hotset refresh P --trace T2 -o P2 --within 100 # a long run: move "
                                                "more\n"
                                                "  hotset verify P2 && hotset diff P P2"};
