#include "hwprofiles/show/server_places_print.h"

#include <math.h>

#include "base/table.h"
#include "base/text.h"

/* A number of a place, "-" for unknown. */
static void add_place(struct table *t, int v)
{
    if (v < 0) table_add(t, "-");
    else table_add(t, "%d", v);
}

static void add_rate(struct table *t, double v)
{
    if (v > 0) table_add(t, "%.4g", v);
    else table_add(t, "-");
}

static void add_bytes(struct table *t, uint64_t bytes) { table_add_bytes(t, bytes ? (double)bytes : NAN); }

static void numas_print(const struct server *s, FILE *to)
{
    static const char *const headers[] = {"NUMA node", ">socket", ">memory", ">GB/s", "distances", NULL};
    const struct server_places *p = &s->places;
    struct table *t;
    if (!p->numas) return;
    fprintf(to, "\nNUMA nodes\n");
    t = table_new(headers);
    for (int i = 0; i < p->numas; i++) {
        const struct server_numa *n = &p->numa[i];
        char line[400] = "";
        table_add(t, "%d", n->id);
        add_place(t, n->socket);
        add_bytes(t, n->memory_bytes);
        add_rate(t, n->gbps);
        for (int k = 0; k < n->distances; k++) text_append(line, sizeof line, "%s%d", k ? " " : "", n->distance[k]);
        table_add(t, "%s", line[0] ? line : "-");
    }
    table_show(t, to);
}

static void socket_links_print(const struct server *s, FILE *to)
{
    for (int i = 0; i < s->places.socket_links; i++) {
        const struct server_socket_link *l = &s->places.socket_link[i];
        if (l->gbps > 0) fprintf(to, "Sockets %d and %d: %.4g GB/s each way\n", l->a, l->b, l->gbps);
        else fprintf(to, "Sockets %d and %d: rate unknown\n", l->a, l->b);
    }
}

static void nics_print(const struct server *s, FILE *to)
{
    static const char *const headers[] = {"NIC", ">GB/s", ">switch", ">socket", ">rail", NULL};
    const struct server_places *p = &s->places;
    struct table *t;
    if (!p->nics) return;
    fprintf(to, "\nNICs\n");
    t = table_new(headers);
    for (int i = 0; i < p->nics; i++) {
        table_add(t, "%s", p->nic[i].name[0] ? p->nic[i].name : "-");
        add_rate(t, p->nic[i].gbps);
        add_place(t, p->nic[i].pcie_switch);
        add_place(t, p->nic[i].socket);
        add_place(t, p->nic[i].rail);
    }
    table_show(t, to);
}

static void nvmes_print(const struct server *s, FILE *to)
{
    static const char *const headers[] = {"NVMe drive", "kind", ">holds", ">switch", ">socket", NULL};
    const struct server_places *p = &s->places;
    struct table *t;
    if (!p->nvmes) return;
    fprintf(to, "\nNVMe drives\n");
    t = table_new(headers);
    for (int i = 0; i < p->nvmes; i++) {
        table_add(t, "%s", p->nvme[i].name[0] ? p->nvme[i].name : "-");
        table_add(t, "%s", p->nvme[i].drive[0] ? p->nvme[i].drive : "-");
        add_bytes(t, p->nvme[i].bytes);
        add_place(t, p->nvme[i].pcie_switch);
        add_place(t, p->nvme[i].socket);
    }
    table_show(t, to);
}

void server_places_print(const struct server *s, FILE *to)
{
    numas_print(s, to);
    socket_links_print(s, to);
    nics_print(s, to);
    nvmes_print(s, to);
}

void server_devices_text(const struct server *s, int pcie_switch, char *out, size_t size)
{
    const struct server_places *p = &s->places;
    for (int i = 0; i < p->nics && pcie_switch >= 0; i++) {
        const struct server_nic *n = &p->nic[i];
        if (n->pcie_switch != pcie_switch) continue;
        text_append(out, size, "; NIC%s%s", n->name[0] ? " " : "", n->name);
        if (n->gbps > 0) text_append(out, size, " (%.4g GB/s)", n->gbps);
    }
    for (int i = 0; i < p->nvmes && pcie_switch >= 0; i++)
        if (p->nvme[i].pcie_switch == pcie_switch) text_append(out, size, "; NVMe %s", p->nvme[i].name);
}

void server_nics_text(const struct server *s, char *out, size_t size)
{
    const struct server_places *p = &s->places;
    bool alike = p->nics > 0 && p->nic[0].gbps > 0;
    out[0] = 0;
    for (int i = 1; i < p->nics; i++) alike = alike && fabs(p->nic[i].gbps - p->nic[0].gbps) < 1e-9;
    if (p->nics) text_append(out, size, "%d", p->nics);
    if (alike) text_append(out, size, " x %.4g GB/s", p->nic[0].gbps);
}
