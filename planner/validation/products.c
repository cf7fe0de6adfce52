/* products.c - the best product of large float32 matrices on a GPU, by its peak. */
#include <math.h>

#include "hwprofiles/model/product_rate.h"
#include "planner/validation/validation_model.h"

static const struct validation_input inputs[] = {{"tflops", 1e-3, 1e6, false, NAN, "peak of the GPU in float32"}, {0}};
static const struct validation_parameter parameters[] = {{"share", PRODUCT_F32, 0.5, "what products reach of the peak"},
                                                         {0}};

static double products_predict(const struct server *s, const struct model_value *value, const double *parameter)
{
    (void)s;
    return parameter[0] * value[0].v[0];
}

const struct validation_model validation_model_products = {.name = "products",
                                                           .summary = "the best product of float32 matrices, in a "
                                                                      "share of the GPU's peak",
                                                           .unit = "TFLOPS",
                                                           .inputs = inputs,
                                                           .parameters = parameters,
                                                           .predict = products_predict};
