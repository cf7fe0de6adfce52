/* options.h - option rows that several commands share: what is trained, what is recorded, what is simulated. */
#ifndef PLANNER_OPTIONS_OPTIONS_H
#define PLANNER_OPTIONS_OPTIONS_H

#include <string.h>

#include "base/cmd.h"
#include "hwprofiles/model/server_reach.h"
#include "planner/partition/deal.h"
#include "planner/options/input_options.h"
#include "planner/options/premises_of.h"
#include "planner/options/resume.h"
#include "planner/engine/study_memory.h"
#include "planner/engine/study.h"
#include "simulator/plan/plan_change.h"
#include "traces/sampling/seeds.h"

struct workload_args {
    struct int_list fanout;
    const char *fanout_over;
    int64_t batch;
    const char *frontier;
    struct sampler_args how;
};

#define OPTION_BATCH(type, at, usual)                                                                                  \
    OPTION_INTEGER("batch", 0, type, at, "N", usual, 1, UINT32_MAX,                                                    \
                   "Training vertices (or edges) per mini-batch and GPU."),                                            \
        OPTION_ALIAS("batch-size", "batch")

#define WORKLOAD_PARAMS(type, member)                                                                                  \
    OPTION_GROUP("sampling"), OPTION_ALIAS("num-neighbors", "fanout"),                                                 \
        OPTION_NAMED_LIST("fanout", 0, type, member.fanout, "LIST", "25,10", -1, FANOUT_MAX,                           \
                          "Neighbours drawn per vertex, hop by hop from the seeds; -1 or all: every one of them "      \
                          "(10,-1: the second hop takes all); layer-wise: draws per hop; walk does not use it. Of a "  \
                          "graph with several relations: for each relation, or by name as "                            \
                          "cites=25,10;writes=10,5 (what is not named is not drawn; *= stands for all others)."),      \
        OPTION_WORD("fanout-over", 0, type, member.fanout_over, "WHAT", "relation", "relation|vertex",                 \
                    "What a fan-out limits in a graph with several relations. relation: the neighbours drawn from "    \
                    "each (PyG, GraphBolt with a fan-out per edge type). vertex: those drawn from all relations of a " \
                    "vertex together (GraphBolt with a single fan-out)."),                                             \
        OPTION_BATCH(type, member.batch, "8000"),                                                                      \
        OPTION_WORD("frontier", 0, type, member.frontier, "RULE", "new", FRONTIER_WORDS,                               \
                    "Vertices that a hop expands. new: those first seen in the previous hop (PyG, Legion). all: all "  \
                    "seen so far (DGL). layers: those that the previous hop drew, and a feature row is read once per " \
                    "layer (PaGraph's NodeFlow)."),                                                                    \
        OPTION_WORD("sampler", 0, type, member.how.sampler, "NAME", "uniform", SAMPLER_WORDS,                          \
                    "How neighbours are drawn. uniform: per vertex, without replacement. biased: in proportion to "    \
                    "weights.npy. layer-wise: from the rows of all frontier vertices together. walk: random walks "    \
                    "with restart. labor: with random numbers that all vertices of a hop share, so that a mini-batch " \
                    "reads fewer rows. temporal, temporal-last: for each seed in a tree of its own, of the entries "   \
                    "with times up to the seed's any ones, or the latest (PyG's time_attr)."),                         \
        OPTION_TEXT("time-window", 0, type, member.how.time_window, "T", NULL,                                         \
                    "Temporal samplers take only arcs at most T from the seed's time, in the unit of the graph's "     \
                    "times, or with s, min, h or d where that is seconds [default: any]."),                            \
        OPTION_WORD("time-direction", 0, type, member.how.time_direction, "WHICH", "backward", TIME_DIRECTION_WORDS,   \
                    "Arcs that temporal samplers take. backward: arcs up to the seed's time. forward: arcs from it "   \
                    "on, and "                                                                                         \
                    "temporal-last takes the earliest ones."),                                                         \
        OPTION_TEXT("labor-iterations", 0, type, member.how.labor_iterations, "N", NULL,                               \
                    "Iterations that improve the sampling weights of --sampler labor, 0 to 50; each is one more pass " \
                    "over the rows. '*': iterate until a pass lowers the expected number of rows by less than 0.01 % " \
                    "[default: 0]."),                                                                                  \
        OPTION_INTEGER("batch-dependency", 0, type, member.how.batch_dependency, "K", NULL, 1, BATCH_DEPENDENCY_MAX,   \
                       "Change the random numbers of --sampler labor gradually over K mini-batches, so that "          \
                       "consecutive mini-batches share rows; helps dynamic caches [default: 1]."),                     \
        OPTION_FLAG("layer-dependency", type, member.how.layer_dependency,                                             \
                    "Use the same random numbers in all hops of a mini-batch (--sampler labor)."),                     \
        OPTION_INTEGER("walks", 0, type, member.how.walks, "N", NULL, 1, WALKS_MAX,                                    \
                       "Random walks per seed, for --sampler walk [default: 10]."),                                    \
        OPTION_INTEGER("walk-length", 0, type, member.how.walk_length, "N", NULL, 1, HOPS_MAX,                         \
                       "Steps of a random walk [default: 3; with --metapath as many as it names]."),                   \
        OPTION_TEXT("metapath", 0, type, member.how.metapath, "REL,..", NULL,                                          \
                    "Relations that the steps of a walk take, over and over, in a graph with several, as in "          \
                    "writes,rev_writes (PinSAGE). A walk returns to its seed only where this begins again."),          \
        OPTION_TEXT("restart", 0, type, member.how.restart, "P", NULL,                                                 \
                    "Probability that a step of a walk returns to its seed [default: 0.5]."),                          \
        OPTION_TEXT("seeds", 0, type, member.how.seeds, "WHAT", "vertices",                                            \
                    "What a mini-batch starts from: vertices that train, or edges, the end points of edges in their "  \
                    "rows (link prediction). Of a graph with several relations: edges:RELATION."),                     \
        OPTION_INTEGER("negatives", 0, type, member.how.negatives, "K", NULL, 1, NEGATIVES_MAX,                        \
                       "Vertices of the destination's type that every edge of --seeds edges brings as well, drawn at " \
                       "random [default: 0]."),                                                                        \
        OPTION_PATH("order", 0, type, member.how.order, "HOW", "shuffle", PATH_READ_OR_NAME,                           \
                    "Order of a GPU's training vertices in an epoch. shuffle: at random. blocks:K: a mini-batch is K " \
                    "blocks, each from one community, in random order; the smaller K is, the fewer rows a mini-batch " \
                    "reads and the less random it is. bfs: breadth-first, from a random place (BGL). auto: policies "  \
                    "that plan the assignment take the order with the fewest predicted transactions, others "          \
                    "shuffle."),                                                                                       \
        OPTION_TEXT("edge-share", 0, type, member.how.edge_share, "S", NULL,                                           \
                    "Share of the edges to train on, for --seeds edges [default: 0.8].")

