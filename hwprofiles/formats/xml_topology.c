/* xml_topology.c - GPUs of a file -> server: numbers, links, switches and sockets. */
#include "hwprofiles/formats/xml_topology.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include "hwprofiles/model/link_rates.h"

enum st xml_topology_add(struct xml_topology *f, struct found_gpu gpu, struct err *err)
{
    if (f->gpus == SERVER_GPUS_MAX)
        return err_set(err, ST_INPUT,
                       "%s, line %d: there are more than %d GPUs, but one server has 1 to %d; reduce the file to "
                       "one NVLink domain",
                       f->name, gpu.line, SERVER_GPUS_MAX, SERVER_GPUS_MAX);
    f->gpu[f->gpus++] = gpu;
    return ST_OK;
}

bool xml_topology_bus(const char *text, uint64_t *out)
{
    static const struct {
        int digits;
        char end;
    } parts[] = {{8, ':'}, {2, ':'}, {2, '.'}, {1, 0}};
    uint64_t v = 0;
    for (size_t p = 0; p < sizeof parts / sizeof *parts; p++) {
        char *end;
        unsigned long part;
        if (!isxdigit((unsigned char)*text)) return false;
        part = strtoul(text, &end, 16);
        if (end - text > parts[p].digits || *end != parts[p].end) return false;
        v = v << 8 | part;
        text = end + 1;
    }
    *out = v;
    return true;
}

int xml_topology_generation(const char *link_speed)
{
    char *end;
    double transfers = strtod(link_speed, &end);
    return end == link_speed || strncmp(end, " GT/s", 5) ? 0 : link_pcie_generation(transfers);
}

/* ---- numbers ---- */

/* Order of numbering: by bus id; with several hosts by host, then by the numbers of the source. */
static bool before(const struct xml_topology *f, bool many, int a, int b)
{
    const struct found_gpu *x = &f->gpu[a], *y = &f->gpu[b];
    if (x->host != y->host) return x->host < y->host;
    if (many && x->number != y->number) return x->number < y->number;
    return x->bus < y->bus;
}

static enum st check_numbers(const struct xml_topology *f, struct err *err)
{
    enum st st = ST_OK;
    for (int i = 0; i < f->gpus; i++)
        for (int j = 0; j < i; j++) {
            const struct found_gpu *a = &f->gpu[j], *b = &f->gpu[i];
            if (a->host != b->host) continue;
            if (a->bus == b->bus)
                FAIL(ST_INPUT, "%s, lines %d and %d: two GPUs have the same bus id; export the file again", f->name,
                     a->line, b->line);
            if (a->number >= 0 && a->number == b->number)
                FAIL(ST_INPUT, "%s, lines %d and %d: two GPUs have the number %d; export the file again", f->name,
                     a->line, b->line, a->number);
        }
done:
    return st;
}

/* Gives GPUs without a number the lowest free ones in the order of bus ids; numbers all GPUs anew when there are
 * several hosts. */
static enum st give_numbers(struct xml_topology *f, struct err *err)
{
    enum st st;
    bool taken[SERVER_GPU_ID_MAX + 1] = {false};
    int order[SERVER_GPUS_MAX];
    bool many = false;
    TRY(check_numbers(f, err));
    for (int i = 0; i < f->gpus; i++) many = many || f->gpu[i].host;
    for (int i = 0; i < f->gpus; i++) {
        int at = i;
        for (; at > 0 && before(f, many, i, order[at - 1]); at--) order[at] = order[at - 1];
        order[at] = i;
    }
    for (int i = 0; i < f->gpus; i++) {
        struct found_gpu *g = &f->gpu[i];
        if (g->number > SERVER_GPU_ID_MAX)
            FAIL(ST_INPUT, "%s, line %d: a GPU has the number %d, but 0 to %d are possible; export the file again",
                 f->name, g->line, g->number, SERVER_GPU_ID_MAX);
        if (g->number >= 0) taken[g->number] = true;
    }
    for (int k = 0, next = 0; k < f->gpus; k++) {
        struct found_gpu *g = &f->gpu[order[k]];
        if (many) g->number = k;
        else if (g->number < 0) {
            while (taken[next]) next++;
            taken[next] = true;
            g->number = next;
        }
    }
done:
    return st;
}

