/* budget.h - how much memory a plan may use. */
#ifndef PLANNER_BUDGET_H
#define PLANNER_BUDGET_H

#include "hwprofiles/server.h"
#include "traces/graph.h"
#include "traces/workload.h"

enum { BUDGETS_MAX = 64 };

enum budget_kind {
    BUDGET_BYTES,
    BUDGET_SHARE,    /* "5%": of the graph's topology and feature bytes */
    BUDGET_VERTICES, /* "5%V": feature rows of 5 % of the vertices (the papers' cache ratio) */
    BUDGET_MEMORY    /* none given: GPU memory minus the reservation */
};

struct budget {
    enum budget_kind kind;
    uint64_t bytes;      /* BUDGET_BYTES */
    double percent;      /* BUDGET_SHARE, BUDGET_VERTICES */
    bool clique;         /* for a whole clique, shared out evenly over its GPUs; otherwise per GPU */
    char text[32];       /* as the user wrote it */
};

/* One word: "16GiB", "4096", "5%", "5%V". name: of the option. */
enum st budget_parse(const char *text, bool clique, const char *name, struct budget *out, struct err *err) MUST_USE;
/* "1%,2%,5%". */
enum st budget_list(const char *text, bool clique, const char *name, struct budget *out, int *count, struct err *err) MUST_USE;

/* The bytes that a size or a share is on this graph (0 for BUDGET_MEMORY). */
uint64_t budget_of_graph(const struct budget *b, const struct graph *g);

/* What does not fit the cache: model, optimizer, activations, mini-batches, context, margin. Bytes per GPU. */
struct reservation {
    uint64_t model, activations, inputs, blocks, context, margin, total;
    bool given;           /* by --reserve: only total counts */
};
/* For a GraphSAGE of `hidden` channels on this workload; see the formula of each term in budget.c. */
void reservation_estimate(const struct graph *g, const struct workload *w, uint64_t hidden, struct reservation *out);

/* bytes[g] for every GPU. ST_USAGE beyond 32 PiB; ST_INPUT when a GPU's memory is not known but needed; ST_NO when the reservation leaves nothing. */
enum st budget_bytes(const struct budget *b, const struct server *s, const struct graph *g, const struct reservation *r, uint64_t bytes[SERVER_GPUS_MAX],
                     struct err *err) MUST_USE;

#endif
