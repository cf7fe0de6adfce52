#include "hwprofiles/model/link_rates.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* To add an NVLink generation, add a row: its number is in nvml.h, its rate in NVIDIA's architecture white paper.
 * Workstation cards may run their links slower than the generation allows (RTX 3090 and A6000: 14.0625 GB/s, white
 * paper "Ampere GA102"); server probe --measure finds what they do. */
const struct nvlink_generation link_nvlink_generations[] =
    {{"1.0", 1, 20, "NVIDIA, Tesla P100 white paper: 160 GB/s both ways over four links"},
     {"2.0", 2, 25, "NVIDIA, Tesla V100 white paper: 300 GB/s both ways over six links"},
     {"2.2", 3, 25, "NVIDIA, Turing white paper: 100 GB/s both ways over two links"},
     {"3.0", 4, 25, "NVIDIA, A100 white paper: 600 GB/s both ways over twelve links"},
     {"3.1", 5, 25, "what drivers name the links of an A100; rate as 3.0"},
     {"4.0", 6, 25, "NVIDIA, H100 white paper: 900 GB/s both ways over eighteen links"},
     {"5.0", 7, 50, "NVIDIA, Blackwell architecture brief: 1800 GB/s both ways over eighteen links"},
     {0}};

/* To add a PCIe generation, add a row: the rate of a lane is GT/s x share of the line code / 8. */
static const struct {
    double transfers; /* GT/s per lane */
    double gbps;      /* of one lane and direction */
    const char *source;
} pcie_generations[] = {{2.5, 0.25, "PCI-SIG 1.0: 8 of 10 bits are data"},
                        {5, 0.5, "PCI-SIG 2.0: 8 of 10 bits"},
                        {8, 0.985, "PCI-SIG 3.0: 128 of 130 bits"},
                        {16, 1.969, "PCI-SIG 4.0: 128 of 130 bits"},
                        {32, 3.938, "PCI-SIG 5.0: 128 of 130 bits"},
                        {64, 7.563, "PCI-SIG 6.0: 242 of 256 bytes of a flit"}};
enum { PCIE_GENERATIONS = sizeof pcie_generations / sizeof *pcie_generations };

double link_nvlink_gbps(unsigned nvml)
{
    for (const struct nvlink_generation *g = link_nvlink_generations; g->name; g++)
        if ((unsigned)g->nvml == nvml) return g->gbps;
    return 0;
}

double link_pcie_gbps(int generation, int width)
{
    if (generation < 1 || generation > PCIE_GENERATIONS) return 0;
    return pcie_generations[generation - 1].gbps * width;
}

int link_pcie_generation(double transfers)
{
    for (int g = 0; g < PCIE_GENERATIONS; g++)
        if (transfers == pcie_generations[g].transfers) return g + 1;
    return 0;
}

bool link_c2c(const char *model)
{
    static const char *const superchips[] = {"GH200", "GB200", "GB300", "GB10", "VR200"};
    for (size_t i = 0; i < sizeof superchips / sizeof *superchips; i++)
        if (strstr(model, superchips[i])) return true;
    return false;
}

enum st link_parse_pcie(const char *text, int *generation, int *width, struct err *err)
{
    char g, w[3] = "";
    int end = 0, lanes;
    if (sscanf(text, "%c%*1[xX]%2[0-9]%n", &g, w, &end) == 2 && end && !text[end] && g >= '1' &&
        g < '1' + PCIE_GENERATIONS) {
        lanes = atoi(w);
        if (lanes >= 1 && lanes <= 32 && !(lanes & (lanes - 1)) && w[0] != '0') {
            *generation = g - '0';
            *width = lanes;
            return ST_OK;
        }
    }
    return err_set(err, ST_USAGE,
                   "--pcie is \"%s\", but a generation (1 to %d), x and a power of two up to 32 lanes are expected, as "
                   "in 4x16",
                   text, PCIE_GENERATIONS);
}
