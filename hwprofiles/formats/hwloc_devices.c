#include "hwprofiles/formats/hwloc_devices.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "hwprofiles/formats/hwloc_objects.h"

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

enum st hwloc_read_devices(const struct xml *xml, struct xml_topology *f, struct err *err)
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
