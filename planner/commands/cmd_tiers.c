/* hotset tiers - all memories of a server, or of several, planned as one problem: GPUs, sockets, SSDs, other nodes. */
#include <string.h>

#include "base/mem.h"
#include "base/units.h"
#include "planner/commands/host_args.h"
#include "planner/study/budget.h"
#include "planner/study/options.h"
#include "planner/tiers/tier_document.h"
#include "planner/tiers/tier_memory.h"

struct tiers_args {
    const char *graph, *server, *cluster, *output, *budget, *partition, *memory, *ssd;
    double nic;
    int64_t nodes, presample_epochs, epochs;
    struct workload_args workload;
};

struct tiers {
    struct graph graph;
    struct workload workload;
    struct server server;
    struct nodes_network network;
    struct tier_work work;
    struct tier_result result;
};

/* The server of every node, and the network between them. */
static enum st open_servers(const struct call *call, const struct tiers_args *a, struct tiers *t, struct err *err)
{
    enum st st = ST_OK;
    struct tier_request *r = &t->work.request;
    r->nodes = (int)a->nodes;
    r->nic_gbps = a->nic;
    r->server = &t->server;
    if (a->cluster) {
        if (a->server || call_given(call, "nodes") || call_given(call, "nic-gbps"))
            FAIL(ST_USAGE, "--cluster: a cluster file states servers, nodes and network; leave --server, --nodes and "
                           "--nic-gbps out");
        TRY(nodes_network_open(a->cluster, &t->network, err));
        r->nodes = t->network.cluster.servers;
        r->network = &t->network;
        r->server = &t->network.cluster.server;
    } else TRY(server_load(a->server, &t->server, err));
    if (r->nodes > 1 && !a->cluster && !(a->nic > 0))
        FAIL(ST_USAGE, "--nodes %d: needs --nic-gbps, the network of each node, as in --nic-gbps 25", r->nodes);
    if (r->nodes == 1 && call_given(call, "nic-gbps"))
        FAIL(ST_USAGE, "--nic-gbps: one node has no network; give --nodes, or leave it out");
    for (int g = 0; g < r->server->gpus; g++)
        if (!(r->server->gpu[g].memory_gbps > 0)) {
            call_say(call, "%s does not state memory_gbps of GPU %d: reads of its own memory count as free",
                     r->server->name, r->server->gpu[g].id);
            break;
        }
    if (r->nodes * r->server->gpus > GPUS_MAX)
        FAIL(ST_USAGE, "%d x %s: more than %d GPUs together", r->nodes, r->server->name, GPUS_MAX);
    if (!r->server->links_known)
        FAIL(ST_NO, "%s: does not state which GPUs NVLink joins; import the server from 'nvidia-smi topo -m'",
             r->server->name);
done:
    return st;
}

/* What every GPU, the DRAM and the SSDs of a node hold. */
static enum st read_sizes(const struct call *call, const struct tiers_args *a, struct tiers *t, struct err *err)
{
    enum { MOST_PERCENT = 1600 };
    enum st st;
    struct tier_request *r = &t->work.request;
    struct budget b = {.kind = BUDGET_MEMORY};
    struct reservation reserved;
    uint64_t offsets = 8 * (t->graph.n + 1), host;
    char has[UNIT_TEXT], needs[UNIT_TEXT];
    reservation_estimate(&t->graph, &t->workload, 256, &reserved);
    if (a->budget) TRY(budget_parse(a->budget, false, "--budget", &b, err));
    TRY(options_budget(call, &b, r->server, &t->graph, &reserved, err));
    TRY(budget_bytes(&b, r->server, &t->graph, &reserved, r->budget, err));
    TRY(host_args_memory(a->memory, &t->graph, r->server, r->server->name, MOST_PERCENT, &host, err));
    if (host <= offsets)
        FAIL(ST_NO, "--host-memory: %s of DRAM per node, but offsets alone take %s; give more", units_bytes(has, host),
             units_bytes(needs, offsets));
    r->host_bytes = host - offsets;
    TRY(host_args_drives(a->ssd, &t->graph, r->server, &r->drives, err));
    r->row_bytes = t->graph.row_bytes;
    r->line_bytes = r->server->line_bytes;
done:
    return st;
}

