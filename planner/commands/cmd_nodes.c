/* hotset nodes - feature rows over several servers: parts, copies of remote rows, and what passes the network. */
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "base/units.h"
#include "planner/hotness/hotness.h"
#include "planner/nodes/nodes_document.h"
#include "planner/study/options.h"

struct nodes_args {
    const char *graph, *output, *alphas, *by, *partition, *nic, *cluster;
    int64_t nodes, gpus, presample_epochs, epochs;
    struct workload_args workload;
};

static enum st read_alphas(const char *text, struct nodes_request *r, struct err *err)
{
    enum st st = ST_OK;
    char copy[256], *part[NODES_ALPHAS];
    if (strlen(text) >= sizeof copy) FAIL(ST_USAGE, "--replicate: the list is too long");
    strcpy(copy, text);
    r->alphas = text_split(copy, ',', part, NODES_ALPHAS);
    if (r->alphas < 1) FAIL(ST_USAGE, "--replicate: at most %d numbers are expected, as in 0,0.1,0.5", NODES_ALPHAS);
    for (int i = 0; i < r->alphas; i++) {
        TRY(units_real(part[i], "--replicate", &r->alpha[i], err));
        if (r->alpha[i] < 0 || r->alpha[i] > r->nodes)
            FAIL(ST_USAGE, "--replicate %s: 0 to the number of nodes (%d) is expected; 1 copies vertices / nodes rows",
                 part[i], r->nodes);
    }
done:
    return st;
}

static enum st read_rankings(char *text, struct nodes_request *r, struct err *err)
{
    enum st st = ST_OK;
    char *part[NODES_RANKINGS];
    r->rankings = text_split(text, ',', part, NODES_RANKINGS);
    if (r->rankings < 1) FAIL(ST_USAGE, "--by: 1 to %d rankings are expected", NODES_RANKINGS);
    for (int i = 0; i < r->rankings; i++) {
        r->ranking[i] = part[i];
        if (!strcmp(part[i], NODES_HALO) || !strcmp(part[i], NODES_ORACLE)) continue;
        if (hotness_check(part[i], err) != ST_OK) {
            struct err said = *err;
            FAIL(ST_USAGE, "--by%s; or halo, oracle", said.text + strlen("--hotness"));
        }
    }
done:
    return st;
}

/* Nodes and GPUs: those of the cluster file, or of the options. */
static enum st read_nodes(const struct call *call, const struct nodes_args *a, struct nodes_network *network,
                          struct nodes_request *r, struct err *err)
{
    static const char *const stated[] = {"nodes", "gpus", "nic-gbps"};
    enum st st = ST_OK;
    r->nodes = (int)a->nodes;
    r->gpus = (int)a->gpus;
    if (r->nodes * r->gpus > GPUS_MAX)
        FAIL(ST_USAGE, "--nodes %d with --gpus %d: more than %d GPUs together", r->nodes, r->gpus, GPUS_MAX);
    if (!a->cluster) return ST_OK;
    for (size_t i = 0; i < sizeof stated / sizeof *stated; i++)
        if (call_given(call, stated[i]))
            FAIL(ST_USAGE, "--%s and --cluster exclude each other: the cluster file states it", stated[i]);
    TRY(nodes_network_open(a->cluster, network, err));
    r->nodes = network->cluster.servers;
    r->gpus = network->cluster.server.gpus;
    r->network = network;
done:
    return st;
}

static enum st read_all(struct call *call, const struct nodes_args *a, char *by, struct nodes_network *network,
                        struct nodes_request *r, double *nic, struct err *err)
{
    enum st st = ST_OK;
    TRY(read_nodes(call, a, network, r, err));
    r->threads = call->threads;
    r->progress = call_progress(call);
    r->presample_epochs = (uint64_t)a->presample_epochs;
    r->epochs = (uint64_t)a->epochs;
    if (options_order_auto(&a->workload))
        FAIL(ST_USAGE, "--order auto: orders are planned by 'hotset plan' only; name one, as in --order blocks:8");
    TRY(read_alphas(a->alphas, r, err));
    TRY(read_rankings(by, r, err));
    if (a->nic) {
        TRY(units_real(a->nic, "--nic-gbps", nic, err));
        if (!(*nic > 0)) FAIL(ST_USAGE, "--nic-gbps %s: GB/s above 0 are expected", a->nic);
    }
    if (a->output) TRY(output_check(a->output, "nodes.json", err));
done:
    return st;
}

