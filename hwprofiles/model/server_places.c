#include "hwprofiles/model/server_places.h"

#include <stdio.h>
#include <string.h>

#include "hwprofiles/model/drive.h"
#include "hwprofiles/model/server_members.h"

enum { WHERE_BYTES = 512, DISTANCE_MAX = 1000 };
static const double nic_gbps_max = 1000, dram_gbps_max = 1e5;

const char *const places_members[4] = {"numa", "socket_links", "nics", "nvme"};

/* ---- reading ---- */

/* Entry i of list `key`, which must be an object with these keys. here: "FILE: key[i]". */
static enum st entry(const doc *list, const char *key, uint64_t i, const char *const *keys, const char *where,
                     char here[WHERE_BYTES], const doc **out, struct err *err)
{
    snprintf(here, WHERE_BYTES, "%s: %s[%llu]", where, key, (unsigned long long)i);
    *out = doc_at(list, i);
    if (!doc_is_object(*out))
        return err_set(err, ST_INPUT,
                       "%s is not an object; write its members as {\"%s\": ..}, as hwprofiles/model/server_places.h "
                       "has them",
                       here, keys[0]);
    return doc_only_keys(*out, keys, here, err);
}

/* The list `key`; *out NULL when it is not stated. */
static enum st list_of(const doc *d, const char *key, int most, const char *where, doc **out, struct err *err)
{
    *out = NULL;
    if (!member_said(d, key)) return ST_OK;
    PASS(doc_need_array(d, key, where, out, err));
    if (doc_size(*out) > (uint64_t)most)
        return err_set(err, ST_INPUT, "%s: \"%s\" lists %llu entries, but at most %d are possible; shorten the list",
                       where, key, (unsigned long long)doc_size(*out), most);
    return ST_OK;
}

/* GB/s of a NIC, a NUMA node or a link between sockets. */
static enum st rate(const doc *d, double most, const char *where, double *out, struct err *err)
{
    if (member_real(d, "gbps", 1e-3, most, where, out, err) == ST_OK) return ST_OK;
    return err_set(err, ST_INPUT,
                   "%s: \"gbps\" must be 0.001 to %g GB/s (10^9 bytes per second; a NIC of 200 Gbit/s has 25); correct "
                   "it, or write null for unknown",
                   where, most);
}

static enum st read_distances(const doc *d, int nodes, const char *where, struct server_numa *out, struct err *err)
{
    doc *list = NULL;
    if (!member_said(d, "distances")) return ST_OK;
    PASS(doc_need_array(d, "distances", where, &list, err));
    if (doc_size(list) != (uint64_t)nodes)
        return err_set(err, ST_INPUT,
                       "%s: \"distances\" lists %llu numbers for %d NUMA nodes; list one for each, in the order of "
                       "\"numa\"",
                       where, (unsigned long long)doc_size(list), nodes);
    for (int i = 0; i < nodes; i++) {
        int64_t v = doc_integer_value(doc_at(list, (uint64_t)i), -1);
        if (v < 1 || v > DISTANCE_MAX)
            return err_set(err, ST_INPUT,
                           "%s: distances[%d] is no integer from 1 to %d; 10 is local, 20 about twice as far", where, i,
                           DISTANCE_MAX);
        out->distance[i] = (uint16_t)v;
    }
    out->distances = nodes;
    return ST_OK;
}

static enum st read_numa(const doc *d, const char *where, struct server_places *p, struct err *err)
{
    static const char *const keys[] = {"id", "socket", "memory_bytes", "gbps", "distances", NULL};
    doc *list = NULL;
    PASS(list_of(d, "numa", SERVER_NUMA_MAX, where, &list, err));
    for (uint64_t i = 0; list && i < doc_size(list); i++) {
        struct server_numa n = {.socket = -1};
        char here[WHERE_BYTES];
        const doc *e;
        int64_t id;
        PASS(entry(list, "numa", i, keys, where, here, &e, err));
        PASS(doc_need_integer(e, "id", 0, SERVER_PLACE_MAX, here, &id, err));
        n.id = (int)id;
        if (i && n.id <= p->numa[i - 1].id)
            return err_set(err, ST_INPUT, "%s: id %d follows %d; list NUMA nodes by ascending id, each once", here,
                           n.id, p->numa[i - 1].id);
        PASS(member_integer(e, "socket", 0, SERVER_PLACE_MAX, here, &n.socket, err));
        PASS(member_size(e, "memory_bytes", here, &n.memory_bytes, err));
        PASS(rate(e, dram_gbps_max, here, &n.gbps, err));
        PASS(read_distances(e, (int)doc_size(list), here, &n, err));
        p->numa[p->numas++] = n;
    }
    return ST_OK;
}

