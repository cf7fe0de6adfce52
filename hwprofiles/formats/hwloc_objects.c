#include "hwprofiles/formats/hwloc_objects.h"

#include <stdlib.h>
#include <string.h>

bool hwloc_is(const struct xml *x, int node, const char *type)
{
    const char *is = xml_is(x, node, "object") ? xml_get(x, node, "type") : NULL;
    return is && !strcmp(is, type);
}

int hwloc_ancestor(const struct xml *x, int node, const char *type)
{
    while (node >= 0 && !hwloc_is(x, node, type)) node = x->node[node].parent;
    return node;
}

unsigned long hwloc_vendor(const struct xml *x, int pci)
{
    const char *type = xml_get(x, pci, "pci_type"), *bracket = type ? strchr(type, '[') : NULL;
    return bracket ? strtoul(bracket + 1, NULL, 16) : 0;
}
