/* hotset nodes - feature rows over several servers: parts, copies of remote rows, and what passes the network. */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "base/units.h"
#include "planner/commands/elsewhere.h"
#include "planner/hotness/hotness.h"
#include "planner/hotness/vip.h"
#include "planner/places/memory_args.h"
#include "planner/places/nodes_document.h"
#include "planner/options/options.h"

struct nodes_args {
    const char *graph, *output, *alphas, *by, *partition, *nic, *cluster;
    int64_t gpus, presample_epochs, epochs;
    struct int_list nodes;
    struct workload_args workload;
};

static enum st read_alphas(const char *text, struct nodes_request *r, struct err *err)
{
    char copy[256], *part[NODES_ALPHAS];
    if (strlen(text) >= sizeof copy) return err_set(err, ST_USAGE, "--replicate: the list is too long");
    strcpy(copy, text);
    r->alphas = text_split(copy, ',', part, NODES_ALPHAS);
    if (r->alphas < 1)
        return err_set(err, ST_USAGE, "--replicate: at most %d numbers are expected, as in 0,0.1,0.5", NODES_ALPHAS);
    for (int i = 0; i < r->alphas; i++) {
        PASS(units_real(part[i], "--replicate", &r->alpha[i], err));
        if (!(r->alpha[i] >= 0 && r->alpha[i] <= r->nodes))
            return err_set(err, ST_USAGE,
                           "--replicate %s: 0 to the number of nodes (%d) is expected; 1 copies vertices / nodes rows",
                           part[i], r->nodes);
    }
    return ST_OK;
}

static enum st read_rankings(char *text, struct nodes_request *r, struct err *err)
{
    char *part[NODES_RANKINGS];
    r->rankings = text_split(text, ',', part, NODES_RANKINGS);
    if (r->rankings < 1) return err_set(err, ST_USAGE, "--by: 1 to %d rankings are expected", NODES_RANKINGS);
    for (int i = 0; i < r->rankings; i++) {
        r->ranking[i] = part[i];
        if (!strcmp(part[i], NODES_HALO) || !strcmp(part[i], NODES_ORACLE)) continue;
        if (hotness_check(part[i], err) != ST_OK) {
            struct err said = *err;
            return err_set(err, ST_USAGE, "--by%s; or halo, oracle", said.text + strlen("--hotness"));
        }
    }
    return ST_OK;
}

/* Nodes and GPUs: those of the cluster file, or of the options. */
static enum st read_nodes(const struct call *call, const struct nodes_args *a, struct nodes_network *network,
                          struct nodes_request *r, struct err *err)
{
    static const char *const stated[] = {"nodes", "gpus", "nic-gbps"};
    if (a->nodes.count > 1 || (a->nic && strchr(a->nic, ',')))
        return err_set(err, ST_USAGE, "--%s: one number is expected; " NODES_SIZES,
                       a->nodes.count > 1 ? "nodes" : "nic-gbps");
    r->nodes = (int)a->nodes.value[0];
    r->gpus = (int)a->gpus;
    if (r->nodes < 2) return err_set(err, ST_USAGE, "--nodes 1: 2 to %d are expected", NODES_MAX);
    if (r->nodes * r->gpus > GPUS_MAX)
        return err_set(err, ST_USAGE, "--nodes %d with --gpus %d: more than %d GPUs together", r->nodes, r->gpus,
                       GPUS_MAX);
    if (!a->cluster) return ST_OK;
    for (size_t i = 0; i < sizeof stated / sizeof *stated; i++)
        if (call_given(call, stated[i]))
            return err_set(err, ST_USAGE,
                           "--%s and --cluster exclude each other; a cluster file is one number of nodes and one "
                           "network",
                           stated[i]);
    PASS(nodes_network_open(a->cluster, network, err));
    r->nodes = network->cluster.servers;
    r->gpus = network->cluster.server.gpus;
    r->network = network;
    return ST_OK;
}

static enum st answer(struct call *call, const struct nodes_args *a, const struct nodes_request *r, double nic,
                      struct err *err)
{
    enum st st = ST_OK;
    struct nodes_result *result = NULL;
    OWNED_DOC doc *d = NULL;
    NEW(result, 1, "nodes");
    stage_begin(&call->stages, "nodes");
    TRY(nodes_run(r, result, err));
    stage_end(&call->stages);
    d = nodes_document(r, result, nic);
    if (a->output) TRY(nodes_save(r, result, a->output, d, err));
    if (!call->common.json) nodes_print(d, call->out);
    if (a->output) call_say(call, "parts and copies written to %s", a->output);
    TRY(call_finish(call, TAKE(d), err));
done:
    if (result) nodes_release(result);
    mem_free(result);
    return st;
}

static enum st read_all(struct call *call, const struct nodes_args *a, char *by, struct nodes_network *network,
                        struct nodes_request *r, struct err *err)
{
    PASS(read_nodes(call, a, network, r, err));
    r->threads = call->threads;
    r->progress = call_progress(call);
    r->presample_epochs = (uint64_t)a->presample_epochs;
    r->epochs = (uint64_t)a->epochs;
    if (options_order_auto(&a->workload))
        return err_set(err, ST_USAGE,
                       "--order auto: orders are planned by 'hotset plan' only; name one, as in --order blocks:8");
    PASS(read_alphas(a->alphas, r, err));
    PASS(read_rankings(by, r, err));
    if (a->output) PASS(output_check(a->output, NULL, err));
    return ST_OK;
}

/* Unasked, vip is left out where it has no formula for the sampler. */
static void drop_vip(const struct call *call, const struct workload *w, struct nodes_request *r)
{
    int kept = 0;
    if (call_given(call, "by") || vip_knows(w)) return;
    for (int i = 0; i < r->rankings; i++)
        if (strcmp(r->ranking[i], "vip")) r->ranking[kept++] = r->ranking[i];
    if (kept < r->rankings)
        call_say(call, "ranking vip is left out: it has no formula for sampler %s", sampler_name(w->sampler));
    r->rankings = kept;
}

