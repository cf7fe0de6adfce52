/* nccl_xml.c - the topology that NCCL and RCCL write (NCCL_TOPO_DUMP_FILE) and that clouds ship as templates:
 * <system><cpu><pci><gpu><nvlink/>.
 *
 * As in NCCL, unknown tags are passed over with everything inside. A file without any <nvlink> does not state links:
 * templates look so, and machines without links, too.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/mem.h"
#include "base/text.h"
#include "hwprofiles/formats/server_format.h"
#include "hwprofiles/formats/xml_topology.h"
#include "hwprofiles/model/link_rates.h"
#include "hwprofiles/model/server_finish.h"
#include "hwprofiles/model/server_provenance.h"
#include "base/xml.h"

#define AGAIN "let NCCL write it again with NCCL_TOPO_DUMP_FILE=topo.xml"

enum { CLASS_SWITCH = 0x068000, CLASS_CPU = 0x068001, HOSTS_MAX = 64 };

/* What the user is warned of. */
struct seen {
    bool own;          /* links from a GPU to itself */
    bool absent;       /* links to GPUs that the file does not list */
    bool amd;          /* AMD GPUs */
    bool other_vendor; /* graphics devices that were left out */
    bool c2c;          /* GPUs that NVLink-C2C joins to their CPU */
    bool virtual;      /* GPUs whose PCIe link is that of a virtual machine's port */
};

struct reader {
    const struct xml *x;
    struct xml_topology *f;
    const char *host[HOSTS_MAX]; /* host_hash of each machine */
    int hosts;
    struct seen seen;
};

static int nccl_xml_probe(const char *text, size_t bytes)
{
    char root[XML_NAME_BYTES_MAX];
    (void)bytes;
    if (!xml_root_name(text, root)) return 0;
    return !strcmp(root, "system") || !strcmp(root, "graphs") ? 90 : 0;
}

/* ---- GPUs ---- */

static unsigned long hex_of(const char *text) { return text ? strtoul(text, NULL, 16) : 0; }

static bool is_display(const char *class) { return class && text_starts(class, "0x03"); } /* 3D and graphics devices */

/* A target that the driver does not know: seen in virtual machines with NVSwitch. */
static bool is_nameless(const char *target) { return target && text_starts(target, "fffffff"); }

/* True when all elements around this one are known: NCCL passes over the others. */
static bool reachable(const struct xml *xml, int node)
{
    for (node = xml->node[node].parent; node >= 0; node = xml->node[node].parent)
        if (!xml_is(xml, node, "pci") && !xml_is(xml, node, "cpu") && !xml_is(xml, node, "system")) return false;
    return true;
}

static bool is_gpu(struct reader *r, int pci)
{
    const char *vendor = xml_get(r->x, pci, "vendor");
    unsigned long v = hex_of(vendor);
    bool amd = v == 0x1002;
    if (xml_child(r->x, pci, "gpu") < 0) {
        if (!is_display(xml_get(r->x, pci, "class"))) return false;
        if (vendor && v != 0x10de && !amd) {
            r->seen.other_vendor = true; /* the graphics of a management controller */
            return false;
        }
    }
    r->seen.amd = r->seen.amd || amd;
    return true;
}

/* Number of the host of a <cpu>. In a multi-node NVLink domain hosts differ in host_hash. */
static enum st host_of(struct reader *r, int cpu, int *out, struct err *err)
{
    const char *hash = cpu >= 0 ? xml_get(r->x, cpu, "host_hash") : NULL;
    if (!hash) hash = "";
    for (*out = 0; *out < r->hosts; ++*out)
        if (!strcmp(r->host[*out], hash)) return ST_OK;
    if (r->hosts == HOSTS_MAX)
        return err_set(err, ST_INPUT, "%s names more than %d hosts, but one NVLink domain has fewer; %s", r->f->name,
                       HOSTS_MAX, AGAIN);
    r->host[r->hosts++] = hash;
    return ST_OK;
}

