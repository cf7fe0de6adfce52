#include "planner/optimum/reach.h"

#include <string.h>

#include "base/mem.h"
#include "hwprofiles/model/server_reach.h"

static pool_set bit(int i) { return (pool_set)1 << i; }

static pool_set readers_of(const struct server *s, int g)
{
    pool_set set = bit(g);
    for (int i = 0; i < s->gpus; i++)
        if (server_reads(s, i, g)) set |= bit(i);
    return set;
}

static void make_pools(const struct server *s, const uint64_t *budget, struct reach *r)
{
    for (int g = 0; g < s->gpus; g++) {
        pool_set set = readers_of(s, g);
        int k = 0;
        while (k < r->pools && r->readers[k] != set) k++;
        if (k == r->pools) r->readers[r->pools++] = set;
        r->pool_of[g] = k;
        r->budget[k] += budget[g];
    }
}

/* Whether GPUs of one clique reach different pools. */
static bool cliques_differ(const struct server *s, const struct reach *r)
{
    bool differ = false;
    for (int k = 0; k < r->pools; k++)
        for (int a = 0; a < s->gpus; a++)
            for (int b = 0; b < a; b++)
                differ |= s->clique_of[a] == s->clique_of[b] && (r->readers[k] >> a & 1) != (r->readers[k] >> b & 1);
    return differ;
}

static void make_groups(const struct server *s, bool by_switch, struct reach *r)
{
    int link_number[SERVER_GPUS_MAX];
    for (int g = 0; g < s->gpus; g++) {
        int h = 0, q = 0;
        while (h < g && (s->gpu[h].pcie_switch != s->gpu[g].pcie_switch || s->gpu[g].pcie_switch < 0)) h++;
        link_number[g] = h < g ? link_number[h] : r->links++;
        int link = by_switch ? link_number[g] : 0;
        while (q < r->groups && (r->clique_of_group[q] != r->clique_of[g] || r->switch_of_group[q] != link)) q++;
        if (q == r->groups) {
            r->clique_of_group[q] = r->clique_of[g];
            r->switch_of_group[q] = link;
            r->groups++;
        }
        r->group_of[g] = q;
    }
    if (!by_switch) r->links = 1;
}

static void make_islands(struct reach *r)
{
    for (int k = 0; k < r->pools; k++) r->component_of[k] = -1;
    for (int k = 0; k < r->pools; k++) {
        if (r->component_of[k] >= 0) continue;
        pool_set seen = r->readers[k];
        for (bool grew = true; grew;) {
            grew = false;
            for (int j = 0; j < r->pools; j++)
                if (r->component_of[j] < 0 && (r->readers[j] & seen)) {
                    r->component_of[j] = r->components;
                    seen |= r->readers[j];
                    grew = true;
                }
        }
        struct component *component = &r->component[r->components++];
        for (int q = 0; q < r->groups; q++)
            for (int g = 0; g < r->gpus; g++)
                if (r->group_of[g] == q && (seen & bit(g))) {
                    component->group[component->groups++] = q;
                    break;
                }
    }
}

/* ---- patterns ---- */

static pool_set reached(const struct reach *r, pool_set pools)
{
    pool_set all = 0;
    for (int k = 0; k < r->pools; k++)
        if (pools & bit(k)) all |= r->readers[k];
    return all;
}

/* Whether every pool of the set has a reader that no other pool of it has. */
static bool irredundant(const struct reach *r, pool_set pools)
{
    for (int k = 0; k < r->pools; k++)
        if ((pools & bit(k)) && !(r->readers[k] & ~reached(r, pools & ~bit(k)))) return false;
    return true;
}

static void set_pattern(const struct reach *r, const struct component *component, pool_set pools, struct pattern *out)
{
    pool_set all = reached(r, pools);
    memset(out, 0, sizeof *out);
    out->pools = pools;
    for (int i = 0; i < component->groups; i++) {
        int missed = 0;
        for (int g = 0; g < r->gpus; g++) missed += r->group_of[g] == component->group[i] && !(all & bit(g));
        out->miss[i] = (double)missed / r->clique_size[r->clique_of_group[component->group[i]]];
    }
}

/* Every part of an irredundant set is irredundant, so sets grow from those listed: level by level, each from pools
 * above its highest one. */
static enum st list_patterns(const struct reach *r, int component, int most, struct component *comp_of, struct err *err)
{
    enum st st = ST_OK;
    int from = 0, capacity = 64;
    comp_of->complete = true;
    NEW(comp_of->pattern, capacity, "patterns of copies");
    set_pattern(r, comp_of, 0, &comp_of->pattern[comp_of->patterns++]);
    for (int level = 1; from < comp_of->patterns && comp_of->complete; level++) {
        int end = comp_of->patterns;
        for (int p = from; p < end && comp_of->complete; p++)
            for (int k = r->pools - 1; k >= 0 && !(comp_of->pattern[p].pools >> k); k--) {
                pool_set set = comp_of->pattern[p].pools | bit(k);
                if (r->component_of[k] != component || !irredundant(r, set)) continue;
                if (comp_of->patterns == capacity) GROW(comp_of->pattern, capacity *= 2, "patterns of copies");
                set_pattern(r, comp_of, set, &comp_of->pattern[comp_of->patterns++]);
                if (comp_of->patterns <= most || level <= 2) continue;
                comp_of->complete = false;
                comp_of->patterns = end; /* whole levels only */
                break;
            }
        from = end;
        if (comp_of->patterns > most) comp_of->complete = false;
    }
done:
    return st;
}

enum st reach_make(const struct server *s, const uint64_t *budget, bool by_switch, bool divided, int most,
                   struct reach *out, struct err *err)
{
    enum st st = ST_OK;
    struct reach *r = out;
    memset(r, 0, sizeof *r);
    r->gpus = s->gpus;
    r->cliques = s->cliques;
    memcpy(r->clique_of, s->clique_of, sizeof r->clique_of);
    memcpy(r->clique_size, s->clique_size, sizeof r->clique_size);
    make_pools(s, budget, r);
    r->by_gpu = divided && cliques_differ(s, r);
    if (r->by_gpu) r->cliques = s->gpus;
    for (int g = 0; r->by_gpu && g < s->gpus; g++) {
        r->clique_of[g] = g;
        r->clique_size[g] = 1;
    }
    make_groups(s, by_switch, r);
    make_islands(r);
    for (int g = 0; g < s->gpus; g++) {
        struct component *component = &r->component[r->component_of[r->pool_of[g]]];
        if (budget[g] > component->largest) component->largest = budget[g];
    }
    for (int i = 0; i < r->components; i++) TRY(list_patterns(r, i, most, &r->component[i], err));
    return ST_OK;
done:
    reach_release(r);
    return st;
}

void reach_release(struct reach *r)
{
    for (int i = 0; i < r->components; i++) mem_free(r->component[i].pattern);
    memset(r, 0, sizeof *r);
}
