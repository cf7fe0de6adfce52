#include "planner/results/compare_reach.h"

#include <string.h>

static const char infix[] = " --reach ";

/* How far GPUs of the server read by NVLinks; chains: over several, too. */
static enum server_reach links_reach(const struct server *s, bool chains)
{
    enum server_reach far = REACH_OWN;
    for (int a = 0; a < s->gpus; a++)
        for (int b = 0; b < s->gpus; b++)
            if (s->links[a][b] && far == REACH_OWN) far = REACH_DIRECT;
            else if (a != b && !s->links[a][b] && chains && s->island[a] == s->island[b]) far = REACH_FORWARD;
    return far;
}

static int find_default(const struct comparison *c)
{
    char label[POLICY_LABEL];
    for (int i = 0; i < c->policies; i++)
        if (!strcmp(policy_label(c->policy[i], c->option[i], label), "hotset")) return i;
    return -1;
}

struct compare_reaches compare_reaches_find(const struct comparison *c, const struct study_args *a,
                                            const struct server *s)
{
    struct compare_reaches out = {.policy = find_default(c)};
    enum server_reach own = links_reach(s, false);
    bool used[REACH_P2P + 1] = {false};
    if (out.policy < 0 || s->reach != REACH_DEFAULT || a->parts || c->lists || c->budget[0].clique) return out;
    for (int i = 0; i < c->policies; i++) {
        const struct policy *p = c->policy[i];
        if (strcmp(p->hotness, "none") || p->cache) /* what caches nothing reads from no GPU */
            used[p->own_memory ? REACH_OWN : links_reach(s, p->forwards)] = true;
    }
    for (int r = REACH_OWN; r <= REACH_FORWARD; r++)
        if (used[r] && r != (int)own) out.reach[out.count++] = (enum server_reach)r;
    return out;
}

const char *compare_reach_label(const char *name, enum server_reach reach, char out[REACH_LABEL])
{
    snprintf(out, REACH_LABEL, "%s%s%s", name, infix, reach_name(reach));
    return out;
}
