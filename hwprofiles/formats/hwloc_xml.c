/* hwloc_xml.c - the XML that hwloc writes (lstopo --of xml): packages, NUMA nodes, bridges, PCI devices and, from NVML,
 * NVLink bandwidths. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "hwprofiles/formats/server_format.h"
#include "hwprofiles/formats/hwloc_links.h"
#include "hwprofiles/formats/hwloc_objects.h"
#include "hwprofiles/model/link_rates.h"
#include "hwprofiles/model/server_finish.h"
#include "hwprofiles/model/server_name.h"
#include "hwprofiles/model/server_provenance.h"
#include "hwprofiles/formats/xml_topology.h"

/* ---- NUMA nodes, NICs and NVMe drives in hwloc's XML ---- */

enum { DISTANCE_MAX = 1000 };

/* ---- NUMA nodes ---- */

/* Number in an attribute; -1 when it is absent or above `most`. */
static int number_of(const char *text, int most)
{
    char *end;
    long v = text ? strtol(text, &end, 10) : -1;
    return !text || end == text || *end || v < 0 || v > most ? -1 : (int)v;
}

static enum st read_numa(const struct xml *xml, int node, struct xml_topology *f, struct err *err)
{
    const char *memory = xml_get(xml, node, "local_memory"), *subtype = xml_get(xml, node, "subtype");
    struct server_numa n = {.id = number_of(xml_get(xml, node, "os_index"), SERVER_PLACE_MAX),
                            .socket = hwloc_socket(xml, node)};
    unsigned long long bytes = memory ? strtoull(memory, NULL, 10) : 0;
    if (n.id < 0 || (subtype && !strcmp(subtype, "GPUMemory"))) return ST_OK;
    n.memory_bytes = bytes > 1ull << 50 ? 0 : bytes;
    return xml_topology_add_numa(f, n, xml->node[node].line, err);
}

/* Appends the numbers in the texts of the elements `name` below `node` to out[most]. Returns how many there are, -1 for
 * a text that is not of numbers up to `limit`, or too many. */
static int numbers_below(const struct xml *xml, int node, const char *name, int limit, int *out, int most)
{
    int count = 0;
    for (int e = xml_child(xml, node, name); e >= 0; e = xml_sibling(xml, e, name)) {
        const char *text = xml->node[e].child >= 0 ? xml->node[xml->node[e].child].text : NULL;
        while (text && *text) {
            char *end;
            long v = strtol(text, &end, 10);
            if (end == text) {
                if (text[strspn(text, " \t\r\n")]) return -1;
                break;
            }
            if (v < 0 || v > limit || count == most) return -1;
            out[count++] = (int)v;
            text = end;
        }
    }
    return count;
}

static int numa_at(const struct xml_topology *f, int id)
{
    for (int i = 0; i < f->numas; i++)
        if (f->numa[i].id == id) return i;
    return -1;
}

struct numa_distances {
    int ids[SERVER_NUMA_MAX], value[SERVER_NUMA_MAX * SERVER_NUMA_MAX];
};

/* Distances are taken as a whole: every node of the file in the matrix, every value possible; else they stay unknown.
 */
static enum st read_distances(const struct xml *xml, int node, struct xml_topology *f, struct err *err)
{
    static const int most = SERVER_NUMA_MAX * SERVER_NUMA_MAX;
    ON_HEAP(struct numa_distances, of);
    int *const ids = of->ids, *const value = of->value;
    int n = numbers_below(xml, node, "indexes", SERVER_PLACE_MAX, ids, SERVER_NUMA_MAX);
    const char *by = xml_get(xml, node, "indexing");
    if (n != f->numas || n < 1 || !by || strcmp(by, "os")) return ST_OK;
    if (numbers_below(xml, node, "u64values", DISTANCE_MAX, value, most) != n * n) return ST_OK;
    for (int i = 0; i < n; i++) {
        if (numa_at(f, ids[i]) < 0) return ST_OK;
        for (int j = 0; j < i; j++)
            if (ids[i] == ids[j]) return ST_OK;
    }
    for (int i = 0; i < n * n; i++)
        if (value[i] < 1) return ST_OK;
    for (int i = 0; i < n; i++) {
        struct server_numa *from = &f->numa[numa_at(f, ids[i])];
        from->distances = n;
        for (int j = 0; j < n; j++) from->distance[numa_at(f, ids[j])] = (uint16_t)value[i * n + j];
    }
    return ST_OK;
}

/* ---- NICs and drives ---- */