struct study_args {
    const char *deal, *parts, *partition; /* deal NULL: auto */
    const char *reach;                    /* NULL: each policy's own */
    int64_t presample_epochs, simulate_epochs, simulate_seed;
    const char *reserve, *objective, *sampling;
    double time_limit;
    bool bound, no_mixture, strict;
    bool exact; /* of commands that are quick unless it is given */
    struct epoch_args timing;
    struct resume_args resume;
};

/* Which epochs are recorded and simulated. */
#define STUDY_EPOCHS_PARAMS(type, member)                                                                              \
    OPTION_PRESAMPLE_EPOCHS(type, member.presample_epochs, "4", 1, ""),                                                \
        OPTION_SIMULATE_EPOCHS(type, member.simulate_epochs), OPTION_SIMULATE_SEED(type, member.simulate_seed)

#define OPTION_REACH(type, at, unsaid)                                                                                 \
    OPTION_WORD("peer-access", 0, type, at, "HOW", NULL, REACH_WORDS,                                                  \
                "Which memories a GPU reads. own: only its own; direct: also GPUs with an NVLink to it; forward: "     \
                "also GPUs at the end of a chain of NVLinks, whose rows the GPUs between forward; p2p: also GPUs "     \
                "below the same PCIe switch, over PCIe. A policy whose system cannot do this is marked "               \
                "unsupported" unsaid "."),                                                                             \
        OPTION_RENAMED("reach", "peer-access")
#define POLICY_REACH " [default: direct; dsp: forward]"

/* more: what words beside the first four mean, as "; auto: .." */
#define OPTION_DEAL(type, at, usual, words, more)                                                                      \
    OPTION_WORD("assignment", 0, type, at, "HOW", usual, words,                                                        \
                "How training vertices are assigned to GPUs. clique: a part of the graph per clique, at "              \
                "random inside it; gpu: a part per GPU; nested: a part per clique, cut into one per GPU; global: at "  \
                "random" more "."),                                                                                    \
        OPTION_RENAMED("deal", "assignment")
