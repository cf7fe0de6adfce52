/* product_rate.h - what a GPU multiplies per second, by precision. Found by the beginning of its model's name, as watts
 * are (planner/decisions/data/power.json): servers of one GPU differ in memory, not in this. The best products of large
 * square matrices were measured by PyTorch on GPUs of 16 models (product_rate.c). Of others hotset assumes the
 * geometric mean of those in float32; each of them, predicted from the others, is 26 % too slow to 41 % too fast
 * (hotset validate --only products), which widens the interval of its seconds. */
#ifndef HWPROFILES_MODEL_PRODUCT_RATE_H
#define HWPROFILES_MODEL_PRODUCT_RATE_H

#include <stdbool.h>

#include "hwprofiles/model/server.h"

/* Of GPUs that nobody measured: what float32 products reach of the peak, and those of f16 or bf16 of theirs. */
#define PRODUCT_F32 0.70
#define PRODUCT_HALF 0.79
/* Products in TF32, in half of the rate of f16 or bf16: seven GPUs, 0.90 to 1.04. */
#define PRODUCT_TF32 0.98
/* Training reaches this share of the best float32 product: 0.175 of a V100's peak, of which products reach 0.924. The
 * training_compute_efficiency of the shipped profiles is this times f32. */
#define PRODUCT_TRAINED (0.175 / 0.924)

struct product_rate {
    double tensor;    /* peak TFLOPS of f16 or bf16 elements summed in float32, dense (without sparsity), a
                         multiply-and-add counting as two; 0: not known, or no tensor units */
    double f32, half; /* shares of the peaks, `tflops` of a server and `tensor`, that the best product reaches */
    bool tf32;        /* has this precision; else products asked for in it are of float32 */
    bool measured;    /* f32 was */
};
/* model: "" for an unknown one. */
struct product_rate server_product_rate(const char *model);
/* Whether nobody measured how fast one of the server's GPUs multiplies. */
bool server_products_assumed(const struct server *s);

#endif
