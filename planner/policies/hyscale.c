/* hyscale - nothing is cached; the CPU samples, and rows and blocks are prefetched through host memory in two stages
 * (HyScale-GNN, IPDPS'23). Its prefetching hides time, it saves no transaction. The CPU also trains a share of every
 * mini-batch: the plan states the share and the threads that the balance step (algorithm 1) finds on the time model,
 * step by step, as `cpu`. Transactions are those of the GPUs' part. */
#include "base/mem.h"
#include "planner/policies/place.h"
#include "simulator/movement/epoch_args.h"
#include "simulator/movement/balance.h"

static enum st hyscale_place(const struct policy_input *in, struct plan *plan, struct policy_verdict *verdict,
                             struct err *err)
{
    (void)verdict;
    place_no_peers(plan);
    plan->placement.access = ACCESS_CPU;
    plan->placement.copies_features = true;
    if (!in->setup || !in->setup->gnn.hidden) return ST_OK;
    OWNED_NEW(struct epoch_load, load, 1, "the time model");
    OWNED_NEW(struct balance, b, 1, "the time model");
    epoch_load_recorded(in->graph, in->trace, in->threads, load);
    if (in->setup->enlarge > 0) epoch_load_enlarge(load, in->setup->enlarge);
    balance_run(load, in->server, in->setup, (enum balance_moves)in->option[0], b);
    plan_note(plan, "cpu", balance_document(b));
    return ST_OK;
}

const struct policy policy_hyscale = {.name = "hyscale",
                                      .summary = "nothing cached; the CPU samples, prefetches and trains part of each "
                                                 "mini-batch",
                                      .source = "HyScale-GNN",
                                      .hotness = "none",
                                      .assignment = ASSIGNMENT_GLOBAL,
                                      .options = {{"balance",
                                                   "what is shared with the CPU: 0 nothing, 1 a share of the training "
                                                   "found once, 2 training and threads step by step",
                                                   0, 2, 2, true, NULL}},
                                      .own_memory = true,
                                      .reaches = REACHES_ALL,
                                      .place = hyscale_place};
