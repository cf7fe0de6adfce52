/* validation_model.h - what predicts one measured number from the inputs of a point and a few parameters.
 *
 * A model calls the same functions that planning and the time model call, so that what is judged is what hotset uses.
 * It is one file that defines `const struct validation_model validation_model_<file name>`. A parameter is a number
 * that a case may fit to some of its points; without a fit it has the value that hotset uses (`usual`) or the one that
 * the case gives. Predictions are in the unit that the model states. Any thread may call.
 */
#ifndef PLANNER_VALIDATION_VALIDATION_MODEL_H
#define PLANNER_VALIDATION_VALIDATION_MODEL_H

#include "hwprofiles/model/server.h"

enum { MODEL_INPUTS_MAX = 12, MODEL_PARAMETERS_MAX = 4, MODEL_VALUES_MAX = 8 };

struct validation_input {
    const char *name;
    double low, high;  /* of each value, inclusive */
    bool list;         /* 1 to MODEL_VALUES_MAX numbers; false: one */
    double otherwise;  /* where a point does not state it; NaN: it has to */
    const char *about; /* what it is, with its unit */
};
struct validation_parameter {
    const char *name;
    double usual;      /* what hotset uses, may be 0; NaN: the case fits it or gives it */
    double start;      /* where a fit begins, > 0 */
    const char *about; /* what it is, with its unit */
};
/* The values of one input at a point. */
struct model_value {
    int count;
    double v[MODEL_VALUES_MAX];
};

struct validation_model {
    const char *name;                              /* "gather-host" */
    const char *summary;                           /* one line, no full stop */
    const char *unit;                              /* of predictions; NULL: the case's own */
    bool server;                                   /* needs a server */
    const struct validation_input *inputs;         /* ended by one without a name */
    const struct validation_parameter *parameters; /* the same */
    /* The prediction; NaN: not known, as where the server lacks a number. s: NULL where the model needs none. value: in
     * the order of inputs; parameter: in the order of parameters, each > 0, or `usual` where that is 0. */
    double (*predict)(const struct server *s, const struct model_value *value, const double *parameter);
};

extern const struct validation_model *const validation_models_registered[]; /* NULL-ended; written by the Makefile */

/* The model of that name. ST_INPUT, opened by `where`, with a did-you-mean, when there is none. */
enum st validation_model_find(const char *name, const char *where, const struct validation_model **out, struct err *err)
    MUST_USE;

#endif
