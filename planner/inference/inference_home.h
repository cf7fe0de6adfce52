/* inference_home.h - what of inference lies in DRAM and what on SSDs (the rule is in inference_plan.h). */
#ifndef PLANNER_INFERENCE_INFERENCE_HOME_H
#define PLANNER_INFERENCE_INFERENCE_HOME_H

#include "planner/inference/inference_plan.h"

/* Sets o->home and o->dram from the counts in o->layer, which were made with all in DRAM. reads: as inference_keep. A
 * host that is too small sets o->fits and why. ST_LIMIT without memory. */
enum st inference_find_home(const struct inference_question *q, const uint32_t *const *reads,
                            struct inference_outcome *o, struct err *err) MUST_USE;

#endif