#define DEAL_AUTO                                                                                                      \
    "; auto: the policy's own; policies hotset, exact and oracle take the one with the fewest predicted transactions"

#define OPTION_PARTITION(type, at)                                                                                     \
    OPTION_WORD_GONE("partition", 0, type, at, "HOW", "auto", PARTITION_WORDS, PARTITION_GONE,                         \
                     "How the graph is split into parts. auto: metis up to 33 million arcs, else multilevel. "         \
                     "metis-bytes: "                                                                                   \
                     "parts of equal topology bytes, as DSP takes unasked. metis-sampled: METIS on 25 % of the "       \
                     "edges, or "                                                                                      \
                     "as many as fit 16 GiB. multilevel: coarsen the graph, METIS for the coarsest level, refine. "    \
                     "reads: "                                                                                         \
                     "then move training vertices so that fewer rows are read and GPUs gather equally many. "          \
                     "reads-draws: the same, but GPUs draw equally many neighbours. reads-fewest: the same, but GPUs " \
                     "gather "                                                                                         \
                     "unequally many where that leaves fewer reads. stream: one pass over the vertices, least "        \
                     "memory. hash: ignores edges.")

#define OPTION_EXACT(type, at)                                                                                         \
    OPTION_FLAG("exact", type, at,                                                                                     \
                "Search everything for every answer. Otherwise only assignments that were ever best are tried, found " \
                "and tried with some of the rows, at some budgets; levers that advise puts on top of each other (of "  \
                "graphs of more than a million arcs: all levers) share the assignment of the first of their peer "     \
                "access and size of rows; copies for a short transfer stage are searched for among some of the rows, " \
                "and policy exact looks less closely; of more than two million vertices size and advise place and "    \
                "simulate a million rows. Seconds move by up to 2.5 %, transactions by up to 1.2 % of "                \
                "what nothing cached reads. Of graphs with up to a million arcs, what advise advises is planned in "   \
                "full.")

/* What is recorded, and how epochs are timed; with the rows below it what a study of plans takes. */
#define STUDY_RECORD_PARAMS(type, member)                                                                              \
    OPTION_GROUP("who trains what, and what is recorded"), STUDY_EPOCHS_PARAMS(type, member),                          \
        OPTION_DEAL(type, member.deal, "auto", DEAL_WORDS, DEAL_AUTO),                                                 \
        OPTION_PATH("parts", 0, type, member.parts, "FILE", NULL, PATH_READ,                                           \
                    "Use the parts that another program made, instead of --partition: METIS .part.K, text with "       \
                    "'vertex part' per line, or .npy. One part per GPU or one per clique."),                           \
        OPTION_PARTITION(type, member.partition), OPTION_REACH(type, member.reach, POLICY_REACH),                      \
        OPTION_TEXT("reserve", 0, type, member.reserve, "SIZE", NULL,                                                  \
                    "GPU memory that is not for the cache when no budget is given: a size, of what training was "      \
                    "measured to take and 8 bytes per vertex for the look-up of rows; or pagraph:SIZE, PaGraph's "     \
                    "rule: SIZE for training plus 1 GiB; or pagraph, with the estimate as SIZE [default: estimated "   \
                    "from model, batch, fan-outs and vertices]."),                                                     \
        OPTION_STRICT(type, member.strict), OPTION_GROUP("time model"), EPOCH_PARAMS(type, member.timing)

#define STUDY_PARAMS(type, member)                                                                                     \
    STUDY_RECORD_PARAMS(type, member), OPTION_GROUP("run"), RESUME_PARAMS(type, member.resume),                        \
        OPTION_FLAG("bound", type, member.bound,                                                                       \
                    "Also compute a lower bound on the expected transactions of any placement, and print the plan's "  \
                    "gap to it (needs GLPK)."),                                                                        \
        OPTION_WORD("objective", 0, type, member.objective, "WHAT", "epoch", OBJECTIVE_WORDS,                          \
                    "What hotset and exact minimise. epoch: the predicted seconds of an epoch, and among equal ones "  \
                    "the reads from the host; where the server states no rates, as transactions. transactions: reads " \
                    "from the host, also by GPUs that gather unequally many rows where none reads another. slowest: "  \
                    "transactions of the busiest PCIe switch (exact only). time: the old name of epoch."),             \
        OPTION_WORD("sampling", 0, type, member.sampling, "WHO", "auto", SAMPLING_WORDS,                               \
                    "Who samples neighbours, with policy hotset. gpu: the GPUs, from lists in their memory and the "   \
                    "host's. cpu: the CPU, whose blocks are copied; GPUs hold features alone. auto: whichever is "     \
                    "better by the objective."),                                                                       \
        OPTION_REAL("time-limit", 0, type, member.time_limit, "SECONDS", "0", 0, 0,                                    \
                    "Time limit of each linear program of policy exact and of --bound; at the limit the best "         \
                    "solution so far is used. 0: no limit; only then are results the same on every machine.")

