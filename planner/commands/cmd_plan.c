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
#include "planner/places/memory_args.h"
#include "planner/places/place_pages.h"
#include "planner/options/cached_types.h"
#include "planner/engine/given_lists.h"
#include "planner/inference/inference_commands.h"
#include "planner/results/memories_print.h"
#include "planner/results/nodes_plan.h"
#include "planner/options/option_uses.h"
#include "planner/options/options.h"
#include "planner/options/own_lists.h"
#include "planner/results/plan_print.h"
#include "planner/engine/study_deal.h"
#include "traces/graph/rows.h"

struct plan_args {
    const char *graph, *server, *trace, *policy, *hotness, *budget, *clique_budget, *output, *lists, *runtime,
        *cache_type, *features, *like, *socket_rows;
    double error_price;
    bool explain_budget;
    struct workload_args workload;
    struct study_args study;
    struct memory_args memory;
    struct inference_args inference;
};

/* compare takes lists, so people write them here, too. */
static enum st refuse_lists(const struct plan_args *a, struct err *err)
{
    const struct {
        const char *option, *value;
    } one[] = {{"--policy", a->policy},
               {"--budget", a->budget},
               {"--clique-budget", a->clique_budget},
               {"--server", a->server}};
    for (size_t i = 0; i < sizeof one / sizeof *one; i++)
        if (one[i].value && strchr(one[i].value, ',') && !file_exists(one[i].value))
            return err_set(err, ST_USAGE,
                           "%s: '%.60s' is a list, but a plan takes one; compare several with 'hotset compare'",
                           one[i].option, one[i].value);
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

/* A trace brings its workload: options that describe another one do nothing, and the user is told so. */
static enum st choose_workload(struct call *call, const struct plan_args *a, const struct graph *g,
                               const struct trace *t, struct workload *out, struct err *err)
{
    static const char *const brought[] = {"seed", "presample-epochs", "deal", "parts"};
    char why[PATH_BYTES + 32];
    if (!a->trace) {
        options_say_fanout(call, &a->workload);
        return options_workload(call, &a->workload, g, out, err);
    }
    snprintf(why, sizeof why, "the trace %s states its own", a->trace);
    options_say_ignored(call, offsetof(struct plan_args, workload), sizeof a->workload, why);
    for (size_t i = 0; i < sizeof brought / sizeof *brought; i++)
        if (call_given(call, brought[i])) call_say(call, "--%s is ignored: %s", brought[i], why);
    *out = t->workload;
    return ST_OK;
}

static enum st make(struct call *call, const struct plan_args *a, struct study_nodes *x, struct study_cell *cell,
                    const struct trace *given, struct err *err)
{
    doc *result = NULL;
    OWNED_DOC doc *stamp = NULL;
    char where[PATH_BYTES];
    struct study *s = &x->node[0].s;
    const struct settings_brought brought = {offsetof(struct plan_args, workload), sizeof a->workload};
    PASS(study_nodes_plan(x, cell, 1, err));
    plan_say_recording(call, s, cell, given);
    if (cell->budget.kind == BUDGET_MEMORY)
        plan_state(&cell->plan, "reservation", reservation_document(&s->o.reservation));
    PASS(study_cell_verdict(cell, err));
    plan_say_doubts(call, s, cell);
    settings_state(call, a->trace ? &brought : NULL, s->o.graph, &cell->plan);
    if (a->features)
        PASS(cached_types_measure(a->features, s->o.graph, cell->recording->trace, s->o.kernels, call->threads,
                                  &cell->plan, err));
    PASS(study_nodes_simulate_plan(x, cell, err));
    if (a->runtime) {
        const struct export_target *runtime;
        PASS(export_find("--for", a->runtime, &runtime, err));
        PASS(plan_for_compare(runtime, call, s, cell, err));
    }
    if (!ranks_first()) return ST_OK;
    if (call->common.stamp) stamp = stages_document(&call->stages, call->common.device, call->threads);
    PASS(plan_save(&cell->plan, s->o.graph, a->output, stamp, err));
    if (!call->common.json) plan_print(&cell->plan, s->o.graph, call->out);
    if (!call->common.json) memories_print(&cell->plan, call->out);
    if (!call->common.json) cached_types_print(&cell->plan, s->o.graph, call->out);
    if (!call->common.json) plan_for_print(doc_get(cell->plan.stated, "for"), call->out);
    PASS(path_join(where, a->output, "plan.json", err));
    PASS(doc_load(where, plan_schema(s->o.graph), &result, err));
    PASS(call_finish(call, result, err));
    call_say(call, "plan written to %s", a->output);
    return ST_OK;
}

/* Several nodes: a plan for each of them, in one directory. */
static enum st make_nodes(struct call *call, const struct plan_args *a, struct study_nodes *x, struct study_cell *cell,
                          struct err *err)
{
    doc *result = NULL;
    PASS(study_nodes_plan(x, cell, 1, err));
    PASS(study_cell_verdict(cell, err));
    PASS(study_nodes_simulate(x, cell, 1, err));
    for (int i = 0; i < x->nodes; i++) settings_state(call, NULL, x->graph, i ? &cell->other[i - 1].plan : &cell->plan);
    PASS(nodes_plan_save(x, cell, a->output, &result, err));
    if (!call->common.json) nodes_plan_print(result, call->out);
    PASS(call_finish(call, result, err));
    call_say(call, "a plan for each of %d nodes written to %s", x->nodes, a->output);
    return ST_OK;
}

/* What is planned: policy, metric and budget. */
static enum st read_cell(const struct plan_args *a, struct study_cell *cell, struct err *err)
{
    PASS(refuse_lists(a, err));
    if (a->lists) {
        cell->policy = &given_lists_policy;
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
static enum st read_lists(struct call *call, const struct plan_args *a, const struct graph *g, const struct server *s,
                          struct study_cell *cell, struct given_lists *out, struct err *err)
{
    if (a->trace || call_given(call, "hotness") ||
        (call_given(call, "policy") && strcmp(a->policy, given_lists_policy.name) && !own_lists_word(a->policy)))
        return err_set(err, ST_USAGE,
                       "--from-lists: the lists are the placement (policy lists); leave --trace, --policy and "
                       "--hotness out");
    PASS(given_lists_read(a->lists, g, s, out, err));
    if (cell->budget.kind == BUDGET_MEMORY)
        cell->budget = (struct budget){.kind = BUDGET_BYTES, .bytes = given_lists_most(out, g), .text = "lists"};
    return ST_OK;
}

/* All files that the plan depends on, apart from the graph. */
static enum st add_inputs(doc *inputs, const struct plan_args *a, const struct graph *g, const struct server *s,
                          struct err *err)
{
    resume_add_path(inputs, "trace", a->trace);
    resume_add_path(inputs, "file of parts", a->study.parts);
    if (a->lists) given_lists_inputs(a->lists, g, s, inputs);
    resume_add_path(inputs, "calibration file", a->study.timing.calibration);
    return resume_add_server(inputs, a->server ? a->server : a->memory.cluster, s, err);
}

/* --for: what the runtime can express narrows the study. */
static enum st take_runtime(struct call *call, const struct plan_args *a, const struct workload *w,
                            struct study_options *o, struct study_cell *cell, struct policy *own, struct err *err)
{
    const struct export_target *runtime;
    if (!a->runtime) return ST_OK;
    if (a->lists)
        return err_set(err, ST_USAGE, "--for: the lists of --from-lists are the placement; leave one of them out");
    PASS(export_find("--for", a->runtime, &runtime, err));
    PASS(plan_for_begin(runtime, a->policy, o, cell, own, err));
    plan_for_warn(runtime, call, w);
    return ST_OK;
}

/* Refuses options that the policy cannot use. */
static enum st check_uses(const struct call *call, const struct plan_args *a, const struct given_lists *lists,
                          const struct memories_request *below, const struct study_cell *cell, struct err *err)
{
    struct options_given given = {.call = call,
                                  .study = &a->study,
                                  .workload = &a->workload,
                                  .trace = a->trace,
                                  .dealt = lists->part,
                                  .nodes = below->nodes > 1,
                                  .budget = a->budget || a->clique_budget || a->lists,
                                  .clique_budget = a->clique_budget};
    return option_uses_check(&given, &cell->policy, 1, err);
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

/* --socket-rows: there is a choice between sockets. */
static enum st read_socket_rows(const struct plan_args *a, const struct server *s, struct memories_request *below,
                                struct err *err)
{
    below->rows = socket_rows_of(a->socket_rows);
    if (below->rows == SOCKET_ROWS_PLACE) return ST_OK;
    if (!a->memory.memory || below->nodes > 1)
        return err_set(err, ST_USAGE,
                       "--socket-rows: is of the DRAM of one server; give --host-memory, and neither --nodes nor "
                       "--cluster");
    if (place_machine_sockets(s) < 2)
        return err_set(err, ST_NO,
                       "--socket-rows: %s has one socket, or does not state those of its GPUs, so all of its DRAM is "
                       "equally near; leave it out",
                       s->name);
    return ST_OK;
}

/* --error-price has rows in two forms, which only policy hotset places. */
static enum st check_price(const struct plan_args *a, const struct graph *g, const struct study_cell *cell,
                           struct err *err)
{
    if (graph_plain(g))
        return err_set(err, ST_USAGE, "--error-price: a plan of a graph of one type holds all rows in one form");
    if (!a->cache_type || !a->features)
        return err_set(err, ST_USAGE,
                       "--error-price: needs --cache-type, which says how rows may be rounded, and --features, from "
                       "which their errors follow");
    if (strcmp(cell->policy->name, "hotset"))
        return err_set(err, ST_USAGE,
                       "--error-price: policy %s does not choose between rounded and exact rows; take policy hotset",
                       cell->policy->name);
    if (a->study.bound)
        return err_set(err, ST_USAGE,
                       "--bound: is one of transactions without a price of errors; leave it or --error-price out");
    if (objective_of(a->study.objective) != OBJECTIVE_TOTAL)
        return err_set(err, ST_USAGE,
                       "--objective: a price of errors is one in transactions; leave it or --error-price out");
    return ST_OK;
}

/* How GPUs hold rows, and what rounding loses. *error: owned by the caller; NULL without a price. */
static enum st set_cached(struct call *call, const struct plan_args *a, struct graph *g, const struct study_cell *cell,
                          float **error, struct err *err)
{
    bool priced = call_given(call, "error-price");
    if (a->features && !a->cache_type)
        return err_set(err, ST_USAGE, "--features: needs --cache-type, whose errors it measures");
    if (a->cache_type) PASS(cached_types_set(a->cache_type, g, err));
    if (priced) PASS(check_price(a, g, cell, err));
    if (a->features) PASS(cached_types_measure(a->features, g, NULL, NULL, call->threads, NULL, err));
    if (priced) PASS(cached_types_errors(a->features, "error-price", g, call->threads, error, err));
    return ST_OK;
}

/* What the trace, the lists and the budget say of the study. */
static enum st finish_options(struct call *call, const struct plan_args *a, struct trace *t,
                              const struct given_lists *lists, const struct server *server, const struct graph *g,
                              struct study_options *o, const struct study_cell *cell, struct err *err)
{
    o->order_auto = !a->trace && options_order_auto(&a->workload);
    if (a->trace) {
        o->given = t;
        o->presample_epochs = t->epochs;
    }
    o->lists = a->lists ? lists : NULL;
    if (cell->budget.kind == BUDGET_MEMORY || a->explain_budget)
        options_say_reservation(call, &o->reservation, a->explain_budget);
    return options_budget(call, &cell->budget, server, g, &o->reservation, err);
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

static enum st run(struct call *call, struct err *err)
{
    struct plan_args args = *(const struct plan_args *)call->args;
    const struct plan_args *a = &args;
    ON_HEAP(struct own_lists, mine);
    ON_HEAP(struct graph, g);
    struct server *server;
    ON_HEAP(struct server, own_server);
    ON_HEAP(struct nodes_network, network);
    struct memories_request below = {0};
    ON_HEAP(struct trace, t);
    struct study_nodes x = {0};
    ON_HEAP(struct study_options, o);
    ON_HEAP(struct study_cell, cell);
    ON_HEAP(struct checkpoint, checkpoint);
    struct workload w;
    ON_HEAP(struct given_lists, lists);
    struct policy own;
    const struct kernels *k;
    doc *inputs = NULL;
    enum st st;
    float *error = NULL;
    if (inference_asked(&a->inference)) return run_inference(call, a, err);
    TRY(inference_refuse(call, &a->inference, err));
    TRY(take_own(&args, mine, err));
    TRY(read_cell(a, cell, err));
    if (*mine->name) cell->policy = &mine->policy;
    if (ranks_first()) TRY(output_check(a->output, NULL, err));
    TRY(options_kernels(call, &k, err));
    TRY(options_graph(a->graph, call->threads, g, err));
    TRY(set_cached(call, a, g, cell, &error, err));
    TRY(memory_args_server(call, &a->memory, a->server, own_server, network, &below, &server, err));
    TRY(server_set_reach(server, reach_of(a->study.reach), err));
    TRY(read_socket_rows(a, server, &below, err));
    TRY(find_own(server, cell, mine, err));
    if (a->lists) TRY(read_lists(call, a, g, server, cell, lists, err));
    if (a->trace) {
        TRY(trace_load(a->trace, g, t, err));
        TRY(plan_check_trace(t, a->trace, server, err));
    }
    TRY(choose_workload(call, a, g, t, &w, err));
    TRY(workload_attach(&w, g, err));
    if (below.nodes) TRY(memory_args_sizes(&a->memory, g, &below, err));
    options_say_sampler(call, k, g, &w);
    options_say_batch(call, server->name, server->gpus * (below.nodes ? below.nodes : 1), (double)g->train_count, &w);
    TRY(study_options_make(call, &a->study, g, server, k, &w, o, err));
    o->error = o->measured = error;
    o->price = a->error_price;
    TRY(take_runtime(call, a, &w, o, cell, &own, err));
    TRY(check_uses(call, a, lists, &below, cell, err));
    TRY(finish_options(call, a, t, lists, server, g, o, cell, err));
    o->checkpoint = ranks_first() ? checkpoint : NULL; /* opened below */
    TRY(check_nodes(call, &below, err));
    TRY(study_memory_say(call, o, cell, 1, err));
    TRY(study_memories_check(call, &below, g, err));
    TRY(study_nodes_begin(&x, o, &below, err));
    TRY(study_take_parts(&x.node[0].s, a->study.parts, err));
    if (a->lists) TRY(study_take_lists(&x.node[0].s, lists, err));
    if (below.nodes > 1) {
        st = make_nodes(call, a, &x, cell, err);
        goto done;
    }
    inputs = doc_object();
    TRY(add_inputs(inputs, a, g, server, err));
    TRY(resume_open(call, &a->study.resume, a->output, g, inputs, checkpoint, err));
    checkpoint_expect(checkpoint, study_memory_estimate(o, cell, 1).disk);
    TRY(make(call, a, &x, cell, a->trace ? t : NULL, err));
done:
    resume_close(call, checkpoint, st);
    doc_free(inputs);
    study_cell_release(cell);
    study_nodes_end(&x);
    trace_release(t);
    given_lists_release(lists);
    nodes_network_release(network);
    server_release(own_server);
    mem_free(error);
    graph_close(g);
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
    OPTION_REAL("error-price", 0, struct plan_args, error_price, "P", NULL, 0, INT64_MAX,
                "Of graphs with several types: what one unit of relative error, summed over the rows that an epoch "
                "gets from GPUs, must save in transactions per epoch. Each row is then held rounded or as on the host, "
                "whatever is worth more; needs --features of all rounded types."),
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
    .stage = COMMAND_PLAN,
    .rank = 1,
    .summary = "decide which rows each GPU caches, write the plan, simulate it on held-out epochs",
    .arguments = "--graph G --server S -o P [options]",
    .about = about,
    .examples = examples,
    .params = params,
    .usual = "graph server output budget policy fanout batch order deal reach trace cache-type host-memory ssd job",
    .shares_work = true,
    .needs = "graph server|cluster output",
    .args_size = sizeof(struct plan_args),
    .run = run,
};
