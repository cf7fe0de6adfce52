/* synth_uniform.c - both ends of every arc uniform. */
#include "base/rng.h"
#include "traces/synth/synth.h"

enum { UNIFORM_STREAM = 0x756e69 };

static void arcs(const struct synth_options *o, const void *state, uint64_t first, uint64_t count, uint32_t *pairs)
{
    (void)state;
    for (uint64_t i = first; i < first + count; i++, pairs += 2) {
        struct rng_block b = rng_philox(o->seed, (uint32_t)i, (uint32_t)(i >> 32), 0, UNIFORM_STREAM);
        pairs[0] = (uint32_t)(((unsigned __int128)((uint64_t)b.word[1] << 32 | b.word[0]) * o->vertices) >> 64);
        pairs[1] = (uint32_t)(((unsigned __int128)((uint64_t)b.word[3] << 32 | b.word[2]) * o->vertices) >> 64);
    }
}

const struct synth_kind synth_uniform = {.name = "uniform", .arcs = arcs};