/* Of commands that are quick unless --exact is given. */
#define QUICK_STUDY_PARAMS(type, member) STUDY_PARAMS(type, member), OPTION_EXACT(type, member.exact)

/* Says on stderr that each given option among the rows that set args' member at `offset` (of `bytes` bytes) is ignored,
 * and why ("the trace T states its own"). */
void options_say_ignored(const struct call *call, size_t offset, size_t bytes, const char *why);
/* Says on stderr when --fanout is given for a sampler that takes none, and what a time window is taken for. */
void options_say_workload(const struct call *call, const struct workload_args *a);
/* Opens a graph of any kind to plan on, with the union of its relations (graph_union.h). ST_INPUT where it has no
 * training vertices and several types; errors of graph_open_any and graph_join. */
enum st options_graph(const char *path, int threads, struct graph *out, struct err *err) MUST_USE;
/* Opens the plan directory `path` and its graph, of any kind: the directory `graph`, or the one that the plan states
 * (NULL). plan, g: zeroed; to be released by the caller, also after an error. Errors of plan_graph_path, graph_open_any
 * and plan_load. */
enum st options_plan(const char *path, const char *graph, int threads, struct graph *g, struct plan *plan,
                     struct err *err) MUST_USE;
/* The same for a graph that may differ from the plan's as plan_load_changed allows (change NULL: in nothing); joined
 * where the training set does. */
enum st options_plan_changed(const char *path, const char *graph, int threads, struct graph *g,
                             struct plan_change *change, struct plan *plan, struct err *err) MUST_USE;
/* For graphs of several types: refuses every option on the command line that is not in `known` (NULL-ended). ST_USAGE
 * names it. */
enum st options_only(const struct call *call, const char *const *known, struct err *err) MUST_USE;
/* The workload that the options describe on that graph. ST_USAGE. */
enum st options_workload(const struct call *call, const struct workload_args *a, const struct graph *g,
                         struct workload *out, struct err *err) MUST_USE;
/* True when the options ask for a planned order. */
static inline bool options_order_auto(const struct workload_args *a)
{
    return a->how.order && !strcmp(a->how.order, "auto");
}
/* Options of a study from arguments; pointers are borrowed. w: the workload, planning seed included. ST_USAGE for
 * values that do not fit each other; ST_INPUT for a calibration file that cannot be read. */
enum st study_options_make(struct call *call, const struct study_args *a, const struct graph *g, const struct server *s,
                           const struct kernels *k, const struct workload *w, struct study_options *out,
                           struct err *err) MUST_USE;
/* *out: the backend for --device; resolves "auto" in call->common.device to the one taken, for stamps. ST_MISSING
 * without the device. */
enum st options_kernels(struct call *call, const struct kernels **out, struct err *err) MUST_USE;
/* Says on stderr how large mini-batches with all neighbours may be, and why the CPU draws them although a GPU was
 * chosen; nothing otherwise. */
void options_say_sampler(const struct call *call, const struct kernels *k, const struct graph *g,
                         const struct workload *w);
/* Says on stderr that a GPU's share of `train` vertices per epoch is less than a mini-batch; server: its name, gpus:
 * that train. Returns whether it was said. Workloads of edges have no such share. */
bool options_say_batch(const struct call *call, const char *server, int gpus, double train, const struct workload *w);
/* Says on stderr how a GPU drew the mini-batches; nothing when none did. */
void options_say_drawn(const struct call *call, const struct sampling_facts *facts);
/* What training takes of a GPU: by --reserve, else by mini-batches that are drawn. Errors of reservation_given and
 * reservation_draw. */
enum st options_reservation(const struct study_args *a, const struct graph *g, const struct server *s,
                            const struct workload *w, struct reservation *out, struct err *err) MUST_USE;
/* Says on stderr how much GPU memory is reserved for training, and why; explain: every term with its formula on a line
 * of its own. */
void options_say_reservation(const struct call *call, const struct reservation *r, bool explain);
/* Refuses a budget that this server cannot have, with the errors of budget_bytes, before anything is recorded; warns of
 * one that is more than a GPU's memory. */
enum st options_budget(const struct call *call, const struct budget *b, const struct server *s, const struct graph *g,
                       const struct reservation *r, struct err *err) MUST_USE;

#endif