static enum st read_nics(const doc *d, const char *where, struct server_places *p, struct err *err)
{
    static const char *const keys[] = {"name", "gbps", "switch", "socket", "rail", NULL};
    doc *list = NULL;
    PASS(list_of(d, "nics", SERVER_NICS_MAX, where, &list, err));
    for (uint64_t i = 0; list && i < doc_size(list); i++) {
        struct server_nic n = {.pcie_switch = -1, .socket = -1, .rail = -1};
        char here[WHERE_BYTES];
        const doc *e;
        PASS(entry(list, "nics", i, keys, where, here, &e, err));
        PASS(member_text(e, "name", here, n.name, sizeof n.name, err));
        PASS(rate(e, nic_gbps_max, here, &n.gbps, err));
        PASS(member_integer(e, "switch", 0, SERVER_PLACE_MAX, here, &n.pcie_switch, err));
        PASS(member_integer(e, "socket", 0, SERVER_PLACE_MAX, here, &n.socket, err));
        PASS(member_integer(e, "rail", 0, SERVER_RAIL_MAX, here, &n.rail, err));
        for (int k = 0; k < p->nics; k++)
            if (n.name[0] && !strcmp(n.name, p->nic[k].name))
                return err_set(err, ST_INPUT, "%s is called %s, as nics[%d] is; give every NIC a name of its own", here,
                               n.name, k);
        p->nic[p->nics++] = n;
    }
    return ST_OK;
}

static enum st read_nvme(const doc *d, const char *where, struct server_places *p, struct err *err)
{
    static const char *const keys[] = {"name", "drive", "bytes", "switch", "socket", NULL};
    doc *list = NULL;
    PASS(list_of(d, "nvme", SERVER_NVME_MAX, where, &list, err));
    for (uint64_t i = 0; list && i < doc_size(list); i++) {
        struct server_nvme n = {.pcie_switch = -1, .socket = -1};
        char here[WHERE_BYTES];
        const doc *e;
        PASS(entry(list, "nvme", i, keys, where, here, &e, err));
        PASS(member_text(e, "name", here, n.name, sizeof n.name, err));
        PASS(member_text(e, "drive", here, n.drive, sizeof n.drive, err));
        if (n.drive[0] && !drive_text(n.drive))
            return err_set(err, ST_INPUT,
                           "%s: there is no drive \"%s\"; 'hotset list drives' shows the names, null is unknown", here,
                           n.drive);
        PASS(member_size(e, "bytes", here, &n.bytes, err));
        PASS(member_integer(e, "switch", 0, SERVER_PLACE_MAX, here, &n.pcie_switch, err));
        PASS(member_integer(e, "socket", 0, SERVER_PLACE_MAX, here, &n.socket, err));
        p->nvme[p->nvmes++] = n;
    }
    return ST_OK;
}

static enum st read_socket_links(const doc *d, const char *where, struct server_places *p, struct err *err)
{
    static const char *const keys[] = {"a", "b", "gbps", NULL};
    doc *list = NULL;
    PASS(list_of(d, "socket_links", SERVER_SOCKET_LINKS_MAX, where, &list, err));
    for (uint64_t i = 0; list && i < doc_size(list); i++) {
        struct server_socket_link l = {0};
        char here[WHERE_BYTES];
        const doc *e;
        int64_t a, b;
        PASS(entry(list, "socket_links", i, keys, where, here, &e, err));
        PASS(doc_need_integer(e, "a", 0, SERVER_PLACE_MAX, here, &a, err));
        PASS(doc_need_integer(e, "b", 0, SERVER_PLACE_MAX, here, &b, err));
        PASS(rate(e, dram_gbps_max, here, &l.gbps, err));
        l.a = (int)(a < b ? a : b);
        l.b = (int)(a < b ? b : a);
        if (a == b) return err_set(err, ST_INPUT, "%s joins socket %d with itself; remove it", here, l.a);
        for (int k = 0; k < p->socket_links; k++)
            if (p->socket_link[k].a == l.a && p->socket_link[k].b == l.b)
                return err_set(err, ST_INPUT,
                               "%s joins sockets %d and %d, as socket_links[%d] does; state each pair once", here, l.a,
                               l.b, k);
        p->socket_link[p->socket_links++] = l;
    }
    return ST_OK;
}

/* ---- references ---- */

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

enum st places_read(const doc *d, const char *where, struct server *s, struct err *err)
{
    s->places = (struct server_places){0};
    PASS(read_numa(d, where, &s->places, err));
    PASS(read_socket_links(d, where, &s->places, err));
    PASS(read_nics(d, where, &s->places, err));
    PASS(read_nvme(d, where, &s->places, err));
    return check_references(s, where, err);
}

/* ---- writing ---- */