/* A name for the OS device: that of InfiniBand verbs (it has a NodeGUID) before others, block devices of NVMe. */
static bool os_name(const struct xml *xml, int pci, bool block, char out[32])
{
    bool any = false;
    for (int n = pci, end = xml_subtree_end(xml, pci); n < end; n++) {
        const char *name = hwloc_is(xml, n, "OSDev") ? xml_get(xml, n, "name") : NULL;
        if (!name || (block && !text_starts(name, "nvme"))) continue;
        if (any && (block || !hwloc_info(xml, n, "NodeGUID"))) continue;
        snprintf(out, 32, "%s", name);
        any = true;
    }
    return any;
}

static uint64_t disk_bytes(const struct xml *xml, int pci)
{
    uint64_t most = 0;
    for (int n = pci, end = xml_subtree_end(xml, pci); n < end; n++) {
        const char *size = hwloc_is(xml, n, "OSDev") ? hwloc_info(xml, n, "Size") : NULL;
        uint64_t bytes = size ? hwloc_kib_bytes(size) : 0;
        if (bytes > most) most = bytes;
    }
    return most > (uint64_t)1 << 50 ? 0 : most;
}

static enum st read_device(const struct xml *xml, int pci, struct xml_topology *f, struct err *err)
{
    const char *type = xml_get(xml, pci, "pci_type");
    bool nic = type && text_starts(type, "02"), nvme = type && text_starts(type, "0108");
    struct found_device d = {.bridge = pci, .socket = hwloc_socket(xml, pci)};
    if (!nic && !nvme) return ST_OK;
    if (!os_name(xml, pci, nvme, d.name) && nic) return ST_OK; /* no driver: it carries nothing */
    for (int p = xml->node[pci].parent; p >= 0 && xml_is(xml, p, "object"); p = xml->node[p].parent)
        if (hwloc_is(xml, p, "Bridge") && xml_get(xml, p, "pci_busid")) d.bridge = p;
    if (nic) return xml_topology_add_nic(f, d, xml->node[pci].line, err);
    d.bytes = disk_bytes(xml, pci);
    return xml_topology_add_nvme(f, d, xml->node[pci].line, err);
}

/* Appends to f: NUMA nodes that have an os_index (memory of GPUs left out), with the matrix NUMALatency when its values
 * are distances of whole numbers from 1 to 1000 (hwloc 2 and 3); PCI devices of class 02 that have a network device,
 * and of class 0108 (NVMe). hwloc states no rate of a NIC. ST_INPUT, with the line, when there are too many. */
static enum st hwloc_read_devices(const struct xml *xml, struct xml_topology *f, struct err *err)
{
    for (int n = 0; n < xml->nodes; n++) {
        if (hwloc_is(xml, n, "NUMANode")) PASS(read_numa(xml, n, f, err));
        if (hwloc_is(xml, n, "PCIDev")) PASS(read_device(xml, n, f, err));
    }
    for (int n = xml_child(xml, 0, "distances2"); n >= 0; n = xml_sibling(xml, n, "distances2")) {
        const char *name = xml_get(xml, n, "name");
        if (name && !strcmp(name, "NUMALatency")) PASS(read_distances(xml, n, f, err));
    }
    return ST_OK;
}

#define AGAIN "write it again with: lstopo --of xml topo.xml"

enum { NVIDIA = 0x10de };

static int hwloc_xml_probe(const char *text, size_t bytes)
{
    char root[XML_NAME_BYTES_MAX];
    (void)bytes;
    return xml_root_name(text, root) && !strcmp(root, "topology") ? 90 : 0;
}

/* ---- GPUs ---- */

/* Number of the device "nvml12", "cuda0", "opencl0d1" of that family; -1 when it is of another. */
static int family_number(const struct xml *xml, int node, const char *family)
{
    const char *name = hwloc_is(xml, node, "OSDev") ? xml_get(xml, node, "name") : NULL;
    char *end;
    long v;
    if (!name || !text_starts(name, family) || !isdigit((unsigned char)name[strlen(family)])) return -1;
    v = strtol(name + strlen(family), &end, 10);
    if (!strcmp(family, "opencl"))
        return *end == 'd' ? 0 : -1; /* OpenCL numbers devices per platform, so the number is not used */
    return *end || v > 100000 ? -1 : (int)v;
}

/* Whether an OS device is an NVIDIA GPU of the family: OpenCL also lists other vendors' cards. */
static bool counts(const struct xml *xml, int node, const char *family)
{
    int pci;
    if (family_number(xml, node, family) < 0) return false;
    pci = hwloc_ancestor(xml, node, "PCIDev");
    if (pci < 0) return strcmp(family, "opencl") != 0;
    return hwloc_vendor(xml, pci) == NVIDIA;
}

