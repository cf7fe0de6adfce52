/* simulated.h - what a replay counted under a plan: sums, the time model on them, and the member `simulated` of
 * documents. */
#ifndef SIMULATOR_MOVEMENT_SIMULATED_H
#define SIMULATOR_MOVEMENT_SIMULATED_H

#include "simulator/movement/epoch_args.h"

/* Makes *out from the counts of r, which it takes; what was there is freed. bare: of an empty placement, for the epoch
 * without a cache; NULL: it is not asked for. server: NULL when it is not known. *out: owned by the caller, also after
 * an error, which is ST_LIMIT. */
enum st simulated_make(const struct epoch_options *o, const struct server *server, const struct plan *p,
                       struct replay *r, const struct replay *bare, const struct graph *graph, struct simulated **out,
                       struct err *err) MUST_USE;
/* Sets the sums from s->replay, whose other members are zero. ST_LIMIT. */
enum st simulated_sum(const struct plan *p, const struct graph *graph, struct simulated *s, struct err *err) MUST_USE;

/* The counts per epoch and per GPU, with the movement (movement.h) where that is asked for. graph: with weight_bytes of
 * the plan's workload. prediction_error = predicted / simulated - 1; null for dynamic plans, which predict nothing.
 * Counts are those of the GPUs' part where the plan's cpu_share is above 0. Of several types feature_* are rows of
 * vertices and edges together, transactions are rounded table by table, and kinds, tables[] and gpus[].tables[] tell
 * them apart. s: p->simulated, or of p with other caches; NULL: null. Owned by the caller. */
doc *simulated_document(const struct plan *p, const struct simulated *s, const struct graph *graph, bool movement);
void simulated_add(struct simulated_sums *to, const struct simulated_sums *one);
/* What one GPU read; of several types its transactions are rounded table by table. Without bytes moved. */
struct simulated_sums simulated_reader(const struct simulated *s, const struct graph *graph, int g);
/* An entry of gpus[]. */
doc *simulated_gpu(const struct plan *p, const struct simulated *s, const struct graph *graph, int g);
/* The share of reads that no host serves; NaN where nothing is read. */
double simulated_hit(const uint64_t reads[READ_SOURCES]);
/* Of several types: what the GPUs of so many nodes read of a table, or of all tables of a kind (table -1), over the
 * epochs; transactions, and uncached ones, per epoch. */
struct table_reads simulated_reads(const struct simulated *const *of, int nodes, const struct graph *graph, int table,
                                   enum row_kind kind);
/* Of several types: adds kinds and tables[] of what so many nodes read together. */
void simulated_put_tables(const struct simulated *const *of, int nodes, const struct graph *graph, doc *d);

#endif
