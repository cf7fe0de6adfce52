/* sampling.c - seconds that one GPU samples per epoch, from topology in its own memory. */
#include <math.h>

#include "planner/validation/validation_model.h"

static const struct validation_input inputs[] = {{"batches", 1, 1e9, false, NAN, "mini-batches of an epoch"},
                                                 {"edges", 0, 1e12, true, NAN, "draws of each hop of a mini-batch"},
                                                 {0}};
static const struct validation_parameter parameters[] = {{"rate", NAN, 1e9, "draws per second"}, {0}};

static double sampling_predict(const struct server *s, const struct model_value *value, const double *parameter)
{
    double draws = 0;
    (void)s;
    for (int h = 0; h < value[1].count; h++) draws += value[1].v[h];
    return value[0].v[0] * draws / parameter[0];
}

const struct validation_model validation_model_sampling = {.name = "sampling",
                                                           .summary = "seconds that one GPU samples per epoch",
                                                           .unit = "s",
                                                           .inputs = inputs,
                                                           .parameters = parameters,
                                                           .predict = sampling_predict};
