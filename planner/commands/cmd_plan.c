/* hotset plan - the main job: from a graph and a server to a checked cache plan. */
#include <stddef.h>
#include <string.h>

#include "base/mem.h"
#include "base/ranks.h"
#include "base/units.h"
#include "planner/commands/like.h"
#include "planner/commands/plan_for.h"
#include "planner/commands/plan_says.h"
#include "planner/commands/settings.h"
#include "planner/places/place_pages.h"
#include "planner/options/cached_types.h"
#include "planner/inference/inference_commands.h"
#include "planner/decisions/epoch_interval.h"
#include "planner/results/memories_print.h"
#include "planner/results/nodes_plan.h"
#include "planner/options/option_uses.h"
#include "planner/options/own_lists.h"
#include "planner/options/site.h"
#include "planner/results/plan_answer.h"
#include "planner/results/plan_print.h"
#include "traces/graph/rows.h"
#include "simulator/movement/simulated.h"

struct plan_args {
    const char *graph, *server, *trace, *policy, *hotness, *budget, *clique_budget, *output, *lists, *runtime,
        *cache_type, *features, *like, *socket_rows;
    bool explain, explain_budget;
    struct workload_args workload;
    struct study_args study;
    struct memory_args memory;
    struct inference_args inference;
};

/* A plan on its way from words to a folder. */
struct planning {
    struct plan_args a; /* as given; lists also where --policy names them */
    struct own_lists mine;
    struct site *site;
    struct study_cell cell;
    struct trace trace;
    struct given_lists lists;
    const struct export_target *runtime; /* of --for; NULL: none */
    struct policy within;                /* its limits */
    struct checkpoint checkpoint;
    doc *inputs; /* files that the plan depends on, apart from the graph */
    struct premises premises;
    struct epoch_interval interval; /* of the simulated epoch */
};

/* compare takes lists, so people write them here, too. */
static enum st refuse_lists(const struct plan_args *a, struct err *err)
{
    const char *const option[] = {"--policy", "--budget", "--clique-budget", "--server"},
                      *const value[] = {a->policy, a->budget, a->clique_budget, a->server};
    for (size_t i = 0; i < sizeof option / sizeof *option; i++)
        if (value[i] && strchr(value[i], ',') && !file_exists(value[i]))
            return err_set(err, ST_USAGE,
                           "%s: '%.60s' is a list, but a plan takes one; compare several with 'hotset compare'",
                           option[i], value[i]);
    return ST_OK;
}

static enum st choose_budget(const struct plan_args *a, struct budget *out, struct err *err)
{
    if (a->budget && a->clique_budget)
        return err_set(err, ST_USAGE, "--budget (per GPU) and --clique-budget (per clique) exclude each other");
    if (a->budget) return budget_parse(a->budget, false, "--budget", out, err);
    if (a->clique_budget) return budget_parse(a->clique_budget, true, "--clique-budget", out, err);
    *out = (struct budget){.kind = BUDGET_MEMORY, .text = "memory"};
    return ST_OK;
}

/* What is planned: policy, metric and budget. */
static enum st read_cell(struct planning *p, struct err *err)
{
    const struct plan_args *a = &p->a;
    struct study_cell *cell = &p->cell;
    PASS(refuse_lists(a, err));
    if (a->lists) {
        cell->policy = *p->mine.name ? &p->mine.policy : &given_lists_policy;
        return choose_budget(a, &cell->budget, err);
    }
    PASS(policy_parse(a->policy, &cell->policy, cell->option, err));
    cell->options_given = true;
    PASS(policy_check_hotness(cell->policy, a->hotness, err));
    cell->hotness = a->hotness;
    return choose_budget(a, &cell->budget, err);
}

/* --policy NAME=lists:DIR is --from-lists by another name. */
static enum st take_own(struct plan_args *a, struct own_lists *mine, struct err *err)
{
    if (!own_lists_word(a->policy)) return ST_OK;
    if (a->lists)
        return err_set(err, ST_USAGE, "--from-lists: --policy %.60s names lists, too; leave one of them out",
                       a->policy);
    PASS(own_lists_parse(a->policy, mine, err));
    a->lists = mine->folder;
    return ST_OK;
}

