/* whole_run.c - a whole training, from its steps: start-up, epochs that grow with the global mini-batch, evaluations.
 */
#include <math.h>

#include "planner/validation/validation_model.h"

enum { BATCH, STEPS, STEP, EVALUATIONS, EVALUATED, SERVERS };
static const struct validation_input inputs[] = {{"global_batch", 1, 1e9, false, NAN,
                                                  "vertices of a mini-batch of all GPUs"},
                                                 {"steps", 1, 1e12, false, NAN, "mini-batches of an epoch"},
                                                 {"step_seconds", 1e-9, 1e6, false, NAN, "seconds of a training step"},
                                                 {"evaluations", 0, 1e6, false, NAN, "evaluations of an epoch"},
                                                 {"evaluated", 0, 1e3, false, NAN,
                                                  "vertices of an evaluation over those that an epoch trains"},
                                                 {"servers", 1, 1e5, false, 1, "servers, which load a part each"},
                                                 {0}};
enum { EPOCHS, MORE, START, LOADING };
static const struct validation_parameter parameters[] =
    {{"epochs", NAN, 0.8, "epochs that the smallest mini-batches need"},
     {"more_epochs", NAN, 0.1, "epochs more for each 16,384 vertices of the global mini-batch"},
     {"start_seconds", NAN, 10, "seconds of starting up"},
     {"loading_seconds", NAN, 10, "seconds in which one server loads all rows"},
     {0}};
/* An evaluated vertex takes so much of a trained one: the geometric mean of MLPerf's entries (0.48 to 0.93). */
static const double EVALUATION = 0.75;

static double whole_run_predict(const struct server *s, const struct model_value *value, const double *parameter)
{
    (void)s;
    const double epochs = parameter[EPOCHS] + parameter[MORE] * value[BATCH].v[0] / 16384,
                 epoch = value[STEPS].v[0] * value[STEP].v[0],
                 evaluation = value[EVALUATIONS].v[0] * value[EVALUATED].v[0] * EVALUATION;
    return parameter[START] + parameter[LOADING] / value[SERVERS].v[0] + epochs * epoch * (1 + evaluation);
}

const struct validation_model validation_model_whole_run = {.name = "whole-run",
                                                            .summary = "a whole training to its target: start-up, "
                                                                       "epochs, evaluations",
                                                            .unit = "s",
                                                            .inputs = inputs,
                                                            .parameters = parameters,
                                                            .predict = whole_run_predict};
