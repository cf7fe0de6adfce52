/* line.c - a time of two constants: so much per piece of work, and so much whatever the amount. */
#include <math.h>

#include "planner/validation/validation_model.h"

static const struct validation_input inputs[] = {{"amount", 0, 1e18, false, NAN, "amount of work, in any unit"}, {0}};
static const struct validation_parameter parameters[] = {{"constant", NAN, 1e-3,
                                                          "what no amount takes, in the case's unit"},
                                                         {"slope", NAN, 1e-3, "what one more unit of work takes"},
                                                         {0}};

static double line_predict(const struct server *s, const struct model_value *value, const double *parameter)
{
    (void)s;
    return parameter[0] + parameter[1] * value[0].v[0];
}

const struct validation_model validation_model_line = {.name = "line",
                                                       .summary = "a constant plus a slope times an amount, as "
                                                                  "'simulate --calibration' fits",
                                                       .inputs = inputs,
                                                       .parameters = parameters,
                                                       .predict = line_predict};