/* Finds the outermost bridge with a bus id (the host's own has none) and the slowest link up to it. */
static void find_path(const struct xml *xml, int pci, struct found_gpu *g)
{
    bool known = true;
    g->bridge = -1;
    for (int p = pci; p >= 0 && xml_is(xml, p, "object"); p = xml->node[p].parent) {
        const char *speed = xml_get(xml, p, "pci_link_speed");
        double gbps = speed ? strtod(speed, NULL) : 0;
        if (!hwloc_is(xml, p, "PCIDev") && !(hwloc_is(xml, p, "Bridge") && xml_get(xml, p, "pci_busid"))) continue;
        if (hwloc_is(xml, p, "Bridge")) g->bridge = p;
        known = known && gbps >= 1e-3 && gbps <= 1e6;
        if (known && (!(g->gbps > 0) || gbps < g->gbps)) g->gbps = gbps;
    }
    if (!known) g->gbps = 0;
}

/* Takes model and memory from the OS devices of the card. */
static void find_facts(const struct xml *xml, int top, struct found_gpu *g)
{
    for (int n = top, end = xml_subtree_end(xml, top); n < end; n++) {
        const char *model, *memory;
        if (!hwloc_is(xml, n, "OSDev")) continue;
        model = hwloc_info(xml, n, "GPUModel");
        memory = hwloc_info(xml, n, "CUDAGlobalMemorySize");
        if (model && !g->model[0]) snprintf(g->model, sizeof g->model, "%s", model);
        if (memory && !g->memory_bytes) g->memory_bytes = hwloc_kib_bytes(memory);
    }
    server_clean_text(g->model);
    if (link_c2c(g->model)) g->generation = g->width = 0, g->gbps = 0;
}

static enum st read_gpu(const struct xml *xml, int device, const char *family, struct xml_topology *f, struct err *err)
{
    int pci = hwloc_ancestor(xml, device, "PCIDev"), top = pci >= 0 ? pci : device;
    const char *bus = pci >= 0 ? xml_get(xml, pci, "pci_busid") : NULL;
    struct found_gpu g = {.node = top, .line = xml->node[device].line, .bridge = -1};
    for (int i = 0; i < f->gpus; i++)
        if (f->gpu[i].node == top) {
            if (!strcmp(family, "opencl")) return ST_OK; /* several platforms list the card */
            return err_set(err, ST_INPUT,
                           "%s, lines %d and %d: one card is two %s devices (partitions, as MIG makes them), but whole "
                           "GPUs are expected; " AGAIN,
                           f->name, f->gpu[i].line, g.line, family);
        }
    if (pci >= 0 && (!bus || !xml_topology_bus(bus, &g.bus)))
        return err_set(err, ST_INPUT,
                       "%s, line %d: pci_busid is \"%.40s\", but a bus id like 0000:3b:00.0 was expected; " AGAIN,
                       f->name, xml->node[pci].line, bus ? bus : "");
    g.number = strcmp(family, "opencl") ? family_number(xml, device, family) : -1;
    if (pci < 0) g.bus = UINT64_MAX - (uint64_t)g.number; /* no bus id: its number orders it */
    g.socket = hwloc_socket(xml, top);
    find_path(xml, top, &g);
    find_facts(xml, top, &g);
    return xml_topology_add(f, g, err);
}

/* NVML lists every GPU, CUDA the visible ones, OpenCL those with an OpenCL driver: the first family that has any is
 * taken. */
static enum st find_gpus(const struct xml *xml, struct xml_topology *f, const char **family, struct err *err)
{
    static const char *const families[] = {"nvml", "cuda", "opencl"};
    bool amd = false, cards = false;
    for (int k = 0; k < 3 && !f->gpus; k++)
        for (int n = 0; n < xml->nodes; n++)
            if (counts(xml, n, families[k])) {
                *family = families[k];
                PASS(read_gpu(xml, n, families[k], f, err));
            }
    if (f->gpus) return ST_OK;
    for (int n = 0; n < xml->nodes; n++) {
        const char *type = hwloc_is(xml, n, "PCIDev") ? xml_get(xml, n, "pci_type") : NULL;
        if (!type || !text_starts(type, "03")) continue;
        cards = cards || hwloc_vendor(xml, n) == NVIDIA;
        amd = amd || hwloc_vendor(xml, n) == 0x1002;
    }
    return err_set(err, ST_INPUT, "%s lists no NVIDIA GPU (an OSDev nvml0, cuda0, ..)%s; %s", f->name,
                   cards ? ", only cards without a loaded driver"
                   : amd ? ", only AMD cards, for which hotset has no model"
                         : "",
                   "run lstopo --of xml where nvidia-smi works, with an hwloc that was built with NVML, or give it the "
                   "output of nvidia-smi topo -m");
}

/* ---- the machine ---- */

