/* range_options.h - --graph-ranges: a command of several ranks in which each one reads only the vertices that it owns
 * (traces/graph/graph_ranges.h). */
#ifndef PLANNER_OPTIONS_RANGE_OPTIONS_H
#define PLANNER_OPTIONS_RANGE_OPTIONS_H

#include "base/cmd.h"
#include "hwprofiles/model/server.h"
#include "traces/graph/graph_ranges.h"
#include "traces/sampling/workload.h"

/* ST_USAGE, with the reason, where some rank would read all of the graph: for sampling, or to cut it into the parts of
 * the deal `deal`; NULL: a plan assigns the training vertices, nothing is cut. */
enum st range_options_check(const struct workload *w, const char *deal, const struct server *s, struct err *err)
    MUST_USE;
/* Opens this rank's range; *ranges: of all ranks. Errors of graph_open_range; ST_INPUT when another rank has another
 * graph at that path. Close with graph_close. */
enum st range_options_open(const struct call *call, const char *path, struct graph *g, struct graph_ranges *ranges,
                           struct err *err) MUST_USE;
/* States the largest range, and the most of the graph that a rank has in memory now. All ranks must call it. */
enum st range_options_say(const struct call *call, const struct graph *g, const struct graph_ranges *ranges,
                          struct err *err) MUST_USE;

#endif