/* Its lists may be of a server and a budget. */
static enum st find_own(const struct server *s, const struct study_cell *cell, struct own_lists *mine, struct err *err)
{
    char folder[PATH_BYTES];
    if (!*mine->name) return ST_OK;
    enum st st = own_lists_folder(mine, s, &cell->budget, folder, err);
    if (st == ST_OK) memcpy(mine->folder, folder, sizeof mine->folder);
    return st;
}

/* Reads --from-lists. Without a budget it is what the lists take. */
static enum st read_lists(struct call *call, struct planning *p, struct err *err)
{
    const struct plan_args *a = &p->a;
    struct budget *budget = &p->cell.budget;
    if (!a->lists) return ST_OK;
    if (a->trace || call_given(call, "hotness") ||
        (call_given(call, "policy") && strcmp(a->policy, given_lists_policy.name) && !own_lists_word(a->policy)))
        return err_set(err, ST_USAGE,
                       "--from-lists: the lists are the placement (policy lists); leave --trace, --policy and "
                       "--hotness out");
    PASS(given_lists_read(a->lists, p->site->graph, p->site->server, &p->lists, err));
    if (budget->kind == BUDGET_MEMORY)
        *budget = (struct budget){.kind = BUDGET_BYTES,
                                  .bytes = given_lists_most(&p->lists, p->site->graph),
                                  .text = "lists"};
    return ST_OK;
}

/* All files that the plan depends on, apart from the graph. */
static enum st add_inputs(struct planning *p, struct err *err)
{
    const struct plan_args *a = &p->a;
    const struct server *s = p->site->server;
    doc *inputs = p->inputs;
    resume_add_path(inputs, "trace", a->trace);
    resume_add_path(inputs, "file of parts", a->study.parts);
    if (a->lists) given_lists_inputs(a->lists, p->site->graph, s, inputs);
    resume_add_path(inputs, "calibration file", a->study.timing.calibration);
    return resume_add_server(inputs, a->server ? a->server : a->memory.cluster, s, err);
}

/* --for: what the runtime can express narrows the study. */
static enum st take_runtime(struct call *call, struct planning *p, struct err *err)
{
    const struct plan_args *a = &p->a;
    if (!a->runtime) return ST_OK;
    if (a->lists)
        return err_set(err, ST_USAGE, "--for: the lists of --from-lists are the placement; leave one of them out");
    PASS(plan_for_begin(call, p->runtime, a->policy, &p->site->options, &p->cell, &p->within, err));
    plan_for_warn(p->runtime, call, &p->site->workload);
    return ST_OK;
}

/* Refuses options that the policy cannot use. */
static enum st check_uses(const struct call *call, const struct planning *p, struct err *err)
{
    const struct plan_args *a = &p->a;
    struct options_given given = {.call = call,
                                  .study = &a->study,
                                  .workload = &a->workload,
                                  .trace = a->trace,
                                  .dealt = p->lists.part,
                                  .nodes = p->site->below.nodes > 1,
                                  .budget = a->budget || a->clique_budget || a->lists,
                                  .clique_budget = a->clique_budget};
    return option_uses_check(&given, &p->cell.policy, 1, err);
}

/* What belongs to one server does not belong to several. */
static enum st check_nodes(const struct call *call, const struct memories_request *below, struct err *err)
{
    static const char *const of_one[] = {"trace", "from-lists", "for", "features", "scratch"};
    if (call_given(call, "for") && (below->nodes > 1 || below->drives.count))
        return err_set(err, ST_USAGE,
                       "--for: runtimes read GPUs and a host memory that has all rows; leave --for, or %s, out",
                       below->drives.count ? "--ssd" : "--nodes and --cluster");
    for (size_t i = 0; below->nodes > 1 && i < sizeof of_one / sizeof *of_one; i++)
        if (call_given(call, of_one[i]))
            return err_set(err, ST_USAGE, "--%s: is of one node; leave it out, or plan without --nodes and --cluster",
                           of_one[i]);
    return ST_OK;
}