static enum st run(struct call *call, struct err *err)
{
    const struct nodes_args *a = call->args;
    struct nodes_request r = {0};
    struct nodes_network *network = NULL;
    struct nodes_result *x = NULL;
    struct graph g = {0};
    struct workload w;
    double nic = 0;
    char by[512];
    doc *d = NULL;
    enum st st = ST_OK;
    if (strlen(a->by) >= sizeof by) FAIL(ST_USAGE, "--by: the list is too long");
    strcpy(by, a->by);
    NEW(network, 1, "a network");
    TRY(read_all(call, a, by, network, &r, &nic, err));
    TRY(options_kernels(call, &r.kernels, err));
    TRY(options_workload(call, &a->workload, &w, err));
    TRY(graph_open(a->graph, call->threads, &g, err));
    TRY(workload_attach(&w, &g, err));
    if (g.train_count < (uint64_t)(r.nodes * r.gpus))
        FAIL(ST_INPUT, "%s: has %llu training vertices for %d GPUs; each needs one", a->graph,
             (unsigned long long)g.train_count, r.nodes * r.gpus);
    r.graph = &g;
    r.workload = &w;
    r.seed = study_held_out_seed(w.seed);
    r.partition = (struct partition_options){.method = a->partition,
                                             .seed = w.seed,
                                             .memory = mem_limit(),
                                             .threads = call->threads,
                                             .workload = &w};
    NEW(x, 1, "nodes");
    stage_begin(&call->stages, "nodes");
    TRY(nodes_run(&r, x, err));
    stage_end(&call->stages);
    d = nodes_document(&r, x, nic);
    if (a->output) TRY(nodes_save(&r, x, a->output, d, err));
    if (!call->common.json) nodes_print(d, call->out);
    if (a->output) call_say(call, "parts and copies written to %s", a->output);
    doc *result = d;
    d = NULL;
    TRY(call_finish(call, result, err));
done:
    doc_free(d);
    if (x) nodes_release(x);
    mem_free(x);
    if (network) nodes_network_release(network);
    mem_free(network);
    graph_close(&g);
    return st;
}

static const struct param params[] =
    {OPTION_TEXT("graph", 'g', struct nodes_args, graph, "G", NULL, "Graph directory."),
     OPTION_INTEGER("nodes", 0, struct nodes_args, nodes, "N", "4", 2, NODES_MAX,
                    "Servers that train the graph together."),
     OPTION_INTEGER("gpus", 0, struct nodes_args, gpus, "N", "1", 1, GPUS_MAX / 2,
                    "GPUs of each; at most 72 together."),
     OPTION_TEXT("cluster", 0, struct nodes_args, cluster, "FILE", NULL,
                 "Instead of --nodes, --gpus and --nic-gbps: a file that lists equal servers and the network between "
                 "them (planner/TIERS.md); bytes are then counted for every NIC."),
     OPTION_TEXT("replicate", 0, struct nodes_args, alphas, "LIST", "0,0.01,0.05,0.1,0.2,0.5,1",
                 "Replication factors alpha: a node copies alpha * vertices / nodes "
                 "remote rows."),
     OPTION_TEXT("by", 0, struct nodes_args, by, "LIST", "calibrated,vip,halo",
                 "Rankings of the copies: hotness metrics ('hotset list hotness'), "
                 "halo (neighbours of the part, by arcs), oracle (the held-out counts "
                 "themselves: a limit)."),
     OPTION_TEXT("nic-gbps", 0, struct nodes_args, nic, "GBPS", NULL,
                 "GB/s that a node receives over the network, for times."),
     OPTION_WORD("partition", 0, struct nodes_args, partition, "HOW", "auto", PARTITION_WORDS,
                 "How the graph is split; see 'hotset plan -h'."),
     OPTION_OUTPUT(struct nodes_args, output, "D", NULL,
                   "Directory to write: nodes.json; for each node the rows it owns, "
                   "its training vertices, and its copies by the first ranking."),
     OPTION_INTEGER("presample-epochs", 0, struct nodes_args, presample_epochs, "K", "4", 1, 10000,
                    "Epochs to record for the rankings."),
     OPTION_INTEGER("epochs", 0, struct nodes_args, epochs, "K", "4", 1, 10000, "Held-out epochs to count."),
     WORKLOAD_PARAMS(struct nodes_args, workload),
     {0}};

static const char about[] = "Splits the graph into a part per node. A node owns the feature rows of its part and "
                            "trains its\n"
                            "training vertices; the topology is on every node. Other rows of a mini-batch come over "
                            "the network\n"
                            "from their owner, unless the node keeps a copy. This command ranks remote rows, copies "
                            "the first of\n"
                            "each ranking, and counts the rows that still pass the network in held-out epochs, for "
                            "every\n"
                            "replication factor (SALIENT++'s alpha). vip is SALIENT++'s ranking, alpha 0 a partition "
                            "without a\n"
                            "cache (DistDGL), the last line striped rows with random training vertices (WholeGraph).";

extern const struct command cmd_nodes;
const struct command cmd_nodes = {.name = "nodes",
                                  .stage = COMMAND_PLAN,
                                  .rank = 9,
                                  .summary = "plan several servers: parts of the graph, copies of remote rows, "
                                             "network traffic",
                                  .arguments = "--graph G --nodes N|--cluster FILE [-o D] [options]",
                                  .params = params,
                                  .needs = "graph",
                                  .args_size = sizeof(struct nodes_args),
                                  .run = run,
                                  .about = about,
                                  .examples = "  hotset nodes --graph G --nodes 4 --fanout 15,10,5 --batch 1024\n"
                                              "  hotset nodes --graph G --nodes 8 --replicate 0,0.16,0.32 --nic-gbps "
                                              "3.1 --by vip,oracle\n"
                                              "  hotset nodes --graph G --nodes 2 --gpus 8 --replicate 0.2 -o D\n"
                                              "  hotset nodes --graph G --cluster four-p4d.json --replicate 0,0.1"};
