/* cslp.cu - CSLP: preferences on the device, the walk on the host.
 *
 * Finding the GPUs of highest local hotness is a random read per GPU and position and has no order, so the device does it, one GPU's
 * hotness after another. Ties and full GPUs look at the room that every earlier position left: a chain as long as the list, of one comparison
 * per link, which a single host thread runs faster than a device could. Device memory: 4 bytes per vertex, 24 per position.
 */
#include "kernels/cuda/cuda.cuh" /* first: it gives the headers of C their linkage */
#include "kernels/cslp_walk.h"

/* Takes GPU g into account: a new highest begins the set anew, an equal one joins it. */
static __global__ void consider(const uint32_t *hot, int g, const uint32_t *order, uint64_t count, uint32_t *highest, struct cslp_wish *wishes)
{
    CUDA_EACH(i, count) {
        uint32_t here = hot[order[i]];
        if (here < highest[i])
            continue;
        if (here > highest[i]) {
            highest[i] = here;
            for (int word = 0; word < CSLP_WORDS; word++)
                wishes[i].top[word] = 0;
        }
        wishes[i].top[g / 64] |= (uint64_t)1 << g % 64;
    }
}

static enum st find_wishes(const struct cslp_problem *p, struct cslp_wish *out, struct err *err)
{
    device_array<uint32_t> hot, order, highest;
    device_array<struct cslp_wish> wishes;

    CUDA_TRY(order.take_copy(p->order, p->count, "finding CSLP preferences", err));
    CUDA_TRY(highest.take(p->count, "finding CSLP preferences", err));
    CUDA_TRY(highest.clear(p->count, err));
    CUDA_TRY(wishes.take(p->count, "finding CSLP preferences", err));
    CUDA_TRY(wishes.clear(p->count, err));
    CUDA_TRY(hot.take(p->n, "finding CSLP preferences", err));
    for (int g = 0; g < p->gpus; g++) {
        CUDA_TRY(hot.copy_in(p->hot[g], p->n, err));
        CUDA_LAUNCH(consider, p->count, 0, hot.at, g, order.at, p->count, highest.at, wishes.at);
        CUDA_TRY(cuda_check(cudaGetLastError(), "finding CSLP preferences", err));
    }
    return wishes.copy_out(out, p->count, err);
}

enum st cuda_cslp(int threads, const struct cslp_problem *p, uint64_t *room, uint8_t *owner, uint64_t *held, struct err *err)
{
    struct cslp_wish *wishes;
    enum st st;

    (void)threads;
    if (p->gpus < 1 || p->gpus > KERNEL_GPUS_MAX)
        return err_set(err, ST_BUG, "internal error: CSLP over %d GPUs was asked for; please report it with the command you ran", p->gpus);
    if (p->gpus == 1 || !p->count) {
        *held = cslp_walk_single(p, room, owner);
        return ST_OK;
    }
    wishes = (struct cslp_wish *)mem_array(p->count, sizeof *wishes, "CSLP preferences", err);
    if (!wishes)
        return err->code;
    st = find_wishes(p, wishes, err);
    if (st == ST_OK)
        *held = cslp_walk(p, wishes, 0, p->count, room, owner);
    mem_free(wishes);
    return st;
}
