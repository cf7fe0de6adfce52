#include "planner/policy.h"

#include <string.h>

#include "base/text.h"
#include "planner/hotness.h"

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

enum st policy_check_hotness(const struct policy *p, const char *hotness, struct err *err)
{
    if (!hotness || !strcmp(hotness, p->hotness)) return ST_OK;
    enum st st = hotness_check(hotness, err);
    if (st != ST_OK) return st;
    if (p->choice == HOTNESS_FIXED) return err_set(err, ST_USAGE, "--hotness %s: policy %s cannot take another metric than its own (%s)", hotness, p->name, p->hotness);
    if (p->choice == HOTNESS_RATES && rates_of(hotness) == RATES_KINDS)
        return err_set(err, ST_USAGE, "--hotness %s: policy %s weighs rows by expected counts and can take calibrated, presample or vip", hotness, p->name);
    return ST_OK;
}

int policy_samplers(const struct policy *p, const struct server *s) { return p->samplers ? p->samplers(s) : 0; }
