/* transfer_and_compute.c - one step of a pipelined training loop: rows are read while the batch before is computed. */
#include <math.h>

#include "hwprofiles/model/bandwidth.h"
#include "planner/validation/validation_model.h"
#include "simulator/movement/epoch_time.h"

enum { BATCH, FROM_HOST, ROW_BYTES, WORK_SHARE };
static const struct validation_input inputs[] = {{"batch", 1, 1e9, false, NAN, "seeds of a mini-batch"},
                                                 {"from_host", 0, 1, false, NAN,
                                                  "share of the rows that come from the host; the others come from "
                                                  "peers"},
                                                 {"row_bytes", 1, 1e9, false, NAN, "bytes of a row"},
                                                 {"work_share", 0, 10, false, 1,
                                                  "computing, relative to a training step"},
                                                 {0}};
static const struct validation_parameter parameters[] = {{"read_per_seed", NAN, 2e-3, "GB of rows per seed"},
                                                         {"work_per_seed", NAN, 0.1,
                                                          "GB that computing moves in GPU memory per seed of a "
                                                          "training step"},
                                                         {"unoverlapped", EPOCH_UNOVERLAPPED, 0.1,
                                                          "share of the shorter stage that the longer does not hide"},
                                                         {0}};

static double transfer_and_compute_predict(const struct server *s, const struct model_value *value,
                                           const double *parameter)
{
    double batch = value[BATCH].v[0], host = value[FROM_HOST].v[0], row = value[ROW_BYTES].v[0];
    double read = batch * parameter[0];
    double transfer = (host > 0 ? host * read / server_gather_host(s, row) : 0) +
                      (host < 1 ? (1 - host) * read / server_gather_peers(s, row) : 0);
    double compute = batch * parameter[1] * value[WORK_SHARE].v[0] / s->gpu[0].memory_gbps;
    double seconds = epoch_pipelined((const double[]){transfer, compute}, 2, parameter[2]);
    return isfinite(seconds) ? seconds : NAN;
}

const struct validation_model validation_model_transfer_and_compute = {.name = "transfer-and-compute",
                                                                       .summary = "a training step that reads rows "
                                                                                  "while it computes, bound by links "
                                                                                  "and by GPU memory",
                                                                       .unit = "s",
                                                                       .server = true,
                                                                       .inputs = inputs,
                                                                       .parameters = parameters,
                                                                       .predict = transfer_and_compute_predict};
