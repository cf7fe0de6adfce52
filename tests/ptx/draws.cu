/* draws.cu - numbers below large ranges, of which some are rejected and drawn again (base/draws.h): rows of a graph are
 * too short for that in a test. small.c launches it. */
#include <cuda_runtime.h>
#include "base/draws.h"

__global__ void draw_large(struct draw_key key, uint32_t range, uint32_t count, uint32_t *out)
{
    uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) out[i] = draws_below(&key, i / 4, i % 4, draws_block(&key, i / 4, 0).word[i % 4], range);
}
