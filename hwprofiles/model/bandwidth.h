/* bandwidth.h - what the links of a server carry: PCIe by request size, and the sums over some of its GPUs. GB/s are
 * 10^9 bytes per second. */
#ifndef HWPROFILES_MODEL_BANDWIDTH_H
#define HWPROFILES_MODEL_BANDWIDTH_H

#include "hwprofiles/model/server.h"

enum { PCIE_COPY_BYTES = 1 << 20 }; /* a request of so many bytes is a copy by the copy engine */

/* GB/s at which one GPU alone reads the host in requests of `payload` bytes at random places; 0 unknown. Two limits:
 * bytes per second of the link, and requests per second (reads outstanding / the time of one), so that
 *
 *     rate = min(gbps, requests * payload)
 *
 * With measured points (pcie.effective; Legion, figure 4a): between two points interpolated linearly over log(payload);
 * below the first one, and beyond the last one until gbps is reached, a request takes as long as there. Without points
 * and limits: the line rate for every size. Requests of PCIE_COPY_BYTES and more are copies by the copy engine, which
 * may be faster than loads by the SMs (H100: 54.8 against 35.2); pcie.copy_gbps states it. */
double server_pcie_rate(const struct server *s, double payload);

/* GB/s that all GPUs below one uplink get together in such requests: the limit of bytes alone, as every GPU has
 * requests of its own. Without that limit: server_pcie_rate. */
double server_uplink_rate(const struct server *s, double payload);

/* GB/s from a GPU to the host; 0 unknown. The two directions differ where a CPU is joined by NVLink (GH200). */
double server_write_rate(const struct server *s);

/* Seconds of a PCIe link that takes `in` seconds to read and `out` seconds to write, each of them alone: the longer of
 * both where the directions do not disturb each other; else reads go on at the share while_writing of their rate as
 * long as the link writes. NaN when one is. */
double server_both_ways(const struct server *s, double in, double out);

/* GB/s of reads over NVLinks of `gbps` nominal, in requests of `payload` bytes at random places: the same two limits.
 */
double server_nvlink_rate(const struct server *s, double gbps, double payload);

/* GB/s of the slowest GPU when all GPUs gather rows of row_bytes at once, from the host or from a table in equal parts
 * over all GPUs (its own part included, which takes no link). 0 unknown. These are the quantities that gather
 * benchmarks state, for comparison with measurements. */
double server_gather_host(const struct server *s, double row_bytes);
double server_gather_peers(const struct server *s, double row_bytes);

/* GB/s over several GPUs, both directions of every link (DSP, table 1); 0: unknown, or no NVLink. */
struct server_aggregate {
    double pcie_gbps;   /* uplinks of all switches above the first GPUs; a GPU whose switch is unknown has its own */
    double nvlink_gbps; /* what the best set of that many GPUs reads when each reads as much as the least joined can */
};
/* gpus: 1 .. s->gpus. The best set is searched exactly on servers of up to 12 GPUs, greedily on larger ones. On a
 * hybrid cube mesh no pair of GPUs has both values: GPUs below one switch share one NVLink, the widest pairs have two.
 */
struct server_aggregate server_aggregate_bandwidth(const struct server *s, int gpus);

/* How the CPU gathers feature rows at random places of host memory. A row takes
 *
 *     row_bytes / gbps + 1 / rows per second
 *
 * and the gather of a mini-batch a start beside, in which threads are woken. Servers that do not state it (cpu_gather)
 * follow a rule: gbps is CPU_GATHER_SHARE of the nominal rate of host memory, a row costs as much as CPU_GATHER_ROW
 * bytes, and the start is CPU_GATHER_START seconds. The share is of rows of 512 and 1024 bytes on two machines
 * (GNNLab's, XGNN's) by three programs, which are 0.4 to 2.2 times as fast as the rule; XGNN's gathers of few rows
 * carry the start; rows of 64 to 4096 bytes on two cores of one EPYC the cost of a row (100 to 200 bytes). Nothing
 * tells how threads or NUMA nodes move it. (hotset validate --only gather-cpu-xgnn,gather-cpu-gnnlab,gather-cpu-dgl) */
#define CPU_GATHER_SHARE 0.09
#define CPU_GATHER_ROW 100.0
#define CPU_GATHER_START 15e-6
/* GB/s of all cores at rows of row_bytes; 0 unknown. */
double server_cpu_gather_rate(const struct server *s, double row_bytes);
/* Seconds that a gather takes beside. */
double server_cpu_gather_start(const struct server *s);
/* True when the server states how fast its CPU gathers; else the rule holds. */
bool server_cpu_gather_stated(const struct server *s);

/* Draws per second of the CPU with a share (0..1) of its threads on mini-batches of so many seeds; 0 unknown. From the
 * measured table, where the server has one: `share` of its cores, or of the most threads measured where the cores are
 * not known. Else in proportion to the share, and the same for every batch. */
double server_cpu_sampling_rate(const struct server *s, double share, double batch);

/* True when GPU g (a position) reaches its peers through an NVSwitch, where its reads of all of them share one port: it
 * would need more than 18 links to have those it has to each of them. With up to 18 they are taken for links of their
 * own, as on boards with four GPUs; three or four of a DGX-2 are, too. GPUs of one server may differ: one that lost its
 * links leaves the others at their switch. */
bool server_links_switched(const struct server *s, int g);

#endif
