/* two_limits.c - a time with two limits, pieces and amount, of which the longer hides a part of the shorter. */
#include <math.h>

#include "planner/validation/validation_model.h"
#include "simulator/movement/epoch_time.h"

static const struct validation_input inputs[] = {{"amount", 0, 1e18, false, NAN, "amount of work of a piece"}, {0}};
static const struct validation_parameter parameters[] = {{"constant", NAN, 1, "what a piece takes, in the case's unit"},
                                                         {"slope", NAN, 1e-2, "what one more unit of work takes"},
                                                         {"unoverlapped", EPOCH_UNOVERLAPPED, 0.5,
                                                          "share of the shorter that the longer does not hide"},
                                                         {0}};

static double two_limits_predict(const struct server *s, const struct model_value *value, const double *parameter)
{
    (void)s;
    return epoch_pipelined((const double[]){parameter[0], parameter[1] * value[0].v[0]}, 2, parameter[2]);
}

const struct validation_model validation_model_two_limits = {.name = "two-limits",
                                                             .summary = "a constant and a slope times an amount, the "
                                                                        "longer hiding a part of the shorter",
                                                             .inputs = inputs,
                                                             .parameters = parameters,
                                                             .predict = two_limits_predict};
