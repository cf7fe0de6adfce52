/* bandwidth.h - what the links of a server carry: PCIe by payload size, and the sums over some of its GPUs. GB/s are
 * 10^9 bytes per second. */
#ifndef HWPROFILES_MODEL_BANDWIDTH_H
#define HWPROFILES_MODEL_BANDWIDTH_H

#include <stdio.h>
#include "hwprofiles/model/server.h"

/* GB/s of one PCIe link, one direction, when it is read in requests of `payload` bytes (Legion, figure 4a): the
 * server's points, joined by straight lines over log(payload). Below the first point a request takes as long as
 * there, so the rate falls with its bytes; beyond the last it stays. Without points the line rate; 0 when that is
 * unknown, too. */
double server_pcie_rate(const struct server *s, double payload);

/* GB/s over `gpus` GPUs (1 .. s->gpus), both directions of every link (DSP, table 1). PCIe: the uplinks of as many
 * switches as the first GPUs hang below; a GPU whose switch is unknown has an uplink of its own. NVLink: what they
 * read in sum when all read equally: their number times the links that the least joined of them has to the others,
 * for the GPUs that are joined best (of up to 12 GPUs every set is tried, of more they are found greedily from each).
 * No two GPUs of a hybrid cube mesh have both of the table's values: those below one switch share one link, the
 * widest pairs have two. 0: unknown, or for NVLink none. */
struct server_aggregate {
    double pcie_gbps, nvlink_gbps;
};
struct server_aggregate server_aggregate_bandwidth(const struct server *s, int gpus);

/* True when every pair is joined equally wide and there are more than two GPUs: as through a switch, where a GPU's
 * reads share one port. */
bool server_links_switched(const struct server *s);

/* The constants of the time model and the table of sums, for `server show`. */
void bandwidth_print(const struct server *s, FILE *to);

#endif
