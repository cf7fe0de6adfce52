#include "planner/typed/typed_work.h"

#include <string.h>

enum st typed_only_options(const struct call *call, const char *const *known, struct err *err)
{
    for (const struct param *p = call->params; p && p->name; p++) {
        bool good = param_is_alias(p) || !call_given(call, p->name);
        for (int i = 0; !good && known[i]; i++) good = !strcmp(known[i], p->name);
        if (!good)
            return err_set(err, ST_USAGE,
                           "--%s: does not work on graphs with several types or relations yet; leave it out", p->name);
    }
    return ST_OK;
}
