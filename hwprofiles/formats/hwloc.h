/* hwloc.h - the parts of the reader for hwloc's XML (lstopo --of xml). For formats/hwloc_xml.c. */
#ifndef HWPROFILES_FORMATS_HWLOC_H
#define HWPROFILES_FORMATS_HWLOC_H

#include "hwprofiles/formats/xml_topology.h"
#include "hwprofiles/formats/xml.h"

/* True when node is an <object> of that type. */
bool hwloc_is(const struct xml *x, int node, const char *type);
/* The nearest object of that type that is node or around it; -1 none. */
int hwloc_around(const struct xml *x, int node, const char *type);
/* Vendor of a PCI device or bridge: 0x10de for NVIDIA, 0 unknown. */
unsigned long hwloc_vendor(const struct xml *x, int pci);

/* Reads the matrix NVLinkBandwidth, where there is one, into links, gbps and fabric of f, whose GPUs are known by
 * their PCI device (node). NVSwitches are one fabric; rows of CPU packages (POWER) are no peers. ST_INPUT when it is
 * cut or names objects that are not there. warning: appended to. */
enum st hwloc_read_links(const struct xml *x, struct xml_topology *f, char *warning, size_t size, struct err *err)
    MUST_USE;

#endif
