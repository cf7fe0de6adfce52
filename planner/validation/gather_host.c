/* gather_host.c - all GPUs gather rows from pinned host memory at once. */
#include <math.h>

#include "hwprofiles/model/bandwidth.h"
#include "planner/validation/validation_model.h"

static const struct validation_input inputs[] = {{"row_bytes", 1, 1e9, false, NAN, "bytes of a row"}, {0}};
static const struct validation_parameter parameters[] = {{0}};

static double gather_host_predict(const struct server *s, const struct model_value *value, const double *parameter)
{
    (void)parameter;
    double rate = server_gather_host(s, value[0].v[0]);
    return rate > 0 ? rate : NAN;
}

const struct validation_model validation_model_gather_host = {.name = "gather-host",
                                                              .summary = "bandwidth of a GPU when all GPUs gather rows "
                                                                         "from host memory at once",
                                                              .unit = "GB/s",
                                                              .server = true,
                                                              .inputs = inputs,
                                                              .parameters = parameters,
                                                              .predict = gather_host_predict};
