/* routes.h - the NVLinks on the route between two GPUs of a placement.
 *
 * Two GPUs are joined when one of them is a peer of the other and NVLinks are stated between them; a link carries both
 * directions. The route between joined GPUs is their link. Systems that forward (DSP, section 1: "multi-hop
 * forwarding") reach other GPUs over the fewest links. Among routes of as few links, each GPU, from the reader on,
 * forwards to the neighbour with the widest bottleneck (the narrowest link up to the holder, in bonded NVLinks), ties
 * to the lower id. Answers take the same route back. A peer to which no NVLinks lead is read over PCIe below the switch
 * that both share. GPUs are positions.
 */
#ifndef SIMULATOR_PLAN_ROUTES_H
#define SIMULATOR_PLAN_ROUTES_H

#include "simulator/replay/placement.h"

struct routes {
    uint8_t width[GPUS_MAX][GPUS_MAX]; /* bonded NVLinks between two GPUs; 0: none stated */
    uint8_t hops[GPUS_MAX][GPUS_MAX];  /* [reader][holder] links on the route; 0: no route, or reader == holder */
    uint8_t next[GPUS_MAX][GPUS_MAX];  /* [reader][holder] the GPU behind the reader on the route, when hops > 0 */
};

/* Finds the routes over links between GPUs and their peers; a saved plan states no others. links: [reader][peer] bonded
 * NVLinks; id: [gpus] ids of the GPUs, for ties. */
void routes_find(const struct placement *p, const uint8_t (*links)[GPUS_MAX], const int *id, struct routes *out);

/* Whether GPU `reader` reads its peer `holder` over PCIe: no NVLink leads there, and both are below the same known
 * switch. pcie_switch: [gpus] numbers, -1 unknown. */
bool routes_over_pcie(const struct routes *r, const int *pcie_switch, int reader, int holder);

/* Whether there is a way from every GPU to each of its peers, by NVLinks or below one PCIe switch; if not, *reader and
 * *holder are the first pair without.
 */
bool routes_reach_peers(const struct placement *p, const struct routes *r, const int *pcie_switch, int *reader,
                        int *holder);

#endif