/* How GPUs hold rows, and whether what rounding loses can be measured. */
static enum st set_cached(struct call *call, const struct planning *p, struct err *err)
{
    const struct plan_args *a = &p->a;
    struct graph *g = p->site->graph;
    if (a->features && !a->cache_type)
        return err_set(err, ST_USAGE, "--features: needs --cache-type, whose errors it measures");
    if (a->cache_type) PASS(cached_types_set(a->cache_type, g, err));
    return a->features ? cached_types_measure(a->features, g, NULL, NULL, call->threads, NULL, err) : ST_OK;
}

/* --job inference: no mini-batches are recorded, and there is no policy to choose. */
static enum st run_inference(struct call *call, const struct plan_args *a, struct err *err)
{
    struct budget budget;
    PASS(refuse_lists(a, err));
    PASS(choose_budget(a, &budget, err));
    const struct inference_given given = {.args = &a->inference,
                                          .workload = &a->workload,
                                          .timing = &a->study.timing,
                                          .memory = &a->memory,
                                          .graph = a->graph,
                                          .server = a->server,
                                          .partition = a->study.partition,
                                          .budget = &budget};
    if (!a->server)
        return err_set(err, ST_USAGE, "--cluster: inference is planned on one server; name it with --server");
    return inference_plan_run(call, &given, a->output, err);
}

/* ---- parse: what is planned, from words to structs ---- */

/* The trace, if there is one, whose workload is the plan's: options that describe another one do nothing, and the user
 * is told so. */
static enum st read_workload(struct call *call, struct planning *p, struct err *err)
{
    static const char *const brought[] = {"seed", "presample-epochs", "assignment", "parts"};
    char why[PATH_BYTES + 32];
    const struct plan_args *a = &p->a;
    if (!a->trace) {
        PASS(site_workload(p->site, &a->workload, err));
        site_say_workload(p->site, &a->workload);
        return ST_OK;
    }
    PASS(trace_load(a->trace, p->site->graph, &p->trace, err));
    PASS(plan_check_trace(&p->trace, a->trace, p->site->server, err));
    snprintf(why, sizeof why, "the trace %s states its own", a->trace);
    options_say_ignored(call, offsetof(struct plan_args, workload), sizeof a->workload, why);
    for (size_t i = 0; i < sizeof brought / sizeof *brought; i++)
        if (call_given(call, brought[i])) call_say(call, "--%s is ignored: %s", brought[i], why);
    PASS(site_workload_given(p->site, &p->trace.workload, err));
    site_say_workload(p->site, NULL);
    return ST_OK;
}

/* What the study is asked, and whether all of it goes together. */
static enum st read_options(struct call *call, struct planning *p, struct err *err)
{
    struct site *site = p->site;
    struct study_options *o = &site->options;
    const struct plan_args *a = &p->a;
    if (a->runtime) PASS(export_find("--for", a->runtime, &p->runtime, err));
    if (a->runtime && plan_for_hops(p->runtime, call, &site->workload))
        call_say(call, "%s expands all vertices in every hop: planning with --frontier all", p->runtime->name);
    PASS(site_options(site, &a->study, err));
    PASS(take_runtime(call, p, err));
    PASS(check_uses(call, p, err));
    if (a->trace) {
        o->given = &p->trace;
        o->presample_epochs = p->trace.epochs;
    }
    o->lists = a->lists ? &p->lists : NULL;
    if (p->cell.budget.kind == BUDGET_MEMORY || a->explain_budget) {
        PASS(options_reservation(&a->study, site->graph, site->server, &site->workload, &o->reservation, err));
        options_say_reservation(call, &o->reservation, a->explain_budget);
    }
    PASS(options_budget(call, &p->cell.budget, site->server, site->graph, &o->reservation, err));
    return check_nodes(call, &site->below, err);
}

