/* routes.h - the NVLinks that bytes pass between two GPUs of a plan.
 *
 * Two GPUs are joined when the plan states NVLinks from one of them to the other; a link carries both ways. The way
 * between GPUs that are joined is that link. Systems that forward (DSP, section 1: "multi-hop forwarding") reach the
 * others over the fewest links; among the ways of as few, every GPU on the way, the reader first, hands on to the
 * neighbour from which the narrowest link up to the holder is widest (most bonded NVLinks), ties to the lower id.
 * Answers take the way back. Positions are those of the plan's GPUs.
 */
#ifndef SIMULATOR_PLAN_ROUTES_H
#define SIMULATOR_PLAN_ROUTES_H

#include "simulator/plan/plan.h"

struct routes {
    uint8_t width[GPUS_MAX][GPUS_MAX]; /* bonded NVLinks that the plan states between two GPUs; 0: none stated */
    uint8_t hops[GPUS_MAX][GPUS_MAX];  /* [reader][holder] links on the way; 0: none leads there, or reader == holder */
    uint8_t next[GPUS_MAX]
                [GPUS_MAX]; /* [reader][holder] the first GPU behind the reader on the way; only where hops > 0 */
};

/* Of the links to peers that the plan states, so that a plan and what was saved of it have the same ways. */
void routes_find(const struct plan *p, struct routes *out);

/* Whether a way leads from every GPU to each of its peers; if not, the first pair without. */
bool routes_reach_peers(const struct plan *p, const struct routes *r, int *reader, int *holder);

#endif
