/* tensor_rate.h - what a GPU's tensor units multiply per second. Found by the beginning of its model's name, as watts
 * are (planner/decisions/data/power.json): servers of one GPU differ in memory, not in this. */
#ifndef HWPROFILES_MODEL_TENSOR_RATE_H
#define HWPROFILES_MODEL_TENSOR_RATE_H

/* Peak TFLOPS of f16 or bf16 elements summed in float32, dense (without sparsity), a multiply-and-add counting as two;
 * 0: not known. model: "" for an unknown one. */
double server_tensor_tflops(const char *model);

#endif