/* Socket number of a <cpu>, unique over all hosts: NUMA node n of host h. */
static int socket_of(const struct xml *xml, int cpu, int host)
{
    enum { NODES_PER_HOST = 512 };
    const char *numa = cpu >= 0 ? xml_get(xml, cpu, "numaid") : NULL;
    char *end;
    long v = numa ? strtol(numa, &end, 10) : -1;
    if (!numa || end == numa || *end || v < 0 || v >= NODES_PER_HOST) return -1;
    return (int)v + host * NODES_PER_HOST;
}

/* Finds the outermost <pci> around the GPU and the narrowest link up to it; unknown when one of them does not state its
 * link. */
static void find_path(const struct xml *xml, int pci, struct found_gpu *g)
{
    bool known = true;
    g->bridge = -1;
    for (int p = pci; p >= 0 && xml_is(xml, p, "pci"); p = xml->node[p].parent) {
        const char *speed = xml_get(xml, p, "link_speed"), *width = xml_get(xml, p, "link_width");
        int generation = speed ? xml_topology_generation(speed) : 0;
        long lanes = width ? strtol(width, NULL, 10) : 0;
        double gbps;
        if (p != pci) g->bridge = p;
        if (lanes < 1 || lanes > 32 || (lanes & (lanes - 1)) || !generation) known = false;
        if (!known) continue;
        gbps = link_pcie_gbps(generation, (int)lanes);
        if (g->gbps > 0 && gbps > g->gbps) continue; /* of equal ones the outermost: GPUs share it */
        g->gbps = gbps;
        g->generation = generation;
        g->width = (int)lanes;
    }
    if (!known) {
        g->generation = g->width = 0;
        g->gbps = 0;
    }
}

/* NVLink-C2C, by which the GPU of a superchip reaches its CPU: links of bw MB/s each. Its PCIe link then only
 * configures it, and its bridge is no uplink that GPUs share. */
static void find_c2c(struct reader *r, int pci, int gpu, struct found_gpu *g)
{
    double gbps = 0;
    int c = gpu < 0 ? -1 : xml_child(r->x, gpu, "c2c");
    if (c < 0) return;
    for (; c >= 0; c = xml_sibling(r->x, c, "c2c")) {
        const char *bw = xml_get(r->x, c, "bw"), *count = xml_get(r->x, c, "count");
        long each = bw ? strtol(bw, NULL, 10) : 0, links = count ? strtol(count, NULL, 10) : 0;
        if (each > 0 && each < 10000000 && links > 0 && links < 100) gbps += 1e-3 * (double)each * (double)links;
    }
    r->seen.c2c = true;
    g->generation = g->width = 0;
    g->gbps = gbps;
    if (g->bridge >= 0) g->bridge = pci;
}

/* Whether the GPU's PCIe link is that of a port which a virtual machine made up: no bridge above it, and a NUMA node or
 * a target of its links that the machine does not know. */
static bool on_virtual_port(const struct xml *xml, int cpu, int gpu, const struct found_gpu *g)
{
    const char *numa = cpu >= 0 ? xml_get(xml, cpu, "numaid") : NULL;
    bool unknown = numa && !strcmp(numa, "-1");
    for (int l = gpu < 0 ? -1 : xml_child(xml, gpu, "nvlink"); l >= 0; l = xml_sibling(xml, l, "nvlink"))
        unknown |= is_nameless(xml_get(xml, l, "target"));
    return unknown && g->bridge < 0 && g->generation;
}

