/* hotset nodes - feature rows over several servers: parts, copies of remote rows, and what passes the network. */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "base/units.h"
#include "planner/commands/elsewhere.h"
#include "planner/commands/nodes_sizes.h"
#include "planner/hotness/hotness.h"
#include "planner/hotness/vip.h"
#include "planner/places/memory_args.h"
#include "planner/places/nodes_document.h"
#include "planner/options/options.h"

struct nodes_args {
    const char *graph, *output, *alphas, *by, *partition, *nic, *cluster, *one_node, *host_memory, *target;
    double within;
    struct int_list nodes;
    int64_t gpus, presample_epochs, epochs;
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

/* Whether the question is how many nodes, or which network. */
static bool asks_sizes(const struct nodes_args *a)
{
    return a->nodes.count > 1 || (a->nic && strchr(a->nic, ',')) || a->one_node || a->host_memory || a->target;
}

/* Nodes and GPUs: those of the cluster file, or of the options. Of a list of nodes: the most. */
static enum st read_nodes(const struct call *call, const struct nodes_args *a, struct nodes_network *network,
                          struct nodes_request *r, struct err *err)
{
    static const char *const stated[] = {"nodes", "gpus", "nic-gbps", "one-node", "host-memory", "target"};
    for (int i = 0; i < a->nodes.count; i++)
        if (a->nodes.value[i] > r->nodes) r->nodes = (int)a->nodes.value[i];
    r->gpus = (int)a->gpus;
    if (r->nodes < 2)
        return err_set(err, ST_USAGE, "--nodes 1: 2 to %d are expected; 1 can stand in a list, as in 1,2,4", NODES_MAX);
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

/* nic: [CHOICES_MAX] GB/s, ascending, each once. */
static enum st read_nics(const char *text, double *nic, int *nics, struct err *err)
{
    struct choice_list list;
    if (!text) return ST_OK;
    PASS(choice_split(text, "--nic-gbps", &list, err));
    for (int i = 0; i < list.count; i++) {
        PASS(units_real(list.part[i], "--nic-gbps", &nic[i], err));
        if (!(nic[i] > 0)) return err_set(err, ST_USAGE, "--nic-gbps %s: GB/s above 0 are expected", list.part[i]);
    }
    *nics = choice_ascending(nic, list.count);
    return ST_OK;
}

/* What a list of nodes or networks is judged by. q: has its request and NICs. */
static enum st read_question(const struct call *call, const struct nodes_args *a, struct nodes_sizes *q,
                             struct err *err)
{
    enum { MOST_PERCENT = 1600 };
    const struct nodes_request *r = &q->request;
    q->counts = &a->nodes;
    q->within = a->target && !call_given(call, "within") ? INFINITY : a->within;
    if (a->target) PASS(size_targets(a->target, q->target, &q->targets, err));
    for (int i = 0; i < q->targets; i++)
        if (q->target[i].metric != SIZE_SECONDS)
            return err_set(err, ST_USAGE,
                           "--target %s: several nodes have epoch times only, as in 'epoch-time<=500ms'; 'hotset size' "
                           "answers this one for a server",
                           q->target[i].text);
    if (!a->one_node && (a->target || call_given(call, "within")))
        return err_set(err, ST_USAGE, "--%s: needs --one-node, what an epoch takes on one node",
                       a->target ? "target" : "within");
    if (a->one_node && !q->nics)
        return err_set(err, ST_USAGE, "--one-node: needs --nic-gbps, the network of each node");
    if (a->host_memory)
        PASS(memory_args_host(a->host_memory, memory_args_needed(r->graph), NULL, "", MOST_PERCENT, &q->host_memory,
                              err));
    if (a->host_memory && !q->host_memory)
        return err_set(err, ST_USAGE, "--host-memory %s: a size above 0 is expected", a->host_memory);
    if (a->one_node) PASS(nodes_sizes_epoch(a->one_node, r->graph, r->workload, r->gpus, &q->one_node, err));
    return ST_OK;
}

static enum st answer_sizes(struct call *call, const struct nodes_args *a, struct nodes_sizes *q, struct err *err)
{
    OWNED_DOC doc *d = NULL;
    PASS(read_question(call, a, q, err));
    stage_begin(&call->stages, "nodes");
    PASS(nodes_sizes(q, &d, err));
    stage_end(&call->stages);
    if (!call->common.json) nodes_sizes_print(d, call->out);
    return call_finish(call, TAKE(d), err);
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
    if (a->output && asks_sizes(a))
        return err_set(err, ST_USAGE,
                       "--output is for one number of nodes and one network, without --one-node, --host-memory and "
                       "--target");
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
    struct nodes_sizes *q = NULL;
    struct graph g = {0};
    struct workload w;
    char by[512];
    enum st st = ST_OK;
    if (strlen(a->by) >= sizeof by) FAIL(ST_USAGE, "--by: the list is too long");
    strcpy(by, a->by);
    NEW(network, 1, "a network");
    NEW(q, 1, "a question about nodes");
    struct nodes_request *r = &q->request;
    TRY(read_all(call, a, by, network, r, err));
    TRY(read_nics(a->nic, q->nic, &q->nics, err));
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
    TRY(asks_sizes(a) ? answer_sizes(call, a, q, err) : answer(call, a, r, q->nic[0], err));
done:
    if (q) doc_free(q->one_node);
    mem_free(q);
    if (network) nodes_network_release(network);
    mem_free(network);
    graph_close(&g);
    return st;
}

static const struct param params[] = {
    OPTION_GRAPH(struct nodes_args, graph, ""),
    OPTION_LIST("nodes", 0, struct nodes_args, nodes, "LIST", "4", 1, NODES_MAX, TRAINING_NODES("")),
    OPTION_INTEGER("gpus", 0, struct nodes_args, gpus, "N", "1", 1, GPUS_MAX / 2, "GPUs of each; at most 72 together."),
    OPTION_CLUSTER(struct nodes_args, cluster),
    OPTION_TEXT("replicate", 0, struct nodes_args, alphas, "LIST", "0,0.01,0.05,0.1,0.2,0.5,1",
                "Replication factors alpha: a node copies alpha * vertices / nodes remote rows."),
    OPTION_TEXT("by", 0, struct nodes_args, by, "LIST", "calibrated,vip,halo",
                "Rankings of the copies: hotness metrics ('hotset list hotness'), halo (neighbours of the part, by "
                "arcs), oracle (the held-out counts themselves: a limit)."),
    OPTION_TEXT("nic-gbps", 0, struct nodes_args, nic, "LIST", NULL, NODE_NIC("")),
    OPTION_PATH("one-node", 0, struct nodes_args, one_node, "P|TIME", NULL, PATH_READ,
                "For sizes: what an epoch takes on one of the nodes with all rows at hand: a plan for it, whose "
                "simulated epoch time is taken, or a time as 2.5s."),
    OPTION_REAL("within", 0, struct nodes_args, within, "SHARE", "0.1", 0, 100,
                "For sizes: how much longer than without a network an epoch may take, 0.1 for 10 %. With --target "
                "alone it may take any time. The answer has the fewest nodes, then the slowest network, then the "
                "fewest copies."),
    OPTION_TEXT("target", 't', struct nodes_args, target, "TARGET", NULL,
                "For sizes: how long an epoch may take, as in 'epoch-time<=500ms'."),
    OPTION_HOST_MEMORY(struct nodes_args, host_memory, "SIZE", " [default: any; for sizes]"),
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
    "Lists of --nodes or --nic-gbps ask what to buy: with --one-node, what an epoch takes on one node, the\n"
    "answer is the fewest nodes and the slowest network that keep --within, --target and --host-memory.";

extern const struct command cmd_nodes;
const struct command cmd_nodes = {.name = "nodes",
                                  .stage = COMMAND_PLAN,
                                  .rank = 9,
                                  .summary = "plan several servers: parts of the graph, copies of remote rows, network "
                                             "traffic",
                                  .arguments = "--graph G --nodes N|--cluster FILE [-o D] [options]",
                                  .params = params,
                                  .usual = "graph nodes gpus output cluster replicate by target host-memory fanout "
                                           "batch",
                                  .needs = "graph",
                                  .elsewhere = nodes_elsewhere,
                                  .args_size = sizeof(struct nodes_args),
                                  .run = run_nodes,
                                  .about = about,
                                  .examples = "  hotset nodes --graph G --nodes 4 --fanout 15,10,5 --batch 1024\n"
                                              "  hotset nodes --graph G --nodes 8 --replicate 0,0.16,0.32 --nic-gbps "
                                              "3.1 --by vip,oracle\n"
                                              "  hotset nodes --graph G --nodes 2 --gpus 8 --replicate 0.2 -o D\n"
                                              "  hotset nodes --graph G --cluster four-p4d.json --replicate 0,0.1\n"
                                              "  hotset nodes --graph G --nodes 1,2,4,8 --nic-gbps 12.5,25,50 "
                                              "--one-node P --within 0.2   # what to buy"};
