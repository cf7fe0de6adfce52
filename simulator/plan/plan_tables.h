/* plan_tables.h - the codec of plan/2: plans of graphs that are not plain. Private to simulator/plan; the format is in
 * plan.h. */
#ifndef SIMULATOR_PLAN_PLAN_TABLES_H
#define SIMULATOR_PLAN_PLAN_TABLES_H

#include "simulator/plan/plan.h"
#include "simulator/plan/plan_ids.h"

/* Parts of plan.json, owned by the caller: an entry of cliques[], `predicted`. */
doc *plan_tables_clique(const struct plan *p, int clique, const struct graph *graph);
doc *plan_tables_predicted(const struct plan *p, const struct graph *graph);
/* Writes the files of GPU g, and adds its entry to gpus and theirs to files. ST_LIMIT when the disk is full. */
enum st plan_tables_save_gpu(const struct plan *p, const struct graph *graph, int g, const struct output *o, doc *gpus,
                             doc *files, struct err *err) MUST_USE;

/* What both codecs write alike. Adds peers, peer_links, switch and socket of GPU g to its entry of gpus[]. */
void plan_put_reach(const struct plan *p, int g, doc *gpu);
/* Writes the circle of GPU g, if it has one: gpu<i>_order.npy, ids among all vertices. ST_LIMIT when the disk is full.
 */
enum st plan_save_circle(const struct plan *p, int g, const struct output *o, doc *gpu, doc *files, struct err *err)
    MUST_USE;

/* Sets the element types in which GPUs hold the tables of graph to those that plan.json states. where: the file, for
 * messages. ST_INPUT. */
enum st plan_tables_cached(const doc *d, const char *where, struct graph *graph, struct err *err) MUST_USE;
/* Reads training vertices and lists of GPU g of the plan directory `folder`. ST_INPUT. */
enum st plan_tables_load_gpu(const char *folder, const char *where, const doc *d, int g, const struct graph *graph,
                             struct plan *p, struct err *err) MUST_USE;
/* The bytes that lists[] state must be those of the rows that plan_tables_load_gpu read. ST_INPUT. */
enum st plan_tables_check_bytes(const doc *d, const char *where, const struct graph *graph, const struct plan *p,
                                struct err *err) MUST_USE;
/* Reads what is expected of every table. ST_LIMIT without memory. */
enum st plan_tables_load_predicted(const doc *d, const struct graph *graph, struct plan *p, struct err *err) MUST_USE;

#endif
