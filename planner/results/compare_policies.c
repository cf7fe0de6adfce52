#include "planner/results/compare.h"

#include <string.h>

#include "base/text.h"
#include "planner/results/results_tables.h"
#include "traces/graph/rows.h"

/* Which policies and budgets a comparison has. */

/* "cache:lru": dgl-uva's assignment with a dynamic cache for features. */
static enum st add_cache(struct comparison *c, const char *word, struct err *err)
{
    const struct cache *cache;
    const struct policy *base;
    if (c->caches == CACHES_MAX) return err_set(err, ST_USAGE, "--policy: more than %d caches", CACHES_MAX);
    PASS(cache_find(word + strlen("cache:"), &cache, err));
    PASS(policy_parse("dgl-uva", &base, c->option[c->policies], err));
    struct policy *made = &c->cache[c->caches];
    char *name = c->cache_name[c->caches++];
    *made = *base;
    snprintf(name, sizeof c->cache_name[0], "cache:%s", cache->name);
    made->name = name;
    made->cache = cache->name;
    made->summary = cache->summary;
    made->source = cache->source;
    c->policy[c->policies++] = made;
    return ST_OK;
}

/* "mine=lists:DIR": rows that another program chose. */
static enum st add_own(struct comparison *c, const char *word, struct err *err)
{
    struct own_lists *own = &c->own[c->owns];
    if (c->owns == OWN_LISTS_MOST)
        return err_set(err, ST_USAGE, "--policy: more than %d policies of lists", OWN_LISTS_MOST);
    PASS(own_lists_parse(word, own, err));
    for (int i = 0; i < c->owns; i++)
        if (!strcmp(c->own[i].name, own->name))
            return err_set(err, ST_USAGE, "--policy: two policies are called %s; give one of them another name",
                           own->name);
    c->policy[c->policies++] = &own->policy;
    c->owns++;
    return ST_OK;
}

/* --from-lists: policy "lists", which may say who trains what. */
static enum st add_lists(struct comparison *c, struct err *err)
{
    char word[PATH_BYTES + 16];
    snprintf(word, sizeof word, "%s=lists:%s", given_lists_policy.name, c->lists);
    PASS(add_own(c, word, err));
    c->own[c->owns - 1].deals = true;
    return ST_OK;
}

/* Adds a policy unless it is there. */
static enum st add_baseline(struct comparison *c, const char *name, struct err *err)
{
    for (int i = 0; i < c->policies; i++)
        if (!strcmp(c->policy[i]->name, name)) return ST_OK;
    if (c->policies == COMPARISON_POLICIES)
        return err_set(err, ST_USAGE, "--policy: more than %d policies", COMPARISON_POLICIES);
    PASS(policy_parse(name, &c->policy[c->policies], c->option[c->policies], err));
    c->policies++;
    return ST_OK;
}

enum st comparison_policies(struct comparison *c, const struct graph *g, const char *names, struct err *err)
{
    char copy[2 * PATH_BYTES], *part[COMPARISON_POLICIES];
    if (c->lists) PASS(add_lists(c, err));
    if (!strcmp(names, "all")) {
        for (const struct policy *const *p = policies_registered; *p && c->policies < COMPARISON_POLICIES; p++) {
            if (!policy_usual(*p, g)) continue;
            policy_defaults(*p, c->option[c->policies]);
            c->policy[c->policies++] = *p;
        }
        return ST_OK;
    }
    if (strlen(names) >= sizeof copy) return err_set(err, ST_USAGE, "--policy: the list is too long");
    strcpy(copy, names);
    int n = text_split(copy, ',', part, COMPARISON_POLICIES);
    if (n < 0) return err_set(err, ST_USAGE, "--policy: more than %d policies", COMPARISON_POLICIES);
    for (int i = 0; i < n; i++) {
        if (text_starts(part[i], "cache:")) PASS(add_cache(c, part[i], err));
        else if (own_lists_word(part[i])) PASS(add_own(c, part[i], err));
        else if (c->lists && !strcmp(part[i], given_lists_policy.name)) continue; /* it is there */
        else {
            PASS(policy_parse(part[i], &c->policy[c->policies], c->option[c->policies], err));
            c->policies++;
        }
    }
    for (int i = 0; i < RESULTS_BASELINES && !graph_plain(g); i++) PASS(add_baseline(c, results_baselines[i], err));
    return ST_OK;
}

enum st comparison_hotness(struct comparison *c, const char *hotness, bool all, struct err *err)
{
    int kept = 0;
    struct err why = {0};
    for (int i = 0; i < c->policies; i++) {
        enum st st = policy_check_hotness(c->policy[i], hotness, &why);
        if (st == ST_OK) {
            memmove(c->option[kept], c->option[i], sizeof c->option[i]);
            c->policy[kept++] = c->policy[i];
        } else if (!all) return err_set(err, st, "%s", why.text);
    }
    if (!kept) return err_set(err, ST_USAGE, "%s", why.text);
    c->policies = kept;
    c->hotness = hotness;
    return ST_OK;
}

void comparison_drop_twins(const struct call *call, struct comparison *c)
{
    char label[POLICY_LABEL], other[POLICY_LABEL];
    int kept = 0;
    for (int i = 0, k; i < c->policies; i++) {
        policy_label(c->policy[i], c->option[i], label);
        for (k = 0; k < kept && strcmp(label, policy_label(c->policy[k], c->option[k], other));) k++;
        if (k < kept) {
            call_say_twice(call, "policy", label);
            continue;
        }
        c->policy[kept] = c->policy[i];
        memmove(c->option[kept++], c->option[i], sizeof c->option[i]);
    }
    c->policies = kept;
    kept = 0;
    for (int i = 0, k; i < c->budgets; i++) {
        for (k = 0; k < kept && !budget_same(&c->budget[k], &c->budget[i]);) k++;
        if (k < kept) call_say_twice(call, c->budget[i].clique ? "clique-budget" : "budget", c->budget[i].text);
        else c->budget[kept++] = c->budget[i];
    }
    c->budgets = kept;
}
