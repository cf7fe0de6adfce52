/* export.h - what a target of `hotset export` is: one file in exports/, one descriptor (a const struct)
 * `export_target_<file>`, listed by the Makefile.
 *
 * A target writes a folder that a runtime reads, lists what of the plan that runtime cannot honour, and turns the plan
 * into the placement that the runtime will really use, so that the simulation can state the loss. It streams the
 * graph's arrays and never copies them whole. Row v of the graph lists the vertices that v draws from; every target
 * keeps that meaning (CSR of a runtime that walks out-edges, CSC of one that walks in-edges). GPUs are positions
 * 0..gpus-1 as in the plan.
 */
#ifndef PLANNER_EXPORTS_EXPORT_H
#define PLANNER_EXPORTS_EXPORT_H

#include "hwprofiles/model/server.h"
#include "kernels/kernel.h"
#include "planner/exports/export_folder.h"
#include "planner/exports/export_runs.h"
#include "simulator/plan/plan.h"
#include "traces/graph/graph_sets.h"
#include "traces/recording/trace.h"

/* How the GPUs of a clique read each other where no NVLink joins them (export_reach.h). */
struct export_reach {
    bool forwards, over_pcie;
};

struct export_input { /* pointers are borrowed */
    const struct graph *graph;
    const struct plan *plan;
    const struct server *server; /* the plan's server; NULL: not known */
    const struct kernels *kernels;
    const struct trace *trace;  /* of the plan's assignment; NULL unless the target needs one and runs are wanted */
    const struct npy *features; /* [n, dim] of the graph's element size; NULL: not given */
    const char *features_path;
    const struct graph_sets *sets; /* of the graph; zeroed: it has no labels, validation or test vertices */
    struct export_reach reach;     /* of the plan, for targets with cliques */
    double hbm_gbps, pcie_gbps;    /* GB/s of GPU memory and of PCIe, as given by the user; 0: not given */
    int threads;
};

enum { EXPORT_HOLDS_ALL = 1 << PRECISION_F16 | 1 << PRECISION_BF16 | 1 << PRECISION_F8 | 1 << PRECISION_I8 };

struct export_target {
    const char *name, *summary, *source; /* source: the runtime and the version whose files were read */
    const char *alias;                   /* another name, which is accepted; NULL: none */
    bool cliques;                        /* GPUs of a clique read each other directly (export_reach.h) */
    const char *cache;                   /* the dynamic feature cache it can run; NULL: none */
    bool needs_trace;                    /* its runs take a pre-sampling */
    bool labor, order, together;         /* it has LABOR, the plan's order (in its script), --fanout-over vertex */
    bool whole_rows;                     /* a fan-out of -1 takes all neighbours, as in the plan */
    unsigned holds;                      /* elements in which GPUs may hold rows rounded: bits 1 << PRECISION_F16 .. */
    bool places;                         /* it has the memories below the GPUs */
    bool edges;                          /* it has feature rows of edges */
    bool features;                       /* its folder has feature rows: --features writes them there */
    const char *features_from;           /* where it reads them else; NULL: from its own data set */
    const char *one_type;                /* why it reads graphs of one type only; NULL: it reads any */
    const char *install, *build;         /* what to install with pip, to build from source; NULL: nothing */
    struct {                             /* plans made for it (plan --for) */
        const char *keeps;               /* what they keep to; NULL: there are none, and `why` says what to do */
        const char *why;
        const char *policy;                 /* that its own code places by; NULL: hotset, with these limits */
        bool no_topology, clique, all_hops; /* all_hops: it expands all vertices in every hop */
        bool by_cpu;                        /* the CPU samples there, so that no GPU holds topology */
    } made;
    /* Refuses what cannot be exported at all, before any work: ST_NO for a plan, ST_LIMIT for a graph, ST_INPUT for
     * facts of the server that are missing. */
    enum st (*check)(const struct export_input *in, struct err *err);
    /* Writes the files. */
    enum st (*write)(const struct export_input *in, struct export_folder *to, struct err *err);
    /* Adds what it cannot honour (export_lack), then how it will run (export_as_run, at most one). */
    enum st (*runs)(const struct export_input *in, struct export_runs *to, struct err *err);
};

extern const struct export_target *const exports_registered[]; /* NULL-ended */

/* *out: the registered target of that name or alias. ST_USAGE with a did-you-mean; option: opens the sentence. */
enum st export_find(const char *option, const char *name, const struct export_target **out, struct err *err) MUST_USE;

