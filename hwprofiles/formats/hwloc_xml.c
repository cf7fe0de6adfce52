/* hwloc_xml.c - the XML that hwloc writes (lstopo --of xml): packages, NUMA nodes, bridges, PCI devices and, from NVML,
 * NVLink bandwidths. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/mem.h"
#include "base/text.h"
#include "hwprofiles/formats/server_format.h"
#include "hwprofiles/formats/hwloc_devices.h"
#include "hwprofiles/formats/hwloc_links.h"
#include "hwprofiles/formats/hwloc_objects.h"
#include "hwprofiles/model/link_rates.h"
#include "hwprofiles/model/server_finish.h"
#include "hwprofiles/model/server_name.h"
#include "hwprofiles/model/server_provenance.h"

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
