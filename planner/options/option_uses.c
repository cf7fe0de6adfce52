#include "planner/options/option_uses.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "planner/partition/deal.h"

enum { WHY = 240 };

/* How the policy's training vertices are dealt; of those that plan the deal the kind that is fixed beforehand. */
static enum assignment_kind kind_of(const struct options_given *o, const struct policy *p)
{
    enum assignment_kind wanted = deal_kind(o->study->deal);
    return p->any_deal && wanted != ASSIGNMENT_KINDS ? wanted : p->assignment;
}

/* Whether such a deal cuts the graph into parts. */
static bool cuts(enum assignment_kind kind)
{
    return kind == ASSIGNMENT_HIERARCHICAL || assignment_parts_per_gpu(kind);
}

/* ---- the rules: true when the policy uses the option; else why it does not, and what to do ---- */

static bool uses_deal(const struct options_given *o, const struct policy *p, char why[WHY])
{
    enum assignment_kind wanted = deal_kind(o->study->deal);
    if (wanted == ASSIGNMENT_KINDS || o->trace) return true;
    if (o->dealt)
        return snprintf(why, WHY, "the train files of --from-lists say who trains what; leave --assignment out"), false;
    if (p->any_deal || p->assignment == wanted) return true;
    snprintf(why, WHY, "the system of policy %s assigns training vertices itself (%s); leave --assignment out", p->name,
             deal_word(p->assignment));
    return false;
}

/* Of --partition and --parts. */
static bool uses_cut(const struct options_given *o, const struct policy *p, const char *option, char why[WHY])
{
    enum assignment_kind kind = kind_of(o, p);
    if (o->trace) return true;
    if (o->dealt) snprintf(why, WHY, "the train files of --from-lists say who trains what; leave %s out", option);
    else if (cuts(kind)) return true;
    else if (p->any_deal)
        snprintf(why, WHY,
                 "policy %s assigns training vertices at random (%s), which cuts no graph; add --assignment clique, "
                 "gpu or "
                 "nested, or leave %s out",
                 p->name, deal_word(kind), option);
    else
        snprintf(why, WHY,
                 "the system of policy %s assigns training vertices itself (%s), without parts of this kind; leave %s "
                 "out",
                 p->name, deal_word(kind), option);
    return false;
}

static bool uses_parts(const struct options_given *o, const struct policy *p, char why[WHY])
{
    return uses_cut(o, p, "--parts", why);
}

static bool uses_partition(const struct options_given *o, const struct policy *p, char why[WHY])
{
    if (!strcmp(o->study->partition, "auto") || o->nodes) return true;
    if (!o->study->parts || o->trace) return uses_cut(o, p, "--partition", why);
    snprintf(why, WHY, "--parts gives the parts, and no graph is cut; leave one of them out");
    return false;
}

static bool uses_order(const struct options_given *o, const struct policy *p, char why[WHY])
{
    const char *order = o->workload->how.order;
    bool edges = strcmp(o->workload->how.seeds, "vertices") != 0;
    if (o->trace) return true;
    if (p->assignment == ASSIGNMENT_BFS && !edges && strcmp(order, "bfs"))
        snprintf(why, WHY, "the system of policy %s trains in breadth-first order; leave --order out", p->name);
    else if (!strcmp(order, "auto") && !p->plans_deal)
        snprintf(why, WHY, "policy %s plans no order; name one, as in --order blocks:8, or leave --order out", p->name);
    else return true;
    return false;
}

/* Cliques follow from the reach, and a budget or a deal per clique from them. */
static bool uses_reach(const struct options_given *o, const struct policy *p, char why[WHY])
{
    enum assignment_kind kind = kind_of(o, p);
    bool by_clique = o->clique_budget ||
                     (p->any_deal && (kind == ASSIGNMENT_HIERARCHICAL || kind == ASSIGNMENT_NESTED));
    if (!p->own_memory || by_clique || o->trace || reach_of(o->study->reach) == REACH_OWN) return true;
    snprintf(why, WHY, "GPUs of policy %s read no other GPU; leave --peer-access out", p->name);
    return false;
}

