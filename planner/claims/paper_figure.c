#include "planner/claims/paper_figure.h"

#include <string.h>

#include "base/text.h"

int paper_figure_claims(const struct paper_figure *x)
{
    int n = 0;
    while (n < CLAIMS_MAX && x->claim[n].statement) n++;
    return n;
}

enum st paper_figure_find(const char *name, const struct paper_figure **out, struct err *err)
{
    const char *names[128] = {0};
    for (int i = 0; paper_figures_registered[i] && i < 127; i++) {
        names[i] = paper_figures_registered[i]->name;
        if (strcmp(name, names[i])) continue;
        *out = paper_figures_registered[i];
        return ST_OK;
    }
    const char *near = text_nearest(name, names);
    return err_set(err, ST_USAGE, "--only: the figure '%.40s' is not known%s%s%s; 'hotset list claims' shows them",
                   name, near ? ", did you mean " : "", near ? near : "", near ? "?" : "");
}
