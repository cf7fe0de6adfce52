/* hotset tiers - what planning all memories of a server, or of several, as one problem is worth. */
#include <string.h>

#include "base/mem.h"
#include "planner/commands/like.h"
#include "hwprofiles/model/server_reach.h"
#include "planner/commands/elsewhere.h"
#include "planner/places/memory_args.h"
#include "planner/options/cached_types.h"
#include "planner/results/nodes_plan.h"
#include "planner/options/options.h"
#include "planner/results/tier_document.h"

struct tiers_args {
    const char *graph, *like, *server, *output, *budget, *partition, *deal, *reach, *cache_type;
    int64_t presample_epochs, epochs;
    struct memory_args memory;
    struct workload_args workload;
};

struct tiers {
    struct graph graph;
    struct workload workload;
    struct server server;
    struct nodes_network network;
    struct memories_request request;
    struct study_options options;
    struct study_cell cell;
    struct study_nodes nodes;
    struct memories m;
    struct tier_counts counts;
};

/* Policy hotset in cliques: GPUs of one clique train parts of the graph of their own, and read each other only. */
static enum st prepare(struct call *call, const struct tiers_args *a, struct tiers *t, struct err *err)
{
    struct study_cell *c = &t->cell;
    struct study_options *o = &t->options;
    if (a->output) PASS(output_check(a->output, NULL, err));
    PASS(memory_args_open(call, &a->memory, a->server, &t->server, &t->network, &t->request, err));
    PASS(server_set_reach(a->memory.cluster ? &t->network.cluster.server : &t->server, reach_of(a->reach), err));
    PASS(options_kernels(call, &o->kernels, err));
    PASS(options_graph(a->graph, call->threads, &t->graph, err));
    if (a->cache_type) PASS(cached_types_set(a->cache_type, &t->graph, err));
    PASS(options_workload(call, &a->workload, &t->graph, &t->workload, err));
    PASS(workload_attach(&t->workload, &t->graph, err));
    PASS(memory_args_sizes(&a->memory, &t->graph, &t->request, err));
    PASS(policy_parse("hotset", &c->policy, c->option, err));
    c->options_given = true;
    c->budget = (struct budget){.kind = BUDGET_MEMORY, .text = "memory"};
    if (a->budget) PASS(budget_parse(a->budget, false, "--budget", &c->budget, err));
    o->graph = &t->graph;
    o->server = t->request.server;
    o->workload = t->workload;
    o->presample_epochs = (uint64_t)a->presample_epochs;
    o->simulate_epochs = a->epochs;
    o->simulate_seed = study_held_out_seed(t->workload.seed);
    o->partition = a->partition;
    o->deal = a->deal;
    o->order_auto = options_order_auto(&a->workload);
    o->clique_only = true;
    o->threads = call->threads;
    o->progress = call_progress(call);
    o->stages = &call->stages;
    o->memory = mem_limit();
    reservation_estimate(&t->graph, &t->workload, 256, &o->reservation);
    PASS(options_budget(call, &c->budget, o->server, &t->graph, &o->reservation, err));
    PASS(study_memory_say(call, o, c, 1, err));
    PASS(study_memories_check(call, &t->request, &t->graph, err));
    t->counts = (struct tier_counts){.epochs = (uint64_t)a->epochs,
                                     .seed = o->simulate_seed,
                                     .progress = call_progress(call)};
    return ST_OK;
}

