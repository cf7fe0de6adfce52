/* premises_of.h - what a command took for its answer, as premises (base/premises.h): of the graph, of what is trained
 * and sampled, of the server.
 *
 * A command adds what it used, weighs it by the epochs that it timed, and ends with premises_end, which says what is
 * assumed or, under --strict, refuses it.
 */
#ifndef PLANNER_OPTIONS_PREMISES_OF_H
#define PLANNER_OPTIONS_PREMISES_OF_H

#include "base/cmd.h"
#include "base/premises.h"
#include "hwprofiles/model/server.h"
#include "planner/engine/budget.h"
#include "simulator/movement/epoch_args.h"
#include "traces/graph/graph.h"
#include "traces/sampling/workload.h"

/* Feature rows; with training vertices. */
void premises_of_rows(struct premises *p, const struct graph *g);
void premises_of_graph(struct premises *p, const struct graph *g);
/* Fan-outs, mini-batches, what a hop expands, how neighbours are drawn where the graph has weights. trace: the trace or
 * plan that states the workload, whatever options say; NULL: options do. */
void premises_of_workload(struct premises *p, const struct call *call, const struct graph *g, const struct workload *w,
                          const char *trace);
/* The model that is timed, and how its stages overlap. trained: in a precision that can be asked for. */
void premises_of_model(struct premises *p, const struct call *call, const struct epoch_args *timing, bool trained);
/* That GPUs with NVLinks read each other's memory, which depends on the runtime. */
void premises_of_reach(struct premises *p, const struct call *call, const struct server *s);
/* How graph and rows lie in the memory of a host: bytes of an id, and in how many copies. matters: whether ids of 8
 * bytes and a copy per GPU would not fit. */
void premises_of_host(struct premises *p, const struct call *call, int id_bytes, int copies, bool matters);
/* Rates, links, who shares an uplink. name: as the user named it; a shipped profile's numbers are the profile's. */
void premises_of_server(struct premises *p, const struct server *s, const char *name);
/* GPU memory and what training takes of it, where no budget is given. given: --reserve was. */
void premises_of_memory(struct premises *p, const struct server *s, const char *name, const struct reservation *r,
                        bool given);

/* A plan that may be the answer. NaN: not known. */
struct premises_case {
    double stage[ALL_STAGES]; /* seconds of an iteration */
    double unoverlapped;      /* NaN: stages follow each other */
    bool cpu_samples;
    double features; /* share of the transactions that are left */
};
/* Sets how far each premise moves an epoch of this plan, or raises it: a rate moves its whole stage, so this is an
 * upper bound. Call it once for every plan that may be the answer. */
void premises_weigh(struct premises *p, const struct premises_case *of);
/* The same for a plan that was simulated, and for a row of results/1. */
void premises_weigh_plan(struct premises *p, const struct plan *plan);
void premises_weigh_row(struct premises *p, const doc *row);
/* Says in one line what is assumed and matters; strict: refuses the answer with it instead, ST_INPUT. */
enum st premises_end(const struct call *call, const struct premises *p, bool strict, struct err *err) MUST_USE;

#define OPTION_STRICT(type, at)                                                                                        \
    OPTION_FLAG("strict", type, at,                                                                                    \
                "Refuse to answer where something that nobody stated may move the answer by more than 1 % (exit code " \
                "3), instead of saying so.")

#endif