static void count_parts(const struct xml *xml, struct server *out)
{
    for (int n = 0; n < xml->nodes; n++) {
        const char *memory, *subtype;
        out->sockets += hwloc_is_package(xml, n) && out->sockets < 1024;
        out->cores += hwloc_is(xml, n, "Core") && out->cores < 1000000;
        if (!hwloc_is(xml, n, "NUMANode") && !hwloc_is(xml, n, "Machine")) continue;
        memory = xml_get(xml, n, "local_memory");
        subtype = xml_get(xml, n, "subtype");
        if (!memory || (subtype && !strcmp(subtype, "GPUMemory"))) continue; /* the GPUs' own, on POWER9 and Grace */
        out->host_memory_bytes += strtoull(memory, NULL, 10);
        if (out->host_memory_bytes > 1ull << 50) out->host_memory_bytes = 1ull << 50;
    }
}

static enum st check_root(const struct xml *xml, const char *name, struct err *err)
{
    const char *version = xml_get(xml, 0, "version");
    if (!version || (version[0] >= '1' && version[0] <= '3' && (!version[1] || version[1] == '.')))
        return ST_OK; /* hwloc 1 wrote none */
    return err_set(err, ST_INPUT,
                   "%s: <topology> has the version \"%.20s\", but 1 to 3 are read; write it with lstopo --of xml of an "
                   "older hwloc",
                   name, version);
}

static enum st note_origin(const struct xml_topology *f, const char *family, struct server *out, struct err *err)
{
    char text[160];
    bool memory = false;
    for (int i = 0; i < f->gpus; i++) memory = memory || f->gpu[i].memory_bytes;
    if (server_finish(out, NULL, err) != ST_OK) return err->code;
    snprintf(text, sizeof text, "hwloc XML: OS devices %s0, %s1, ..", family, family);
    server_provenance_add(out, "gpus", "measured", text);
    if (memory) server_provenance_add(out, "memory_bytes", "measured", "hwloc XML: CUDAGlobalMemorySize");
    if (f->links_known) {
        server_provenance_add(out, "nvlinks", "measured",
                              "hwloc XML: matrix NVLinkBandwidth over 25 GB/s per link (20 for NVLink 1); NVSwitches "
                              "are one fabric");
        server_provenance_add(out, "gbps", "measured", "hwloc XML: matrix NVLinkBandwidth");
    }
    if (server_knows_switches(out))
        server_provenance_add(out, "switch", "measured", "hwloc XML: outermost bridge above each GPU");
    if (server_knows_sockets(out))
        server_provenance_add(out, "socket", "measured", "hwloc XML: package around each GPU");
    if (out->pcie_gbps > 0)
        server_provenance_add(out, "pcie", "measured",
                              "hwloc XML: slowest pci_link_speed on the way when it was written; links of idle GPUs "
                              "may have been slowed down");
    if (out->sockets) server_provenance_add(out, "sockets", "measured", "hwloc XML: packages");
    if (out->cores) server_provenance_add(out, "cores", "measured", "hwloc XML: cores");
    if (out->host_memory_bytes)
        server_provenance_add(out, "host_memory_bytes", "measured", "hwloc XML: local_memory of the NUMA nodes");
    if (out->places.numas)
        server_provenance_add(out, "numa", "measured", "hwloc XML: NUMANode objects and the matrix NUMALatency");
    if (out->places.nics)
        server_provenance_add(out, "nics", "measured", "hwloc XML: PCI devices of class 02 with a network device");
    if (out->places.nvmes) server_provenance_add(out, "nvme", "measured", "hwloc XML: PCI devices of class 0108");
    return ST_OK;
}

static enum st read_hwloc(const char *text, size_t bytes, const char *name, struct server *out, char *warning,
                          size_t warning_size, struct err *err)
{
    OWNED_BY(xml_release) struct xml xml = {0};
    const char *family = "";
    warning[0] = 0;
    OWNED_NEW(struct xml_topology, f, 1, "the GPUs of the file");
    f->name = name;
    PASS(xml_parse(text, bytes, name, &xml, err));
    PASS(check_root(&xml, name, err));
    PASS(find_gpus(&xml, f, &family, err));
    PASS(hwloc_read_links(&xml, f, warning, warning_size, err));
    PASS(hwloc_read_devices(&xml, f, err));
    PASS(xml_topology_finish(f, out, err));
    count_parts(&xml, out);
    return note_origin(f, family, out, err);
}

const struct server_format server_format_hwloc_xml = {
    .name = "hwloc-xml",
    .summary = "machine XML of hwloc (lstopo --of xml)",
    .probe = hwloc_xml_probe,
    .read = read_hwloc,
};
