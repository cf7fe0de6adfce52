/* execute_doc.h - what was executed, as a document (schema executed/1).
 *
 * Times and the device always stand in it, as in bench documents: measuring is what the command is for. Counts under
 * gpus[].counted have the keys and meanings of plan.json's simulated.gpus[] (sums over the mini-batches; transactions
 * per epoch). Totals are per epoch; where only some of the mini-batches ran, they are what those took, times all
 * mini-batches over those that ran, and `scaled` says so.
 */
#ifndef SIMULATOR_EXECUTE_EXECUTE_DOC_H
#define SIMULATOR_EXECUTE_EXECUTE_DOC_H

#include "simulator/execute/execute.h"

/* simulated: of plan.json, or NULL. Owned by the caller. */
doc *execute_document(const struct execute_request *q, const struct execution *x, const doc *simulated);

/* Seconds per epoch of a stage over all readers of the document, scaled as the totals are; EXECUTE_STAGES: of all
 * stages. */
double execute_document_seconds(const doc *executed, enum execute_stage s);

#endif
