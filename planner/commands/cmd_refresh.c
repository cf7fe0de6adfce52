/* hotset refresh - the next plan of a job whose reads have changed, with few rows to move. */
#include "base/mem.h"
#include "planner/commands/refresh_print.h"
#include "planner/results/memories_print.h"
#include "planner/results/nodes_plan.h"

struct refresh_args {
    const char *graph, *trace, *server, *output, *move_budget;
    int64_t epochs;
    bool decide; /* --auto */
    struct study_args study;
};

/* Bytes that a clique loads at most. */
static enum st most_moved(const struct refresh_args *a, const struct graph *g, double *out, struct err *err)
{
    struct budget b;
    *out = REFRESH_MOVE_ANY;
    if (!a->move_budget) return ST_OK;
    PASS(budget_parse(a->move_budget, false, "--move-budget", &b, err));
    PASS(budget_check_unit(&b, "--move-budget", g, err));
    *out = (double)budget_of_graph(&b, g);
    return ST_OK;
}

static enum st refresh_run(struct call *call, struct err *err)
{
    const struct refresh_args *a = call->args;
    const struct refresh_source from = {call->words[0], a->graph, a->trace, a->server};
    ON_HEAP(struct refresh_job, j);
    OWNED_DOC doc *stamp = NULL, *result = NULL;
    enum st st;
    double move;
    TRY(output_check(a->output, NULL, err));
    TRY(refresh_job_open(call, &from, j, err));
    TRY(most_moved(a, &j->graph, &move, err));
    TRY(refresh_job_plan(call, &a->study, (double)a->epochs, move, a->decide, j, err));
    if (call->common.stamp) stamp = stages_document(&call->stages, call->common.device, call->threads);
    TRY(refresh_job_save(j, a->output, stamp, err));
    result = refresh_document(j);
    if (call_prints(call)) refresh_print(result, call->out);
    if (!call->common.json && !j->whole)
        memories_print(refresh_job_side(j, 1, 0), doc_path(result, "after.simulated.memories"), call->out);
    TRY(call_finish(call, TAKE(result), err));
    call_say(call, "plan written to %s", a->output);
done:
    refresh_job_end(j);
    return st;
}

static const struct param params[] = {
    OPTION_PATH("trace", 't', struct refresh_args, trace, "T2", NULL, PATH_READ,
                "What the job reads now: 'hotset trace record --plan P --seed N' (another seed than the plan's)."),
    OPTION_OUTPUT(struct refresh_args, output, "P2", NULL, "Plan directory to write."),
    OPTION_INTEGER("pay-within", 0, struct refresh_args, epochs, "N", "10", 0, REFRESH_EPOCHS_MOST,
                   "Epochs in which a row must save as many transactions as loading it takes; 0: keep all rows."),
    OPTION_RENAMED("within", "pay-within"),
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
    "time of these reads. The plan of several nodes is refreshed as a whole, from a recording of every node\n"
    "('trace record --plan P' makes them): what a node's GPUs keep, and load from own host, peers or another\n"
    "node, as P reads it; what comes into the DRAM of nodes is planned for the new reads in any case, and\n"
    "counted, too.\n"
    "The graph may have another training set, or some edges more or less, on the same vertices: name it\n"
    "with --graph here and in 'hotset trace record --plan P', which assigns training vertices as P does.\n"
    "Its parts go to the GPUs of a clique that hold most of what they read. Of several nodes, vertices that\n"
    "stay keep their node, new ones go to the node that holds most of what they read, and each node assigns its\n"
    "part as in P.\n"
    "Both plans are predicted from the recording and simulated on the same held-out epochs. The command\n"
    "states rows and bytes to load per GPU, and the epochs after which moving has paid: the seconds that\n"
    "the slowest GPU loads, at the server's rates for large reads with all GPUs at work, over\n"
    "the seconds per epoch by which the transfer stage becomes shorter: reads of own memory, of peers and of\n"
    "the host at the server's rates (where one is missing, the time of saved transactions; see\n"
    "planner/model/optimum.md).\n"
    "What GPUs and DRAM read from SSDs and over the network counts in both, less what DRAM loads where GPUs\n"
    "keep their rows (planner/model/memories.md).";

extern const struct command cmd_refresh;
const struct command cmd_refresh = {.name = "refresh",
                                    .stage = COMMAND_JOB,
                                    .rank = 3,
                                    .summary = "make the next plan from a new recording, with few rows to move",
                                    .arguments = "P --trace T2 -o P2 [options]",
                                    .params = params,
                                    .usual = "trace output pay-within auto graph server move-budget simulate-epochs",
                                    .needs = "trace output",
                                    .args_size = sizeof(struct refresh_args),
                                    .words_low = 1,
                                    .words_high = 1,
                                    .run = refresh_run,
                                    .about = about,
                                    .examples = "  hotset trace record --graph G --server S --plan P --seed 7 -o T2\n"
                                                "  hotset refresh P --trace T2 -o P2              # 10 epochs to pay\n"
                                                "  hotset refresh P --trace T2 -o P2 --pay-within 100 # a long run: "
                                                "move "
                                                "more\n"
                                                "  hotset verify P2 && hotset diff P P2"};
