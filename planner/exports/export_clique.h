/* export_clique.h - the rows of one clique as one sequence: those of its GPUs, GPU by GPU in fill order, then all
 * others by their ids. Runtimes that spread one tensor over a clique (Quiver, GraphLearn-for-PyTorch, WholeGraph) store
 * rows so.
 */
#ifndef PLANNER_EXPORTS_EXPORT_CLIQUE_H
#define PLANNER_EXPORTS_EXPORT_CLIQUE_H

#include "planner/exports/export_rows.h"

/* order: [n] set to the sequence of `clique`; inverse: [n] set to the place of each row in it. lists: [gpus] feature
 * rows, no row twice in a clique (export_run_once_per_clique). Returns how many rows lie on GPUs. */
uint64_t export_clique_order(const struct assignment *a, const struct row_list *lists, int clique, uint64_t n,
                             uint32_t *order, uint32_t *inverse);
/* "[[0, 1], [2, 3]]": the server's numbers of each clique's GPUs, as Python reads them. size: of out; 1200 hold all. */
void export_cliques_text(const struct assignment *a, char *out, size_t size);
/* Writes gpu<i>_train.npy of every GPU and type that trains, int64, and gpu<i>_order.npy where the plan has another
 * order than shuffle: the circle of traces/sampling/order.h. ST_LIMIT without memory or disk. */
enum st export_train_files(const struct export_input *in, struct export_folder *to, struct err *err) MUST_USE;

/* Writes ids[count] as `stem`.npy, int64: training vertices; of several types a file for each that trains. ST_LIMIT
 * without memory or disk. */
enum st export_train_set(const struct export_input *in, struct export_folder *to, const char *stem, const uint32_t *ids,
                         uint64_t count, struct err *err) MUST_USE;
/* Writes what one clique needs of the rows of one type, each of which lies once in a clique. order, inverse: [n]
 * scratch.
 */
typedef enum st export_clique_writer(const struct export_input *in, struct export_folder *to, int clique,
                                     const struct export_rows *rows, uint32_t *order, uint32_t *inverse, void *own,
                                     struct err *err);
/* Calls it for all cliques of all types with rows, with the plan's rows; then writes the training vertices and the
 * graph's sets. */
enum st export_cliques_write(const struct export_input *in, struct export_folder *to, export_clique_writer *one,
                             void *own, struct err *err) MUST_USE;

/* What a runtime that spreads one tensor over a clique cannot honour, and what each costs: topology rows, reads beyond
 * the clique, several copies in a clique. The texts say why. ST_LIMIT without memory. */
enum st export_clique_lacks(const struct export_input *in, struct export_runs *to, const char *topology,
                            const char *beyond, const char *copies, struct err *err) MUST_USE;
/* Changes a run of the plan to what such a runtime executes: feature rows, once per clique, read inside it. */
enum st export_clique_as_run(const struct export_input *in, struct export_runs *to, struct export_run *run,
                             struct err *err) MUST_USE;

#endif
