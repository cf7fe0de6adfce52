/* inference_file.h - plan directories of inference: plan.json (inference/1), order.npy (all vertices in the order of
 * chunks), evaluated.npy (unless all are), and of each GPU i gpu<i>_topology.npy (vertices whose topology rows it
 * keeps) and gpu<i>_layer<l>.npy (input rows of layer l that it holds; a layer without files has those of the layer
 * that plan.json names, lists_of). dram_layer<l>.npy: input rows on SSDs that DRAM holds.
 */
#ifndef PLANNER_INFERENCE_INFERENCE_FILE_H
#define PLANNER_INFERENCE_INFERENCE_FILE_H

#include "planner/inference/inference_document.h"

/* Writes d, the document of q and o, and the lists. Takes nothing. Errors of output_directory. */
enum st inference_save(const struct inference_question *q, const struct inference_outcome *o, doc *d, const char *path,
                       struct err *err) MUST_USE;
/* Whether `path` is such a directory. ST_LIMIT. */
enum st inference_is_plan(const char *path, bool *is, struct err *err) MUST_USE;
/* Reads one: q and o are set up for inference_recount. graph, server: NULL: what the plan names. *d: its document,
 * owned by the caller. All zeroed by the caller and released by it, also after an error. ST_INPUT says what is wrong.
 */
enum st inference_load(struct call *call, const char *path, const char *graph, const char *server,
                       struct inference_question *q, struct inference_outcome *o, doc **d, struct err *err) MUST_USE;

#endif
