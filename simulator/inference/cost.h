/* cost.h - bytes in memory and seconds of inference, from what was counted.
 *
 * Seconds of a layer: chunks are pipelined, so a GPU reads one while it computes another and writes a third, and a
 * layer takes the longest of four stages and `unoverlapped` of the others (epoch_time.h); without a pipeline their sum.
 *   - read: the longest of bytes over PCIe (input rows at the rate of their size, topology at that of long reads) of a
 *     GPU and of all GPUs below a switch, bytes over its NVLinks, bytes that DRAM gives and takes
 *   - write: bytes / rate from GPU to host, of a GPU and below a switch
 *   - drives: blocks at random places, and long reads of topology and writes of levels at their bandwidth
 *   - compute: aggregation and update as in epoch_time.h, forward only
 * Every rate is the server's or the drives'; a missing one makes the seconds NaN and is named.
 */
#ifndef SIMULATOR_INFERENCE_COST_H
#define SIMULATOR_INFERENCE_COST_H

#include "hwprofiles/model/drive.h"
#include "simulator/inference/count.h"

enum inference_stage { INFER_READ, INFER_WRITE, INFER_DRIVES, INFER_COMPUTE, INFERENCE_STAGES };
const char *inference_stage_word(enum inference_stage s); /* "read", .. */

struct inference_time {
    double stage[INFERENCE_STAGES]; /* seconds; NaN: unknown */
    double seconds;
    enum inference_stage longest;
    const char *unknown; /* the first constant that is missing; NULL: none */
};

struct inference_machine {
    const struct server *server;
    const struct drives *drives;
    bool pipelined;
    double unoverlapped;
};

/* held: as it was counted; output_on_ssd: whether the layer's rows are written to the SSDs. */
void inference_layer_time(const struct inference *j, const struct inference_machine *m, int layer,
                          const struct inference_layer *l, bool topology_on_ssd, bool output_on_ssd,
                          struct inference_time *out);

#endif
