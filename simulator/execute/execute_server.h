/* execute_server.h - writes the rates that an execution measured into the description of a server, for the time model.
 */
#ifndef SIMULATOR_EXECUTE_EXECUTE_SERVER_H
#define SIMULATOR_EXECUTE_EXECUTE_SERVER_H

#include "hwprofiles/model/server.h"
#include "simulator/execute/execute.h"

/* Sets in s, the plan's server, what run measured, each with its provenance:
 *
 *   - pcie.effective: the rate of rows from the host at the row's size, where they crossed PCIe (the median over the
 *     GPUs). A point of the same size is replaced; others stay. Together with pcie.read, a request is taken to last as
 *     long as at the points (hwprofiles/model/bandwidth.h).
 *   - sampling_edges_per_second: draws / seconds of each GPU that samples from topology in its own memory alone.
 *   - cpu_sampling_edges_per_second: draws / seconds, where the CPU sampled.
 *
 * *written: how many of these three were measured; 0: s is as before. ST_LIMIT for memory, and when the points are
 * SERVER_RATES_MAX already. */
enum st execute_server_update(const struct execute_request *q, const struct execution *run, struct server *s,
                              int *written, struct err *err) MUST_USE;

#endif