static enum st read_gpu(struct reader *r, int pci, struct err *err)
{
    const struct xml *xml = r->x;
    struct found_gpu g = {.node = pci, .line = xml->node[pci].line, .number = -1};
    const char *bus = xml_get(xml, pci, "busid"), *dev;
    int gpu = xml_child(xml, pci, "gpu"), cpu = xml_ancestor(xml, pci, "cpu");
    if (!bus || !xml_topology_bus(bus, &g.bus))
        return err_set(err, ST_INPUT,
                       "%s, line %d: the bus id of a GPU is \"%.40s\", but one like 0000:3b:00.0 was expected; %s",
                       r->f->name, g.line, bus ? bus : "", AGAIN);
    if (gpu >= 0) {
        if (xml_sibling(xml, gpu, "gpu") >= 0)
            return err_set(err, ST_INPUT,
                           "%s, line %d: the device %s holds two GPUs (partitions of MIG, or of MPS with -mlopart), "
                           "but "
                           "whole GPUs are expected; turn partitions off and %s, or give the output of nvidia-smi topo "
                           "-m",
                           r->f->name, g.line, bus, AGAIN);
        g.lists_links = true;
        dev = xml_get(xml, gpu, "dev");
        if (dev) {
            char *end;
            long v = strtol(dev, &end, 10);
            if (end == dev || *end || v < 0 || v > 100000)
                return err_set(err, ST_INPUT, "%s, line %d: dev is \"%.40s\", but the number of a GPU was expected; %s",
                               r->f->name, xml->node[gpu].line, dev, AGAIN);
            g.number = (int)v;
        }
    }
    PASS(host_of(r, cpu, &g.host, err));
    g.socket = socket_of(xml, cpu, g.host);
    find_path(xml, pci, &g);
    find_c2c(r, pci, gpu, &g);
    r->seen.virtual |= on_virtual_port(xml, cpu, gpu, &g);
    return xml_topology_add(r->f, g, err);
}

/* ---- links ---- */

static int gpu_at(const struct xml_topology *f, int host, uint64_t bus)
{
    for (int i = 0; i < f->gpus; i++)
        if (f->gpu[i].host == host && f->gpu[i].bus == bus) return i;
    return -1;
}

static enum st count_of(const struct reader *r, int link, int *out, struct err *err)
{
    const char *text = xml_get(r->x, link, "count");
    char *end;
    long v = text ? strtol(text, &end, 10) : -1;
    if (!text || end == text || *end || v < 1 || v > 99)
        return err_set(err, ST_INPUT, "%s, line %d: count is \"%.40s\", but 1 to 99 links were expected; %s",
                       r->f->name, r->x->node[link].line, text ? text : "", AGAIN);
    *out = (int)v;
    return ST_OK;
}

/* Class of the device with that bus id, NULL when the file does not list it: for links that do not state the class. */
static const char *class_at(const struct xml *xml, uint64_t bus)
{
    for (int n = 0; n < xml->nodes; n++) {
        const char *id = xml_is(xml, n, "pci") ? xml_get(xml, n, "busid") : NULL;
        uint64_t here;
        if (id && xml_topology_bus(id, &here) && here == bus) return xml_get(xml, n, "class");
    }
    return NULL;
}

static enum st read_link(struct reader *r, int i, int link, struct err *err)
{
    struct xml_topology *f = r->f;
    const char *target = xml_get(r->x, link, "target"), *class = xml_get(r->x, link, "tclass");
    uint64_t bus = 0;
    int count = 0, to = -1;
    bool nameless = is_nameless(target);
    PASS(count_of(r, link, &count, err));
    if (!target || (!nameless && !xml_topology_bus(target, &bus)))
        return err_set(err, ST_INPUT,
                       "%s, line %d: the target of a link is \"%.40s\", but a bus id like 0000:3b:00.0 was expected; "
                       "%s",
                       f->name, r->x->node[link].line, target ? target : "", AGAIN);
    if (!nameless) to = gpu_at(f, f->gpu[i].host, bus);
    if (to == i) {
        r->seen.own = true;
        return ST_OK;
    }
    f->links_known = true;
    if (to < 0 && !class) class = class_at(r->x, bus);
    if (to >= 0) f->links[i][to] += count;
    else if (nameless || hex_of(class) == CLASS_SWITCH) f->gpu[i].fabric += count;
    else if (is_display(class)) r->seen.absent = true;
    else if (hex_of(class) != CLASS_CPU)
        return err_set(err, ST_INPUT,
                       "%s, line %d: a link goes to %s of class \"%.20s\", which is neither a GPU of this file nor a "
                       "switch (0x068000) nor a CPU (0x068001); %s",
                       f->name, r->x->node[link].line, target, class ? class : "", AGAIN);
    return ST_OK;
}

