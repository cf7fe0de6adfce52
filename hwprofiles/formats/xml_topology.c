/* xml_topology.c - GPUs of a file -> server: numbers, links, switches and sockets. */
#include "hwprofiles/formats/xml_topology.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include "hwprofiles/model/link_rates.h"
#include "hwprofiles/model/server_name.h"

enum st xml_topology_add(struct xml_topology *f, struct found_gpu gpu, struct err *err)
{
    if (f->gpus == SERVER_GPUS_MAX)
        return err_set(err, ST_INPUT,
                       "%s, line %d: there are more than %d GPUs, but one server has 1 to %d; reduce the file to one "
                       "NVLink domain",
                       f->name, gpu.line, SERVER_GPUS_MAX, SERVER_GPUS_MAX);
    f->gpu[f->gpus++] = gpu;
    return ST_OK;
}

static enum st add_device(const struct xml_topology *f, struct found_device *list, int *count, int most,
                          const char *what, struct found_device d, int line, struct err *err)
{
    if (*count == most)
        return err_set(err, ST_INPUT, "%s, line %d: there are more than %d %s; reduce the file to one server", f->name,
                       line, most, what);
    server_clean_text(d.name);
    for (int i = 0; i < *count; i++)
        if (!strcmp(list[i].name, d.name)) d.name[0] = 0; /* names are of one file's host; a second is not told apart */
    list[(*count)++] = d;
    return ST_OK;
}

enum st xml_topology_add_nic(struct xml_topology *f, struct found_device d, int line, struct err *err)
{
    return add_device(f, f->nic, &f->nics, SERVER_NICS_MAX, "NICs", d, line, err);
}

enum st xml_topology_add_nvme(struct xml_topology *f, struct found_device d, int line, struct err *err)
{
    return add_device(f, f->nvme, &f->nvmes, SERVER_NVME_MAX, "NVMe drives", d, line, err);
}

enum st xml_topology_add_numa(struct xml_topology *f, struct server_numa n, int line, struct err *err)
{
    int at = f->numas;
    for (int i = 0; i < f->numas; i++)
        if (f->numa[i].id == n.id) return ST_OK;
    if (f->numas == SERVER_NUMA_MAX)
        return err_set(err, ST_INPUT, "%s, line %d: there are more than %d NUMA nodes; reduce the file to one server",
                       f->name, line, SERVER_NUMA_MAX);
    for (; at > 0 && f->numa[at - 1].id > n.id; at--) f->numa[at] = f->numa[at - 1];
    f->numa[at] = n;
    f->numas++;
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
    for (int i = 0; i < f->gpus; i++)
        for (int j = 0; j < i; j++) {
            const struct found_gpu *a = &f->gpu[j], *b = &f->gpu[i];
            if (a->host != b->host) continue;
            if (a->bus == b->bus)
                return err_set(err, ST_INPUT,
                               "%s, lines %d and %d: two GPUs have the same bus id; export the file again", f->name,
                               a->line, b->line);
            if (a->number >= 0 && a->number == b->number)
                return err_set(err, ST_INPUT, "%s, lines %d and %d: two GPUs have the number %d; export the file again",
                               f->name, a->line, b->line, a->number);
        }
    return ST_OK;
}

/* Gives GPUs without a number the lowest free ones in the order of bus ids; numbers all GPUs anew when there are
 * several hosts. */
