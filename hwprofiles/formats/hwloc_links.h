/* hwloc_links.h - NVLinks in hwloc's XML: the matrix NVLinkBandwidth. */
#ifndef HWPROFILES_FORMATS_HWLOC_LINKS_H
#define HWPROFILES_FORMATS_HWLOC_LINKS_H

#include "base/xml.h"
#include "hwprofiles/formats/xml_topology.h"

/* Reads the matrix into links, gbps and fabric of f, whose GPUs are known by their PCI device (found_gpu.node), and
 * sets links_known; without a matrix f is unchanged. NVSwitches become one fabric; rows of CPU packages (POWER) are no
 * peers. warning[size]: appended to. ST_INPUT, with file and line, when the matrix is cut or names objects that the
 * file does not have. */
enum st hwloc_read_links(const struct xml *xml, struct xml_topology *f, char *warning, size_t size, struct err *err)
    MUST_USE;

#endif