static enum st prepare(struct call *call, const struct tiers_args *a, struct tiers *t, struct err *err)
{
    enum st st;
    struct tier_work *w = &t->work;
    if (a->output) TRY(output_check(a->output, "tiers.json", err));
    if (options_order_auto(&a->workload))
        FAIL(ST_USAGE, "--order auto: orders are planned by 'hotset plan' only; name one, as in --order blocks:8");
    TRY(open_servers(call, a, t, err));
    TRY(options_kernels(call, &w->kernels, err));
    TRY(options_workload(call, &a->workload, &t->workload, err));
    TRY(graph_open(a->graph, call->threads, &t->graph, err));
    TRY(workload_attach(&t->workload, &t->graph, err));
    if (!t->graph.row_bytes) FAIL(ST_NO, "%s: has no feature rows; 'hotset plan' plans topology alone", a->graph);
    if (t->graph.train_count < (uint64_t)(w->request.nodes * w->request.server->gpus))
        FAIL(ST_INPUT, "%s: has %llu training vertices for %d GPUs; each needs one", a->graph,
             (unsigned long long)t->graph.train_count, w->request.nodes * w->request.server->gpus);
    TRY(read_sizes(call, a, t, err));
    w->graph = &t->graph;
    w->workload = &t->workload;
    w->threads = call->threads;
    w->progress = call_progress(call);
    w->presample_epochs = (uint64_t)a->presample_epochs;
    w->epochs = (uint64_t)a->epochs;
    w->seed = study_held_out_seed(t->workload.seed);
    w->partition = (struct partition_options){.method = a->partition,
                                              .seed = t->workload.seed,
                                              .memory = mem_limit(),
                                              .threads = call->threads,
                                              .workload = &t->workload};
done:
    return st;
}

/* Says what the stages take from 1 GiB on, and refuses what is more than --memory. */
static enum st check_memory(const struct call *call, const struct tiers *t, struct err *err)
{
    static const char fewer[] = "take fewer nodes or --presample-epochs", lp[] = "take --partition lp";
    struct tier_memory m = tier_memory_estimate(&t->work);
    struct study_memory stages = {.count = 4,
                                  .stage = {{.name = "partition", .remedy = lp, .arrays = m.partition},
                                            {.name = "recording", .remedy = fewer, .arrays = m.recording},
                                            {.name = "planning", .remedy = fewer, .arrays = m.planning},
                                            {.name = "held-out epochs", .remedy = fewer, .arrays = m.held_out}}};
    for (int i = 1; i < stages.count; i++)
        if (stages.stage[i].arrays > stages.stage[stages.peak].arrays) stages.peak = i;
    return options_check_stages(call, &stages, err);
}

static enum st run(struct call *call, struct err *err)
{
    const struct tiers_args *a = call->args;
    enum st st = ST_OK;
    struct tiers *t = NULL;
    doc *d = NULL;
    NEW(t, 1, "the memories of servers");
    TRY(prepare(call, a, t, err));
    TRY(check_memory(call, t, err));
    stage_begin(&call->stages, "tiers");
    TRY(tier_plan_make(&t->work, &t->result, err));
    stage_end(&call->stages);
    d = tier_document(&t->work, &t->result);
    if (a->output) TRY(tier_save(&t->work, &t->result, a->output, d, err));
    if (!call->common.json) tier_print(d, call->out);
    if (a->output) call_say(call, "a plan per node and the rows of DRAM written to %s", a->output);
    doc *result = d;
    d = NULL;
    TRY(call_finish(call, result, err));
done:
    doc_free(d);
    if (t) {
        tier_result_release(&t->result);
        nodes_network_release(&t->network);
        server_release(&t->server);
        graph_close(&t->graph);
    }
    mem_free(t);
    return st;
}

