/* plan_lists.h - how plan.json states lists of rows, and the lists of the GPUs. Private to simulator/plan; the format
 * is in plan.h.
 *
 * There is a list per table (traces/graph/rows.h). The two of a plain graph are members of their owner by kind, and
 * both are always there; those of several types are named entries of an array, without the empty ones.
 */
#ifndef SIMULATOR_PLAN_PLAN_LISTS_H
#define SIMULATOR_PLAN_PLAN_LISTS_H

#include "simulator/plan/plan.h"
#include "simulator/plan/plan_ids.h"

/* Where the lists of `owner` (a GPU, a memory) are added: of several types its new member `lists`. Borrowed. */
doc *plan_lists_new(const struct graph *g, doc *owner);
/* Adds the list of a table there: {file, count, bytes}. Borrowed. */
doc *plan_lists_add(const struct graph *g, doc *lists, int table, const char *file, uint64_t count, uint64_t bytes);
/* Finds the list of every table that `owner` states; NULL: none. whose: the owner, for messages. ST_INPUT for a list of
 * rows that the graph does not have, or two of the same. */
enum st plan_lists_find(const struct graph *g, const doc *owner, const char *whose, const char *where,
                        const doc *list[GRAPH_TABLES_MAX], struct err *err) MUST_USE;

/* Writes the training vertices, the circle and the rows of GPU g, and adds them to its entry `gpu` of plan.json and to
 * files. ST_LIMIT when the disk is full. */
enum st plan_lists_save(const struct plan *p, const struct graph *graph, int g, const struct output *o, doc *gpu,
                        doc *files, struct err *err) MUST_USE;
/* Reads the training vertices and the rows of GPU g of the plan d in `folder`. where: its plan.json, for messages;
 * seen: [n], work space. ST_INPUT. */
enum st plan_lists_load(const char *folder, const char *where, const doc *d, int g, const struct graph *graph,
                        uint8_t *seen, struct plan *p, struct err *err) MUST_USE;
/* The bytes that are stated of lists must be those of the rows that plan_lists_load read. ST_INPUT. */
enum st plan_lists_check_bytes(const doc *d, const char *where, const struct graph *graph, const struct plan *p,
                               struct err *err) MUST_USE;

/* Sets the element types in which GPUs hold tables to those that plan.json states of several types. where: the file,
 * for messages. ST_INPUT. */
enum st plan_cached_load(const doc *d, const char *where, struct graph *graph, struct err *err) MUST_USE;

#endif
