/* plan_change.h - how a graph differs from the one that a plan was made for.
 *
 * A job goes on with another training set, or with some edges more or less, on the vertices that it had: its GPUs still
 * hold the plan's rows, so recording, simulating, refreshing and comparing make sense. Everything else takes the plan's
 * own graph. Told apart by fingerprints: that of the graph with the plan's training vertices is the plan's exactly
 * where no edge changed.
 */
#ifndef SIMULATOR_PLAN_PLAN_CHANGE_H
#define SIMULATOR_PLAN_PLAN_CHANGE_H

#include "simulator/plan/plan.h"

enum { PLAN_CHANGE_EDGES = 4 }; /* more than a quarter of the edges more or less: a different graph */
struct plan_change {
    bool other;   /* the graph is not the plan's; else all below is zero */
    bool train;   /* the training set differs */
    bool edges;   /* the edges differ, also where they are as many */
    int64_t more; /* edges that the graph has more than the plan's; negative: fewer */
    uint64_t train_before, train_now, train_shared;
};

/* plan_load for a graph on the plan's vertices, with rows of the plan's shape, whose training set or edges may differ:
 * *change says how. Where they do, the plan's budgets are not held against its rows. threads: for the fingerprint.
 * ST_INPUT where the vertices or feature rows are others (and, of relations with edge features, the edges). Of one node
 * of several, the training set is that of all nodes, whose plans are read from the folders beside it: ST_INPUT where
 * one is not there. */
enum st plan_load_changed(const char *path, struct graph *graph, int threads, struct plan_change *change,
                          struct plan *out, struct err *err) MUST_USE;

/* "the training set differs (60 vertices, 30 of them among the plan's 50), 7 edges fewer", for messages. Returns out.
 */
enum { PLAN_CHANGE_TEXT = 200 };
const char *plan_change_text(const struct plan_change *c, char out[PLAN_CHANGE_TEXT]);

/* ---- for plan_load */

/* Whether rows of g are those of the graph that plan.json states in its member `graph`: as many vertices of every type,
 * feature rows of the same shape, relations of the same names, and as many edges where edges have features. */
bool plan_change_same_rows(const doc *of, const struct graph *g);
/* Adds the plan's training vertices to bits (a bit per vertex), and to train_before. */
void plan_change_add(const struct plan *p, uint64_t *bits, struct plan_change *c);
/* Fills a change of which `other` and `more` are set, when the training vertices of the plan, or of those of all nodes,
 * were added. of: the member `graph`. ST_LIMIT without memory. */
enum st plan_change_find(const uint64_t *bits, const doc *of, const struct graph *g, int threads, struct plan_change *c,
                         struct err *err) MUST_USE;

#endif
