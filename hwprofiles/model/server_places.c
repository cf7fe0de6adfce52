#include "hwprofiles/model/server_places.h"

#include <stdio.h>
#include <string.h>

#include "hwprofiles/model/drive.h"

/* ---- what a document may say ---- */

static enum st check_numa(const struct server_places *p, const char *where, struct err *err)
{
    for (int i = 0; i < p->numas; i++) {
        const struct server_numa *n = &p->numa[i];
        if (i && n->id <= n[-1].id)
            return err_set(err, ST_INPUT, "%s: numa[%d]: id %d follows %d; list NUMA nodes by ascending id, each once",
                           where, i, n->id, n[-1].id);
        if (n->distances && n->distances != p->numas)
            return err_set(err, ST_INPUT,
                           "%s: numa[%d]: \"distances\" lists %d numbers for %d NUMA nodes; list one for each, in the "
                           "order of \"numa\"",
                           where, i, n->distances, p->numas);
    }
    return ST_OK;
}

static enum st check_names(const struct server_places *p, const char *where, struct err *err)
{
    for (int i = 0; i < p->nics; i++)
        for (int k = 0; k < i; k++)
            if (p->nic[i].name[0] && !strcmp(p->nic[i].name, p->nic[k].name))
                return err_set(err, ST_INPUT,
                               "%s: nics[%d] is called %s, as nics[%d] is; give every NIC a name of its own", where, i,
                               p->nic[i].name, k);
    for (int i = 0; i < p->nvmes; i++)
        if (p->nvme[i].drive[0] && !drive_text(p->nvme[i].drive))
            return err_set(err, ST_INPUT,
                           "%s: nvme[%d]: there is no drive \"%s\"; 'hotset list drives' shows the names, null is "
                           "unknown",
                           where, i, p->nvme[i].drive);
    return ST_OK;
}

/* Lower sockets first; each pair once. */
static enum st order_socket_links(struct server_places *p, const char *where, struct err *err)
{
    for (int i = 0; i < p->socket_links; i++) {
        struct server_socket_link *l = &p->socket_link[i];
        int a = l->a < l->b ? l->a : l->b;
        l->b = l->a < l->b ? l->b : l->a;
        l->a = a;
        if (a == l->b)
            return err_set(err, ST_INPUT, "%s: socket_links[%d] joins socket %d with itself; remove it", where, i, a);
        for (int k = 0; k < i; k++)
            if (p->socket_link[k].a == a && p->socket_link[k].b == l->b)
                return err_set(err, ST_INPUT,
                               "%s: socket_links[%d] joins sockets %d and %d, as socket_links[%d] does; state each "
                               "pair once",
                               where, i, a, l->b, k);
    }
    return ST_OK;
}

static enum st check_device(const struct server *s, const char *key, int i, int pcie_switch, int socket,
                            const char *where, struct err *err)
{
    for (int g = 0; g < s->gpus && pcie_switch >= 0 && socket >= 0; g++)
        if (s->gpu[g].pcie_switch == pcie_switch && s->gpu[g].socket >= 0 && s->gpu[g].socket != socket)
            return err_set(err, ST_INPUT,
                           "%s: %s[%d] is below switch %d and on socket %d, but GPU %d below that switch is on socket "
                           "%d; correct one of them",
                           where, key, i, pcie_switch, socket, s->gpu[g].id, s->gpu[g].socket);
    return ST_OK;
}

static enum st check_references(const struct server *s, const char *where, struct err *err)
{
    const struct server_places *p = &s->places;
    uint64_t sum = 0;
    for (int i = 0; i < p->nics; i++)
        PASS(check_device(s, "nics", i, p->nic[i].pcie_switch, p->nic[i].socket, where, err));
    for (int i = 0; i < p->nvmes; i++)
        PASS(check_device(s, "nvme", i, p->nvme[i].pcie_switch, p->nvme[i].socket, where, err));
    for (int i = 0; i < p->numas; i++) sum += p->numa[i].memory_bytes; /* 64 * 2^50 at most */
    if (s->host_memory_bytes && (double)sum > 1.1 * (double)s->host_memory_bytes)
        return err_set(err, ST_INPUT,
                       "%s: the NUMA nodes have %llu bytes of DRAM together, but host_memory_bytes is %llu; correct "
                       "one of them",
                       where, (unsigned long long)sum, (unsigned long long)s->host_memory_bytes);
    return ST_OK;
}

