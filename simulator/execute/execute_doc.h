/* execute_doc.h - the result of executing a plan as a document (schema executed/1).
 *
 * It always states times and the device, because the command exists to measure. Counts in gpus[].counted have the keys
 * and meanings of simulated.gpus[] in plan.json: rows and visits summed over the mini-batches, transactions per epoch.
 * Totals are per epoch. When only some mini-batches ran, `scaled` is true, and totals are scaled to all mini-batches.
 */
#ifndef SIMULATOR_EXECUTE_EXECUTE_DOC_H
#define SIMULATOR_EXECUTE_EXECUTE_DOC_H

#include "simulator/execute/execute.h"

/* The document, owned by the caller. simulated: the member of plan.json, or NULL. */
doc *execute_document(const struct execute_request *q, const struct execution *run, const doc *simulated);

/* Seconds per epoch of a stage, summed over all readers of such a document and scaled as totals are; EXECUTE_STAGES: of
 * all stages. */
double execute_document_seconds(const doc *executed, enum execute_stage s);

#endif
