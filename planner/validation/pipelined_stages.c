/* pipelined_stages.c - an epoch whose stages, each measured by itself, run beside each other. */
#include <math.h>

#include "planner/validation/validation_model.h"
#include "simulator/movement/epoch_time.h"

static const struct validation_input inputs[] = {{"stages", 0, 1e9, true, NAN, "seconds of each stage, measured"}, {0}};
static const struct validation_parameter parameters[] = {{"unoverlapped", EPOCH_UNOVERLAPPED, 0.1,
                                                          "share of the shorter stages that the longest does not hide"},
                                                         {0}};

static double pipelined_stages_predict(const struct server *s, const struct model_value *value, const double *parameter)
{
    (void)s;
    return epoch_pipelined(value[0].v, value[0].count, parameter[0]);
}

const struct validation_model validation_model_pipelined_stages = {.name = "pipelined-stages",
                                                                   .summary = "a pipelined epoch from the times of its "
                                                                              "stages",
                                                                   .unit = "s",
                                                                   .inputs = inputs,
                                                                   .parameters = parameters,
                                                                   .predict = pipelined_stages_predict};