static enum st read_links(struct reader *r, int i, struct err *err)
{
    int gpu = xml_child(r->x, r->f->gpu[i].node, "gpu");
    if (gpu < 0) return ST_OK;
    for (int c = r->x->node[gpu].child; c >= 0; c = r->x->node[c].next)
        if (xml_is(r->x, c, "nvlink") || xml_is(r->x, c, "xgmi")) PASS(read_link(r, i, c, err));
    return ST_OK;
}

/* ---- NICs and NUMA nodes ---- */

/* Mbit/s -> GB/s; 0 for what no NIC has. */
static double nic_gbps(const char *speed)
{
    char *end;
    long v = speed ? strtol(speed, &end, 10) : 0;
    return !speed || end == speed || *end || v < 8 || v > 8000000 ? 0 : (double)v / 8000;
}

static enum st read_nets(struct reader *r, int nic, struct err *err)
{
    const struct xml *xml = r->x;
    int cpu = xml_ancestor(xml, nic, "cpu"), host = 0;
    struct found_device d = {.bridge = -1};
    PASS(host_of(r, cpu, &host, err));
    d.socket = socket_of(xml, cpu, host);
    for (int p = xml->node[nic].parent; p >= 0 && xml_is(xml, p, "pci"); p = xml->node[p].parent) d.bridge = p;
    for (int net = xml_child(xml, nic, "net"); net >= 0; net = xml_sibling(xml, net, "net")) {
        const char *name = xml_get(xml, net, "name");
        d.gbps = nic_gbps(xml_get(xml, net, "speed"));
        snprintf(d.name, sizeof d.name, "%s", name ? name : "");
        PASS(xml_topology_add_nic(r->f, d, xml->node[net].line, err));
    }
    return ST_OK;
}

/* NUMA nodes have the numbers that sockets of GPUs have here (socket_of). */
static enum st read_devices(struct reader *r, struct err *err)
{
    const struct xml *xml = r->x;
    for (int n = 0; n < xml->nodes; n++) {
        int host = 0, socket;
        if (xml_is(xml, n, "nic") && reachable(xml, n)) PASS(read_nets(r, n, err));
        if (!xml_is(xml, n, "cpu")) continue;
        PASS(host_of(r, n, &host, err));
        socket = socket_of(xml, n, host);
        if (socket < 0) continue;
        PASS(xml_topology_add_numa(r->f, (struct server_numa){.id = socket, .socket = socket}, xml->node[n].line, err));
    }
    return ST_OK;
}

/* The rank of a socket among those of all hosts. */
static int rank_of(const struct xml_topology *f, int socket)
{
    int rank = 0;
    for (int i = 0; i < f->numas; i++) rank += f->numa[i].socket < socket;
    return socket < 0 ? -1 : rank;
}

/* Several hosts: their sockets are counted on from one host to the next, without the gaps of socket_of. Every one has a
 * NUMA node here. */
static void number_sockets(struct reader *r)
{
    struct xml_topology *f = r->f;
    for (int i = 0; i < f->gpus && r->hosts > 1; i++) f->gpu[i].socket = rank_of(f, f->gpu[i].socket);
    for (int i = 0; i < f->nics && r->hosts > 1; i++) f->nic[i].socket = rank_of(f, f->nic[i].socket);
    for (int i = 0; i < f->numas && r->hosts > 1; i++) /* ascending, so those before it have their rank already */
        f->numa[i].id = f->numa[i].socket = i;
}

/* ---- the file ---- */

static enum st check_root(const struct xml *xml, const char *name, struct err *err)
{
    const char *version = xml_get(xml, 0, "version");
    if (xml_is(xml, 0, "graphs"))
        return err_set(err, ST_INPUT,
                       "%s is NCCL's graph file (<graphs>), but its topology file (<system>) is expected; %s", name,
                       AGAIN);
    if (!version || (strcmp(version, "1") && strcmp(version, "2")))
        return err_set(err, ST_INPUT, "%s: <system> has the version \"%.20s\", but 1 (NCCL) or 2 (RCCL) is read; %s",
                       name, version ? version : "", AGAIN);
    return ST_OK;
}

