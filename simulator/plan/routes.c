#include "simulator/plan/routes.h"

#include <string.h>

static void state_links(const struct plan *p, struct routes *r)
{
    for (int g = 0; g < p->placement.gpus; g++)
        for (int i = 0; i < p->placement.peers[g]; i++) {
            int b = p->placement.peer[g][i];
            uint8_t width = p->links[g][b];
            if (width > r->width[g][b]) r->width[g][b] = r->width[b][g] = width;
        }
}

/* Numbers of links from everyone to `holder`; order: who was reached, nearest first. Returns how many. */
static int reach(int gpus, int holder, struct routes *r, int *order)
{
    int count = 1;
    order[0] = holder;
    for (int i = 0; i < count; i++)
        for (int g = 0; g < gpus; g++) {
            if (g == holder || r->hops[g][holder] || !r->width[g][order[i]]) continue;
            r->hops[g][holder] = (uint8_t)(r->hops[order[i]][holder] + 1);
            order[count++] = g;
        }
    return count;
}

/* The neighbour that g hands on to; narrowest: [gpus] the narrowest link from there to the holder, known of all that
 * are nearer than g. */
static void choose(const struct plan *p, int g, int holder, uint8_t *narrowest, struct routes *r)
{
    int best = -1;
    for (int k = 0; k < p->placement.gpus; k++) {
        if (!r->width[g][k] || r->hops[k][holder] + 1 != r->hops[g][holder] || (k != holder && !r->hops[k][holder]))
            continue;
        uint8_t least = r->width[g][k] < narrowest[k] ? r->width[g][k] : narrowest[k];
        if (best >= 0 &&
            (least < narrowest[g] || (least == narrowest[g] && p->assignment.id[k] > p->assignment.id[best])))
            continue;
        best = k;
        narrowest[g] = least;
    }
    r->next[g][holder] = (uint8_t)best;
}

void routes_find(const struct plan *p, struct routes *out)
{
    int order[GPUS_MAX], gpus = p->placement.gpus;
    uint8_t narrowest[GPUS_MAX];
    memset(out, 0, sizeof *out);
    state_links(p, out);
    for (int holder = 0; holder < gpus; holder++) {
        int count = reach(gpus, holder, out, order);
        memset(narrowest, 0, sizeof narrowest);
        narrowest[holder] = UINT8_MAX;
        for (int i = 1; i < count; i++) choose(p, order[i], holder, narrowest, out);
    }
}

bool routes_reach_peers(const struct plan *p, const struct routes *r, int *reader, int *holder)
{
    for (*reader = 0; *reader < p->placement.gpus; ++*reader)
        for (int i = 0; i < p->placement.peers[*reader]; i++) {
            *holder = p->placement.peer[*reader][i];
            if (!r->hops[*reader][*holder]) return false;
        }
    return true;
}
