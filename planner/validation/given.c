/* given.c - a prediction that was made elsewhere, as by hotset simulate, and that the case states. */
#include <math.h>

#include "planner/validation/validation_model.h"

static const struct validation_input inputs[] = {{"predicted", 1e-300, 1e300, false, NAN, "the prediction"}, {0}};
static const struct validation_parameter parameters[] = {{0}};

static double given_predict(const struct server *s, const struct model_value *value, const double *parameter)
{
    (void)s;
    (void)parameter;
    return value[0].v[0];
}

const struct validation_model validation_model_given = {.name = "given",
                                                        .summary = "a number that the case states, from a plan, a "
                                                                   "simulation or 'hotset lab execute'",
                                                        .inputs = inputs,
                                                        .parameters = parameters,
                                                        .predict = given_predict};
