/* options.h - option rows that several commands share: what is trained, what is recorded, what is simulated. */
#ifndef PLANNER_STUDY_OPTIONS_H
#define PLANNER_STUDY_OPTIONS_H

#include <string.h>

#include "base/cmd.h"
#include "hwprofiles/model/server_reach.h"
#include "planner/partition/deal.h"
#include "planner/study/resume.h"
#include "planner/study/study.h"
#include "traces/sampling/seeds.h"

struct workload_args {
    struct int_list fanout;
    int64_t batch;
    const char *frontier;
    struct sampler_args how;
};

#define WORKLOAD_PARAMS(type, member)                                                                                  \
    OPTION_LIST("fanout", 0, type, member.fanout, "LIST", "25,10", 1, FANOUT_MAX,                                      \
                "Neighbours drawn per vertex, hop by hop from the seeds; for layer-wise, draws per hop; not used by "  \
                "walk."),                                                                                              \
        OPTION_INTEGER("batch", 0, type, member.batch, "N", "8000", 1, UINT32_MAX,                                     \
                       "Training vertices (or edges) per mini-batch and GPU."),                                        \
        OPTION_WORD("frontier", 0, type, member.frontier, "RULE", "new", "new|all",                                    \
                    "Vertices that a hop expands: those first seen in the previous hop (PyG, Legion), or all seen so " \
                    "far (DGL)."),                                                                                     \
        OPTION_WORD("sampler", 0, type, member.how.sampler, "NAME", "uniform", SAMPLER_WORDS,                          \
                    "How neighbours are drawn: uniformly; biased by weights.npy; layer-wise, from all rows of the "    \
                    "frontier; by random walks with restart; labor, with random numbers that all vertices of a hop "   \
                    "share, so that a mini-batch has fewer rows."),                                                    \
        OPTION_TEXT("labor-iterations", 0, type, member.how.labor_iterations, "N", NULL,                               \
                    "Importance iterations of --sampler labor, 0 to 50, or '*': until one lowers the expected rows "   \
                    "by less than 0.01 %; each passes over the rows again [default: 0]."),                             \
        OPTION_INTEGER("batch-dependency", 0, type, member.how.batch_dependency, "K", NULL, 1, BATCH_DEPENDENCY_MAX,   \
                       "Mini-batches over which the random numbers of --sampler labor change gradually, so that "      \
                       "a mini-batch reads rows of the one before; helps dynamic caches [default: 1]."),               \
        OPTION_FLAG("layer-dependency", type, member.how.layer_dependency,                                             \
                    "All hops of a mini-batch share the random numbers of --sampler labor."),                          \
        OPTION_INTEGER("walks", 0, type, member.how.walks, "N", NULL, 1, WALKS_MAX,                                    \
                       "Random walks per seed, for --sampler walk [default: 10]."),                                    \
        OPTION_INTEGER("walk-length", 0, type, member.how.walk_length, "N", NULL, 1, HOPS_MAX,                         \
                       "Steps of a random walk [default: 3]."),                                                        \
        OPTION_TEXT("restart", 0, type, member.how.restart, "P", NULL,                                                 \
                    "Probability that a step of a walk returns to its seed [default: 0.5]."),                          \
        OPTION_WORD("seeds", 0, type, member.how.seeds, "WHAT", "vertices", "vertices|edges",                          \
                    "What a mini-batch starts from: training vertices, or the end points of edges in their rows "      \
                    "(link "                                                                                           \
                    "prediction)."),                                                                                   \
        OPTION_TEXT("order", 0, type, member.how.order, "HOW", "shuffle",                                              \
                    "Order of a GPU's training vertices in an epoch. shuffle; blocks:K: K stretches of communities, "  \
                    "in random order, share a mini-batch, so that it reads fewer rows and is less random the smaller " \
                    "K is; bfs: breadth-first from a random place (BGL); auto: policies that plan the deal take the "  \
                    "order with the fewest predicted transactions, others shuffle."),                                  \
        OPTION_TEXT("edge-share", 0, type, member.how.edge_share, "S", NULL,                                           \
                    "Share of the edges to train on, for --seeds edges [default: 0.8].")

struct study_args {
    const char *deal, *parts, *partition; /* deal NULL: auto */
    const char *reach;                    /* NULL: each policy's own */
    int64_t presample_epochs, simulate_epochs, simulate_seed;
    const char *reserve, *objective;
    double time_limit;
    bool bound;
    struct epoch_args timing;
    struct resume_args resume;
};

