/* hwloc_objects.h - objects in hwloc's XML: <object type="PCIDev" ..>, nested as the machine is. */
#ifndef HWPROFILES_FORMATS_HWLOC_OBJECTS_H
#define HWPROFILES_FORMATS_HWLOC_OBJECTS_H

#include <stdint.h>
#include "base/xml.h"

/* True when node is an <object> of that type. */
bool hwloc_is(const struct xml *xml, int node, const char *type);
/* The nearest object of that type among node and its ancestors; -1 none. */
int hwloc_ancestor(const struct xml *xml, int node, const char *type);
/* PCI vendor id of a device or bridge: 0x10de for NVIDIA, 0 unknown. */
unsigned long hwloc_vendor(const struct xml *xml, int pci);
/* Value of <info name="key" value=".."/> below an object, NULL when it has none. */
const char *hwloc_info(const struct xml *xml, int node, const char *key);
/* True for a CPU package, which hwloc calls Socket until 1.10. */
bool hwloc_is_package(const struct xml *xml, int node);
/* os_index of the package around node, or of the only one beside it; -1 when there are several or none. */
int hwloc_socket(const struct xml *xml, int node);
/* "11796032KiB", or a plain number of KiB as hwloc 1 and 2 write it -> bytes; 0 when it is neither. */
uint64_t hwloc_kib_bytes(const char *text);

#endif
