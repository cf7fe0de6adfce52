/* redeal_nodes.h - which node trains what when the job of several nodes goes on with another training set.
 *
 * Training vertices are dealt to nodes first, by a cut of the graph that only some of them follow. So the deal stays:
 * vertices that train on go on where they do. New ones, in ascending order, go to the node whose memories hold the most
 * of what they read first, their own rows and those of their neighbours, among the nodes that train less than an equal
 * part of all. Then every node deals its part to its GPUs (redeal.h).
 */
#ifndef PLANNER_ENGINE_REDEAL_NODES_H
#define PLANNER_ENGINE_REDEAL_NODES_H

#include "base/cmd.h"
#include "planner/engine/train_view.h"
#include "simulator/plan/plan.h"

/* *out: g, joined, with what the node of the plan `before` at `path` trains; zeroed, to be released by the caller.
 * Plans of the other nodes are read from the folders beside it. gpus: of a node. ST_INPUT where fewer vertices train
 * than there are GPUs, or a node keeps none; errors of plan_load_changed. */
enum st redeal_nodes(const struct call *call, const char *path, const struct plan *before, const struct graph *g,
                     int gpus, struct train_view *out, struct err *err) MUST_USE;

#endif
