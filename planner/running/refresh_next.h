/* refresh_next.h - the next plan of one node or of several: made from a recording of each, chosen, and weighed.
 *
 *     refresh_next_begin, refresh_next_plan, refresh_next_pays (where moving is a decision), refresh_next_weigh, ..
 *
 * The plans of several nodes are refreshed as one: GPUs of every node from its own recording, with the memories below
 * all of them planned together for what they leave. Nodes train in step, so what counts is the transfer stage of the
 * slowest one, and the node that takes longest to load.
 */
#ifndef PLANNER_RUNNING_REFRESH_NEXT_H
#define PLANNER_RUNNING_REFRESH_NEXT_H

#include "planner/running/refresh.h"
#include "planner/engine/study_memories.h"

struct refresh_part {                          /* of a node */
    struct refresh_reads reads[REFRESH_CELLS]; /* of each cell */
    struct refresh_moves moves;                /* from the plan before to the cell that is weighed */
    double gain;                               /* predicted transactions per epoch that it saves against cell 0 */
    struct refresh_pay pay;
};

struct refresh_next {
    struct study_nodes study;
    struct refresh_part *part;             /* [study.nodes] owned */
    struct study_cell cell[REFRESH_CELLS]; /* as it is, refreshed, and the worse way to refresh; `cells` of them */
    int cells, chosen;                     /* chosen: 0 where exchanging rows is not predicted to gain */
    /* Of all nodes: */
    struct refresh_reads reads[REFRESH_CELLS]; /* of the slowest, by cell */
    int slowest[REFRESH_CELLS];                /* its number */
    double gain;
    struct refresh_pay pay; /* without seconds_to_load */
    double epochs;          /* after which moving has paid; NaN: never, or not known */
};

/* Begins it. o: [nodes], with the plan before and the recording of every node, which must outlive it. epochs, move,
 * budget: of refresh_cells. *next: zeroed; refresh_next_end also after an error. Errors of study_nodes_begin_given. */
enum st refresh_next_begin(struct refresh_next *next, const struct study_options *o,
                           const struct memories_request *below, double epochs, double move,
                           const struct budget *budget, struct err *err) MUST_USE;
/* Plans the cells, and chooses. ST_NO where a cell cannot be planned; errors of study_nodes_plan. */
enum st refresh_next_plan(struct refresh_next *next, struct err *err) MUST_USE;
/* What going over to the chosen cell takes and gives. ST_LIMIT. */
enum st refresh_next_weigh(struct refresh_next *next, struct err *err) MUST_USE;
/* Weighs a cell that was chosen, and keeps all rows of GPUs instead, false, where so many epochs do not save what
 * moving takes. Not of cell 0. */
enum st refresh_next_pays(struct refresh_next *next, double epochs, bool *pays, struct err *err) MUST_USE;
void refresh_next_end(struct refresh_next *next); /* zeroed is allowed */

/* Bytes that GPUs of all nodes load, of what was weighed. */
uint64_t refresh_next_bytes(const struct refresh_next *next);

#endif
