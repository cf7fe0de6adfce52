/* server_svg.h - a server as a drawing (SVG 1.1): the PCIe tree coloured by clique, and the NVLink matrix. */
#ifndef HWPROFILES_SHOW_SERVER_SVG_H
#define HWPROFILES_SHOW_SERVER_SVG_H

#include <stdio.h>
#include "hwprofiles/model/server.h"

/* What in the drawing tells that hotset drew it. */
#define SERVER_SVG_MARK "<!-- hotset -->"

/* Writes the drawing; equal servers give equal bytes. Labels are text elements, so they can be searched and copied. */
void server_svg(const struct server *s, FILE *to);

#endif
