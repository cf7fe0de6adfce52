#include "hwprofiles/show/server_places_print.h"

#include <math.h>

#include "base/columns.h"
#include "base/text.h"

/* A table of a list of server/1, below its title; nothing where the server states none. */
static void list_print(const struct server *s, const char *key, const char *title, const struct column *columns,
                       FILE *to)
{
    const doc *rows = doc_get(s->document, key);
    if (!doc_size(rows)) return;
    fprintf(to, "\n%s\n", title);
    columns_show(columns, rows, NULL, to);
}

/* Distances to all nodes, as the kernel writes them. */
static const char *distances_text(const struct column_row *r, char out[COLUMN_TEXT])
{
    const doc *list = doc_get(r->row, "distances");
    *out = '\0';
    for (uint64_t i = 0; i < doc_size(list); i++)
        text_append(out, COLUMN_TEXT, i ? " %lld" : "%lld", (long long)doc_integer_value(doc_at(list, i), 0));
    return *out ? out : NULL;
}

static void socket_links_print(const struct server *s, FILE *to)
{
    for (int i = 0; i < s->places.socket_links; i++) {
        const struct server_socket_link *l = &s->places.socket_link[i];
        if (l->gbps > 0) fprintf(to, "Sockets %d and %d: %.4g GB/s each way\n", l->a, l->b, l->gbps);
        else fprintf(to, "Sockets %d and %d: rate unknown\n", l->a, l->b);
    }
}

void server_places_print(const struct server *s, FILE *to)
{
#define RATE(path) COLUMN("GB/s", path, CELL_FORM, .form = "%.4g")
#define PLACE(name) COLUMN(name, name, CELL_FORM, .form = "%.0f")
    static const struct column numas[] = {COLUMN("NUMA node", "id", CELL_FORM, .form = "%.0f", .flags = COLUMN_LEFT),
                                          PLACE("socket"),
                                          COLUMN("memory", "memory_bytes", CELL_BYTES),
                                          RATE("gbps"),
                                          COLUMN("distances", NULL, CELL_TEXT, .text = distances_text),
                                          {0}};
    static const struct column nics[] =
        {COLUMN("NIC", "name", CELL_TEXT), RATE("gbps"), PLACE("switch"), PLACE("socket"), PLACE("rail"), {0}};
    static const struct column nvmes[] = {COLUMN("NVMe drive", "name", CELL_TEXT),
                                          COLUMN("kind", "drive", CELL_TEXT),
                                          COLUMN("holds", "bytes", CELL_BYTES),
                                          PLACE("switch"),
                                          PLACE("socket"),
                                          {0}};
    list_print(s, "numa", "NUMA nodes", numas, to);
    socket_links_print(s, to);
    list_print(s, "nics", "NICs", nics, to);
    list_print(s, "nvme", "NVMe drives", nvmes, to);
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