/* ---- links ---- */

static double smaller(double a, double b) { return a < b ? a : b; }

static enum st join(const struct xml_topology *f, const int *at, int i, int j, struct server *out, struct err *err)
{
    enum st st = ST_OK;
    int a = at[i], b = at[j], width = f->links[a][b], back = f->links[b][a],
        fabric = f->gpu[a].fabric < f->gpu[b].fabric ? f->gpu[a].fabric : f->gpu[b].fabric;
    double gbps = f->gbps[a][b] > 0 ? f->gbps[a][b] : f->gbps[b][a];
    if (width != back && f->gpu[a].lists_links && f->gpu[b].lists_links)
        FAIL(ST_INPUT,
             "%s: GPU %d has %d NVLinks to GPU %d (line %d), but GPU %d has %d to GPU %d (line %d); both are the "
             "same links, so export the file again",
             f->name, f->gpu[a].number, width, f->gpu[b].number, f->gpu[a].line, f->gpu[b].number, back,
             f->gpu[a].number, f->gpu[b].line);
    width = (width > back ? width : back) + fabric;
    if (width > SERVER_LINKS_MAX)
        FAIL(ST_INPUT,
             "%s: %d NVLinks between GPUs %d and %d are stated, but at most %d are possible; export the file again",
             f->name, width, f->gpu[a].number, f->gpu[b].number, SERVER_LINKS_MAX);
    if (fabric) gbps += smaller(f->gpu[a].fabric_gbps, f->gpu[b].fabric_gbps);
    out->links[i][j] = out->links[j][i] = (uint8_t)width;
    out->link_gbps[i][j] = out->link_gbps[j][i] = width ? gbps : 0;
done:
    return st;
}

/* ---- places ---- */

/* A file without any bridge is the template of a virtual machine, or its tree was left out: switches stay unknown. */
static void number_switches(const struct xml_topology *f, const int *at, struct server *out)
{
    bool any = false;
    int next = 0;
    for (int i = 0; i < f->gpus; i++) any = any || f->gpu[i].bridge >= 0;
    for (int i = 0; i < f->gpus && any; i++) {
        for (int j = 0; j < i && f->gpu[at[i]].bridge >= 0 && out->gpu[i].pcie_switch < 0; j++)
            if (f->gpu[at[j]].bridge == f->gpu[at[i]].bridge) out->gpu[i].pcie_switch = out->gpu[j].pcie_switch;
        if (out->gpu[i].pcie_switch < 0) out->gpu[i].pcie_switch = next++;
    }
}

/* Takes the PCIe link of the GPUs for the server, if all have the same. */
static void take_pcie(const struct xml_topology *f, struct server *out)
{
    const struct found_gpu *g = &f->gpu[0];
    for (int i = 1; i < f->gpus; i++)
        if (f->gpu[i].generation != g->generation || f->gpu[i].width != g->width || f->gpu[i].gbps != g->gbps) return;
    out->pcie_generation = g->generation;
    out->pcie_width = g->width;
    out->pcie_gbps = g->gbps;
}

enum st xml_topology_finish(struct xml_topology *f, struct server *out, struct err *err)
{
    enum st st;
    int at[SERVER_GPUS_MAX]; /* GPU of the file for each position */
    TRY(give_numbers(f, err));
    for (int i = 0; i < f->gpus; i++) {
        int k = i;
        for (; k > 0 && f->gpu[at[k - 1]].number > f->gpu[i].number; k--) at[k] = at[k - 1];
        at[k] = i;
    }
    out->gpus = f->gpus;
    out->links_known = f->links_known;
    for (int i = 0; i < f->gpus; i++) {
        const struct found_gpu *g = &f->gpu[at[i]];
        out->gpu[i] = (struct server_gpu){.id = g->number,
                                          .memory_bytes = g->memory_bytes,
                                          .pcie_switch = -1,
                                          .socket = g->socket};
        memcpy(out->gpu[i].model, g->model, sizeof out->gpu[i].model);
        for (int j = 0; j < i && f->links_known; j++) TRY(join(f, at, j, i, out, err));
    }
    number_switches(f, at, out);
    take_pcie(f, out);
done:
    return st;
}
