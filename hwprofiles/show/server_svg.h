/* server_svg.h - a server as a picture (SVG 1.1): who sits where in the PCIe tree, coloured by clique, and the NVLink
 * matrix. */
#ifndef HWPROFILES_SHOW_SERVER_SVG_H
#define HWPROFILES_SHOW_SERVER_SVG_H

#include <stdio.h>
#include "hwprofiles/model/server.h"

/* Writes the picture; equal servers give equal bytes. The text stays text, so it can be searched and printed. */
void server_svg(const struct server *s, FILE *to);

#endif
