#include "hwprofiles/model/tensor_rate.h"

#include <string.h>

/* Vendors' data sheets, dense; where a sheet states the rate with sparsity, half of it. H200, B200, L4 and L40 were
 * compared with two tables of others (itkb.uw.cz, June 2026; hmc-tech.com, November 2026), the rest were not. The first
 * row whose name begins the model's name counts. */
static const struct rate {
    const char *model;
    double tflops;
} rates[] = {{"Tesla V100", 125}, {"Tesla T4", 65},  {"A100", 312},  {"A10G", 70},          {"H100 SXM", 989},
             {"H200 SXM", 989},   {"H200 NVL", 835}, {"GH200", 989}, {"B200", 2250},        {"GB200", 2500},
             {"L40S", 362},       {"L4", 121},       {"MI210", 181}, {"MI250X GCD", 191.5}, {"MI300X", 1307}};

double server_tensor_tflops(const char *model)
{
    for (size_t i = 0; i < sizeof rates / sizeof *rates; i++)
        if (!strncmp(model, rates[i].model, strlen(rates[i].model))) return rates[i].tflops;
    return 0;
}