static enum st parse(struct call *call, struct planning *p, struct err *err)
{
    const struct plan_args *a = &p->a;
    PASS(inference_refuse(call, &a->inference, NULL, err));
    PASS(take_own(&p->a, &p->mine, err));
    PASS(read_cell(p, err));
    if (ranks_first()) PASS(output_check(a->output, NULL, err));
    PASS(site_new(call, &p->site, err));
    PASS(site_graph(p->site, a->graph, NULL, err));
    PASS(set_cached(call, p, err));
    PASS(site_server(p->site, &a->memory, a->server, a->study.reach, err));
    PASS(find_own(p->site->server, &p->cell, &p->mine, err));
    PASS(read_lists(call, p, err));
    PASS(read_workload(call, p, err));
    PASS(site_sizes(p->site, &a->memory, err));
    PASS(memory_args_rows(&a->memory, a->socket_rows, p->site->graph, &p->site->below, err));
    site_say_batch(p->site);
    return read_options(call, p, err);
}

/* ---- engine: record, estimate, place, simulate ---- */

static enum st plan_begin(struct call *call, struct planning *p, struct err *err)
{
    struct site *site = p->site;
    const struct plan_args *a = &p->a;
    site->options.checkpoint = ranks_first() ? &p->checkpoint : NULL; /* opened below */
    PASS(study_memory_say(call, &site->options, &p->cell, 1, err));
    PASS(site_begin(site, a->study.parts, a->lists ? &p->lists : NULL, err));
    if (site->study.nodes > 1) return ST_OK; /* they keep no checkpoint */
    p->inputs = doc_object();
    PASS(add_inputs(p, err));
    PASS(resume_open(call, &a->study.resume, a->output, site->graph, p->inputs, &p->checkpoint, err));
    checkpoint_expect(&p->checkpoint, study_memory_estimate(&site->options, &p->cell, 1).disk);
    return ST_OK;
}

/* What the plan of a single node states beside its rows, and what is said of it. */
static enum st state(struct call *call, struct planning *p, struct err *err)
{
    const struct study *s = &p->site->study.node[0].s;
    const struct settings_brought brought = {offsetof(struct plan_args, workload), sizeof p->a.workload};
    struct plan *plan = &p->cell.plan;
    plan_say_doubts(call, s, &p->cell);
    settings_state(call, p->a.trace ? &brought : NULL, s->o.graph, plan);
    if (!p->a.features) return ST_OK;
    return cached_types_measure(p->a.features, s->o.graph, p->cell.recording->trace, s->o.kernels, call->threads, plan,
                                err);
}

/* What the plan rests on, from the graph to the reservation; every node's plan states it. */
static enum st state_premises(struct call *call, struct planning *p, struct err *err)
{
    const struct plan_args *a = &p->a;
    const struct site *site = p->site;
    struct premises *to = &p->premises;
    premises_of_graph(to, site->graph);
    premises_of_workload(to, call, site->graph, &site->workload, a->trace);
    premises_of_model(to, call, &a->study.timing, true);
    premises_of_reach(to, call, site->server);
    premises_of_server(to, site->server, a->server);
    if (p->cell.budget.kind == BUDGET_MEMORY)
        premises_of_memory(to, site->server, a->server, &site->options.reservation, a->study.reserve);
    premises_weigh_plan(to, &p->cell.plan);
    plan_note(&p->cell.plan, "premises", premises_document(to));
    for (int i = 0; i < p->cell.others; i++) plan_note(&p->cell.other[i].plan, "premises", premises_document(to));
    return ranks_first() ? premises_end(call, to, a->study.strict, err) : ST_OK;
}

static enum st engine(struct call *call, struct planning *p, struct err *err)
{
    struct study_nodes *nodes = &p->site->study;
    struct study_cell *cell = &p->cell;
    const struct study *s = &nodes->node[0].s;
    bool alone = nodes->nodes == 1;
    PASS(study_nodes_plan(nodes, cell, 1, err));
    if (alone) plan_say_recording(call, s, cell, p->a.trace ? &p->trace : NULL);
    if (alone && cell->budget.kind == BUDGET_MEMORY)
        plan_note(&cell->plan, "reservation", reservation_document(&s->o.reservation));
    PASS(study_cell_verdict(cell, err));
    if (alone) PASS(state(call, p, err));
    PASS(study_nodes_simulate_plan(nodes, cell, err));
    if (p->runtime) PASS(plan_for_compare(p->runtime, call, s, cell, err));
    for (int i = 0; !alone && i < nodes->nodes; i++)
        settings_state(call, NULL, nodes->graph, i ? &cell->other[i - 1].plan : &cell->plan);
    return state_premises(call, p, err);
}

