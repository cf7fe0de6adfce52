/* baselines.h - policies that papers compare with or sweep, and that are none of hotset's list. */
#ifndef PLANNER_CLAIMS_BASELINES_H
#define PLANNER_CLAIMS_BASELINES_H

#include "planner/policies/policy.h"

/* "dgl" (PaGraph's baselines), "time-sharing" (GNNLab's), "dsp-topology", "dsp-at", "legion-at"; NULL: none. */
const struct policy *baseline_find(const char *name);

#endif
