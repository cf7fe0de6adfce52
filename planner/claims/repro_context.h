/* repro_context.h - what figures of papers are measured with: their graphs (given, or stand-ins made on demand),
 * comparisons, coverage of orders.
 *
 * A stand-in has the published data set's arcs times scale / arcs, aimed at REPRO_ARCS * the user's factor, so its
 * average degree, feature size and training share are the paper's and only vertices and arcs shrink. Mini-batches
 * shrink by the same factor (to one training vertex at least), so an epoch has as many of them as the paper's, and a
 * mini-batch covers as large a share of the graph; budgets are shares of the graph. All numbers come from epochs of
 * the held-out seed. Results do not depend on threads.
 *
 * Figures are measured side by side: each in a part of the context (repro_part) with data of its own; graphs are
 * shared, and made by the first that asks.
 */
#ifndef PLANNER_CLAIMS_REPRO_CONTEXT_H
#define PLANNER_CLAIMS_REPRO_CONTEXT_H

#include "base/cmd.h"
#include "planner/study/compare.h"
#include "planner/claims/figure_data.h"

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
    const char *folder;        /* stand-ins go to folder/graphs */
    const char *given;         /* "products=DIR,reddit=DIR2" or NULL */
    const char *changes;       /* --change, or NULL (changes.h) */
    double factor;             /* --scale */
    int seeds;                 /* --seeds: the seed of the call and the next ones */
    struct repro_store *store; /* owned by the context, borrowed by its parts */
    /* Of a part: */
    bool stand_ins_only;                /* given graphs are not used */
    int used[REPRO_GRAPHS], used_count; /* numbers of the graphs that its figure asked for, in that order */
    struct figure_data *data;           /* of its figure, owned */
};

/* folder must exist. *repro: zeroed by the caller; repro_close is to be called whatever the result. ST_USAGE for
 * `given` graphs with unknown names, ST_INPUT when they cannot be read. */
enum st repro_open(struct repro *repro, const struct call *call, const char *folder, const char *given,
                   const char *changes, double factor, int seeds, struct err *err) MUST_USE;
/* Closes the graphs; zeroed is allowed, and parts are not. */
void repro_close(struct repro *repro);
/* *out: a part for one figure and one seed: empty data, no graph used, so many threads. One thread uses a part; several
 * parts may be used at a time. ST_LIMIT for memory. End it with repro_part_end, whatever the result. */
enum st repro_part(const struct repro *repro, int threads, int64_t seed, struct repro *out, struct err *err) MUST_USE;
/* Frees the part's data and adds its stages to the context's. One part at a time. */
void repro_part_end(struct repro *repro, struct repro *part);
/* [{name, given, scale, vertices, edges, train_vertices, feature_bytes_per_row}] of the graphs that the part's figure
 * used. The caller frees it. */
doc *repro_graphs_document(const struct repro *repro);

/* What is trained on which graph; batch is the paper's. */
struct repro_setup {
    const char *set;
    double train_share;
    uint64_t batch;
    struct int_list fanout;
    enum frontier_rule frontier;
    int64_t presample_epochs;                  /* 0: 4 */
    int64_t hidden;                            /* 0: 256 */
    const char *servers, *policies, *budgets;  /* repro_compare: as on the command line */
    const char *hotness, *reserve, *cpu_share; /* likewise, or NULL */
    const char *model, *prefetch, *unoverlapped;
    int64_t classes;        /* 0: 64 */
    bool full_size;         /* repro_cells: epoch times are those of the published graph and mini-batch */
    uint64_t element_bytes; /* repro_cells: of an element of a stand-in's features; 0: as the stand-in has it */
    bool biased;            /* repro_cells: neighbours are drawn by weights, random ones where the graph has none */
};
#define REPRO_LEGION .batch = 8000, .fanout = {2, {25, 10}}, .train_share = 0.1
#define REPRO_PAGRAPH .batch = 6000, .fanout = {2, {2, 2}}, .frontier = FRONTIER_LAYERS, .train_share = 0.65

/* *out: the graph of a data set with that share of training vertices, given or generated on demand; borrowed. ST_LIMIT
 * without disk or memory. */
enum st repro_graph(struct repro *repro, const char *set, double train_share, const struct repro_graph **out,
                    struct err *err) MUST_USE;
/* *out: what is trained on that graph, its mini-batch scaled. ST_USAGE for a set-up that is wrong. */
enum st repro_workload(const struct repro *repro, const struct repro_setup *u, const struct repro_graph *g,
                       struct workload *out, struct err *err) MUST_USE;

/* Rows of results/1 of servers x budgets x policies, simulated; the caller frees *rows. */
enum st repro_compare(struct repro *repro, const struct repro_setup *u, doc **rows, struct err *err) MUST_USE;
/* The row of that server, policy and budget (NULL: any); NULL when there is none. */
const doc *repro_row(const doc *rows, const char *server, const char *policy, const char *budget);
/* A number of a row's simulation ("feature_hit_rate"); NaN when the row is missing or has no numbers. */
double repro_value(const doc *row, const char *key);
/* Seconds of an epoch by the simulation's model of time, pipelined, as at full size: all stages shrink with the
 * mini-batch but the exchange of the model's weights (HyScale-GNN, equation 13), which is therefore counted `scale`
 * times. NaN where no time is stated. */
double repro_epoch_seconds(const doc *row, double scale);
/* The same without the stage of sampling, for systems whose paper states no sampling rate. */
double repro_epoch_beside_sampling(const doc *row, double scale);
/* Whether the policy ran out of memory in that row. */
bool repro_out_of_memory(const doc *row);
/* Plans and simulates cells on the server u->servers; the caller has set policy, options and budget of each. out: an
 * array of {status, predicted, simulated (with everything that a plan states), cliques, stated}, in order;
 * u->policies and u->budgets are not used. */
enum st repro_cells(struct repro *repro, const struct repro_setup *u, struct study_cell *cells, int count, doc **out,
                    struct err *err) MUST_USE;
/* A server file whose GPU and host memories are `scale` of the shipped profile's; path[PATH_BYTES] to name it by. */
enum st repro_scaled_server(struct repro *repro, const char *name, double scale, char path[PATH_BYTES], struct err *err)
    MUST_USE;
/* The same with `gpus` GPUs without NVLink, each a copy of the profile's first with a switch of its own. */
enum st repro_wider_server(struct repro *repro, const char *name, int gpus, char path[PATH_BYTES], struct err *err)
    MUST_USE;

/* Share of feature-row reads on one GPU in held-out epochs that go to the top share[k] of the vertices by each
 * metric, of `hotness list`, or "optimal", the held-out counts themselves. covered: [metrics][shares]; loaded (may be
 * NULL): feature rows read per epoch. */
enum st repro_coverage(struct repro *repro, const struct repro_setup *u, const char *const *metrics, int metric_count,
                       const double *share, int share_count, double *covered, double *loaded, struct err *err) MUST_USE;
/* Share of the PCIe transactions of one kind that a cache of `share` of that kind's bytes takes away on one GPU,
 * filled in the order of pre-sampling; held out. reduced: [count]; bytes: [count] what was filled, or NULL. */
enum st repro_reduction(struct repro *repro, const struct repro_setup *u, bool topology, const double *share, int count,
                        double *reduced, double *bytes, struct err *err) MUST_USE;

#endif
