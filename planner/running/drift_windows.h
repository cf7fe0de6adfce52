/* drift_windows.h - a training set that changes, window by window.
 *
 * A graph with times of arcs: windows hold equally many arcs in the order of time, and a training vertex is in every
 * window in which an arc of its row came, with the time of the last of them as its own. With times of vertices alone:
 * windows hold equally many training vertices. Windows may
 * have the same width in time instead. Without times: window t trains a share of the training vertices of every
 * type, taken from the circle of their ids, t / windows of the way around.
 */
#ifndef PLANNER_RUNNING_DRIFT_WINDOWS_H
#define PLANNER_RUNNING_DRIFT_WINDOWS_H

#include "traces/graph/graph.h"

enum { DRIFT_WINDOWS_MOST = 1000 };
struct drift_windows {
    int count;
    int64_t width; /* in time; 0: of equally many arcs or training vertices */
    bool timed;
    int64_t until[DRIFT_WINDOWS_MOST]; /* last time of a window; timed */
};
/* Finds so many windows; or, with a width above 0, as many of that width in time as there are from the first time on.
 * ST_USAGE when there are too few training vertices or times for so many, no times for a width, or it gives fewer than
 * 2 or more than DRIFT_WINDOWS_MOST; ST_LIMIT. */
enum st drift_windows_make(const struct graph *g, int count, int64_t width, struct drift_windows *out, struct err *err)
    MUST_USE;
/* What one window trains; owned. */
struct drift_window {
    uint8_t *part;  /* [n] 1: the vertex, numbered over all types, trains */
    int64_t *times; /* [n] of vertices as seeds; NULL: those of the graph */
    uint64_t count;
};
/* share: of the training vertices of every type, without times. ST_USAGE when nobody trains in it; ST_LIMIT. */
enum st drift_window_make(const struct graph *g, const struct drift_windows *w, int number, double share,
                          struct drift_window *out, struct err *err) MUST_USE;
void drift_window_release(struct drift_window *w); /* zeroed is allowed */

#endif
