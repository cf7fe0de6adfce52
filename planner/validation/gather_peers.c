/* gather_peers.c - all GPUs gather rows from a table that is spread over all of them. */
#include <math.h>

#include "hwprofiles/model/bandwidth.h"
#include "planner/validation/validation_model.h"

static const struct validation_input inputs[] = {{"row_bytes", 1, 1e9, false, NAN, "bytes of a row"}, {0}};
static const struct validation_parameter parameters[] = {{0}};

static double gather_peers_predict(const struct server *s, const struct model_value *value, const double *parameter)
{
    (void)parameter;
    double rate = server_gather_peers(s, value[0].v[0]);
    return rate > 0 ? rate : NAN;
}

const struct validation_model validation_model_gather_peers = {.name = "gather-peers",
                                                               .summary = "bandwidth of a GPU when all GPUs gather "
                                                                          "rows from a table spread over all GPUs",
                                                               .unit = "GB/s",
                                                               .server = true,
                                                               .inputs = inputs,
                                                               .parameters = parameters,
                                                               .predict = gather_peers_predict};
