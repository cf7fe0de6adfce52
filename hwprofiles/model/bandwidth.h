/* bandwidth.h - what the links of a server carry: PCIe by request size, and the sums over some of its GPUs. GB/s are
 * 10^9 bytes per second. */
#ifndef HWPROFILES_MODEL_BANDWIDTH_H
#define HWPROFILES_MODEL_BANDWIDTH_H

#include "hwprofiles/model/server.h"

/* GB/s of one PCIe link in one direction when it is read in requests of `payload` bytes (Legion, figure 4a). Between
 * the server's points it is interpolated linearly over log(payload). Below the first point a request takes as long as
 * there, so the rate falls with its size; beyond the last point it stays. Without points: the line rate, 0 when
 * unknown. */
double server_pcie_rate(const struct server *s, double payload);

/* GB/s over several GPUs, both directions of every link (DSP, table 1); 0: unknown, or no NVLink. */
struct server_aggregate {
    double pcie_gbps;   /* uplinks of all switches above the first GPUs; a GPU whose switch is unknown has its own */
    double nvlink_gbps; /* what the best set of that many GPUs reads when each reads as much as the least joined can */
};
/* gpus: 1 .. s->gpus. The best set is searched exactly on servers of up to 12 GPUs, greedily on larger ones. On a
 * hybrid cube mesh no pair of GPUs has both values: GPUs below one switch share one NVLink, the widest pairs have two.
 */
struct server_aggregate server_aggregate_bandwidth(const struct server *s, int gpus);

/* True when there are more than two GPUs and every pair is joined by the same number of links, as through an NVSwitch:
 * a GPU's reads then share one port. */
bool server_links_switched(const struct server *s);

#endif
