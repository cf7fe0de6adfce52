/* server_pcie.c - PCIe generations and widths (declared in server_doc.h). */
#include <stdio.h>
#include <stdlib.h>

#include "hwprofiles/model/server_doc.h"

/* GB/s per lane and direction after line coding (8b/10b, 128b/130b, then flit mode), by generation. */
static const double lane_gbps[] = {0, 0.25, 0.5, 0.985, 1.969, 3.938, 7.563};

double server_pcie_gbps(int generation, int width)
{
    if (generation < 1 || generation >= (int)(sizeof lane_gbps / sizeof *lane_gbps)) return 0;
    return lane_gbps[generation] * width;
}

enum st server_parse_pcie(const char *text, int *generation, int *width, struct err *err)
{
    char g, w[3] = "";
    int end = 0, lanes;
    if (sscanf(text, "%c%*1[xX]%2[0-9]%n", &g, w, &end) == 2 && end && !text[end] && g >= '1' && g <= '6') {
        lanes = atoi(w);
        if (lanes >= 1 && lanes <= 32 && !(lanes & (lanes - 1)) && w[0] != '0') {
            *generation = g - '0';
            *width = lanes;
            return ST_OK;
        }
    }
    return err_set(err, ST_USAGE,
                   "--pcie is \"%s\", but a generation (1 to 6), x and a power of two up to 32 lanes are expected, as "
                   "in 4x16",
                   text);
}
