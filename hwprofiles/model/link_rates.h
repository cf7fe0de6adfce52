/* link_rates.h - what one link carries, by generation: the one place of NVLink and PCIe rates.
 *
 * GB/s are 10^9 bytes per second in one direction, before packet headers. The tables and their sources are at the top
 * of link_rates.c; hwprofiles/model/README.md says how to add a generation. Rates of a whole server are in bandwidth.h.
 */
#ifndef HWPROFILES_MODEL_LINK_RATES_H
#define HWPROFILES_MODEL_LINK_RATES_H

#include <stdbool.h>
#include "base/status.h"

/* One NVLink generation. */
struct nvlink_generation {
    const char *name; /* "3.0" */
    int nvml;         /* number in NVIDIA's management library (nvmlNvlinkVersion_t), which counts 2.2 and 3.1, too */
    double gbps;      /* per link and direction */
    const char *source;
};

/* All generations, oldest first; the last row has no name. */
extern const struct nvlink_generation link_nvlink_generations[];

/* GB/s of one NVLink in one direction by its number in the management library; 0 for a generation not listed. */
double link_nvlink_gbps(unsigned nvml);

/* GB/s of `width` PCIe lanes in one direction; 0 for an unknown generation. */
double link_pcie_gbps(int generation, int width);

/* PCIe generation whose lanes run at that many GT/s (2.5, 5, 8, ..); 0: none does. */
int link_pcie_generation(double transfers);

/* Whether a GPU of that model reaches its CPU over NVLink-C2C: its PCIe link only configures it. */
bool link_c2c(const char *model);

/* "4x16" -> generation 4, width 16. ST_USAGE, naming --pcie, for anything else: generations that link_pcie_gbps knows,
 * widths that are powers of two up to 32. */
enum st link_parse_pcie(const char *text, int *generation, int *width, struct err *err) MUST_USE;

#endif