static doc *rate_or_null(double v) { return v > 0 ? doc_real(v) : doc_null(); }
static doc *text_or_null(const char *text) { return doc_text(text[0] ? text : NULL); }

static doc *numa_document(const struct server_places *p)
{
    doc *list = doc_array();
    for (int i = 0; i < p->numas; i++) {
        const struct server_numa *n = &p->numa[i];
        doc *d = doc_object(), *far = n->distances ? doc_array() : doc_null();
        doc_put(d, "id", doc_integer(n->id));
        doc_put(d, "socket", member_count(n->socket, -1));
        doc_put(d, "memory_bytes", member_count((int64_t)n->memory_bytes, 0));
        doc_put(d, "gbps", rate_or_null(n->gbps));
        for (int k = 0; k < n->distances; k++) doc_append(far, doc_integer(n->distance[k]));
        doc_put(d, "distances", far);
        doc_append(list, d);
    }
    return list;
}

static doc *socket_links_document(const struct server_places *p)
{
    doc *list = doc_array();
    for (int i = 0; i < p->socket_links; i++) {
        doc *d = doc_object();
        doc_put(d, "a", doc_integer(p->socket_link[i].a));
        doc_put(d, "b", doc_integer(p->socket_link[i].b));
        doc_put(d, "gbps", rate_or_null(p->socket_link[i].gbps));
        doc_append(list, d);
    }
    return list;
}

static doc *nics_document(const struct server_places *p)
{
    doc *list = doc_array();
    for (int i = 0; i < p->nics; i++) {
        const struct server_nic *n = &p->nic[i];
        doc *d = doc_object();
        doc_put(d, "name", text_or_null(n->name));
        doc_put(d, "gbps", rate_or_null(n->gbps));
        doc_put(d, "switch", member_count(n->pcie_switch, -1));
        doc_put(d, "socket", member_count(n->socket, -1));
        doc_put(d, "rail", member_count(n->rail, -1));
        doc_append(list, d);
    }
    return list;
}

static doc *nvme_document(const struct server_places *p)
{
    doc *list = doc_array();
    for (int i = 0; i < p->nvmes; i++) {
        const struct server_nvme *n = &p->nvme[i];
        doc *d = doc_object();
        doc_put(d, "name", text_or_null(n->name));
        doc_put(d, "drive", text_or_null(n->drive));
        doc_put(d, "bytes", member_count((int64_t)n->bytes, 0));
        doc_put(d, "switch", member_count(n->pcie_switch, -1));
        doc_put(d, "socket", member_count(n->socket, -1));
        doc_append(list, d);
    }
    return list;
}

void places_put(const struct server_places *p, doc *d)
{
    if (p->numas) doc_put(d, "numa", numa_document(p));
    if (p->socket_links) doc_put(d, "socket_links", socket_links_document(p));
    if (p->nics) doc_put(d, "nics", nics_document(p));
    if (p->nvmes) doc_put(d, "nvme", nvme_document(p));
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

/* Rates, rails and places of NICs that both name. */
static bool fill_nics(struct server_places *into, const struct server_places *from)
{
    bool any = false;
    for (int i = 0; i < into->nics; i++)
        for (int k = 0; k < from->nics; k++) {
            struct server_nic *x = &into->nic[i];
            const struct server_nic *y = &from->nic[k];
            if (!x->name[0] || strcmp(x->name, y->name)) continue;
            any = any || (!(x->gbps > 0) && y->gbps > 0) || (x->rail < 0 && y->rail >= 0) ||
                  (x->pcie_switch < 0 && y->pcie_switch >= 0) || (x->socket < 0 && y->socket >= 0);
            if (!(x->gbps > 0)) x->gbps = y->gbps;
            if (x->rail < 0) x->rail = y->rail;
            if (x->pcie_switch < 0) x->pcie_switch = y->pcie_switch;
            if (x->socket < 0) x->socket = y->socket;
        }
    return any;
}

void places_fill(struct server_places *into, const struct server_places *from, bool taken[4])
{
    taken[0] = !into->numas && from->numas;
    taken[1] = !into->socket_links && from->socket_links;
    taken[2] = !into->nics ? from->nics > 0 : fill_nics(into, from);
    taken[3] = !into->nvmes && from->nvmes;
    if (taken[0]) {
        into->numas = from->numas;
        memcpy(into->numa, from->numa, sizeof into->numa);
    }
    if (taken[1]) {
        into->socket_links = from->socket_links;
        memcpy(into->socket_link, from->socket_link, sizeof into->socket_link);
    }
    if (!into->nics && from->nics) {
        into->nics = from->nics;
        memcpy(into->nic, from->nic, sizeof into->nic);
    }
    if (taken[3]) {
        into->nvmes = from->nvmes;
        memcpy(into->nvme, from->nvme, sizeof into->nvme);
    }
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
