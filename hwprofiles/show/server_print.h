/* server_print.h - the parts of the picture of a server for terminals. For this floor. */
#ifndef HWPROFILES_SHOW_SERVER_PRINT_H
#define HWPROFILES_SHOW_SERVER_PRINT_H

#include <stdio.h>
#include "hwprofiles/model/server.h"

enum { SERVER_FOLD_ABOVE = 16 }; /* larger machines are shown by groups of GPUs that are alike */

/* "{0-3}", "{0,2,5-7}": GPU ids of ascending positions, runs of three and more shortened; without the braces when
 * bare. */
void server_ids_text(const struct server *s, const int *position, int count, bool bare, char *out, size_t size);
/* "2 x 4", or "1 x 3 + 2 x 1" when the cliques differ in size. */
void server_shape_text(const struct server *s, char *out, size_t size);
/* "PCIe 3.0 x16 (15.76 GB/s)" of what is known, "" when nothing is. */
void server_pcie_text(const struct server *s, char *out, size_t size);
/* "8 x Tesla V100-SXM2-16GB", models in the order of the GPUs; unknown ones count as "GPU". */
void server_models_text(const struct server *s, char *out, size_t size);
/* GB/s per link and direction where all links have the same, else 0. */
double server_gbps_per_link(const struct server *s);

/* The whole picture for people: GPUs, cliques, links, PCIe tree, provenance. */
void server_print(const struct server *s, FILE *to);
void server_links_print(const struct server *s, FILE *to);
void server_tree_print(const struct server *s, FILE *to);

#endif
