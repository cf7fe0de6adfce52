/* hwloc_devices.h - NUMA nodes, NICs and NVMe drives in hwloc's XML. */
#ifndef HWPROFILES_FORMATS_HWLOC_DEVICES_H
#define HWPROFILES_FORMATS_HWLOC_DEVICES_H

#include "base/xml.h"
#include "hwprofiles/formats/xml_topology.h"

/* Appends to f: NUMA nodes that have an os_index (memory of GPUs left out), with the matrix NUMALatency when its values
 * are distances of whole numbers from 1 to 1000 (hwloc 2 and 3); PCI devices of class 02 that have a network device,
 * and of class 0108 (NVMe). hwloc states no rate of a NIC. ST_INPUT, with the line, when there are too many. */
enum st hwloc_read_devices(const struct xml *xml, struct xml_topology *f, struct err *err) MUST_USE;

#endif