static const struct param params[] =
    {OPTION_TEXT("graph", 'g', struct tiers_args, graph, "G", NULL, "Graph directory."),
     OPTION_TEXT("server", 's', struct tiers_args, server, "S", NULL,
                 "Server of every node: a file or a shipped profile ('hotset list servers')."),
     OPTION_INTEGER("nodes", 0, struct tiers_args, nodes, "N", "1", 1, GPUS_MAX,
                    "Servers that train the graph together."),
     OPTION_REAL("nic-gbps", 0, struct tiers_args, nic, "GBPS", "0", 0, 100000,
                 "GB/s that a node receives over the network, shared by its GPUs."),
     OPTION_TEXT("cluster", 0, struct tiers_args, cluster, "FILE", NULL,
                 "Instead of --server, --nodes and --nic-gbps: a file that lists equal servers and the network "
                 "between them (planner/TIERS.md)."),
     OPTION_TEXT("budget", 'b', struct tiers_args, budget, "SIZE", NULL,
                 "Cache of every GPU: a size (16GiB), or a share of all topology and feature bytes (5%) [default: GPU "
                 "memory minus what training takes]."),
     OPTION_TEXT("host-memory", 0, struct tiers_args, memory, "SIZE", NULL,
                 "DRAM of each node for offsets, topology and features, in equal parts per socket: a size, or a share "
                 "of these data (60%) [default: 90 % of the server's]."),
     OPTION_TEXT("ssd", 0, struct tiers_args, ssd, "DRIVES", NULL,
                 "SSDs of each node, as 4xgen4 ('hotset list drives'); all rows are on them [default: the server's, "
                 "else none]."),
     OPTION_WORD("partition", 0, struct tiers_args, partition, "HOW", "auto", PARTITION_WORDS,
                 "How the graph is split; see 'hotset plan -h'."),
     OPTION_OUTPUT(struct tiers_args, output, "D", NULL,
                   "Directory to write: tiers.json; a plan for the GPUs of each node; the rows of each DRAM."),
     OPTION_INTEGER("presample-epochs", 0, struct tiers_args, presample_epochs, "K", "4", 1, 10000,
                    "Epochs to record for planning."),
     OPTION_INTEGER("epochs", 0, struct tiers_args, epochs, "K", "4", 1, 10000, "Held-out epochs to count."),
     WORKLOAD_PARAMS(struct tiers_args, workload),
     {0}};

static const char about[] =
    "Plans which memory holds which rows of topology and features: GPU memory, the DRAM of each socket,\n"
    "SSDs, and the memories of other nodes, all at once. A row may be in several of them. What counts is\n"
    "the sum of the seconds that all reads take while all GPUs read at once: rates of links and drives\n"
    "are those of the server, and what GPUs share (a PCIe switch, the link between sockets, a NIC, the\n"
    "SSDs) is divided among them. GPUs that NVLink joins pairwise are one memory.\n\n"
    "The second table compares with planning tier by tier, as separate systems do: GPUs take what their\n"
    "own readers need most, then DRAM what they still lack. Seconds are counted in held-out epochs. They\n"
    "are no epoch time: reads overlap each other and training, and latency is not counted ('hotset\n"
    "simulate' has epoch times).\n\n"
    "Cliques, sockets and SSDs of all nodes are at most 12 memories: 4 nodes with one clique and two\n"
    "sockets each, or 2 nodes with two cliques. Time grows with 2 to the power of that number.";

extern const struct command cmd_tiers;
const struct command cmd_tiers = {.name = "tiers",
                                  .stage = COMMAND_PLAN,
                                  .rank = 11,
                                  .summary = "plan GPUs, sockets, SSDs and other nodes as one problem",
                                  .arguments = "--graph G --server S|--cluster FILE [-o D] [options]",
                                  .params = params,
                                  .needs = "graph server|cluster",
                                  .args_size = sizeof(struct tiers_args),
                                  .run = run,
                                  .about = about,
                                  .examples = "  hotset tiers --graph G --server dgx-v100 --budget 2% --host-memory "
                                              "30% --ssd "
                                              "4xgen4\n"
                                              "  hotset tiers --graph G --server hgx-h100-8 --budget 2% --nodes 2 "
                                              "--nic-gbps "
                                              "50 -o D\n"
                                              "  hotset tiers --graph G --cluster four-p4d.json --budget 1% -o D\n"
                                              "  hotset simulate D/node0                          # the plan of one "
                                              "node"};