enum st places_check(struct server *s, const char *where, struct err *err)
{
    PASS(check_numa(&s->places, where, err));
    PASS(check_names(&s->places, where, err));
    PASS(order_socket_links(&s->places, where, err));
    return check_references(s, where, err);
}

/* ---- two descriptions of one machine ---- */

static int renumbered(int v, bool sockets, const struct server *old, const struct server *now)
{
    for (int i = 0; i < old->gpus && i < now->gpus && v >= 0; i++) {
        const struct server_gpu *a = &old->gpu[i], *b = &now->gpu[i];
        if ((sockets ? a->socket : a->pcie_switch) == v) return sockets ? b->socket : b->pcie_switch;
    }
    return -1;
}

void places_renumber(struct server_places *p, bool sockets, const struct server *old, const struct server *now)
{
    int kept = 0;
    for (int i = 0; i < p->nics; i++) {
        int *v = sockets ? &p->nic[i].socket : &p->nic[i].pcie_switch;
        *v = renumbered(*v, sockets, old, now);
    }
    for (int i = 0; i < p->nvmes; i++) {
        int *v = sockets ? &p->nvme[i].socket : &p->nvme[i].pcie_switch;
        *v = renumbered(*v, sockets, old, now);
    }
    for (int i = 0; sockets && i < p->numas; i++) p->numa[i].socket = renumbered(p->numa[i].socket, true, old, now);
    for (int i = 0; sockets && i < p->socket_links; i++) {
        struct server_socket_link l = p->socket_link[i];
        int a = renumbered(l.a, true, old, now), b = renumbered(l.b, true, old, now);
        if (a < 0 || b < 0 || a == b) continue;
        p->socket_link[kept++] = (struct server_socket_link){.a = a < b ? a : b, .b = a < b ? b : a, .gbps = l.gbps};
    }
    if (sockets) p->socket_links = kept;
}

bool places_fill_nics(struct server_places *into, const struct server_places *from)
{
    bool any = false;
    for (int i = 0; i < into->nics; i++)
        for (int k = 0; k < from->nics; k++) {
            struct server_nic *nic = &into->nic[i];
            const struct server_nic *y = &from->nic[k];
            if (!nic->name[0] || strcmp(nic->name, y->name)) continue;
            any = any || (!(nic->gbps > 0) && y->gbps > 0) || (nic->rail < 0 && y->rail >= 0) ||
                  (nic->pcie_switch < 0 && y->pcie_switch >= 0) || (nic->socket < 0 && y->socket >= 0);
            if (!(nic->gbps > 0)) nic->gbps = y->gbps;
            if (nic->rail < 0) nic->rail = y->rail;
            if (nic->pcie_switch < 0) nic->pcie_switch = y->pcie_switch;
            if (nic->socket < 0) nic->socket = y->socket;
        }
    return any;
}

uint64_t places_socket_memory(const struct server_places *p, int socket)
{
    uint64_t sum = 0;
    for (int i = 0; i < p->numas; i++) {
        if (p->numa[i].socket != socket) continue;
        if (!p->numa[i].memory_bytes) return 0;
        sum += p->numa[i].memory_bytes;
    }
    return sum;
}

double places_socket_gbps(const struct server_places *p, int a, int b)
{
    for (int i = 0; i < p->socket_links; i++) {
        const struct server_socket_link *l = &p->socket_link[i];
        if ((l->a == a && l->b == b) || (l->a == b && l->b == a)) return l->gbps;
    }
    return 0;
}
