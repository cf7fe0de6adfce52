/* repro_context.h - what figures of papers are measured with: their graphs (given, or stand-ins made on demand),
 * policies, coverage of orders.
 *
 * A stand-in has the published data set's arcs times scale / arcs, aimed at REPRO_ARCS * the user's factor, so its
 * average degree, feature size and training share are the paper's and only vertices and arcs shrink. Mini-batches
 * shrink by the same factor (to one training vertex at least), so an epoch has as many of them as the paper's, and a
 * mini-batch covers as large a share of the graph; budgets are shares of the graph. All numbers come from epochs of
 * the held-out seed. Results do not depend on threads.
 *
 * Figures are measured side by side: each in a part of the context, a copy of the struct with a seed and stages of its
 * own; graphs are shared, and made by the first that asks.
 */
#ifndef PLANNER_CLAIMS_REPRO_CONTEXT_H
#define PLANNER_CLAIMS_REPRO_CONTEXT_H

#include "base/cmd.h"
#include "planner/options/options.h"
#include "planner/claims/expression.h"

#define REPRO_ARCS 1.5e6
enum { REPRO_GRAPHS = 256 };

struct repro_graph {
    char set[32];       /* data set: "products" */
    double train_share; /* asked for; of a given graph: what it has */
    double scale;       /* of the published counts; 1 for a given graph */
    bool given;
    int64_t seed;                /* that the stand-in was made with; 0 for a given graph */
    struct partition_memo *memo; /* its parts, found once for all figures; owned */
    struct graph g;
};

/* Graphs that are there; one thread at a time looks them up and makes them. */
struct repro_store {
    int count;
    struct repro_graph graph[REPRO_GRAPHS];
};

struct repro {
    struct call call; /* quiet; a copy of the command's */
    const struct kernels *kernels;
    const char *folder; /* stand-ins go to folder/graphs */
    doc *given;         /* {"products": "DIR"}; owned by the context, borrowed by its parts, as what follows */
    doc *changes;       /* of --change (changes.h) */
    double factor;      /* --scale */
    int seeds;          /* --seeds: the seed of the call and the next ones */
    struct repro_store *store;
    /* Of a part: */
    bool stand_ins_only;                /* given graphs are not used */
    int used[REPRO_GRAPHS], used_count; /* numbers of the graphs that its figure asked for, in that order */
};

/* folder must exist. *repro: repro_close is to be called whatever the result. ST_USAGE for
 * `given` graphs with unknown names, ST_INPUT when they cannot be read. */
enum st repro_open(struct repro *repro, const struct call *call, const char *folder, const char *given,
                   const char *changes, double factor, int seeds, struct err *err) MUST_USE;
/* Closes the graphs; zeroed is allowed, and parts are not. */
void repro_close(struct repro *repro);
/* [{name, given, scale, vertices, edges, train_vertices, feature_bytes_per_row}] of the graphs that the part's figure
 * used. The caller frees it. */
doc *repro_graphs_document(const struct repro *repro);

/* *out: the graph of the row's data set (`set`) and share of training vertices (`train_share`), given or generated on
 * demand; borrowed. ST_LIMIT without disk or memory. */
enum st repro_graph(struct repro *repro, const doc *row, const struct repro_graph **out, struct err *err) MUST_USE;
/* *out: what is trained on that graph by the row, its mini-batch scaled. ST_USAGE for a set-up that is wrong. */
enum st repro_workload(const struct repro *repro, const doc *row, const struct repro_graph *g, struct workload *out,
                       struct err *err) MUST_USE;
/* Policies of rows (objects of one graph, workload and server; paper_figure.h lists their keys), planned together and
 * simulated. Every row gets predicted, simulated (with everything that a plan states), notes (of the policy), time
 * (its epoch_time), stages (of that), out_of_memory, uncached_transactions, machine (the server's file), and link_gbps
 * (of simulated.movement.nvlink.links, at their bytes). let: names of expressions. Errors of making graphs, recording
 * and planning; ST_INPUT for what a row must not say. */
enum st repro_cells(struct repro *repro, doc *rows, const doc *let, struct err *err) MUST_USE;

/* A policy that papers compare with or sweep, and that is none of hotset's list: "replicated" (DGL, GNNLab's
 * T_SOTA), "seen" (the best order of features), "dsp-topology", "dsp-at"; NULL: none. */
const struct policy *baseline_find(const char *name);

#endif
