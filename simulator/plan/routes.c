#include "simulator/plan/routes.h"

#include <string.h>

static void read_links(const struct placement *p, const uint8_t (*links)[GPUS_MAX], struct routes *r)
{
    for (int g = 0; g < p->gpus; g++)
        for (int i = 0; i < p->peers[g]; i++) {
            int b = p->peer[g][i];
            uint8_t width = links[g][b];
            if (width > r->width[g][b]) r->width[g][b] = r->width[b][g] = width;
        }
}

/* Finds the number of links from every GPU to `holder`; order: the GPUs with a route, nearest first. Returns how many.
 */
static int count_hops(int gpus, int holder, struct routes *r, int *order)
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

/* Chooses the neighbour that g forwards to. narrowest: [gpus] the narrowest link from a GPU to the holder, known for
 * all that are nearer than g. */
static void choose_next(const struct placement *p, const int *id, int g, int holder, uint8_t *narrowest,
                        struct routes *r)
{
    int best = -1;
    for (int k = 0; k < p->gpus; k++) {
        if (!r->width[g][k] || r->hops[k][holder] + 1 != r->hops[g][holder] || (k != holder && !r->hops[k][holder]))
            continue;
        uint8_t least = r->width[g][k] < narrowest[k] ? r->width[g][k] : narrowest[k];
        if (best >= 0 && (least < narrowest[g] || (least == narrowest[g] && id[k] > id[best]))) continue;
        best = k;
        narrowest[g] = least;
    }
    r->next[g][holder] = (uint8_t)best;
}

void routes_find(const struct placement *p, const uint8_t (*links)[GPUS_MAX], const int *id, struct routes *out)
{
    int order[GPUS_MAX], gpus = p->gpus;
    uint8_t narrowest[GPUS_MAX];
    memset(out, 0, sizeof *out);
    read_links(p, links, out);
    for (int holder = 0; holder < gpus; holder++) {
        int count = count_hops(gpus, holder, out, order);
        memset(narrowest, 0, sizeof narrowest);
        narrowest[holder] = UINT8_MAX;
        for (int i = 1; i < count; i++) choose_next(p, id, order[i], holder, narrowest, out);
    }
}

bool routes_over_pcie(const struct routes *r, const int *pcie_switch, int reader, int holder)
{
    return !r->hops[reader][holder] && pcie_switch[reader] >= 0 && pcie_switch[reader] == pcie_switch[holder];
}

bool routes_reach_peers(const struct placement *p, const struct routes *r, const int *pcie_switch, int *reader,
                        int *holder)
{
    for (*reader = 0; *reader < p->gpus; ++*reader)
        for (int i = 0; i < p->peers[*reader]; i++) {
            *holder = p->peer[*reader][i];
            if (!r->hops[*reader][*holder] && !routes_over_pcie(r, pcie_switch, *reader, *holder)) return false;
        }
    return true;
}