static enum st run(struct call *call, struct err *err)
{
    const struct tiers_args *a = call->args;
    enum st st = ST_OK;
    struct tiers *t = NULL;
    OWNED_DOC doc *d = NULL;
    NEW(t, 1, "the memories of servers");
    TRY(prepare(call, a, t, err));
    TRY(study_nodes_begin(&t->nodes, &t->options, &t->request, err));
    TRY(study_nodes_plan(&t->nodes, &t->cell, 1, &t->m, err));
    TRY(study_cell_verdict(&t->cell, err));
    TRY(study_nodes_simulate(&t->nodes, &t->cell, 1, err));
    TRY(tier_count(&t->nodes, &t->cell, &t->m, &t->counts, err));
    d = tier_document(&t->nodes, &t->cell, &t->m, &t->counts);
    if (a->output) TRY(tier_save(&t->nodes, &t->cell, a->output, d, err));
    if (!call->common.json) tier_print(d, call->out);
    if (a->output) call_say(call, "a plan per node written to %s", a->output);
    TRY(call_finish(call, TAKE(d), err));
done:
    if (t) {
        memories_release(&t->m);
        study_cell_release(&t->cell);
        study_nodes_end(&t->nodes);
        nodes_network_release(&t->network);
        server_release(&t->server);
        graph_close(&t->graph);
    }
    mem_free(t);
    return st;
}

static const struct param params[] = {
    OPTION_GRAPH(struct tiers_args, graph, ""),
    OPTION_SERVER(struct tiers_args, server, "S", NULL, ""),
    OPTION_GROUP("memory below the GPUs"),
    MEMORY_PARAMS(struct tiers_args, memory),
    OPTION_BUDGET(struct tiers_args, budget, "SIZE", NULL, MEMORY_BUDGET),
    OPTION_DEAL(struct tiers_args, deal, "nested", DEAL_WORDS, DEAL_AUTO),
    OPTION_REACH(struct tiers_args, reach, " [default: direct]"),
    OPTION_PARTITION(struct tiers_args, partition),
    OPTION_CACHE_TYPE(struct tiers_args, cache_type),
    OPTION_LIKE(struct tiers_args, like),
    OPTION_OUTPUT(struct tiers_args, output, "D", NULL, "Directory to write: tiers.json, and a plan for each node."),
    OPTION_PRESAMPLE_EPOCHS(struct tiers_args, presample_epochs, "4", 1, ""),
    OPTION_HELD_OUT_EPOCHS(struct tiers_args, epochs, "4", 1, ""),
    WORKLOAD_PARAMS(struct tiers_args, workload),
    {0},
};

static const char about[] =
    "Plans which memory holds which rows of topology and features: GPU memory, the DRAM of each socket,\n"
    "SSDs, and the memories of other nodes, all at once. A row may be in several of them. What counts is\n"
    "the sum of the seconds that all reads take while all GPUs read at once: rates of links and drives\n"
    "are those of the server, and what GPUs share (a PCIe switch, the link between sockets, a NIC, the\n"
    "SSDs) is divided among them. GPUs that NVLink joins pairwise are one memory (--reach).\n\n"
    "The second table compares with planning tier by tier, as separate systems do: GPUs take what their\n"
    "own readers need most, then DRAM what they still lack. Seconds are counted in held-out epochs. They\n"
    "are no epoch time: reads overlap each other and training, and latency is not counted ('hotset\n"
    "simulate' has epoch times). 'hotset plan' makes the same plan with --host-memory, for any policy, deal\n"
    "and reach.";

extern const struct command cmd_tiers;
const struct command cmd_tiers = {.name = "tiers",
                                  .stage = COMMAND_PLAN,
                                  .rank = 11,
                                  .summary = "tell what planning GPUs, sockets, SSDs and other nodes as one problem is "
                                             "worth",
                                  .arguments = "--graph G --server S|--cluster FILE [-o D] [options]",
                                  .params = params,
                                  .usual = "graph server output budget host-memory ssd nodes cluster fanout batch "
                                           "order deal reach partition",
                                  .needs = "graph server|cluster",
                                  .elsewhere = tiers_elsewhere,
                                  .args_size = sizeof(struct tiers_args),
                                  .run = run,
                                  .about = about,
                                  .examples = "  hotset tiers --graph G --server dgx-v100 --budget 2% --host-memory "
                                              "30% --ssd 4xgen4\n"
                                              "  hotset tiers --graph G --server hgx-h100-8 --budget 2% --nodes 2 "
                                              "--nic-gbps 50 -o D\n"
                                              "  hotset tiers --graph G --cluster four-p4d.json --budget 1% -o D\n"
                                              "  hotset simulate D/node0                          # the plan of one "
                                              "node"};
