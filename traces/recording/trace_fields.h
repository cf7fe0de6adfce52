/* trace_fields.h - the keys of trace.json: the one list of them, by which a trace is opened and written, and `hotset
 * list schemas trace/1` explains them. Further keys are not looked at.
 */
#ifndef TRACES_RECORDING_TRACE_FIELDS_H
#define TRACES_RECORDING_TRACE_FIELDS_H

#include "base/fields.h"

/* Of a struct trace; n_tsum has a number per clique. Their owners read GPUs and their training, and the workload. */
extern const struct field trace_fields_1[], trace_fields_2[];

#endif
