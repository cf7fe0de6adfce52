/* print.c - a server for people: what it has, who is joined with whom, and where the numbers come from. */
#include <stdio.h>
#include <string.h>
#include "base/text.h"
#include "base/units.h"
#include "hwprofiles/bandwidth.h"
#include "hwprofiles/server_doc.h"

/* "{0-3}", "{0,2,5-7}": ascending GPU ids, runs of three and more shortened. */
static void clique_text(const struct server *s, int k, char *out, size_t size)
{
    const int *c = s->clique[k], n = s->clique_size[k];
    out[0] = 0;
    for (int i = 0; i < n; i++) {
        int j = i;
        while (j + 1 < n && s->gpu[c[j + 1]].id == s->gpu[c[j]].id + 1) j++;
        text_append(out, size, "%s%d", i ? "," : "{", s->gpu[c[i]].id);
        if (j > i + 1) {
            text_append(out, size, "-%d", s->gpu[c[j]].id);
            i = j;
        }
    }
    text_append(out, size, "}");
}

/* "2 x 4", or "1 x 3 + 2 x 1" when the cliques differ in size. */
static void shape_text(const struct server *s, char *out, size_t size)
{
    out[0] = 0;
    for (int k = 0; k < s->cliques;) {
        int count = 0, width = s->clique_size[k];
        while (k < s->cliques && s->clique_size[k] == width) { /* sizes never grow in the order of removal */
            k++;
            count++;
        }
        text_append(out, size, "%s%d x %d", out[0] ? " + " : "", count, width);
    }
}

static const char *number_or_dash(int v, int unknown, char out[UNIT_TEXT])
{
    if (v == unknown) return "-";
    snprintf(out, UNIT_TEXT, "%d", v);
    return out;
}

static void print_head(const struct server *s, FILE *to)
{
    char text[UNIT_TEXT];
    fprintf(to, "%s", s->name);
    if (s->description[0]) fprintf(to, ": %s", s->description);
    fprintf(to, "\n%d GPU%s", s->gpus, s->gpus == 1 ? "" : "s");
    if (s->sockets) fprintf(to, ", %d socket%s", s->sockets, s->sockets == 1 ? "" : "s");
    if (s->cores) fprintf(to, ", %d cores", s->cores);
    if (s->host_memory_bytes) fprintf(to, ", %s host memory", units_bytes(text, s->host_memory_bytes));
    if (s->pcie_generation) fprintf(to, ", PCIe %d.0", s->pcie_generation);
    if (s->pcie_width) fprintf(to, " x%d", s->pcie_width);
    if (s->pcie_gbps > 0) fprintf(to, " (%.4g GB/s)", s->pcie_gbps);
    fprintf(to, ", reads of %llu bytes\n\n", (unsigned long long)s->cls);
}

static void print_gpus(const struct server *s, FILE *to)
{
    static const char *const headers[] = {"GPU", "model", ">memory", ">switch", ">socket", ">clique", NULL};
    struct table *t = table_new(headers);
    bool cliques = s->links_known || s->gpus == 1;
    for (int i = 0; i < s->gpus; i++) {
        const struct server_gpu *g = &s->gpu[i];
        char text[UNIT_TEXT];
        table_add(t, "GPU%d", g->id);
        table_add(t, "%s", g->model[0] ? g->model : "-");
        table_add(t, "%s", g->memory_bytes ? units_bytes(text, g->memory_bytes) : "-");
        table_add(t, "%s", number_or_dash(g->pcie_switch, -1, text));
        table_add(t, "%s", number_or_dash(g->socket, -1, text));
        table_add(t, "%s", number_or_dash(cliques ? s->clique_of[i] : -1, -1, text));
    }
    table_print(t, to);
    table_free(t);
}

