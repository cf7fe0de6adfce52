#include "planner/policy.h"

#include <string.h>

#include "base/text.h"

enum st policy_find(const char *name, const struct policy **out, struct err *err)
{
    const char *names[65] = {0};
    int n = 0;
    for (const struct policy *const *p = policies_registered; *p; p++) {
        if (!strcmp((*p)->name, name)) {
            *out = *p;
            return ST_OK;
        }
        if (n < 64) names[n++] = (*p)->name;
    }
    const char *near = text_nearest(name, names);
    return err_set(err, ST_USAGE, "--policy: '%.60s' is not known%s%s%s; 'hotset list policies' shows them", name, near ? ", did you mean '" : "", near ? near : "",
                   near ? "'?" : "");
}

int policy_samplers(const struct policy *p, const struct server *s) { return p->samplers ? p->samplers(s) : 0; }
