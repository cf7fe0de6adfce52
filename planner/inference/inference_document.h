/* inference_document.h - the document inference/1 of a plan of inference, and its tables for people. */
#ifndef PLANNER_INFERENCE_INFERENCE_DOCUMENT_H
#define PLANNER_INFERENCE_INFERENCE_DOCUMENT_H

#include "planner/inference/inference_plan.h"

#define INFERENCE_SCHEMA "inference/1"

/* What the question is: job, graph, server, model, evaluated set, memories. The caller frees it. */
doc *inference_question_document(const struct inference_question *q);
/* One choice in short: {order, chunk{..}, fits, why, seconds, host_bytes, ssd_bytes, nvlink_bytes, written_bytes,
 * gpu_peak_bytes, host_peak_bytes, ssd_peak_bytes}, of the graph that the question's stands for. The caller frees it.
 */
doc *inference_choice_document(const struct inference_question *q, const struct inference_outcome *o);
/* Adds to d all that follows from the outcome: choice, memory, layers, total. */
void inference_outcome_put(const struct inference_question *q, const struct inference_outcome *o, doc *d);
/* Appends inference_choice_document to the array `to` (struct inference_list); for inference_choose. */
struct inference_list {
    const struct inference_question *q;
    doc *array;
};
void inference_list_add(const struct inference_outcome *o, void *to);

/* Tables of such a document: layers and memory; all choices, when there is more than one. */
void inference_print(const doc *d, FILE *to);

#endif