static enum st give_numbers(struct xml_topology *f, struct err *err)
{
    bool taken[SERVER_GPU_ID_MAX + 1] = {false};
    int order[SERVER_GPUS_MAX];
    bool many = false;
    PASS(check_numbers(f, err));
    for (int i = 0; i < f->gpus; i++) many = many || f->gpu[i].host;
    for (int i = 0; i < f->gpus; i++) {
        int at = i;
        for (; at > 0 && before(f, many, i, order[at - 1]); at--) order[at] = order[at - 1];
        order[at] = i;
    }
    for (int i = 0; i < f->gpus; i++) {
        struct found_gpu *g = &f->gpu[i];
        if (g->number > SERVER_GPU_ID_MAX)
            return err_set(err, ST_INPUT,
                           "%s, line %d: a GPU has the number %d, but 0 to %d are possible; export the file again",
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
    return ST_OK;
}

/* ---- links ---- */

static double smaller(double a, double b) { return a < b ? a : b; }

static enum st join(const struct xml_topology *f, const int *at, int i, int j, struct server *out, struct err *err)
{
    int a = at[i], b = at[j], width = f->links[a][b], back = f->links[b][a],
        fabric = f->gpu[a].fabric < f->gpu[b].fabric ? f->gpu[a].fabric : f->gpu[b].fabric;
    double gbps = f->gbps[a][b] > 0 ? f->gbps[a][b] : f->gbps[b][a];
    if (width != back && f->gpu[a].lists_links && f->gpu[b].lists_links)
        return err_set(err, ST_INPUT,
                       "%s: GPU %d has %d NVLinks to GPU %d (line %d), but GPU %d has %d to GPU %d (line %d); both are "
                       "the same links, so export the file again",
                       f->name, f->gpu[a].number, width, f->gpu[b].number, f->gpu[a].line, f->gpu[b].number, back,
                       f->gpu[a].number, f->gpu[b].line);
    width = (width > back ? width : back) + fabric;
    if (width > SERVER_LINKS_MAX)
        return err_set(err, ST_INPUT,
                       "%s: %d NVLinks between GPUs %d and %d are stated, but at most %d are possible; export the file "
                       "again",
                       f->name, width, f->gpu[a].number, f->gpu[b].number, SERVER_LINKS_MAX);
    if (fabric) gbps += smaller(f->gpu[a].fabric_gbps, f->gpu[b].fabric_gbps);
    out->links[i][j] = out->links[j][i] = (uint8_t)width;
    out->link_gbps[i][j] = out->link_gbps[j][i] = width ? gbps : 0;
    return ST_OK;
}

/* ---- places ---- */

/* A file without any bridge is the template of a virtual machine, or its tree was left out: switches stay unknown, and
 * false is returned. */
static bool number_switches(const struct xml_topology *f, const int *at, struct server *out)
{
    bool any = false;
    int next = 0;
    for (int i = 0; i < f->gpus; i++) any = any || f->gpu[i].bridge >= 0;
    for (int i = 0; i < f->gpus && any; i++) {
        for (int j = 0; j < i && f->gpu[at[i]].bridge >= 0 && out->gpu[i].pcie_switch < 0; j++)
            if (f->gpu[at[j]].bridge == f->gpu[at[i]].bridge) out->gpu[i].pcie_switch = out->gpu[j].pcie_switch;
        if (out->gpu[i].pcie_switch < 0) out->gpu[i].pcie_switch = next++;
    }
    return any;
}

/* Switches of devices: that of the GPUs below the same bridge, else numbers behind those of the GPUs. */
static void number_device(const struct xml_topology *f, const int *at, const struct server *s, int bridge,
                          int numbered[], int *bridges, int *out)
{
    int next = 0, k = 0;
    *out = -1;
    if (bridge < 0) return;
    for (int i = 0; i < s->gpus; i++) {
        if (f->gpu[at[i]].bridge == bridge) *out = s->gpu[i].pcie_switch;
        if (s->gpu[i].pcie_switch >= next) next = s->gpu[i].pcie_switch + 1;
    }
    if (*out >= 0) return;
    while (k < *bridges && numbered[k] != bridge) k++;
    if (k == *bridges) numbered[(*bridges)++] = bridge;
    *out = next + k;
}

static void take_devices(const struct xml_topology *f, const int *at, bool switches, struct server *out)
{
    int numbered[SERVER_NICS_MAX + SERVER_NVME_MAX], bridges = 0;
    struct server_places *p = &out->places;
    for (int i = 0; i < f->nics; i++) {
        const struct found_device *d = &f->nic[i];
        struct server_nic *n = &p->nic[p->nics++];
        *n = (struct server_nic){.gbps = d->gbps, .pcie_switch = -1, .socket = d->socket, .rail = -1};
        memcpy(n->name, d->name, sizeof n->name);
        if (switches) number_device(f, at, out, d->bridge, numbered, &bridges, &n->pcie_switch);
    }
    for (int i = 0; i < f->nvmes; i++) {
        const struct found_device *d = &f->nvme[i];
        struct server_nvme *n = &p->nvme[p->nvmes++];
        *n = (struct server_nvme){.bytes = d->bytes, .pcie_switch = -1, .socket = d->socket};
        memcpy(n->name, d->name, sizeof n->name);
        if (switches) number_device(f, at, out, d->bridge, numbered, &bridges, &n->pcie_switch);
    }
    p->numas = f->numas;
    memcpy(p->numa, f->numa, sizeof p->numa);
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
    int at[SERVER_GPUS_MAX]; /* GPU of the file for each position */
    PASS(give_numbers(f, err));
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
        for (int j = 0; j < i && f->links_known; j++) PASS(join(f, at, j, i, out, err));
    }
    take_devices(f, at, number_switches(f, at, out), out);
    take_pcie(f, out);
    return ST_OK;
}
