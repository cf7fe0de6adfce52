/* drift.h - how cached rows age when the training set changes window by window, and what keeping up costs.
 *
 * Window 0 is planned; in every later window each scheme serves the window's held-out epochs with the rows that it
 * chose from earlier windows alone:
 *
 * fixed: the plan of window 0. refresh: after each window refreshed from its recording (refresh.h), within a budget of
 * bytes to load. auto: refreshed without such a budget, but only where the seconds by which the transfer stage becomes
 * shorter until the next refresh are more than those of loading (as refresh --auto). replan: a new plan after each
 * window; its rows are loaded where another GPU or none held them. lru, sieve: dynamic caches as large as the feature
 * rows that the plan of window 0 holds, beside its topology rows; they go on from what they served in the window
 * before (graphs of one type). oracle: the best plan of each window that knows it; a reference. All have the same
 * epochs and parts of training vertices, which are made anew for every window: at random, or in parts, which under each
 * scheme go to the GPUs where its plan holds the most of what they read (redeal.h).
 *
 * With memories below the GPUs every plan states what DRAM holds (drift_memories.h); which rows GPUs load pays by the
 * time of reads below them, as in refresh. lru and sieve are left out: memories are planned for lists.
 *
 * Several nodes are cut anew in every window, as 'hotset plan' cuts the window's graph. Which part has which number is
 * chance, so under each scheme a part goes to the node whose memories hold the most of what it reads (redeal.h), and
 * there GPUs exchange theirs. Counts are sums over nodes, as they would be of a plan; times those of the slowest.
 */
#ifndef PLANNER_RUNNING_DRIFT_H
#define PLANNER_RUNNING_DRIFT_H

#include "planner/options/options.h"
#include "planner/running/drift_windows.h"
#include "planner/engine/study_memories.h"

struct drift_options {
    struct study_options study;    /* graph: with all training vertices; of several types joined */
    struct memories_request below; /* the GPUs of every node; nodes 0: one host */
    struct budget budget;
    struct drift_windows windows;
    double share;        /* of the training vertices that a window trains, without times */
    uint64_t epochs;     /* that a window trains: what loads must pay for */
    uint64_t move_bytes; /* of scheme refresh, all GPUs together */
};

/* *out: the document drift/1, owned by the caller: schemes[]{scheme, feature_hit_rate, topology_hit_rate,
 * total_transactions per epoch (mean over windows), transfer_seconds (of an epoch: the busiest link or memory, as
 * refresh counts it; the time of the transactions where the server lacks a rate), bytes_loaded, seconds_loading,
 * seconds_saved (of that stage against fixed, over all windows, less loading), windows[] {window, feature_hit_rate,
 * topology_hit_rate, total_transactions, transfer_seconds, bytes_loaded, seconds_loading}}. With memories also
 * host_memory_bytes, drives, left_out[]{scheme, reason}, of several nodes nodes and network{nic_gbps, cluster}, and in
 * schemes and windows memories{seconds (of reads below the GPUs, per epoch and GPU), ssd{blocks, bytes, seconds} or
 * null, dram{rows_loaded, rows_dropped, bytes_loaded}}, of windows places[], too, as in `simulated` of a plan; then
 * transfer_seconds is that of the SSDs or the network where they take longer, and seconds_loading likewise. Errors of
 * planning and simulation. */
enum st drift_run(const struct drift_options *d, doc **out, struct err *err) MUST_USE;
/* Why a study with memories has no dynamic caches. */
extern const char drift_left_out[];
/* Its table, for people. */
void drift_print(const doc *d, FILE *to);

#endif
