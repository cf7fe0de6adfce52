#include "planner/policies/policy.h"

#include <math.h>
#include <string.h>

#include "base/text.h"
#include "base/units.h"
#include "planner/hotness/hotness.h"

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
    if (!strcmp(name, "lists"))
        return err_set(err, ST_USAGE,
                       "--policy lists: is a placement that was made elsewhere; give it to 'hotset plan' with "
                       "--from-lists DIR, and set its plan beside others with 'hotset report P1 P2'");
    const char *near = text_nearest(name, names);
    return err_set(err, ST_USAGE, "--policy: '%.60s' is not known%s%s%s; 'hotset list policies' shows them", name,
                   near ? ", did you mean '" : "", near ? near : "", near ? "'?" : "");
}

enum st policy_check_hotness(const struct policy *p, const char *hotness, struct err *err)
{
    if (!hotness || !strcmp(hotness, p->hotness)) return ST_OK;
    PASS(hotness_check(hotness, err));
    if (p->choice == HOTNESS_FIXED)
        return err_set(err, ST_USAGE, "--hotness %s: policy %s ranks by its own metric only (%s)", hotness, p->name,
                       p->hotness);
    if (p->choice == HOTNESS_RATES && rate_source_of(hotness) == RATE_SOURCES)
        return err_set(err, ST_USAGE,
                       "--hotness %s: policy %s needs expected counts; take calibrated, presample or vip", hotness,
                       p->name);
    return ST_OK;
}

enum st policy_check_graph(const struct policy *p, const struct graph *g, struct err *err)
{
    char all[600] = "";
    if (graph_plain(g) || !p->one_relation) return ST_OK;
    for (const struct policy *const *k = policies_registered; *k; k++)
        if (!(*k)->one_relation) text_append(all, sizeof all, *all ? ", %s" : "%s", (*k)->name);
    return err_set(err, ST_USAGE, "policy %s: cannot plan graphs with several types, because %s; those that can are %s",
                   p->name, p->one_relation, all);
}

/* ---- options ---- */

void policy_defaults(const struct policy *p, double *option)
{
    for (int i = 0; i < POLICY_OPTIONS; i++) option[i] = p->options[i].name ? p->options[i].fallback : NAN;
}

const char *policy_label(const struct policy *p, const double *option, char out[POLICY_LABEL])
{
    snprintf(out, POLICY_LABEL, "%s", p->name);
    for (int i = 0; p->options[i].name; i++)
        if (!isnan(option[i]) && option[i] != p->options[i].fallback)
            text_append(out, POLICY_LABEL, ":%s=%g", p->options[i].name, option[i]);
    return out;
}

static enum st no_option(const struct policy *p, const char *key, struct err *err)
{
    char known[200] = "";
    const char *names[POLICY_OPTIONS + 1] = {0};
    for (int i = 0; p->options[i].name; i++)
        text_append(known, sizeof known, "%s%s", i ? ", " : "", names[i] = p->options[i].name);
    const char *near = text_nearest(key, names);
    return err_set(err, ST_USAGE, "--policy: '%.40s' is no option of policy %s%s%s%s; it takes %s", key, p->name,
                   near ? ", did you mean '" : "", near ? near : "", near ? "'?" : "", *known ? known : "none");
}

/* word: "key=value", cut in two. */
static enum st take_option(const struct policy *p, char *word, double *option, struct err *err)
{
    char *value = strchr(word, '='), where[128];
    if (!value) return err_set(err, ST_USAGE, "--policy: '%.60s' is not key=value", word);
    *value++ = 0;
    for (int i = 0; p->options[i].name; i++) {
        const struct policy_option *o = &p->options[i];
        if (strcmp(o->name, word)) continue;
        snprintf(where, sizeof where, "--policy %s:%s", p->name, word);
        PASS(units_real(value, where, &option[i], err));
        if (!(option[i] >= o->low && option[i] <= o->high))
            return err_set(err, ST_USAGE, "%s: %g is out of range; expected %g to %g", where, option[i], o->low,
                           o->high);
        if (o->whole && option[i] != floor(option[i]))
            return err_set(err, ST_USAGE, "%s: %g is not a whole number", where, option[i]);
        return ST_OK;
    }
    return no_option(p, word, err);
}

enum st policy_parse(const char *text, const struct policy **out, double *option, struct err *err)
{
    char copy[200], *word[POLICY_OPTIONS + 1];
    if (strlen(text) >= sizeof copy) return err_set(err, ST_USAGE, "--policy: '%.60s..' is too long", text);
    strcpy(copy, text);
    int words = text_split(copy, ':', word, POLICY_OPTIONS + 1);
    if (words < 1) return err_set(err, ST_USAGE, "--policy: '%.60s' has too many options", text);
    PASS(policy_find(word[0], out, err));
    policy_defaults(*out, option);
    for (int i = 1; i < words; i++) PASS(take_option(*out, word[i], option, err));
    return ST_OK;
}

doc *policy_options_document(const struct policy *p, const double *option)
{
    if (!p->options[0].name) return NULL;
    doc *d = doc_object();
    for (int i = 0; p->options[i].name; i++) doc_put(d, p->options[i].name, doc_real(option[i]));
    return d;
}

int policy_samplers(const struct policy *p, const struct server *s, const double *option)
{
    double defaults[POLICY_OPTIONS];
    policy_defaults(p, defaults);
    return p->samplers ? p->samplers(s, option ? option : defaults) : 0;
}
