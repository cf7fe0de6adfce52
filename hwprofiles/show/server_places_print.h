/* server_places_print.h - NUMA nodes, NICs and NVMe drives of a server as text. */
#ifndef HWPROFILES_SHOW_SERVER_PLACES_PRINT_H
#define HWPROFILES_SHOW_SERVER_PLACES_PRINT_H

#include <stdio.h>
#include "hwprofiles/model/server.h"

/* Writes a table of NUMA nodes, one of NICs and one of drives; nothing for what the source does not state. */
void server_places_print(const struct server *s, FILE *to);
/* Appends NICs and drives below that switch to out[size]: "; NIC mlx5_0 (25 GB/s)". */
void server_devices_text(const struct server *s, int pcie_switch, char *out, size_t size);
/* "8 x 25 GB/s", "5" where rates differ or are not known, "" without NICs. */
void server_nics_text(const struct server *s, char *out, size_t size);

#endif