/* ---- results: what is written; show: what people read ---- */

/* *result: plan.json as it was written; the caller's. */
static enum st plan_write(struct call *call, struct planning *p, doc **result, struct err *err)
{
    const struct site *site = p->site;
    OWNED_DOC doc *stamp = NULL;
    char where[PATH_BYTES];
    if (site->study.nodes > 1) return nodes_plan_save(&site->study, &p->cell, p->a.output, result, err);
    if (call->common.stamp) stamp = stages_document(&call->stages, call->common.device, call->threads);
    OWNED_DOC doc *simulated = simulated_document(&p->cell.plan, p->cell.plan.simulated, site->graph, true);
    const struct simulated *sim = p->cell.plan.simulated;
    PASS(epoch_interval_state(simulated, sim ? sim->time : NULL, site->server, &p->interval, err));
    PASS(plan_save(&p->cell.plan, site->graph, p->a.output, simulated, stamp, err));
    PASS(path_join(where, p->a.output, "plan.json", err));
    return doc_load(where, plan_schema(site->graph), result, err);
}

static void show(const struct planning *p, const doc *result, FILE *to)
{
    const struct plan *plan = &p->cell.plan;
    if (p->site->study.nodes > 1) {
        nodes_plan_show(&p->site->study, &p->cell, result, p->a.explain, to);
        return;
    }
    plan_print(plan, p->site->graph, p->a.explain, to);
    memories_print(plan, doc_path(result, "simulated.memories"), to);
    cached_types_print(plan, p->site->graph, to);
    plan_for_print(doc_get(plan->notes, "for"), to);
    plan_answer_print(plan, &p->interval, p->a.explain, to);
}

static enum st tell(struct call *call, struct planning *p, struct err *err)
{
    OWNED_DOC doc *result = NULL;
    if (!ranks_first()) return ST_OK;
    PASS(plan_write(call, p, &result, err));
    if (call_prints(call)) show(p, result, call->out);
    PASS(call_finish(call, TAKE(result), err));
    if (p->site->study.nodes > 1)
        call_say(call, "a plan for each of %d nodes written to %s", p->site->study.nodes, p->a.output);
    else call_say(call, "plan written to %s", p->a.output);
    return ST_OK;
}

static void release(struct planning *p)
{
    doc_free(p->inputs);
    study_cell_release(&p->cell);
    site_free(&p->site);
    trace_release(&p->trace);
    given_lists_release(&p->lists);
}

static enum st plan_run(struct call *call, struct err *err)
{
    const struct plan_args *a = call->args;
    OWNED struct planning *p = NULL;
    if (inference_asked(&a->inference)) return run_inference(call, a, err);
    MAKE(p, 1, "a plan");
    p->a = *a;
    enum st st = parse(call, p, err);
    if (st == ST_OK) st = plan_begin(call, p, err);
    if (st == ST_OK) st = engine(call, p, err);
    if (st == ST_OK) st = tell(call, p, err);
    resume_close(call, &p->checkpoint, st);
    release(p);
    return st;
}

