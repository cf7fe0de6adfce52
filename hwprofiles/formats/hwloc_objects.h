/* hwloc_objects.h - objects in hwloc's XML: <object type="PCIDev" ..>, nested as the machine is. */
#ifndef HWPROFILES_FORMATS_HWLOC_OBJECTS_H
#define HWPROFILES_FORMATS_HWLOC_OBJECTS_H

#include "hwprofiles/formats/xml.h"

/* True when node is an <object> of that type. */
bool hwloc_is(const struct xml *x, int node, const char *type);
/* The nearest object of that type among node and its ancestors; -1 none. */
int hwloc_ancestor(const struct xml *x, int node, const char *type);
/* PCI vendor id of a device or bridge: 0x10de for NVIDIA, 0 unknown. */
unsigned long hwloc_vendor(const struct xml *x, int pci);

#endif
