/* redeal.h - who trains what when a job goes on with another training set.
 *
 * The plan's deal is made again for the new training set: the same kind of assignment, method of partitioning and seed.
 * Which part gets which number is chance, but GPUs hold rows already. So cliques with as many GPUs, and then GPUs
 * inside a clique, exchange parts so that the most bytes of what their training vertices read first, their own rows and
 * those of their neighbours, lie where they train (an assignment problem, solved exactly: partition/match.h). Of
 * several nodes each deals its own part, which `redeal` finds, too.
 */
#ifndef PLANNER_ENGINE_REDEAL_H
#define PLANNER_ENGINE_REDEAL_H

#include "base/cmd.h"
#include "hwprofiles/model/server.h"
#include "simulator/plan/plan_change.h"
#include "traces/recording/trace.h"

/* Says on stderr how the graph differs from that of the plan at `path`; nothing where it does not. */
void redeal_say(const struct call *call, const char *path, const struct graph *g, const struct plan_change *c);

/* *out: the assignment of the training vertices of g, for the GPUs of the plan `before` at `path`. s: the plan's
 * server. Of one node of several it is that of the node's part. Says on stderr what was done. ST_INPUT
 * where s has other GPUs or cliques than the plan; errors of assign_kind and redeal_nodes. */
enum st redeal(struct call *call, const char *path, const struct plan *before, const struct graph *g,
               const struct server *s, struct assignment *out, struct err *err) MUST_USE;

/* The position to[i] that takes the part of position i, by what the GPUs of `held` hold. g: joined. ST_LIMIT. */
enum st redeal_match(const struct graph *g, const struct placement *held, const struct assignment *a, int threads,
                     int to[GPUS_MAX], struct err *err) MUST_USE;
/* The node by[i] that trains part i of several nodes: where the most bytes of what its training vertices read first lie
 * in memories, counted in each GPU and DRAM of the node that has them. g: joined; held: [nodes] plans of the nodes,
 * which are alike; part: [nodes] g with the training vertices of a part. ST_LIMIT. */
enum st redeal_match_nodes(const struct graph *g, const struct plan *const *held, const struct graph *const *part,
                           int nodes, int threads, int *by, struct err *err) MUST_USE;

#endif
