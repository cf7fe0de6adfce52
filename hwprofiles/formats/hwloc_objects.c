#include "hwprofiles/formats/hwloc_objects.h"

#include <stdlib.h>
#include <string.h>

bool hwloc_is(const struct xml *xml, int node, const char *type)
{
    const char *is = xml_is(xml, node, "object") ? xml_get(xml, node, "type") : NULL;
    return is && !strcmp(is, type);
}

int hwloc_ancestor(const struct xml *xml, int node, const char *type)
{
    while (node >= 0 && !hwloc_is(xml, node, type)) node = xml->node[node].parent;
    return node;
}

unsigned long hwloc_vendor(const struct xml *xml, int pci)
{
    const char *type = xml_get(xml, pci, "pci_type"), *bracket = type ? strchr(type, '[') : NULL;
    return bracket ? strtoul(bracket + 1, NULL, 16) : 0;
}

const char *hwloc_info(const struct xml *xml, int node, const char *key)
{
    for (int i = xml_child(xml, node, "info"); i >= 0; i = xml_sibling(xml, i, "info")) {
        const char *name = xml_get(xml, i, "name");
        if (name && !strcmp(name, key)) return xml_get(xml, i, "value");
    }
    return NULL;
}

bool hwloc_is_package(const struct xml *xml, int node)
{
    return hwloc_is(xml, node, "Package") || hwloc_is(xml, node, "Socket"); /* until hwloc 1.10 */
}

/* The socket of `node`: the package around it, or the only one inside it. -1 when there are several or none. */
static int package_of(const struct xml *xml, int node)
{
    for (; node >= 0; node = xml->node[node].parent) {
        int found = -1, count = 0;
        if (hwloc_is_package(xml, node)) return node;
        if (hwloc_is(xml, node, "Bridge") || hwloc_is(xml, node, "PCIDev") || hwloc_is(xml, node, "OSDev")) continue;
        for (int n = node, end = xml_subtree_end(xml, node); n < end; n++)
            if (hwloc_is_package(xml, n)) {
                found = n;
                count++;
            }
        if (count) return count == 1 ? found : -1;
    }
    return -1;
}

int hwloc_socket(const struct xml *xml, int node)
{
    int package = package_of(xml, node);
    const char *index = package >= 0 ? xml_get(xml, package, "os_index") : NULL;
    char *end;
    long v = index ? strtol(index, &end, 10) : -1;
    return !index || end == index || *end || v < 0 || v > 65535 ? -1 : (int)v;
}

uint64_t hwloc_kib_bytes(const char *text)
{
    char *end;
    unsigned long long v = strtoull(text, &end, 10);
    if (end == text || *text == '-' || (*end && strcmp(end, "KiB") && strcmp(end, "KB")) || v > 1ull << 40) return 0;
    return v << 10;
}
