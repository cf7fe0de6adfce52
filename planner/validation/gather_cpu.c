/* gather_cpu.c - the CPU gathers the feature rows of a mini-batch, and then, if it says so, copies them to a GPU. */
#include <math.h>

#include "hwprofiles/model/bandwidth.h"
#include "planner/validation/validation_model.h"

enum { BYTES, ROW_BYTES, COPIED };
static const struct validation_input inputs[] = {{"bytes", 1, 1e15, false, NAN, "bytes that are gathered at once"},
                                                 {"row_bytes", 1, 1e9, false, NAN, "bytes of a row"},
                                                 {"copied", 0, 1, false, 0, "1: and then copied over PCIe"},
                                                 {0}};
static const struct validation_parameter parameters[] = {{0}};

static double gather_cpu_predict(const struct server *s, const struct model_value *value, const double *parameter)
{
    double rate = server_cpu_gather_rate(s, value[ROW_BYTES].v[0]), gb = 1e-9 * value[BYTES].v[0];
    double copy = value[COPIED].v[0] > 0 ? gb / server_pcie_rate(s, 1e9) : 0;
    (void)parameter;
    return rate > 0 ? server_cpu_gather_start(s) + gb / rate + copy : NAN;
}

const struct validation_model validation_model_gather_cpu = {.name = "gather-cpu",
                                                             .summary = "seconds in which all cores gather rows from "
                                                                        "host memory",
                                                             .unit = "s",
                                                             .server = true,
                                                             .inputs = inputs,
                                                             .parameters = parameters,
                                                             .predict = gather_cpu_predict};