static const struct param params[] = {
    OPTION_GRAPH(struct plan_args, graph, ""),
    OPTION_SERVER(struct plan_args, server, "S", NULL, ""),
    OPTION_OUTPUT(struct plan_args, output, "P", NULL, "Plan directory to write."),
    OPTION_LIKE(struct plan_args, like),
    OPTION_POLICY(struct plan_args, policy, "NAME", "hotset", POLICY_LISTS),
    OPTION_HOTNESS(struct plan_args, hotness),
    OPTION_BUDGET(struct plan_args, budget, "SIZE", NULL, MEMORY_BUDGET),
    OPTION_CLIQUE_BUDGET(struct plan_args, clique_budget, "SIZE"),
    OPTION_TRACE(struct plan_args, trace, "T", "; a plan takes its workload and seed [default: record one]"),
    OPTION_FROM_LISTS(struct plan_args, lists, LISTS_BUDGET),
    OPTION_TEXT("for", 0, struct plan_args, runtime, "RUNTIME", NULL,
                "Keep to what this runtime ('hotset list exports') can express, instead of losing the rest on export; "
                "also makes a free plan, and prints what both cost as the runtime executes them."),
    OPTION_CACHE_TYPE(struct plan_args, cache_type),
    OPTION_ROUNDED_FEATURES(struct plan_args, features),
    OPTION_GONE("error-price", "is gone: rows held exactly beside rounded ones left at best 2 % fewer "
                               "transactions; choose the types to round with --cache-type paper=f16, and see what it "
                               "loses with --features"),
    OPTION_EXPLAIN(struct plan_args, explain),
    OPTION_EXPLAIN_BUDGET(struct plan_args, explain_budget),
    WORKLOAD_PARAMS(struct plan_args, workload),
    STUDY_PARAMS(struct plan_args, study),
    OPTION_GROUP("memory below the GPUs"),
    MEMORY_PARAMS(struct plan_args, memory),
    OPTION_WORD("socket-rows", 0, struct plan_args, socket_rows, "HOW", "place", SOCKET_ROWS_WORDS,
                "How DRAM holds rows where a server has several sockets. place: where they are read. interleave: pages "
                "in turn, as numactl does. replicate: the rows that are read most on all sockets, the rest "
                "interleaved. With the last two GPUs keep the lists that they have without memories below them."),
    INFERENCE_PARAMS(struct plan_args, inference),
    {0},
};

static const char about[] =
    "Assigns the training vertices to GPUs, records pre-sampling epochs, ranks rows, places them within\n"
    "the budget, and writes a plan directory: plan.json and, for each GPU, NumPy files with the ids of\n"
    "the vertices to cache, hottest first (fill order). A row is the neighbour list (topology row) or the\n"
    "feature vector (feature row) of a vertex. The plan is then simulated on held-out epochs, whose seed\n"
    "planning did not use; prediction and simulation are printed side by side. A transaction is one PCIe\n"
    "read of one line (64 bytes) of host memory.\n\n"
    "An interrupted run (Ctrl-C, a kill) leaves P.partial with the finished steps: the partition, each\n"
    "GPU's recording, the estimates, the placement. The same command continues from there and writes the\n"
    "same bytes. Large arrays are kept in that folder, so graphs larger than memory can be planned. A run\n"
    "that needs 1 GiB or more prints the memory of every stage before it starts, and stops if a stage\n"
    "exceeds --memory.\n"
    "--host-memory, --ssd, --nodes and --cluster also plan which rows the DRAM of each socket, other nodes and\n"
    "SSDs hold (planner/TIERS.md): policy hotset as one problem with the GPUs, others below their own lists.\n"
    "--job inference plans a pass of the trained model over all vertices instead, layer by layer: order and\n"
    "size of chunks, what GPUs keep of each layer's input, what goes to SSDs; every number is counted.\n"
    "'mpirun -n N hotset plan ..' shares the work over N processes (planner/RANKS.md); the plan is the same.\n"
    "Exit code 1: the policy cannot make a plan, for example because the memory of a GPU is too small.";

static const char examples[] = "  hotset plan --graph G --server dgx-v100 --budget 5% -o P                    # 5 % of "
                               "all bytes on every GPU\n"
                               "hotset plan --graph G --server siton --policy quiver-plus --budget 5%V -o P # the "
                               "papers' cache ratio\n"
                               "  hotset plan --graph G --server my.json --trace T --clique-budget 8GiB -o P --stamp";

extern const struct command cmd_plan;
const struct command cmd_plan = {
    .name = "plan",
    .stage = COMMAND_DAILY,
    .rank = 4,
    .summary = "decide which rows each GPU caches, write the plan, simulate it on held-out epochs",
    .arguments = "--graph G --server S -o P [options]",
    .about = about,
    .examples = examples,
    .params = params,
    .usual = "graph server output budget policy fanout batch order assignment peer-access trace cache-type host-memory "
             "ssd job",
    .shares_work = true,
    .needs = "graph server|cluster output",
    .args_size = sizeof(struct plan_args),
    .run = plan_run,
};
