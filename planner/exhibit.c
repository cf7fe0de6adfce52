#include "planner/exhibit.h"

#include <string.h>

#include "base/text.h"

int exhibit_claims(const struct exhibit *x)
{
    int n = 0;
    while (n < CLAIMS_MAX && x->claim[n].statement) n++;
    return n;
}

enum st exhibit_find(const char *name, const struct exhibit **out, struct err *err)
{
    const char *names[128] = {0};
    for (int i = 0; exhibits_registered[i] && i < 127; i++) {
        names[i] = exhibits_registered[i]->name;
        if (strcmp(name, names[i])) continue;
        *out = exhibits_registered[i];
        return ST_OK;
    }
    const char *near = text_nearest(name, names);
    return err_set(err, ST_USAGE, "--only: the figure '%.40s' is not known%s%s%s; 'hotset list claims' shows them", name, near ? ", did you mean " : "",
                   near ? near : "", near ? "?" : "");
}
