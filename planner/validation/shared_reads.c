/* shared_reads.c - an epoch that waits for reads of the host, on so many GPUs as the server has. */
#include <math.h>

#include "hwprofiles/model/bandwidth.h"
#include "planner/validation/validation_model.h"

static const struct validation_input inputs[] = {{"row_bytes", 1, 1e9, false, NAN, "bytes of a row"}, {0}};
static const struct validation_parameter parameters[] = {{"volume", NAN, 1000, "GB that an epoch reads on all GPUs"},
                                                         {0}};

static double shared_reads_predict(const struct server *s, const struct model_value *value, const double *parameter)
{
    double rate = server_gather_host(s, value[0].v[0]);
    return rate > 0 ? parameter[0] / (s->gpus * rate) : NAN;
}

const struct validation_model validation_model_shared_reads = {.name = "shared-reads",
                                                               .summary = "an epoch bound by reads of the host, shared "
                                                                          "by the GPUs of the server",
                                                               .unit = "s",
                                                               .server = true,
                                                               .inputs = inputs,
                                                               .parameters = parameters,
                                                               .predict = shared_reads_predict};
