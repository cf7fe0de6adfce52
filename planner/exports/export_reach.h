/* export_reach.h - plans whose GPUs read farther than a runtime does.
 *
 * At --peer-access forward, GPUs pass rows on over several NVLinks, and all GPUs that chains of links join are one
 * clique. Runtimes that spread a tensor over a clique (Quiver, GraphLearn-for-PyTorch, WholeGraph, Legion) read each
 * GPU directly. For them the cliques become those of direct links, or of a PCIe switch where the plan's GPUs read over
 * one
 * (--peer-access p2p): what is exported and how it will run follow from these.
 */
#ifndef PLANNER_EXPORTS_EXPORT_REACH_H
#define PLANNER_EXPORTS_EXPORT_REACH_H

#include "planner/exports/export.h"

/* Makes the cliques of the plan those whose GPUs read each other directly, where others would have to pass rows on;
 * its peers stay, so that the plan itself is simulated as it is. Sets *reach. ST_LIMIT without memory. */
enum st export_reach_narrow(struct plan *p, struct export_reach *reach, struct err *err) MUST_USE;
/* Adds what of the plan's reach the runtime does not have, or has only with peer access over PCIe. */
enum st export_lack_reach(const struct export_input *in, struct export_runs *to, const char *runtime, struct err *err)
    MUST_USE;

#endif
