/* ssd_reads.c - seconds in which SSDs read blocks at random places, by the function that plans with --ssd ask. */
#include <math.h>
#include <stdio.h>

#include "hwprofiles/model/drive.h"
#include "planner/validation/validation_model.h"

enum { BLOCKS, DRIVES, READS, GBPS, BLOCK_BYTES };
static const struct validation_input inputs[] = {{"blocks", 0, 1e15, false, NAN, "blocks that are read"},
                                                 {"drives", 1, DRIVES_MAX, false, 1, "drives that share them"},
                                                 {"reads_per_second", 0, 1e12, false, 0,
                                                  "random reads per second of one drive; 0: not known"},
                                                 {"gbps", 0, 1e6, false, 0, "GB/s of one drive; 0: not known"},
                                                 {"block_bytes", 512, 1 << 20, false, DRIVE_BLOCK_DEFAULT,
                                                  "bytes of a block"},
                                                 {0}};
static const struct validation_parameter parameters[] = {{0}};

static double ssd_reads_predict(const struct server *s, const struct model_value *value, const double *parameter)
{
    (void)s;
    (void)parameter;
    struct drives d = {.count = (int)value[DRIVES].v[0],
                       .block_bytes = (uint64_t)value[BLOCK_BYTES].v[0],
                       .gbps = value[GBPS].v[0],
                       .reads_per_second = value[READS].v[0]};
    return drives_seconds(&d, value[BLOCKS].v[0]);
}

const struct validation_model validation_model_ssd_reads = {.name = "ssd-reads",
                                                            .summary = "seconds of random reads of SSDs",
                                                            .unit = "s",
                                                            .inputs = inputs,
                                                            .parameters = parameters,
                                                            .predict = ssd_reads_predict};