static void warn(const struct reader *r, char *warning, size_t size)
{
    const char *name = r->f->name;
    warning[0] = 0;
    if (r->seen.own && !r->f->links_known)
        text_append(warning, size, "%s: every NVLink leads back to its own GPU, so links are taken as unknown", name);
    else if (r->seen.own) text_append(warning, size, "%s: NVLinks that lead back to their own GPU are left out", name);
    if (r->seen.absent)
        text_append(warning, size, "%s%s: NVLinks to GPUs that the file does not list are left out",
                    warning[0] ? "; " : "", name);
    if (r->seen.amd)
        text_append(warning, size, "%s%s describes AMD GPUs; their links are taken as NVLinks", warning[0] ? "; " : "",
                    name);
    if (r->seen.other_vendor)
        text_append(warning, size, "%s%s: a graphics device of another vendor is left out", warning[0] ? "; " : "",
                    name);
}

static enum st note_origin(const struct reader *r, struct server *out, struct err *err)
{
    out->pcie_doubted = r->seen.virtual && out->pcie_generation;
    if (server_finish(out, NULL, err) != ST_OK) return err->code;
    if (r->f->links_known)
        server_provenance_add(out, "nvlinks", "measured",
                              "NCCL topology XML: nvlink elements; GPUs that reach a switch are joined with the width "
                              "of the narrower one");
    if (server_knows_switches(out))
        server_provenance_add(out, "switch", "measured", "NCCL topology XML: outermost pci element around each GPU");
    if (server_knows_sockets(out))
        server_provenance_add(out, "socket", "measured", "NCCL topology XML: numaid of the cpu element");
    if (out->pcie_gbps > 0 && r->seen.c2c)
        server_provenance_add(out, "pcie", "measured",
                              "NCCL topology XML: the host is reached over NVLink-C2C, not PCIe: bw and count of the "
                              "c2c element");
    else if (out->pcie_gbps > 0)
        server_provenance_add(out, "pcie", out->pcie_doubted ? "assumed" : "measured",
                              out->pcie_doubted ? "NCCL topology XML, as of a virtual machine: link_speed and "
                                                  "link_width of its ports, "
                                                  "not of the hardware's"
                                                : "NCCL topology XML: narrowest link_speed and link_width on the way; "
                                                  "GB/s follow "
                                                  "from them");
    if (out->places.numas)
        server_provenance_add(out, "numa", "measured", "NCCL topology XML: numaid of the cpu elements");
    if (out->places.nics)
        server_provenance_add(out, "nics", "measured",
                              "NCCL topology XML: net elements, their speed, and the outermost pci element around "
                              "them");
    return ST_OK;
}

static enum st find_gpus(struct reader *r, struct err *err)
{
    for (int n = 0; n < r->x->nodes; n++)
        if (xml_is(r->x, n, "pci") && reachable(r->x, n) && is_gpu(r, n)) PASS(read_gpu(r, n, err));
    if (!r->f->gpus)
        return err_set(err, ST_INPUT,
                       "%s lists no GPU, that is, no <pci> that holds a <gpu> or has a class of 0x03; give it the "
                       "output of nvidia-smi topo -m (AMD: rocm-smi --showtopo), or %s",
                       r->f->name, AGAIN);
    return ST_OK;
}

static enum st read_nccl(const char *text, size_t bytes, const char *name, struct server *out, char *warning,
                         size_t warning_size, struct err *err)
{
    OWNED_BY(xml_release) struct xml xml = {0};
    struct reader r = {.x = &xml};
    OWNED_NEW(struct xml_topology, f, 1, "the GPUs of the file");
    f->name = name;
    r.f = f;
    PASS(xml_parse(text, bytes, name, &xml, err));
    PASS(check_root(&xml, name, err));
    PASS(find_gpus(&r, err));
    for (int i = 0; i < f->gpus; i++) PASS(read_links(&r, i, err));
    PASS(read_devices(&r, err));
    number_sockets(&r);
    PASS(xml_topology_finish(f, out, err));
    warn(&r, warning, warning_size);
    return note_origin(&r, out, err);
}

const struct server_format server_format_nccl_xml = {
    .name = "nccl-xml",
    .summary = "topology XML of NCCL or RCCL (NCCL_TOPO_DUMP_FILE)",
    .probe = nccl_xml_probe,
    .read = read_nccl,
};
