/* ssd_array.c - GB/s that several SSDs read together, by the function that plans with --ssd ask. */
#include <math.h>

#include "hwprofiles/model/drive.h"
#include "planner/validation/validation_model.h"

static const struct validation_input inputs[] = {{"drives", 1, DRIVES_MAX, false, NAN, "drives that read"}, {0}};
static const struct validation_parameter parameters[] = {{"drive_gbps", NAN, 5, "GB/s of one drive"},
                                                         {"array_gbps", NAN, 15,
                                                          "GB/s that the path of all drives carries"},
                                                         {"unoverlapped", DRIVES_UNOVERLAPPED, 0.1,
                                                          "what drives and path of equal times take beside, a share"},
                                                         {0}};

static double ssd_array_predict(const struct server *s, const struct model_value *value, const double *parameter)
{
    (void)s;
    struct drives d = {.count = (int)value[0].v[0],
                       .block_bytes = DRIVE_BLOCK_DEFAULT,
                       .gbps = parameter[0],
                       .array_gbps = parameter[1],
                       .unoverlapped = parameter[2]};
    return 1e-9 * (double)d.block_bytes / drives_seconds(&d, 1);
}

const struct validation_model validation_model_ssd_array = {.name = "ssd-array",
                                                            .summary = "bandwidth of several SSDs behind one path",
                                                            .unit = "GB/s",
                                                            .inputs = inputs,
                                                            .parameters = parameters,
                                                            .predict = ssd_array_predict};
