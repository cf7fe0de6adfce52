#include "hwprofiles/model/product_rate.h"

#include <string.h>

/* tensor: dense; where a sheet states the rate with sparsity, half of it. Beside each what it was compared with in
 * November 2026; unconfirmed: with nothing. f32, half: measured (0: not), the best of squares of 1024 to 10240; issues
 * of github.com/zzc0721/torch-performance-test-data by their numbers, their geometric mean where there are several.
 * The first row whose name begins the model's name counts. */
enum { NO_TF32, TF32 };
static const struct rate {
    const char *model;
    double tensor, f32, half;
    int tf32;
} rates[] = {{"Tesla P100", 0, 0.90, 0, NO_TF32},       /* 164, 177: of 9.3 TFLOPS with PCIe */
             {"Tesla V100", 125, 0.924, 0.78, NO_TF32}, /* NVIDIA's blog on tensor cores in CUDA 9; 140 */
             {"Tesla T4", 65, 0.55, 0.66, NO_TF32}, /* geektopia.es on NVIDIA's announcement, September 2018; pull 29 */
             {"A100", 312, 0.90, 0.75, TF32},       /* NVIDIA's data sheet, as glennklockwood.com quotes it; 108 */
             {"A10G", 70, 0.67, 0.99, TF32},        /* unconfirmed; a table of others: 62.5; 126 */
             {"H100 SXM", 989, 0.78, 0.80, TF32},   /* AnandTech on H200, November 2023; 21, 39, 79 */
             {"H200 SXM", 989, 0.77, 0.80, TF32},   /* itkb.uw.cz, hmc-tech.com; 45 */
             {"H200 NVL", 835, 0, 0, TF32},         /* unconfirmed */
             {"GH200", 989, 0, 0, TF32},            /* unconfirmed: as H100, of which it has the GPU */
             {"B200", 2250, 0, 0, TF32},            /* NVIDIA's table of GB200 NVL72 and HGX B200 (zdszero.github.io) */
             {"GB200", 2500, 0, 0, TF32},           /* the same: 5 PFLOPS with sparsity */
             {"L40S", 362, 0.51, 0.74, TF32},       /* hmc-tech.com, of L40; 43 */
             {"L4", 121, 0.51, 0.59, TF32},         /* NVIDIA's sheet (grokipedia.com): 242 with sparsity; 120 */
             {"MI210", 181, 1.49, 0.72, NO_TF32}, /* AnandTech, March 2022; 195: matrix units, the peak is of vectors */
             {"MI250X GCD", 191.5, 0, 0,
              NO_TF32},                       /* AMD's table at launch, as zexron.com quotes it: 383 of both dies */
             {"MI300X", 1307, 0, 0, NO_TF32}, /* Vultr's requirements of March 2026, of MI325X: the same dies */
             {"MI325X", 1307, 0, 0, NO_TF32}, /* the same */
             {"MI355X", 2500, 0, 0, NO_TF32}, /* 2.5 PFLOPS without sparsity, as a table of others quotes AMD */
             {"B300", 2250, 0, 0, TF32},      /* verda.com on GB300 NVL72 */
             {"GB300", 2500, 0, 0, TF32},     /* the same */
             {"GeForce RTX 2080 Ti", 0, 0.91, 0, NO_TF32}, /* 115, 181 */
             {"GeForce RTX 3090", 0, 0.70, 0, TF32},       /* 42 */
             {"GeForce RTX 4090", 0, 0.65, 0, TF32},       /* 20, 41, 50, 78 */
             {"GeForce RTX 5090", 209.5, 0.62, 1.03,
              TF32},                          /* NVIDIA's paper of RTX Blackwell, as others quote it; 15, 124, 200 */
             {"RTX A6000", 0, 0.62, 0, TF32}, /* 46 */
             {"H800", 989, 0, 0, TF32},       /* unconfirmed: as H100, of which it is a version for export */
             {"H20", 148, 0.73, 0.96, TF32}}; /* zangshuxian.com; 77; H200 comes before it */

struct product_rate server_product_rate(const char *model)
{
    struct product_rate out = {.f32 = PRODUCT_F32, .half = PRODUCT_HALF};
    for (size_t i = 0; i < sizeof rates / sizeof *rates; i++) {
        const struct rate *r = &rates[i];
        if (strncmp(model, r->model, strlen(r->model)) != 0) continue;
        out = (struct product_rate){r->tensor, r->f32, r->half, r->tf32 == TF32, r->f32 > 0};
        if (!(r->f32 > 0)) out.f32 = PRODUCT_F32;
        if (!(r->half > 0)) out.half = PRODUCT_HALF;
        break;
    }
    return out;
}

bool server_products_assumed(const struct server *s)
{
    bool assumed = false;
    for (int g = 0; g < s->gpus; g++) assumed |= *s->gpu[g].model && !server_product_rate(s->gpu[g].model).measured;
    return assumed;
}