/* ST_LIMIT when n vertices or m edges exceed n_most or m_most, the largest numbers that the target's integers hold. */
enum st export_limits(const char *target, uint64_t n, uint64_t m, uint64_t n_most, uint64_t m_most, struct err *err)
    MUST_USE;

/* Refuses, with `code` and the target's reason, a graph of several types or rows that GPUs hold rounded. what: opens
 * the sentence. */
enum st export_check_graph(const struct export_target *t, const char *what, enum st code, const struct graph *g,
                           struct err *err) MUST_USE;
/* The same for fan-outs that take all neighbours. */
enum st export_check_fanouts(const struct export_target *t, const char *what, enum st code, const struct workload *w,
                             struct err *err) MUST_USE;
/* ST_NO, with the target's reason, for what of the plan would be executed wrongly: several types, rows that GPUs hold
 * rounded, a dynamic cache; then what its check says. plan: its path, for messages. */
enum st export_check(const struct export_target *t, const char *plan, const struct export_input *in, struct err *err)
    MUST_USE;
/* Begins the runs of a plan and adds what the target cannot honour and how it will run: what is said of all targets
 * alike, then its own. Release with export_runs_release. */
enum st export_runs_make(const struct export_target *t, const struct export_input *in, struct export_runs *out,
                         struct err *err) MUST_USE;

/* The plan's training vertices: those of a plain graph's list in its order, then others ascending. *ids: [*count],
 * owned by the caller. owner: [n], set to the position of the GPU that trains v, EXPORT_NOBODY elsewhere. ST_LIMIT
 * without memory. */
enum { EXPORT_NOBODY = 255 };
enum st export_train(const struct export_input *in, uint32_t **ids, uint64_t *count, uint8_t *owner, struct err *err)
    MUST_USE;
/* The lowest vertex that no GPU trains (0 when there is none): fills a set that the runtime requires. */
uint32_t export_stand_in(const struct export_input *in, const uint8_t *owner);

/* All vertices, the hottest first: rows on more GPUs, then by their best slot, then the lower id; rows that nobody
 * holds follow by how many rows list them. order: [n], filled. ST_LIMIT without memory (8 n bytes). */
enum st export_ranking(const struct export_input *in, uint32_t *order, struct err *err) MUST_USE;

/* Streams in->features into `file`; without them notes that the user must add it (bytes and layout). raw: plain rows,
 * else .npy. wide: the runtime reads float32 only; ST_INPUT for features of another type. ST_LIMIT without disk. */
enum st export_features(const struct export_input *in, struct export_folder *to, const char *file, bool raw, bool wide,
                        struct err *err) MUST_USE;

/* Validation or test vertices: those of the graph, or as many as the runtime requires of stand-ins (1). *count: how
 * many; borrowed. one: [1], set to the stand-in. */
const uint32_t *export_set(const struct export_input *in, enum vertex_set set, const uint8_t *owner, uint32_t *one,
                           uint64_t *count);
/* Streams the labels without a header. item: 4 or 8 bytes; a vertex without label has -1. Nothing when the graph has
 * none. ST_LIMIT without disk. */
enum st export_labels_raw(const struct export_input *in, struct export_folder *to, const char *file, int item,
                          struct err *err) MUST_USE;
/* Adds a lack where the graph has no validation or test vertices, so that a stand-in is written. */
enum st export_lack_sets(const struct export_input *in, struct export_runs *to, struct err *err) MUST_USE;
/* Writes the names of the vertices as the graph has them (graph_names.h), and how they are read; without any nothing.
 * ST_LIMIT without disk. */
enum st export_names(const struct export_input *in, struct export_folder *to, struct err *err) MUST_USE;
/* labels.npy (int64, [n]), valid.npy and test.npy (int64 ids), those that the graph has. ST_LIMIT without disk. */
enum st export_sets_npy(const struct export_input *in, struct export_folder *to, struct err *err) MUST_USE;

/* Adds a lack for a sampler, an order, seeds or fan-outs that the runtime does not have, with its cost where it can be
 * simulated; how it will run is then drawn without it. fixed: its fan-outs are compiled in as
 * 25,10. */
enum st export_lack_workload(const struct export_input *in, struct export_runs *to, const char *runtime, bool fixed,
                             struct err *err) MUST_USE;

/* Adds a lack, with its cost, for a plan whose hops go by layers, which the runtime's do not. */
enum st export_lack_frontier(const struct export_input *in, struct export_runs *to, const char *runtime,
                             struct err *err) MUST_USE;

/* Adds a lack, with its cost, where the graph's features are not the float32 that the runtime reads. */
enum st export_lack_types(const struct export_input *in, struct export_runs *to, const char *runtime, struct err *err)
    MUST_USE;

#endif
