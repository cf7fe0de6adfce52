/* smi_locality.h - which GPUs share a PCIe switch or a socket, as far as a matrix proves it. */
#ifndef HWPROFILES_FORMATS_SMI_LOCALITY_H
#define HWPROFILES_FORMATS_SMI_LOCALITY_H

#include "hwprofiles/formats/smi_table.h"

/* Sets pcie_switch and socket of s's GPUs where the table gives evidence, -1 elsewhere. The table has the GPUs of s.
 * Sockets: exactly two groups of NUMA nodes ("0" and "1", or lists), and SYS cells agree with them; more nodes may be
 * parts of sockets. name: of the file. warning[size]: appended to where nodes are stated and sockets stay unknown. */
void smi_find_locality(const struct smi_table *t, struct server *s, const char *name, char *warning, size_t size);

#endif
