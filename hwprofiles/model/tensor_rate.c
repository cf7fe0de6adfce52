#include "hwprofiles/model/tensor_rate.h"

#include <string.h>

/* Dense; where a sheet states the rate with sparsity, half of it. Beside each what it was compared with in November
 * 2026; unconfirmed: with nothing. The first row whose name begins the model's name counts. */
static const struct rate {
    const char *model;
    double tflops;
} rates[] = {{"Tesla V100", 125},   /* NVIDIA's blog on tensor cores in CUDA 9 */
             {"Tesla T4", 65},      /* geektopia.es on NVIDIA's announcement, September 2018 */
             {"A100", 312},         /* NVIDIA's data sheet, as glennklockwood.com quotes it */
             {"A10G", 70},          /* unconfirmed; a table of others: 62.5 */
             {"H100 SXM", 989},     /* AnandTech on H200, November 2023 */
             {"H200 SXM", 989},     /* itkb.uw.cz, hmc-tech.com */
             {"H200 NVL", 835},     /* unconfirmed */
             {"GH200", 989},        /* unconfirmed: as H100, of which it has the GPU */
             {"B200", 2250},        /* NVIDIA's table of GB200 NVL72 and HGX B200, as zdszero.github.io quotes it */
             {"GB200", 2500},       /* the same: 5 PFLOPS with sparsity */
             {"L40S", 362},         /* hmc-tech.com, of L40 */
             {"L4", 121},           /* NVIDIA's data sheet, as grokipedia.com quotes it: 242 with sparsity */
             {"MI210", 181},        /* AnandTech, March 2022 */
             {"MI250X GCD", 191.5}, /* AMD's table at launch, as zexron.com quotes it: 383 of both dies */
             {"MI300X", 1307},      /* Vultr's requirements of March 2026, of MI325X, which has the same dies */
             {"MI325X", 1307},      /* the same */
             {"MI355X", 2500},      /* 2.5 PFLOPS without sparsity, as a table of others quotes AMD */
             {"B300", 2250},        /* verda.com on GB300 NVL72 */
             {"GB300", 2500},       /* the same */
             {"GeForce RTX 5090", 209.5}, /* NVIDIA's architecture paper of RTX Blackwell, as others quote it */
             {"H800", 989},               /* unconfirmed: as H100, of which it is a version for export */
             {"H20", 148}};               /* zangshuxian.com; H200 comes before it */

double server_tensor_tflops(const char *model)
{
    for (size_t i = 0; i < sizeof rates / sizeof *rates; i++)
        if (!strncmp(model, rates[i].model, strlen(rates[i].model))) return rates[i].tflops;
    return 0;
}
