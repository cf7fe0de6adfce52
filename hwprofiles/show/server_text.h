/* server_text.h - facts of a server in words, for tables, trees and drawings.
 *
 * Each function writes into out[size]; a text that does not fit is cut.
 */
#ifndef HWPROFILES_SHOW_SERVER_TEXT_H
#define HWPROFILES_SHOW_SERVER_TEXT_H

#include "hwprofiles/model/server.h"

enum { SERVER_FOLD_ABOVE = 16 }; /* servers with more GPUs are shown by groups of GPUs that are alike */

/* "{0-3}", "{0,2,5-7}": ids of the GPUs at position[count] (ascending); runs of three and more are shortened. bare:
 * without the braces. */
void server_ids_text(const struct server *s, const int *position, int count, bool bare, char *out, size_t size);
/* Number and size of the cliques: "2 x 4", or "1 x 3 + 2 x 1" when they differ in size. */
void server_shape_text(const struct server *s, char *out, size_t size);
/* "PCIe 3.0 x16 (15.76 GB/s)" as far as it is known, "" when nothing is. */
void server_pcie_text(const struct server *s, char *out, size_t size);
/* "8 x Tesla V100-SXM2-16GB", models in the order of the GPUs; unknown ones count as "GPU". */
void server_models_text(const struct server *s, char *out, size_t size);

/* GB/s of one NVLink in one direction where all links have the same; else 0. */
double server_gbps_per_link(const struct server *s);

#endif
