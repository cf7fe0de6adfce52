#include "planner/validation/validation_model.h"

#include <string.h>

#include "base/text.h"

enum { MODELS_MAX = 64 };

enum st validation_model_find(const char *name, const char *where, const struct validation_model **out, struct err *err)
{
    const char *names[MODELS_MAX + 1] = {0};
    for (int i = 0; validation_models_registered[i] && i < MODELS_MAX; i++) {
        names[i] = validation_models_registered[i]->name;
        if (strcmp(name, names[i])) continue;
        *out = validation_models_registered[i];
        return ST_OK;
    }
    const char *near = text_nearest(name, names);
    return err_set(err, ST_INPUT,
                   "%s: there is no model '%.60s'%s%s%s; 'hotset lab validate --models' lists the models", where, name,
                   near ? " (did you mean '" : "", near ? near : "", near ? "'?)" : "");
}