static void print_links(const struct server *s, FILE *to)
{
    bool any = false;
    double gbps = 0, per_link = 0;
    if (!s->links_known) {
        fprintf(to, "\nNVLink: unknown, the source does not state it\n");
        return;
    }
    for (int i = 0; i < s->gpus; i++)
        for (int j = 0; j < s->gpus; j++) {
            any = any || s->links[i][j];
            gbps = s->link_gbps[i][j];
            if (s->links[i][j] && gbps > 0) per_link = gbps / s->links[i][j];
        }
    if (!any) {
        fprintf(to, "\nNVLink: none\n");
        return;
    }
    fprintf(to, "\nNVLink");
    if (per_link > 0) fprintf(to, " (%.4g GB/s per link and direction)", per_link);
    fprintf(to, "\n%7s", "");
    for (int j = 0; j < s->gpus; j++) {
        char head[16];
        snprintf(head, sizeof head, "GPU%d", s->gpu[j].id);
        fprintf(to, j + 1 < s->gpus ? "%-7s" : "%s", head);
    }
    for (int i = 0; i < s->gpus; i++) {
        fprintf(to, "\nGPU%-4d", s->gpu[i].id);
        for (int j = 0; j < s->gpus; j++) {
            char cell[16];
            if (i == j) snprintf(cell, sizeof cell, "X");
            else if (s->links[i][j]) snprintf(cell, sizeof cell, "NV%d", s->links[i][j]);
            else snprintf(cell, sizeof cell, ".");
            fprintf(to, j + 1 < s->gpus ? "%-7s" : "%s", cell);
        }
    }
    fprintf(to, "\n");
}

/* One line per switch below each socket: the GPUs that share an uplink. */
static void print_switches(const struct server *s, int socket, FILE *to)
{
    bool done[SERVER_GPUS_MAX] = {false};
    for (int i = 0; i < s->gpus; i++) {
        if (done[i] || s->gpu[i].socket != socket) continue;
        if (s->gpu[i].pcie_switch < 0) fprintf(to, "    switch unknown:");
        else fprintf(to, "    switch %d:", s->gpu[i].pcie_switch);
        for (int j = i; j < s->gpus; j++)
            if (s->gpu[j].socket == socket && s->gpu[j].pcie_switch == s->gpu[i].pcie_switch) {
                done[j] = true;
                fprintf(to, " GPU%d", s->gpu[j].id);
            }
        fprintf(to, "\n");
    }
}

static void print_tree(const struct server *s, FILE *to)
{
    bool done[SERVER_GPUS_MAX] = {false}, known = false;
    for (int i = 0; i < s->gpus; i++) known = known || s->gpu[i].socket >= 0 || s->gpu[i].pcie_switch >= 0;
    if (!known) {
        fprintf(to, "\nPCIe tree: unknown\n");
        return;
    }
    fprintf(to, "\nPCIe tree\n");
    for (int i = 0; i < s->gpus; i++) {
        if (done[i]) continue;
        for (int j = i; j < s->gpus; j++) done[j] = done[j] || s->gpu[j].socket == s->gpu[i].socket;
        if (s->gpu[i].socket < 0) fprintf(to, "  socket unknown\n");
        else fprintf(to, "  socket %d\n", s->gpu[i].socket);
        print_switches(s, s->gpu[i].socket, to);
    }
}

static void print_cliques(const struct server *s, FILE *to)
{
    char text[1024];
    if (!s->links_known && s->gpus > 1) {
        fprintf(to, "\nCliques: unknown\n");
        return;
    }
    shape_text(s, text, sizeof text);
    fprintf(to, "\nCliques (Kc x Kg = %s):", text);
    for (int k = 0; k < s->cliques; k++) {
        clique_text(s, k, text, sizeof text);
        fprintf(to, " %s", text);
    }
    fprintf(to, "\n");
}

static void print_provenance(const struct server *s, FILE *to)
{
    static const char *const headers[] = {"number", "kind", "source", NULL};
    const doc *list = doc_get(s->document, "provenance");
    struct table *t;
    if (!doc_size(list)) return;
    fprintf(to, "\nWhere the numbers come from\n");
    t = table_new(headers);
    for (uint64_t i = 0; i < doc_size(list); i++) {
        const doc *p = doc_at(list, i);
        table_add(t, "%s", doc_text_value(doc_get(p, "what"), "-"));
        table_add(t, "%s", doc_text_value(doc_get(p, "kind"), "-"));
        table_add(t, "%s", doc_text_value(doc_get(p, "source"), "-"));
    }
    table_print(t, to);
    table_free(t);
}

void server_print(const struct server *s, FILE *to)
{
    print_head(s, to);
    print_gpus(s, to);
    print_links(s, to);
    print_tree(s, to);
    print_cliques(s, to);
    bandwidth_print(s, to);
    print_provenance(s, to);
}
