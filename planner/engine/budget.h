/* budget.h - how much GPU memory a plan may use: what the user asked for, in bytes per GPU, and what training takes.
 *
 * A budget is parsed from a word (no graph or server needed), then worked out for a server and a graph by budget_bytes,
 * which is the one place that refuses it.
 */
#ifndef PLANNER_ENGINE_BUDGET_H
#define PLANNER_ENGINE_BUDGET_H

#include "hwprofiles/model/server.h"
#include "traces/graph/graph.h"
#include "traces/sampling/workload.h"

enum { BUDGET_LIST_MAX = 64 };

enum budget_kind {
    BUDGET_BYTES,
    BUDGET_SHARE,    /* "5%": of the graph's topology and feature bytes */
    BUDGET_VERTICES, /* "5%V": feature rows of 5 % of the vertices (the papers' cache ratio) */
    BUDGET_MEMORY    /* none given: GPU memory minus the reservation */
};

struct budget {
    enum budget_kind kind;
    uint64_t bytes; /* BUDGET_BYTES */
    double percent; /* BUDGET_SHARE, BUDGET_VERTICES */
    bool clique;    /* for a whole clique, divided evenly among its GPUs; otherwise per GPU */
    char text[32];  /* as the user wrote it */
};

/* Reads one word: "16GiB", "4096", "5%", "5%V". clique: it is for a whole clique. name: of the option, for messages.
 * ST_USAGE. */
enum st budget_parse(const char *text, bool clique, const char *name, struct budget *out, struct err *err) MUST_USE;
/* Reads "1%,2%,5%" into out: [BUDGET_LIST_MAX]. ST_USAGE. */
enum st budget_list(const char *text, bool clique, const char *name, struct budget *out, int *count, struct err *err)
    MUST_USE;

/* Whether two words mean the same budget: "1GiB" and "1024MiB". */
bool budget_same(const struct budget *a, const struct budget *b);

/* The bytes that a size or a share means on this graph; 0 for BUDGET_MEMORY. */
uint64_t budget_of_graph(const struct budget *b, const struct graph *g);

/* ST_USAGE for a number without a unit that does not hold one feature row: its unit was forgotten. name: of the option.
 */
enum st budget_check_unit(const struct budget *b, const char *name, const struct graph *g, struct err *err) MUST_USE;

/* What training takes of each GPU, in bytes: terms with their formulas, numbers filled in. */
enum { RESERVATION_TERMS = 12 };
struct reservation_term {
    const char *name;
    uint64_t bytes;
    char formula[200];
};
struct reservation {
    uint64_t total;
    bool given; /* with --reserve: one term, or what was measured and a margin */
    int terms;  /* 0: only total counts */
    struct reservation_term term[RESERVATION_TERMS];
};
/* One mini-batch: distinct vertices, those of inner layers, draws. */
struct reservation_batch {
    double vertices, inner, draws;
    bool drawn; /* from mini-batches; else the largest one possible, beside which an allocator needs no more */
};
/* *out: model, optimizer, activations, input rows, sampled blocks, workspace, what an allocator keeps, CUDA context,
 * NCCL of `gpus` GPUs, a margin of 10 % and the plan's look-up of rows, for a GraphSAGE (or GCN, which needs less) of
 * `hidden` channels. An upper bound: the largest mini-batch, as if no two draws gave the same vertex. Of g only
 * vertices, dimension and row bytes matter. */
void reservation_estimate(const struct graph *g, const struct workload *w, uint64_t hidden, int gpus,
                          struct reservation *out);
/* *out: the largest of some mini-batches of g that are drawn, for batches of `seeds` seeds, as if no two draws of a
 * larger one met. Errors of sampler_new. */
enum st reservation_draw(const struct graph *g, const struct workload *w, double seeds, struct reservation_batch *out,
                         struct err *err) MUST_USE;
/* The same for a mini-batch whose size is known. */
void reservation_of_batch(const struct graph *g, const struct workload *w, uint64_t hidden, int gpus,
                          struct reservation_batch b, struct reservation *out);
/* Reads --reserve: a measured SIZE; "pagraph": PaGraph's rule, what training uses (the estimate) and 1 GiB;
 * "pagraph:SIZE": a measured SIZE and 1 GiB. *out holds the estimate before the call. ST_USAGE for other words. */
enum st reservation_given(const char *text, struct reservation *out, struct err *err) MUST_USE;
/* {total_bytes, given, terms[]{name, bytes, formula}}. The caller frees it. */
doc *reservation_document(const struct reservation *r);

/* bytes[g]: the budget of every GPU (a position). ST_USAGE beyond 32 PiB, and of budget_check_unit; ST_INPUT when a
 * GPU's memory is not known but needed; ST_NO, with the bytes that are missing, when the reservation leaves nothing. */
enum st budget_bytes(const struct budget *b, const struct server *s, const struct graph *g, const struct reservation *r,
                     uint64_t bytes[SERVER_GPUS_MAX], struct err *err) MUST_USE;

#endif
