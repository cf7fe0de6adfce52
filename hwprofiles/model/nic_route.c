#include "hwprofiles/model/nic_route.h"

#include <string.h>

const char *nic_rule_word(enum nic_rule rule)
{
    static const char *const words[] = {"switch", "nvlink", "socket", "server"};
    return words[rule];
}

/* Where GPUs and NICs are, as a rule sees it; -1: not stated. */
static int place_of_gpu(const struct server *s, enum nic_rule rule, int gpu)
{
    if (rule == NIC_OF_SERVER) return 0;
    return rule == NIC_OF_SWITCH ? s->gpu[gpu].pcie_switch : s->gpu[gpu].socket;
}

static int place_of_nic(const struct server *s, enum nic_rule rule, int nic)
{
    const struct server_nic *n = &s->places.nic[nic];
    if (rule == NIC_OF_SERVER) return n->socket < 0 ? 0 : -1;
    return rule == NIC_OF_SWITCH ? n->pcie_switch : n->socket;
}

/* The GPU's share of the NICs at its place. */
static bool take_share(const struct server *s, enum nic_rule rule, int gpu, struct nic_route *out)
{
    int place = place_of_gpu(s, rule, gpu), gpus = 0, before = 0, nics = 0, all[SERVER_NICS_MAX];
    if (place < 0) return false;
    for (int g = 0; g < s->gpus; g++) {
        if (place_of_gpu(s, rule, g) != place) continue;
        before += g < gpu;
        gpus++;
    }
    for (int i = 0; i < s->places.nics; i++)
        if (place_of_nic(s, rule, i) == place) all[nics++] = i;
    if (!nics) return false;
    *out = (struct nic_route){.rule = rule, .via = -1};
    if (nics < gpus) out->nic[out->nics++] = all[before % nics];
    else
        for (int k = before; k < nics; k += gpus) out->nic[out->nics++] = all[k];
    return true;
}

static bool take_over_nvlink(const struct server *s, int gpu, struct nic_route *out)
{
    struct nic_route one, best = {.via = -1};
    for (int g = 0; s->links_known && g < s->gpus; g++) {
        if (!s->links[gpu][g] || (best.via >= 0 && s->links[gpu][g] <= s->links[gpu][best.via])) continue;
        if (!take_share(s, NIC_OF_SWITCH, g, &one)) continue;
        best = one;
        best.via = g;
    }
    if (best.via < 0) return false;
    best.rule = NIC_OVER_NVLINK;
    *out = best;
    return true;
}

enum st nic_routes(const struct server *s, const char *where, struct nic_route *out, struct err *err)
{
    for (int g = 0; g < s->gpus; g++)
        if (!take_share(s, NIC_OF_SWITCH, g, &out[g]) && !take_over_nvlink(s, g, &out[g]) &&
            !take_share(s, NIC_OF_SOCKET, g, &out[g]) && !take_share(s, NIC_OF_SERVER, g, &out[g]))
            return err_set(err, ST_INPUT,
                           "%s: GPU %d of %s has no way to a NIC: none below its PCIe switch or on its socket, and no "
                           "NVLink to a GPU that has one below its switch; state \"switch\" or \"socket\" of the "
                           "\"nics\" and GPUs",
                           where, s->gpu[g].id, s->name);
    return ST_OK;
}