static bool uses_reserve(const struct options_given *o, const struct policy *p, char why[WHY])
{
    if (!o->budget || p->samplers) return true; /* GPUs that only sample have all memory that training leaves */
    snprintf(why, WHY, "says what the budget is where none is given; leave --reserve or the budget out");
    return false;
}

static bool uses_time_limit(const struct options_given *o, const struct policy *p, char why[WHY])
{
    if (p->solves || o->study->bound || !(o->study->time_limit > 0)) return true;
    snprintf(why, WHY, "policy %s solves no linear program; add --bound, or leave --time-limit out", p->name);
    return false;
}

static bool uses_objective(const struct options_given *o, const struct policy *p, char why[WHY])
{
    enum objective objective = objective_of(o->study->objective);
    if (objective == OBJECTIVE_TOTAL || o->study->bound || p->objectives >> objective & 1) return true;
    snprintf(why, WHY, "policy %s has a rule of its own; %s, or leave --objective out", p->name,
             objective == OBJECTIVE_EPOCH ? "take policy hotset or exact" : "take policy exact");
    return false;
}

static bool uses_sampling(const struct options_given *o, const struct policy *p, char why[WHY])
{
    if (p->plans_sampling) return true;
    (void)o;
    snprintf(why, WHY, "the system of policy %s says who samples; take policy hotset, or leave --sampling out",
             p->name);
    return false;
}

static const struct {
    const char *option;
    bool (*uses)(const struct options_given *o, const struct policy *p, char why[WHY]);
    const char *others; /* why the others do not, in a comparison */
} rules[] = {
    {"assignment", uses_deal, "their systems assign training vertices themselves"},
    {"parts", uses_parts, "they cut no graph"},
    {"partition", uses_partition, "they cut no graph"},
    {"order", uses_order, "they plan no order, or have one of their own"},
    {"peer-access", uses_reach, "their GPUs read no other GPU"},
    {"reserve", uses_reserve, "the budget is given"},
    {"time-limit", uses_time_limit, "they solve no linear program"},
    {"objective", uses_objective, "they have rules of their own"},
    {"sampling", uses_sampling, "their systems say who samples"},
};
enum { RULES = sizeof rules / sizeof *rules };

static enum st check_one(const struct options_given *o, int rule, const struct policy *const *policy, int count,
                         struct err *err)
{
    char why[WHY], first[WHY] = "", names[600] = "";
    bool used = false;
    for (int i = 0; i < count; i++) {
        if (rules[rule].uses(o, policy[i], why)) {
            used = true;
            continue;
        }
        if (!*first) memcpy(first, why, sizeof first);
        text_append(names, sizeof names, "%s%s", *names ? ", " : "", policy[i]->name);
    }
    if (*names && !used) return err_set(err, ST_USAGE, "--%s: %s", rules[rule].option, first);
    if (*names) call_say(o->call, "--%s is not used by %s: %s", rules[rule].option, names, rules[rule].others);
    return ST_OK;
}

enum st option_uses_check(const struct options_given *o, const struct policy *const *policy, int count, struct err *err)
{
    for (int r = 0; r < RULES; r++)
        if (call_given(o->call, rules[r].option)) PASS(check_one(o, r, policy, count, err));
    return ST_OK;
}

doc *option_uses_ignored(const struct options_given *o, const struct policy *p)
{
    doc *list = NULL;
    char why[WHY], name[32];
    for (int r = 0; r < RULES; r++) {
        if (!call_given(o->call, rules[r].option) || rules[r].uses(o, p, why)) continue;
        doc *d = doc_object();
        snprintf(name, sizeof name, "--%s", rules[r].option);
        doc_put(d, "option", doc_text(name));
        doc_put(d, "why", doc_text(why));
        if (!list) list = doc_array();
        doc_append(list, d);
    }
    return list;
}