static enum st run_nodes(struct call *call, struct err *err)
{
    const struct nodes_args *a = call->args;
    struct nodes_network *network = NULL;
    struct nodes_request *r = NULL;
    double nic = 0;
    struct graph g = {0};
    struct workload w;
    char by[512];
    enum st st = ST_OK;
    if (strlen(a->by) >= sizeof by) FAIL(ST_USAGE, "--by: the list is too long");
    strcpy(by, a->by);
    NEW(network, 1, "a network");
    NEW(r, 1, "a question about nodes");
    TRY(read_all(call, a, by, network, r, err));
    if (a->nic) TRY(units_real(a->nic, "--nic-gbps", &nic, err));
    if (a->nic && !(nic > 0)) FAIL(ST_USAGE, "--nic-gbps %s: GB/s above 0 are expected", a->nic);
    TRY(options_kernels(call, &r->kernels, err));
    TRY(options_graph(a->graph, call->threads, &g, err));
    TRY(options_workload(call, &a->workload, &g, &w, err));
    TRY(workload_attach(&w, &g, err));
    drop_vip(call, &w, r);
    if (g.train_count < (uint64_t)(r->nodes * r->gpus))
        FAIL(ST_INPUT, "%s: has %llu training vertices for %d GPUs; each needs one", a->graph,
             (unsigned long long)g.train_count, r->nodes * r->gpus);
    r->graph = &g;
    r->workload = &w;
    r->seed = study_held_out_seed(w.seed);
    r->partition = (struct partition_options){.method = a->partition,
                                              .seed = w.seed,
                                              .memory = mem_limit(),
                                              .threads = call->threads,
                                              .workload = &w};
    TRY(answer(call, a, r, nic, err));
done:
    mem_free(r);
    if (network) nodes_network_release(network);
    mem_free(network);
    graph_close(&g);
    return st;
}

static const struct param params[] = {
    OPTION_GRAPH(struct nodes_args, graph, ""),
    OPTION_LIST("nodes", 0, struct nodes_args, nodes, "N", "4", 1, NODES_MAX, TRAINING_NODES("")),
    OPTION_INTEGER("gpus", 0, struct nodes_args, gpus, "N", "1", 1, GPUS_MAX / 2, "GPUs of each; at most 72 together."),
    OPTION_CLUSTER(struct nodes_args, cluster),
    OPTION_TEXT("replicate", 0, struct nodes_args, alphas, "LIST", "0,0.01,0.05,0.1,0.2,0.5,1",
                "Replication factors alpha: a node copies alpha * vertices / nodes remote rows."),
    OPTION_TEXT("by", 0, struct nodes_args, by, "LIST", "calibrated,vip,halo",
                "Rankings of the copies: hotness metrics ('hotset list hotness'), halo (neighbours of the part, by "
                "arcs), oracle (the held-out counts themselves: a limit)."),
    OPTION_TEXT("nic-gbps", 0, struct nodes_args, nic, "GBPS", NULL, NODE_NIC("")),
    OPTION_PARTITION(struct nodes_args, partition),
    OPTION_OUTPUT(struct nodes_args, output, "D", NULL,
                  "Directory to write: nodes.json; for each node the rows it owns, its training vertices, and its "
                  "copies by the first ranking."),
    OPTION_PRESAMPLE_EPOCHS(struct nodes_args, presample_epochs, "4", 1, ""),
    OPTION_HELD_OUT_EPOCHS(struct nodes_args, epochs, "4", 1, ""),
    WORKLOAD_PARAMS(struct nodes_args, workload),
    {0},
};

static const char about[] =
    "Splits the graph into a part per node. A node owns the feature rows of its part and trains its\n"
    "training vertices; the topology is on every node. Other rows of a mini-batch come over the network\n"
    "from their owner, unless the node keeps a copy. This command ranks remote rows, copies the first of\n"
    "each ranking, and counts the rows that still pass the network in held-out epochs, for every\n"
    "replication factor (SALIENT++'s alpha). vip is SALIENT++'s ranking, alpha 0 a partition without a\n"
    "cache (DistDGL), the last line striped rows with random training vertices (WholeGraph). Of several\n"
    "types alpha is of bytes, and rows of edges lie with the topology.\n\n"
    "'hotset plan --nodes' plans GPUs, DRAM and SSDs of all nodes; 'hotset size --nodes LIST' says what to buy.";

extern const struct command cmd_nodes;
const struct command cmd_nodes = {.name = "nodes",
                                  .stage = COMMAND_PLAN,
                                  .rank = 9,
                                  .summary = "plan several servers: parts of the graph, copies of remote rows, network "
                                             "traffic",
                                  .arguments = "--graph G --nodes N|--cluster FILE [-o D] [options]",
                                  .params = params,
                                  .usual = "graph nodes gpus output cluster replicate by fanout batch",
                                  .needs = "graph",
                                  .elsewhere = nodes_elsewhere,
                                  .args_size = sizeof(struct nodes_args),
                                  .run = run_nodes,
                                  .about = about,
                                  .examples = "  hotset nodes --graph G --nodes 4 --fanout 15,10,5 --batch 1024\n"
                                              "  hotset nodes --graph G --nodes 8 --replicate 0,0.16,0.32 --nic-gbps "
                                              "3.1 --by vip,oracle\n"
                                              "  hotset nodes --graph G --nodes 2 --gpus 8 --replicate 0.2 -o D\n"
                                              "  hotset nodes --graph G --cluster four-p4d.json --replicate 0,0.1"};
