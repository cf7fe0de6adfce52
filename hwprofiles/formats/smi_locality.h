/* smi_locality.h - which GPUs share a PCIe switch or a socket, as far as a matrix proves it. */
#ifndef HWPROFILES_FORMATS_SMI_LOCALITY_H
#define HWPROFILES_FORMATS_SMI_LOCALITY_H

#include "hwprofiles/formats/smi_table.h"

/* Sets pcie_switch and socket of s's GPUs where the table gives evidence, -1 elsewhere. The table has the GPUs of s. */
void smi_find_locality(const struct smi_table *t, struct server *s);

#endif