#define STUDY_PARAMS(type, member)                                                                                     \
    OPTION_INTEGER("presample-epochs", 0, type, member.presample_epochs, "K", "4", 1, 10000,                           \
                   "Epochs to record when no trace is given."),                                                        \
        OPTION_INTEGER("simulate-epochs", 0, type, member.simulate_epochs, "K", "-1", -1, 10000,                       \
                       "Held-out epochs to simulate; -1: enough for 200 mini-batches (1 to 8); 0: none."),             \
        OPTION_INTEGER("simulate-seed", 0, type, member.simulate_seed, "N", "-1", -1, INT64_MAX,                       \
                       "Seed of the held-out epochs; -1: derived from --seed."),                                       \
        OPTION_WORD("deal", 0, type, member.deal, "HOW", "auto", DEAL_WORDS,                                           \
                    "How training vertices are shared out among GPUs. clique: a part of the graph per clique, at "     \
                    "random inside; gpu: a part per GPU; nested: a part per clique, cut into one per GPU; global: "    \
                    "at random. auto: the policy's own; policies hotset, exact and oracle take the deal with the "     \
                    "fewest predicted transactions."),                                                                 \
        OPTION_TEXT("parts", 0, type, member.parts, "FILE", NULL,                                                      \
                    "Parts of the graph from another program instead of --partition: METIS .part.K, lines of vertex "  \
                    "and part, or .npy; as many parts as GPUs, or as cliques."),                                       \
        OPTION_WORD("partition", 0, type, member.partition, "HOW", "auto", PARTITION_WORDS,                            \
                    "How the graph is split between cliques or GPUs. auto: METIS up to 33 million arcs, else "         \
                    "multilevel. multilevel: clusters by levels, METIS for the coarsest. reads: then moves training "  \
                    "vertices so that fewer rows are read and GPUs gather equally many. lp: label propagation, least " \
                    "memory. metis-sampled: METIS on 25 % of the edges, or as many as fit 16 GiB."),                   \
        OPTION_WORD("reach", 0, type, member.reach, "HOW", NULL, REACH_WORDS,                                          \
                    "How far a GPU reads: its own memory; direct NVLinks; forward: also over other GPUs, which pass "  \
                    "rows on; p2p: also over PCIe from GPUs below the same switch. Policies whose system cannot are "  \
                    "marked [default: direct; dsp forwards]."),                                                        \
        OPTION_TEXT("reserve", 0, type, member.reserve, "SIZE", NULL,                                                  \
                    "GPU memory reserved for training when no budget is given: a measured size; or pagraph[:SIZE], "   \
                    "what training uses (SIZE) and 1 GiB [default: estimated from model, batch and fan-outs]."),       \
        EPOCH_PARAMS(type, member.timing), RESUME_PARAMS(type, member.resume),                                         \
        OPTION_FLAG("bound", type, member.bound,                                                                       \
                    "Also prove a lower bound of the transactions that any placement can be expected to leave, and "   \
                    "print the plan's gap to it (needs GLPK)."),                                                       \
        OPTION_WORD("objective", 0, type, member.objective, "WHAT", "total", "total|slowest",                          \
                    "What policy exact minimises: all transactions, or those of the busiest PCIe switch."),            \
        OPTION_REAL("time-limit", 0, type, member.time_limit, "SECONDS", "0", 0, 0,                                    \
                    "Time for each program of policy exact and of --bound, after which the best solution so far is "   \
                    "taken; 0: no limit (only then are results equal on every machine).")

/* Says on stderr that each given option among the rows that set args' member at `offset` (of `bytes` bytes) is ignored,
 * and why ("the trace T states its own"). */
void options_say_ignored(const struct call *call, size_t offset, size_t bytes, const char *why);
/* Says on stderr when --fanout is given for a sampler that takes none. */
void options_say_fanout(const struct call *call, const struct workload_args *a);
/* The workload that the options describe. ST_USAGE. */
enum st options_workload(const struct call *call, const struct workload_args *a, struct workload *out, struct err *err)
    MUST_USE;
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
/* Says on stderr why the CPU draws the mini-batches although a GPU was chosen; nothing otherwise. */
void options_say_sampler(const struct call *call, const struct kernels *k, const struct workload *w);
/* Says on stderr how a GPU drew the mini-batches; nothing when none did. */
void options_say_drawn(const struct call *call, const struct sampling_facts *facts);
/* Says on stderr how much GPU memory is reserved for training, and why; explain: every term with its formula on a line
 * of its own. */
void options_say_reservation(const struct call *call, const struct reservation *r, bool explain);
/* Refuses a budget that this server cannot have, with the errors of budget_bytes, before anything is recorded; warns of
 * one that is more than a GPU's memory, or whose unit was forgotten. */
enum st options_budget(const struct call *call, const struct budget *b, const struct server *s, const struct graph *g,
                       const struct reservation *r, struct err *err) MUST_USE;
/* Estimates the memory of the study's stages before any is taken: says so on stderr from 1 GiB on. ST_LIMIT, with the
 * stage and what would take less, when a stage exceeds --memory. */
enum st options_say_memory(const struct call *call, const struct study_options *o, const struct study_cell *cells,
                           int count, struct err *err) MUST_USE;

#endif
